/**
 * From a file to what stands in the texts in it (mail.md): mails, mailboxes, attachments, web pages, plain text.
 *
 * A mail is held as a text of its bytes, a character each, so that it can be searched as text before anything is known of its characters.
 */
import { armour, findBlobs, hasSecret, type Blob } from "./armour.js";
import { textOf, type Bytes } from "./bytes.js";
import { textOfHtml } from "./html.js";
import { LIMITS } from "./limits.js";

/** What the mail around a text claims, as its header has it. */
export interface Claims {
  readonly date: string | null;
  readonly from: string | null;
  readonly subject: string | null;
}

/** The blobs of one text, with what the mail around it claims. */
export interface Found extends Claims {
  readonly blobs: readonly Blob[];
  readonly secret: boolean;
}

const NOTHING: Claims = { date: null, from: null, subject: null };
/** How much of a file says what it is. */
const HEAD = 65_536;

/** Bytes as a text of as many characters. */
function raw(bytes: Bytes): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8_192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  return parts.join("");
}

function bytesOf(text: string): Bytes {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The encoding of bytes that begin as UTF-16 does: a byte order mark, or two characters of ASCII or Latin-1 (mail 3). */
function wide(text: string): "utf-16le" | "utf-16be" | null {
  if (text.startsWith("\xff\xfe") || /^[^\0]\0[^\0]\0/.test(text.slice(0, 4))) return "utf-16le";
  if (text.startsWith("\xfe\xff") || /^\0[^\0]\0[^\0]/.test(text.slice(0, 4))) return "utf-16be";
  return null;
}

/** The text that bytes are (mail 3). */
function decoded(text: string): string {
  const encoding = wide(text);
  if (encoding !== null) return new TextDecoder(encoding).decode(bytesOf(text));
  return /[\x80-\xff]/.test(text) ? textOf(bytesOf(text)) : text;
}

type Kind = "text" | "message" | "mbox" | "html";

/** Without the byte order mark and the white space before the first character. */
function unpadded(text: string): string {
  const from = text.startsWith("\xef\xbb\xbf") ? 3 : 0;
  const first = /[^ \t\n\f\r]/g;
  first.lastIndex = from;
  return text.slice(first.exec(text)?.index ?? text.length);
}

/** Whether a line is a header field, or one that an older program quoted into the header (mail 5). */
function isField(line: string): boolean {
  return /^(?:>From |[A-Za-z0-9_-]+:)/.test(line);
}

const PEOPLE = /^(?:from|to|cc|subject|date|reply-to|sender|bcc):/i;
const PROGRAMS = /^(?:content-type|content-transfer-encoding|mime-version|message-id|received|return-path|delivered-to|references):/i;

/** What bytes are, by the first of them (mail 4, 5). */
function kindOf(text: string): Kind {
  if (wide(text) !== null) return "text";
  const head = unpadded(text.slice(0, HEAD));
  if (/^(?:<!doctype html|<html)/i.test(head)) return "html";
  if (head.startsWith("From ")) {
    const end = head.indexOf("\n");
    return end >= 0 && isField(head.slice(end + 1)) ? "mbox" : "text";
  }
  let points = 0;
  for (let at = 0, first = true; at <= head.length; first = false) {
    const end = head.indexOf("\n", at);
    const line = head.slice(at, end < 0 ? head.length : end);
    if (/^[ \t\f\r]*$/.test(line)) break;
    if (first || !/^[ \t\f\r]/.test(line)) {
      if (!isField(line)) return "text";
      points += PROGRAMS.test(line) ? 2 : PEOPLE.test(line) ? 1 : 0;
    }
    if (end < 0) break;
    at = end + 1;
  }
  return points >= 2 ? "message" : "text";
}

/** The mails of a mailbox, without the lines before them (mail 6). */
function* mailsOf(mailbox: string): Generator<string> {
  const lineAfter = (at: number): number => {
    const end = mailbox.indexOf("\n", at);
    return end < 0 ? mailbox.length : end + 1;
  };
  const first = /(?:^|\n)(?:\xef\xbb\xbf)?From /.exec(mailbox);
  if (first === null) return;
  let from = lineAfter(first.index + (first.index === 0 ? 0 : 1));
  let next = from;
  for (let at = mailbox.indexOf("\nFrom ", from - 1) + 1; at > 0; at = mailbox.indexOf("\nFrom ", Math.max(at, next - 1)) + 1) {
    if (at < next) continue;
    const behind = lineAfter(at);
    const before = mailbox.slice(mailbox.lastIndexOf("\n", at - 2) + 1, at - 1);
    if (!(at > from && /^[ \t\f\r]*$/.test(before)) && !/ \d\d:\d\d/.test(mailbox.slice(at, behind))) continue;
    if (behind < mailbox.length && isField(mailbox.slice(behind, behind + 256))) {
      yield mailbox.slice(from, at);
      from = behind;
    }
    // The line behind is read with it.
    next = lineAfter(behind);
  }
  yield mailbox.slice(from);
}

/** What the first field of a name says, its lines joined (mail 9). */
function fieldOf(head: string, name: string): string {
  const found = new RegExp(`(?:^|\\n)${name}[ \\t]*:([^\\n]*(?:\\n[ \\t][^\\n]*)*)`, "i").exec(head);
  return `${found?.[1] ?? ""}\n`.replace(/\r?\n/g, "");
}

function word(value: string): string {
  return (/^[ \t]*([A-Za-z0-9!#$&^_.+/-]*)/.exec(value)?.[1] ?? "").toLowerCase();
}

function boundaryOf(value: string): string {
  const found = /;[ \t]*boundary[ \t]*=[ \t]*(?:"([^"]*)|([^ \t;]*))/i.exec(value);
  return (found?.[1] ?? found?.[2] ?? "").replace(/[ \t]+$/, "");
}

/** The parts between the lines that are a boundary and nothing else (mail 11). */
function* partsOf(body: string, boundary: string): Generator<string> {
  const line = `--${boundary}`;
  let from = -1;
  for (let at = body.indexOf(line); at >= 0; at = body.indexOf(line, at + 1)) {
    if (at > 0 && body[at - 1] !== "\n") continue;
    const end = body.indexOf("\n", at);
    const rest = body.slice(at + line.length, end < 0 ? body.length : end).replace(/[ \t\f\r]+$/, "");
    if (rest !== "" && rest !== "--") continue;
    if (from >= 0) yield body.slice(from, at);
    if (rest === "--") return;
    from = end < 0 ? body.length : end + 1;
  }
  if (from >= 0) yield body.slice(from);
}

const VALUES = /* @__PURE__ */ ((): Uint8Array => {
  const values = new Uint8Array(256);
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let i = 0; i < digits.length; i++) values[digits.charCodeAt(i)] = i;
  return values;
})();

/** Groups of four digits to three bytes. What is no digit counts as the digit 0, and a group that is cut short has as many bytes as are whole. */
function groups(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === "=") end--;
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  for (let at = 0, out = 0; at < end; at += 4, out += 3) {
    let bits = 0;
    for (let i = at; i < at + 4; i++) bits = (bits << 6) | (i < end ? (VALUES[line.charCodeAt(i)] ?? 0) : 0);
    bytes[out] = bits >> 16;
    bytes[out + 1] = bits >> 8;
    bytes[out + 2] = bits;
  }
  return raw(bytes);
}

/** Line by line where most lines are whole groups; else all lines as one (mail 16, 17). */
function fromBase64(body: string): string {
  const lines = body
    .replace(/[ \t\r]/g, "")
    .split("\n")
    .filter((line) => line !== "");
  const whole = lines.filter((line) => line.length % 4 === 0).length;
  return whole * 2 > lines.length ? lines.map(groups).join("") : groups(lines.join(""));
}

/** mail 18 */
function fromQuotedPrintable(body: string): string {
  return body.replace(/=(?:([0-9A-Fa-f]{2})|[ \t]*\r?\n)/g, (_, hex: string | undefined) => (hex === undefined ? "" : String.fromCharCode(Number.parseInt(hex, 16))));
}

function transferred(head: string, body: string): string {
  switch (word(fieldOf(head, "content-transfer-encoding"))) {
    case "base64":
      return fromBase64(body);
    case "quoted-printable":
      return fromQuotedPrintable(body);
    default:
      return body;
  }
}

interface View extends Claims {
  readonly text: string;
}

/** The texts of one message, in order (mail 9 to 14). */
class Walk {
  readonly views: View[] = [];
  private parts = 0;

  part(message: string, depth: number, inDigest: boolean, around: Claims): void {
    if (depth === 0 || this.parts++ >= LIMITS.parts) return;
    const end = /^\r?\n|\n\r?\n/.exec(message);
    const split = end === null ? message.length : end.index + end[0].length;
    const [head, body] = [message.slice(0, split), message.slice(split)];
    const content = fieldOf(head, "content-type");
    const kind = word(content);
    const boundary = boundaryOf(content);
    const said = (name: string): string | null => decoded(fieldOf(head, name)).trim() || null;
    const claims = { date: said("date") ?? around.date, from: said("from") ?? around.from, subject: said("subject") ?? around.subject };
    if (kind.startsWith("multipart/") && boundary !== "") {
      for (const part of partsOf(body, boundary)) this.part(part, depth - 1, kind === "multipart/digest", claims);
      return;
    }
    if (/^(?:image|audio|video|font)\//.test(kind)) return;
    const inner = transferred(head, body);
    if (kind === "message/rfc822" || kind === "message/global" || (inDigest && kind === "")) {
      this.part(inner, depth - 1, false, claims);
      return;
    }
    if (kindOf(inner) === "message") this.part(unpadded(inner), depth - 1, false, claims);
    this.leaf(inner, kind === "text/html" || kind === "application/xhtml+xml", claims);
  }

  leaf(bytes: string, isHtml: boolean, claims: Claims): void {
    const text = decoded(bytes);
    this.views.push({ ...claims, text: isHtml || kindOf(bytes) === "html" ? textOfHtml(text) : text });
  }
}

/** Lines of a letter, at most 64 of them, and how many it has for each. */
function sample(frame: Bytes): { readonly lines: readonly string[]; readonly stride: number } {
  const lines = armour(frame).split("\n").slice(1, -2);
  const stride = Math.ceil(lines.length / 64);
  return { lines: lines.filter((_, i) => i % stride === 0), stride };
}

/** Whether a damaged body is that of a letter, more or less: half of its lines stand in it. */
function isCopy(left: string, { lines, stride }: ReturnType<typeof sample>): boolean {
  const there = lines.filter((line) => left.includes(line)).length;
  return there * 2 >= Math.min(lines.length, Math.max(1, left.length / 64 / stride));
}

/** What was found in the texts of one message, its source last. A letter that is damaged in one of them and whole in another is whole (mail 15). */
function* foundIn(views: readonly View[]): Generator<Found> {
  const found = views.map((view) => ({ view, blobs: findBlobs(view.text) }));
  const inParts = found.slice(0, -1).some(({ blobs }) => blobs.length > 0);
  const isDamaged = found.some(({ blobs }) => blobs.some((blob) => !blob.ok));
  const whole = isDamaged ? found.flatMap(({ blobs }, i) => blobs.flatMap((blob) => (blob.ok ? [{ i, lines: sample(blob.frame) }] : []))) : [];
  const told = new Map<string, number>();
  let looked = 0;
  for (const [i, { view, blobs }] of found.entries()) {
    const { date, from, subject } = view;
    // The source has all of them again, and counts for what is nowhere else.
    const isSource = i === found.length - 1;
    const kept = blobs.filter((blob) => {
      if (blob.ok) return true;
      if ((isSource && inParts) || (told.get(blob.left) ?? i) !== i || looked++ >= LIMITS.damaged) return false;
      if (whole.some((one) => one.i !== i && isCopy(blob.left, one.lines))) return false;
      told.set(blob.left, i);
      return true;
    });
    yield { blobs: kept, secret: hasSecret(view.text), date, from, subject };
  }
}

/** A message or an HTML file; one that is too long is a text (mail 8). */
function* readWhole(source: string, isHtml: boolean): Generator<Found> {
  const walk = new Walk();
  if (source.length <= LIMITS.message) {
    if (isHtml) walk.leaf(source, true, NOTHING);
    else walk.part(unpadded(source), LIMITS.nesting, false, NOTHING);
  }
  const claims = walk.views[0] ?? NOTHING;
  yield* foundIn([...walk.views, { date: claims.date, from: claims.from, subject: claims.subject, text: decoded(source) }]);
}

/** Whether a file is a .zip or .gz: somebody has to unpack it first (mail 2). */
export function isPacked(bytes: Bytes): boolean {
  const [a, b, c, d] = bytes;
  return (a === 0x50 && b === 0x4b && c === 3 && d === 4) || (a === 0x1f && b === 0x8b);
}

/** What stands in all texts of a file, whatever it is. */
export function* readFile(bytes: Bytes): Generator<Found> {
  if (isPacked(bytes)) return;
  const file = raw(bytes);
  // An .emlx file: a number, and a message behind it.
  const counted = /^[ \t\f\r]*\d+[ \t\f\r]*\n/.exec(file.slice(0, HEAD))?.[0].length ?? 0;
  const isCounted = counted > 0 && kindOf(file.slice(counted, HEAD)) === "message";
  const kind = isCounted ? "message" : kindOf(file);
  if (kind === "text") {
    const text = decoded(file);
    yield { ...NOTHING, blobs: findBlobs(text), secret: hasSecret(text) };
  } else if (kind === "mbox") {
    for (const mail of mailsOf(file)) yield* readWhole(mail, false);
  } else {
    yield* readWhole(isCounted ? file.slice(counted) : file, kind === "html");
  }
}
