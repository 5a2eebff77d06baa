import { hexBytes, le64, toHex, utf8, type Bytes } from "./bytes.js";
import { hash, pae } from "./hash.js";
import { LIMITS } from "./limits.js";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { fromUtf8 } from "./bytes.js";
import { refuse } from "./refusal.js";

/** What a set is for (envelope 1). `fallback` is empty if the sealer reveals. */
export interface SetContext {
  readonly game: string;
  readonly purpose: string;
  readonly kind: string;
  readonly sealer: string;
  readonly declarer: string;
  readonly revealer: string;
  readonly fallback: string;
  readonly n: number;
}

function contextItems(context: SetContext): Bytes[] {
  return [
    hexBytes(context.game),
    utf8(context.purpose),
    utf8(context.kind),
    utf8(context.sealer),
    utf8(context.declarer),
    utf8(context.revealer),
    utf8(context.fallback),
    le64(context.n),
  ];
}

// envelope 1
export function contextOfSet(context: SetContext): Bytes {
  return pae(contextItems(context));
}

// envelope 2
export function contextOfEnvelope(context: SetContext, index: number): Bytes {
  return pae([...contextItems(context), le64(index)]);
}

export function contextOfCell(context: SetContext, column: number, row: number): Bytes {
  return pae([...contextItems(context), le64(column), le64(row)]);
}

// envelope 3
export function setMaster(context: SetContext, vault: Bytes, salt: Bytes): Bytes {
  return hash("set-master", vault, contextOfSet(context), salt);
}

// envelope 4
export function envelopeKey(context: SetContext, master: Bytes, index: number): Bytes {
  return hash("envelope-key", master, contextOfEnvelope(context, index));
}

export function envelopeCommit(context: SetContext, index: number, key: Bytes): Bytes {
  return hash("envelope-commit", contextOfEnvelope(context, index), key);
}

export function envelopeSeed(context: SetContext, index: number, key: Bytes): Bytes {
  return hash("envelope-seed", contextOfEnvelope(context, index), key);
}

// envelope 5
/** The keys of a column from row `from` up to K_0, deepest first. */
export function climb(context: SetContext, column: number, from: number, key: Bytes): Bytes[] {
  const keys = [key];
  let above = key;
  for (let row = from; row >= 1; row--) {
    above = hash("cell-chain", contextOfCell(context, column, row), above);
    keys.push(above);
  }
  return keys;
}

export function columnKeys(context: SetContext, master: Bytes, column: number): Bytes[] {
  return climb(context, column, LIMITS.cells, hash("envelope-key", master, contextOfCell(context, column, LIMITS.cells)));
}

/** K_r of a column, computed from the key of a cell at or below it. */
export function cellKey(context: SetContext, column: number, deep: number, key: Bytes, row: number): Bytes {
  let above = key;
  for (let at = deep; at > row; at--) above = hash("cell-chain", contextOfCell(context, column, at), above);
  return above;
}

export function cellSeed(context: SetContext, column: number, row: number, key: Bytes): Bytes {
  return hash("envelope-seed", contextOfCell(context, column, row), key);
}

/** Whether a key matches an envelope (envelope 4). */
export function opensEnvelope(context: SetContext, index: number, key: Bytes, commit: string): boolean {
  return toHex(envelopeCommit(context, index, key)) === commit;
}

/** Whether a key matches a cell (envelope 5). */
export function opensCell(context: SetContext, column: number, row: number, key: Bytes, commit: string): boolean {
  if (row < 1 || row > LIMITS.cells) return false;
  return toHex(cellKey(context, column, row, key, 0)) === commit;
}

const NONCE = new Uint8Array(12);

/** ChaCha20-Poly1305 with a zero nonce (envelope 6, key-file 6). */
export function decrypt(key: Bytes, associated: Bytes, ciphertext: Bytes): Bytes {
  try {
    return chacha20poly1305(key, NONCE, associated).decrypt(ciphertext);
  } catch {
    return refuse("rule", "the cipher does not accept");
  }
}

const STEP = 256;

// envelope 6, 7
export function openNote(context: SetContext, key: Bytes, commit: string, ciphertext: Bytes): string {
  if (!opensEnvelope(context, 0, key, commit)) refuse("rule", "the key does not match");
  const a = contextOfEnvelope(context, 0);
  const plain = decrypt(hash("note-key", a, key), a, ciphertext);
  let end = plain.length - 1;
  while (end >= 0 && plain[end] === 0) end--;
  if (end < 0 || plain[end] !== 0x80 || plain.length % STEP !== 0) return refuse("rule", "the note is not padded");
  return fromUtf8(plain.subarray(0, end)) ?? refuse("rule", "the note is no UTF-8");
}
