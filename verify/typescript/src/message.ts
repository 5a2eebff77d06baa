import { concat, fromHex, utf8, toHex, type Bytes } from "./bytes.js";
import { hash } from "./hash.js";
import { readPayload, type Json } from "./json.js";
import { isUnnumbered, KINDS, readContent, type Content } from "./kinds.js";
import { LIMITS } from "./limits.js";
import { Refusal, refuse, type RefusalClass } from "./refusal.js";
import { hex32, integer, json, nullable, record, role, word, type Read, type Shape } from "./shape.js";
import { isObject } from "./json.js";
import { verifies, type KeyRing } from "./signature.js";

export const TYPE = "sealed-dice/v1";

// message 8
const seen: Shape<ReadonlyMap<string, string | null>> = (value, path) => {
  if (!isObject(value)) return refuse("fields", `${path} is no object`);
  const keys = Object.keys(value);
  if (keys.length > LIMITS.seen) refuse("fields", `${path} has more than ${LIMITS.seen} roles`);
  return new Map(keys.map((key) => [role(key, path), nullable(hex32)(value[key] ?? null, `${path}.${key}`)]));
};

const headShape = record({
  v: integer(1, 1),
  kind: word(...KINDS),
  game: nullable(hex32),
  author: role,
  number: integer(),
  prev: nullable(hex32),
  seen,
});

export type Head = Read<typeof headShape>;

/** A message with a good frame, form and signature. Its game and effect are still unknown. */
export interface Message {
  readonly id: string;
  readonly head: Head;
  readonly content: Content;
  /** The public key that signed it. */
  readonly key: string;
  readonly signature: string;
  /** The signed line of JSON. */
  readonly payload: string;
}

export type Checked = { readonly ok: true; readonly message: Message } | { readonly ok: false; readonly class: RefusalClass; readonly text: string; readonly id: string | null };

interface Frame {
  readonly payload: Bytes;
  readonly key: string;
  readonly signature: string;
}

const LF = 0x0a;

// message 1
export function readFrame(frame: Bytes): Frame {
  if (frame.length > LIMITS.frame) refuse("size", "longer than the longest frame");
  const lines: Bytes[] = [];
  let from = 0;
  while (lines.length < 4) {
    const end = frame.indexOf(LF, from);
    if (end < 0) refuse("frame", "a frame has four lines");
    lines.push(frame.subarray(from, end));
    from = end + 1;
  }
  const [type, payload, key, signature] = lines;
  if (type === undefined || payload === undefined || key === undefined || signature === undefined) return refuse("frame", "a frame has four lines");
  const padding = frame.length - from;
  if (padding !== (3 - (from % 3)) % 3 || frame.subarray(from).some((byte) => byte !== LF)) refuse("frame", "a frame ends in no more and no fewer line feeds than it needs");
  const ascii = (bytes: Bytes): string => String.fromCharCode(...bytes.subarray(0, 200));
  if (ascii(type) !== TYPE) refuse("frame", `the type is not ${TYPE}`);
  const keyText = ascii(key);
  const signatureText = ascii(signature);
  if (key.length !== 64 || fromHex(keyText) === null) refuse("frame", "the key is not 64 lower-case hexadecimal digits");
  if (signature.length !== 128 || fromHex(signatureText) === null) refuse("frame", "the signature is not 128 lower-case hexadecimal digits");
  return { payload, key: keyText, signature: signatureText };
}

// message 3
export function signedBytes(type: string, payload: Bytes): Bytes {
  const name = utf8(type);
  return concat(utf8(`DSSEv1 ${name.length} ${type} ${payload.length} `), payload);
}

// message 4
export function messageId(payload: Bytes): string {
  return toHex(hash("message-id", utf8(TYPE), payload));
}

const payloadShape = record({ body: json, head: json });

// message 2, 8, 9
export function readHeadAndBody(value: Json): { readonly head: Head; readonly content: Content } {
  const payload = payloadShape(value, "payload");
  const head = headShape(payload.head, "head");
  const content = readContent(head.kind, payload.body);
  const unnumbered = isUnnumbered(content);
  const first = content.kind === "charter" || content.kind === "accept";
  const rightGame = (head.game === null) === (head.kind === "charter");
  const rightNumber = first ? head.number === 1 : unnumbered ? head.number === 0 : head.number >= 2;
  const rightPrev = (head.prev === null) === (first || unnumbered);
  const rightSeen = !unnumbered || [...head.seen.values()].every((id) => id === null);
  if (!rightGame || !rightNumber || !rightPrev || !rightSeen) refuse("fields", `the head is not that of a letter of kind ${head.kind}`);
  return { head, content };
}

/** Makes the checks of message 11 from `frame` to `signature`. */
export function checkMessage(bytes: Bytes, keys: KeyRing): Checked {
  let id: string | null = null;
  try {
    const frame = readFrame(bytes);
    id = messageId(frame.payload);
    const key = keys.find(frame.key);
    if (key === null) return { ok: false, class: "key", text: "the key is none", id };
    const { text, value } = readPayload(frame.payload);
    const { head, content } = readHeadAndBody(value);
    const signature = fromHex(frame.signature) ?? new Uint8Array(0);
    if (!verifies(key, signedBytes(TYPE, frame.payload), signature)) refuse("signature", "the signature does not fit: the letter was altered or damaged on its way, or somebody else signed it");
    return { ok: true, message: { id, head, content, key: frame.key, signature: frame.signature, payload: text } };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, class: error.class_, text: error.message, id };
    throw error;
  }
}
