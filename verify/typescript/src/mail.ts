/**
 * Finds the letters in the texts of a file (mail.md): mails, mailboxes, attachments, web pages, plain text.
 *
 * A file is read in pieces, with at most one mail in memory. A mail is kept as a string with one character for each byte, so that it can
 * be searched before its encoding is known. Most mails in a mailbox have no letters, so a mail that cannot contain a mark is not taken
 * apart.
 */
import { BlobFinder, findBlobs, hasSecret, mayHold, type Blob } from "./armour.js";
import { textOf, WINDOWS_1252, type Bytes } from "./bytes.js";
import { Wholes } from "./copies.js";
import { textOfHtml } from "./html.js";
import { LIMITS } from "./limits.js";

/** A file, or another source of bytes that can be read in pieces. */
export interface Input {
  readonly size: number;
  /** Returns the bytes from offset `from` up to `to`, which is at most `size`; fewer if there are no more. */
  read(from: number, to: number): Bytes;
}

/** The date and sender that the header of a text's mail claims. */
export interface Claims {
  readonly date: string | null;
  readonly from: string | null;
}

/** The blobs of one text, with the claims of its mail. */
export interface Found extends Claims {
  readonly blobs: readonly Blob[];
  readonly secret: boolean;
}

const NOTHING: Claims = { date: null, from: null };
/** Bytes at the start of a file that decide its type. */
const HEAD = 65_536;
/** Most bytes examined in a line between mails. */
const LINE = 65_536;
/** Bytes read at once. */
const PIECE = 2_097_152;

const SINGLE = /* @__PURE__ */ new TextDecoder("windows-1252");

/** Turns bytes into a string with one character each: windows-1252 in browsers, which is fastest there, or Latin-1 where node decodes it as that. */
function raw(bytes: Bytes): string {
  return SINGLE.decode(bytes);
}

function bytesOf(text: string): Bytes {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    bytes[at] = code < 0x100 ? code : 0x80 + WINDOWS_1252.indexOf(text.charAt(at));
  }
  return bytes;
}

type Wide = "utf-16le" | "utf-16be";

/** The encoding of bytes that begin like UTF-16: with a byte order mark, or two ASCII or Latin-1 characters (mail 3). */
function wide(text: string): Wide | null {
  if (text.startsWith("\xff\xfe") || /^[^\0]\0[^\0]\0/.test(text.slice(0, 4))) return "utf-16le";
  if (text.startsWith("\xfe\xff") || /^\0[^\0]\0[^\0]/.test(text.slice(0, 4))) return "utf-16be";
  return null;
}

/** Decodes bytes (mail 3). */
function textFrom(bytes: Bytes, encoding: Wide | null): string {
  return encoding === null ? textOf(bytes) : new TextDecoder(encoding).decode(bytes);
}

/** Decodes a string of bytes. */
function decoded(text: string): string {
  return /[^\x01-\x7f]/.test(text) ? textFrom(bytesOf(text), wide(text)) : text;
}

type Kind = "text" | "message" | "mbox" | "html";

/** Removes the byte order mark and leading white space. */
function unpadded(text: string): string {
  const from = text.startsWith("\xef\xbb\xbf") ? 3 : 0;
  const first = /[^ \t\n\f\r]/g;
  first.lastIndex = from;
  return text.slice(first.exec(text)?.index ?? text.length);
}

/** Whether a line is a header field, or one that an old program quoted into the header (mail 5). */
function isField(line: string): boolean {
  return /^(?:>From |[A-Za-z0-9_-]+:)/.test(line);
}

const PEOPLE = /^(?:from|to|cc|subject|date|reply-to|sender|bcc):/i;
const PROGRAMS = /^(?:content-type|content-transfer-encoding|mime-version|message-id|received|return-path|delivered-to|references):/i;

/** Recognises the type of a file by its first bytes (mail 4, 5). */
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

/** A mail in a mailbox: its offsets, and its bytes unless it is too long (mail 8). */
interface Mail {
  readonly from: number;
  readonly to: number;
  readonly source: string | null;
}

/** The mails of a mailbox, without the lines before each (mail 6). */
function* mailsOf(input: Input, piece: number): Generator<Mail> {
  // The start of the current mail, and the end of the examined lines.
  let from = -1;
  let next = 0;
  for (let start = 0; start < input.size; start += piece) {
    // Includes the line before, and the two lines that are examined with it.
    const base = Math.max(0, start - 2 * LINE);
    const text = raw(input.read(base, Math.min(input.size, start + piece + 2 * LINE)));
    const lineAfter = (at: number): number => {
      const end = text.indexOf("\n", at);
      return Math.min(text.length, at + LINE, end < 0 ? text.length : end + 1);
    };
    const mail = (to: number): Mail => {
      const isLong = to - from > LIMITS.message;
      return { from, to, source: isLong ? null : from >= base ? text.slice(from - base, to - base) : raw(input.read(from, to)) };
    };
    if (from < 0) {
      const first = (base === 0 ? /(?:^|\n)(?:\xef\xbb\xbf)?From / : /\n(?:\xef\xbb\xbf)?From /).exec(text);
      if (first === null) continue;
      next = from = base + lineAfter(first.index + (text[first.index] === "\n" ? 1 : 0));
    }
    const mark = "\nFrom ";
    const lead = Math.max(next, start) - base;
    for (let at = text.indexOf(mark, Math.max(0, lead - 1)) + 1; at > 0 && base + at < start + piece; at = text.indexOf(mark, Math.max(at, next - base - 1)) + 1) {
      if (base + at < next) continue;
      const behind = lineAfter(at);
      const before = text.slice(text.lastIndexOf("\n", at - 2) + 1, at - 1);
      const isBehindBlank = base + at > from && before.length < LINE && /^[ \t\f\r]*$/.test(before);
      if (!isBehindBlank && !/ \d\d:\d\d/.test(text.slice(at, behind))) continue;
      if (behind < text.length && isField(text.slice(behind, behind + 256))) {
        yield mail(base + at);
        from = base + behind;
      }
      // The next line was examined together with this one.
      next = base + lineAfter(behind);
    }
    if (start + piece >= input.size) yield mail(input.size);
  }
}

/** The value of the first field with a name, its lines joined (mail 9). */
function fieldOf(head: string, name: string): string {
  const found = new RegExp(`(?:^|\\n)${name}[ \\t]*:`, "i").exec(head);
  if (found === null) return "";
  const from = found.index + found[0].length;
  let end = head.indexOf("\n", from);
  while (end >= 0 && /[ \t]/.test(head.charAt(end + 1))) end = head.indexOf("\n", end + 1);
  return `${end < 0 ? head.slice(from) : head.slice(from, end)}\n`.replace(/\r?\n/g, "");
}

/** Trims characters from the end of a text. A loop, because a regular expression takes quadratic time on long runs. */
function endless(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

function word(value: string): string {
  return (/^[ \t]*([A-Za-z0-9!#$&^_.+/-]*)/.exec(value)?.[1] ?? "").toLowerCase();
}

function boundaryOf(value: string): string {
  const found = /;[ \t]*boundary[ \t]*=[ \t]*(?:"([^"]*)|([^ \t;]*))/i.exec(value);
  return endless(found?.[1] ?? found?.[2] ?? "", " \t");
}

/** The parts between lines that contain only the boundary (mail 11). */
function* partsOf(body: string, boundary: string): Generator<string> {
  const line = `--${boundary}`;
  let from = -1;
  for (let at = body.indexOf(line); at >= 0; at = body.indexOf(line, at + 1)) {
    if (at > 0 && body[at - 1] !== "\n") continue;
    const end = body.indexOf("\n", at);
    const rest = endless(body.slice(at + line.length, end < 0 ? body.length : end), " \t\f\r");
    if (rest !== "" && rest !== "--") continue;
    if (from >= 0) yield body.slice(from, at);
    if (rest === "--") return;
    from = end < 0 ? body.length : end + 1;
  }
  if (from >= 0) yield body.slice(from);
}

/** Returns a string with one character for each byte. */
const CHARACTERS = /* @__PURE__ */ raw(Uint8Array.from({ length: 256 }, (_, byte) => byte));
const VALUES = /* @__PURE__ */ ((): Uint8Array => {
  const values = new Uint8Array(256);
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let i = 0; i < digits.length; i++) values[digits.charCodeAt(i)] = i;
  return values;
})();

/** Decodes a line of base64 into `bytes`, and returns the next offset. A character outside the alphabet counts as the digit 0. A group that is cut short gives only its whole bytes. */
function groups(line: string, bytes: Bytes, place: number): number {
  let end = line.length;
  while (end > 0 && line[end - 1] === "=") end--;
  let out = place;
  const digit = (at: number): number => (at < end ? (VALUES[line.charCodeAt(at)] ?? 0) : 0);
  for (let at = 0; at < end; at += 4, out += 3) {
    const bits = (digit(at) << 18) | (digit(at + 1) << 12) | (digit(at + 2) << 6) | digit(at + 3);
    bytes[out] = bits >> 16;
    bytes[out + 1] = bits >> 8;
    bytes[out + 2] = bits;
  }
  return place + Math.floor((end * 3) / 4);
}

/** Decodes base64 line by line if most lines consist of whole groups, otherwise all lines joined (mail 16, 17). */
function fromBase64(body: string): string {
  const lines = body
    .replace(/[ \t\r]+/g, "")
    .split("\n")
    .filter((line) => line !== "");
  const whole = lines.filter((line) => line.length % 4 === 0).length;
  // A group that is cut short is first written as a whole, and then overwritten.
  const bytes = new Uint8Array(body.length + 3);
  let end = 0;
  for (const line of whole * 2 > lines.length ? lines : [lines.join("")]) end = groups(line, bytes, end);
  return raw(bytes.subarray(0, end));
}

/** mail 18 */
function fromQuotedPrintable(body: string): string {
  const [first = "", ...rest] = body.split("=");
  let text = first;
  for (const part of rest) {
    if (/^[0-9A-Fa-f]{2}/.test(part)) text += CHARACTERS.charAt(Number.parseInt(part.slice(0, 2), 16)) + part.slice(2);
    else text += /^[ \t]*\r?\n/.test(part) ? part.slice(part.indexOf("\n") + 1) : `=${part}`;
  }
  return text;
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

/** A header, and the header of the message around it. */
interface Heading {
  readonly head: string;
  readonly outer: Heading | null;
}

/** The nearest date and sender. */
function claimsOf(heading: Heading | null): Claims {
  const said = (name: string): string | null => {
    for (let one = heading; one !== null; one = one.outer) {
      const value = decoded(fieldOf(one.head, name)).trim();
      if (value !== "") return value;
    }
    return null;
  };
  return { date: said("date"), from: said("from") };
}

/** The blobs found in one text of a message. */
interface View {
  readonly heading: Heading | null;
  readonly blobs: readonly Blob[];
  readonly secret: boolean;
}

/** Collects the blobs from the texts of one message, in order (mail 9 to 14). It skips texts that cannot contain any. */
class Walk {
  readonly views: View[] = [];
  /** The heading of the first text. */
  first: Heading | null = null;
  private parts = 0;

  part(message: string, depth: number, inDigest: boolean, outer: Heading | null): void {
    if (depth === 0 || this.parts++ >= LIMITS.parts) return;
    const end = /^\r?\n|\n\r?\n/.exec(message);
    const split = end === null ? message.length : end.index + end[0].length;
    const [head, body] = [message.slice(0, split), message.slice(split)];
    const content = fieldOf(head, "content-type");
    const kind = word(content);
    const boundary = boundaryOf(content);
    const heading = { head, outer };
    if (kind.startsWith("multipart/") && boundary !== "") {
      for (const part of partsOf(body, boundary)) this.part(part, depth - 1, kind === "multipart/digest", heading);
      return;
    }
    if (/^(?:image|audio|video|font)\//.test(kind)) return;
    const inner = transferred(head, body);
    if (kind === "message/rfc822" || kind === "message/global" || (inDigest && kind === "")) {
      this.part(inner, depth - 1, false, heading);
      return;
    }
    if (kindOf(inner) === "message") this.part(unpadded(inner), depth - 1, false, heading);
    this.leaf(inner, kind === "text/html" || kind === "application/xhtml+xml", heading);
  }

  leaf(bytes: string, isHtml: boolean, heading: Heading | null): void {
    this.first ??= heading;
    if (isHtml || kindOf(bytes) === "html") this.text(textOfHtml(decoded(bytes)), heading);
    else if (wide(bytes) !== null || mayHold(bytes)) this.text(decoded(bytes), heading);
  }

  text(text: string, heading: Heading | null): void {
    if (mayHold(text)) this.views.push({ heading, blobs: findBlobs(text), secret: hasSecret(text) });
  }
}

/** Drops damaged copies of letters that are whole elsewhere in the message (mail 15). */
function* settled(views: readonly View[], source: View): Generator<Found> {
  const found = [...views, source];
  const inParts = views.some(({ blobs }) => blobs.length > 0);
  const wholes = new Wholes();
  if (found.some(({ blobs }) => blobs.some((blob) => !blob.ok))) {
    for (const [i, { blobs }] of found.entries()) for (const blob of blobs) if (blob.ok) wholes.add(i, blob.frame);
  }
  const told = new Map<string, number>();
  let looked = 0;
  for (const [i, { heading, blobs, secret }] of found.entries()) {
    // The source contains all letters again, and counts only for those found nowhere else.
    const isSource = i === views.length;
    const kept = blobs.filter((blob) => {
      if (blob.ok) return true;
      if ((isSource && inParts) || (told.get(blob.left) ?? i) !== i || looked++ >= LIMITS.damaged) return false;
      if (wholes.hasCopyOf(blob.left, i)) return false;
      told.set(blob.left, i);
      return true;
    });
    if (kept.length > 0 || secret) yield { ...claimsOf(heading), blobs: kept, secret };
  }
}

/** Signs that a part is encoded differently from its source: transfer encodings, HTML, and the zeros of UTF-16. */
const WRITTEN_OTHERWISE = /base64|quoted-printable|html|\0/i;

/** Reads a message or an HTML file that is not too long (mail 8). It is not taken apart if it cannot contain any letters. */
function* readMessage(source: string, isHtml: boolean): Generator<Found> {
  const mayBePlain = mayHold(source);
  if (!mayBePlain && !WRITTEN_OTHERWISE.test(source)) return;
  const walk = new Walk();
  if (isHtml) walk.leaf(source, true, null);
  else walk.part(unpadded(source), LIMITS.nesting, false, null);
  const text = mayBePlain || wide(source) !== null ? decoded(source) : "";
  yield* settled(walk.views, { heading: walk.first, blobs: findBlobs(text), secret: hasSecret(text) });
}

/** Where to cut bytes without splitting a character: after the last line, if there is one. */
function cut(bytes: Bytes, encoding: Wide | null): number {
  if (encoding !== null) return bytes.length - (bytes.length % 2);
  const line = bytes.lastIndexOf(0x0a) + 1;
  let character = bytes.length - 1;
  while (character > bytes.length - 4 && ((bytes[character] ?? 0) & 0xc0) === 0x80) character--;
  return line > 0 ? line : character;
}

/** Reads a text of any length in pieces. */
function* readText(input: Input, piece: number, from: number, to: number): Generator<Found> {
  const finder = new BlobFinder();
  const encoding = wide(raw(input.read(from, Math.min(to, from + 4))));
  for (let at = from; at < to; ) {
    const end = Math.min(to, at + piece);
    const bytes = input.read(at, end);
    // If the file has shrunk meanwhile, it ends here.
    const isLast = end === to || bytes.length < end - at;
    const length = isLast ? bytes.length : cut(bytes, encoding);
    const blobs = finder.read(textFrom(bytes.subarray(0, length), encoding), isLast);
    if (blobs.length > 0 || finder.secret) yield { ...NOTHING, blobs, secret: finder.secret };
    at = isLast ? to : at + length;
  }
}

/** Bytes in memory, as an input. */
export function inMemory(bytes: Bytes): Input {
  return { size: bytes.length, read: (from, to) => bytes.subarray(from, to) };
}

/** Whether a file is a .zip or .gz, which must be unpacked first (mail 2). */
export function isPacked(input: Input): boolean {
  return /^(?:PK\x03\x04|\x1f\x8b)/.test(raw(input.read(0, Math.min(4, input.size))));
}

/** Finds the blobs in all texts of a file of any type. The size of the pieces makes no difference. */
export function* readFile(input: Input, piece = PIECE): Generator<Found> {
  if (isPacked(input)) return;
  const head = raw(input.read(0, Math.min(input.size, HEAD)));
  // An .emlx file has a number before its message.
  const counted = /^[ \t\f\r]*\d+[ \t\f\r]*\n/.exec(head)?.[0].length ?? 0;
  const isCounted = counted > 0 && kindOf(head.slice(counted)) === "message";
  const kind = isCounted ? "message" : kindOf(head);
  if (kind === "text") {
    yield* readText(input, piece, 0, input.size);
  } else if (kind === "mbox") {
    for (const { from, to, source } of mailsOf(input, piece)) yield* source === null ? readText(input, piece, from, to) : readMessage(source, false);
  } else {
    const from = isCounted ? counted : 0;
    if (input.size - from > LIMITS.message) yield* readText(input, piece, from, input.size);
    else yield* readMessage(raw(input.read(from, input.size)), kind === "html");
  }
}
