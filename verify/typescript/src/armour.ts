import { LIMITS } from "./limits.js";
import { type RefusalClass } from "./refusal.js";
import { utf8, type Bytes } from "./bytes.js";

/** The content between two marks: the bytes of a frame, or the reason why there is no frame. */
export type Blob =
  | { readonly ok: true; readonly line: number; readonly frame: Bytes }
  | { readonly ok: false; readonly line: number; readonly class: RefusalClass; readonly text: string; readonly left: string };

const BEGIN = "BEGINSEALEDDICEMESSAGE";
const END = "ENDSEALEDDICEMESSAGE";
/** The start of a word: at least one ignorable character comes before it. */
const BEGIN_WORDS = [5, 11, 15];
const END_WORDS = [3, 9, 13];

// Every other character has the value 0.
const IGNORABLE = 1;
const DASH = 2;
const EQUALS = 3;

/** Character classes (armour 2, 3). */
const KINDS = /* @__PURE__ */ ((): Uint8Array => {
  const kinds = new Uint8Array(0x10000);
  const set = (kind: number, ...ranges: readonly (number | readonly [number, number])[]): void => {
    for (const range of ranges) {
      const [from, to] = typeof range === "number" ? [range, range] : range;
      kinds.fill(kind, from, to + 1);
    }
  };
  // Unicode white space.
  set(IGNORABLE, [0x09, 0x0d], 0x20, 0x85, 0xa0, 0x1680, [0x2000, 0x200a], 0x2028, 0x2029, 0x202f, 0x205f, 0x3000);
  // Invisible characters.
  set(IGNORABLE, 0xad, [0x200b, 0x200f], [0x202a, 0x202e], [0x2060, 0x2064], 0xfeff);
  // Quote marks.
  set(IGNORABLE, 0x3e, 0x7c);
  set(DASH, 0x2d, [0x2010, 0x2015], 0x2212, 0xfe58, 0xfe63, 0xff0d);
  set(EQUALS, 0x3d);
  return kinds;
})();

export function isDash(code: number): boolean {
  return KINDS[code] === DASH;
}

const LF = 0x0a;
const CR = 0x0d;

/** A soft line break: a `=` directly before a line end. */
function softBreak(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return next === LF || (next === CR && text.charCodeAt(at + 2) === LF);
}

function ignorable(text: string, at: number): boolean {
  const kind = KINDS[text.charCodeAt(at)];
  return kind === IGNORABLE || (kind === EQUALS && softBreak(text, at));
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

/** A quoted-printable escape: `=` and two hexadecimal digits. */
function quotedRemains(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x3d && isHexDigit(text.charCodeAt(at + 1)) && isHexDigit(text.charCodeAt(at + 2));
}

interface Mark {
  readonly begins: boolean;
  /** Offsets of its first letter, and after its last letter. */
  readonly from: number;
  readonly to: number;
}

/** UTF-8 bytes of a UTF-16 unit. Each half of a surrogate pair counts as half of four bytes. */
function unitBytes(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
}

/** Whether a range of text has more UTF-8 bytes than allowed (armour 8 to 10). */
function longer(text: string, from: number, to: number, most: number): boolean {
  if ((to - from) * 3 <= most) return false;
  let bytes = 0;
  for (let at = from; at < to && bytes <= most; at++) bytes += unitBytes(text.charCodeAt(at));
  return bytes > most;
}

/** Returns the end of a mark that begins at this letter, or -1. */
function matchMark(text: string, from: number, letters: string, words: readonly number[]): number {
  let at = from;
  for (let i = 0; i < letters.length; i++) {
    if (i > 0) {
      const before = at;
      while (at < text.length && ignorable(text, at)) at++;
      if (at === before && words.includes(i)) return -1;
    }
    if (text.charCodeAt(at) !== letters.charCodeAt(i)) return -1;
    at++;
  }
  return longer(text, from, at, LIMITS.mark) ? -1 : at;
}

// armour 2. The search passes a run of ignorable characters once for each letter B or E before it, which is at most the number of letters in a mark.
function findMarks(text: string): Mark[] {
  const marks: Mark[] = [];
  let at = 0;
  let b = text.indexOf("B");
  let e = text.indexOf("E");
  while (b >= 0 || e >= 0) {
    const begins = b >= 0 && (e < 0 || b < e);
    const from = begins ? b : e;
    const to = begins ? matchMark(text, from, BEGIN, BEGIN_WORDS) : matchMark(text, from, END, END_WORDS);
    if (to >= 0) marks.push({ begins, from, to });
    at = to >= 0 ? to : from + 1;
    if (b >= 0 && b < at) b = text.indexOf("B", at);
    if (e >= 0 && e < at) e = text.indexOf("E", at);
  }
  return marks;
}

const VALUES = /* @__PURE__ */ ((): Int8Array => {
  const values = new Int8Array(128).fill(-1);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
  return values;
})();

/** Decodes strict base64: only the alphabet, no padding, and a length that is a multiple of 4 and not 0. */
function decodeBase64(text: string): Bytes | null {
  if (text.length === 0 || text.length % 4 !== 0) return null;
  const bytes = new Uint8Array((text.length / 4) * 3);
  let out = 0;
  for (let i = 0; i < text.length; i += 4) {
    let word = 0;
    for (let j = i; j < i + 4; j++) {
      const value = VALUES[text.charCodeAt(j)] ?? -1;
      if (value < 0) return null;
      word = (word << 6) | value;
    }
    bytes[out++] = word >> 16;
    bytes[out++] = word >> 8;
    bytes[out++] = word;
  }
  return bytes;
}

/** Returns the body between two marks, without additions by mail programs (armour 3, 4). */
function strip(text: string, begin: Mark, end: Mark): string {
  let from = begin.to;
  while (from < end.from) {
    if (KINDS[text.charCodeAt(from)] === DASH || ignorable(text, from)) from++;
    else if (quotedRemains(text, from) && from + 3 <= end.from) from += 3;
    else break;
  }
  let to = end.from;
  while (to > from) {
    if (KINDS[text.charCodeAt(to - 1)] === DASH || ignorable(text, to - 1)) to--;
    else if (to - 3 >= from && quotedRemains(text, to - 3)) to -= 3;
    else break;
  }
  const parts: string[] = [];
  let run = from;
  // The first line belongs to the mark, so its characters are not part of the body.
  let first = false;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const kind = KINDS[code];
    let drop = false;
    if (kind === IGNORABLE) {
      drop = true;
      if (code === LF) first = true;
    } else if (kind === EQUALS && softBreak(text, at)) {
      drop = true;
    } else {
      // Older mail programs put a dash escape here.
      drop = kind === DASH && first && text.charCodeAt(at + 1) === 0x20;
      first = false;
    }
    if (drop) {
      if (run < at) parts.push(text.slice(run, at));
      run = at + 1;
    }
  }
  if (run < to) parts.push(text.slice(run, to));
  return parts.join("");
}

/** Returns the first line of a body that is not 64 characters long although another line follows (armour 7). */
function damagedLine(text: string, begin: Mark, end: Mark, line: number): number | null {
  const lines = text.slice(begin.to, end.from).split("\n");
  for (let i = 1; i < lines.length - 2; i++) {
    const left = strip(lines[i] ?? "", { begins: true, from: 0, to: 0 }, { begins: false, from: (lines[i] ?? "").length, to: 0 });
    if (left.length !== 64) return line + i;
  }
  return null;
}

/** The mark of a secret key file (key-file 3). */
export function hasSecret(text: string): boolean {
  return text.includes("SEALED DICE SECRET");
}

/** The word that all marks and secret keys share, with any ignorable characters between its letters (armour 2). */
const WORD = /* @__PURE__ */ new RegExp([..."SEALED"].join("[\\t-\\r >|=\\x80-\\uffff]*"));

/** Whether a text can contain a mark or a secret key. If the text has one character for each byte, the answer is for the text that the bytes encode. */
export function mayHold(text: string): boolean {
  return WORD.test(text);
}

/** Finds the blobs of a text that arrives in pieces (armour 2 to 10). A mark or body that continues in the next piece is carried over. */
export class BlobFinder {
  /** Whether the text so far contains a secret key. */
  secret = false;
  private carry = "";
  /** The line number at which the carried text begins. */
  private line = 1;

  /** Returns the blobs that end in this piece, in order. Pass `last` with the final piece. */
  read(piece: string, last: boolean): Blob[] {
    const text = this.carry + piece;
    const blobs: Blob[] = [];
    const marks = findMarks(text);
    this.secret ||= hasSecret(text);
    let line = this.line;
    let counted = 0;
    const lineOf = (at: number): number => {
      for (let next = text.indexOf("\n", counted); next >= 0 && next < at; next = text.indexOf("\n", counted)) {
        line++;
        counted = next + 1;
      }
      return line;
    };
    // A mark that begins within the limit of armour 9 ends at most this many characters after it.
    const known = last ? text.length : text.length - LIMITS.mark;
    // A mark can begin at the end of one piece and end in the next.
    let rest = last ? text.length : Math.max(0, known + 1);
    for (let i = 0; i < marks.length; i++) {
      const mark = marks[i];
      if (mark === undefined) break;
      rest = Math.max(rest, mark.to);
      const at = lineOf(mark.from);
      const wrong = (class_: RefusalClass, what: string, left = ""): void => {
        blobs.push({ ok: false, line: at, class: class_, text: what, left });
      };
      if (!mark.begins) {
        wrong("armour", "an END without its BEGIN");
        continue;
      }
      const end = marks[i + 1];
      if (longer(text, mark.to, end?.from ?? known, LIMITS.between)) {
        wrong("size", "a BEGIN whose END does not come");
        continue;
      }
      if (end === undefined && !last) {
        rest = mark.from;
        break;
      }
      if (end === undefined) {
        wrong("armour", "a BEGIN without its END");
        continue;
      }
      if (end.begins) {
        wrong("armour", "a BEGIN that is followed by another BEGIN");
        continue;
      }
      i++;
      rest = Math.max(rest, end.to);
      const left = strip(text, mark, end);
      if (longer(left, 0, left.length, LIMITS.armoured)) {
        wrong("size", "longer than the longest letter");
        continue;
      }
      const frame = decodeBase64(left);
      if (frame === null) {
        const damaged = damagedLine(text, mark, end, at);
        wrong("armour", damaged === null ? "what stands between the marks is not whole" : `line ${damaged} is damaged`, left);
        continue;
      }
      blobs.push({ ok: true, line: at, frame });
    }
    this.line = lineOf(rest);
    this.carry = text.slice(rest);
    return blobs;
  }
}

/** Returns all blobs of a text, in order. */
export function findBlobs(text: string): Blob[] {
  return new BlobFinder().read(text, true);
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Writes a frame in armour, as it would be sent (armour 1). */
export function armour(frame: Bytes): string {
  const bytes = frame.length % 3 === 0 ? frame : utf8("");
  const lines: string[] = ["-----BEGIN SEALED DICE MESSAGE-----"];
  let line = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const word = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    line += ALPHABET.charAt(word >> 18) + ALPHABET.charAt((word >> 12) & 63) + ALPHABET.charAt((word >> 6) & 63) + ALPHABET.charAt(word & 63);
    if (line.length === 64) {
      lines.push(line);
      line = "";
    }
  }
  if (line !== "") lines.push(line);
  lines.push("-----END SEALED DICE MESSAGE-----");
  return `${lines.join("\n")}\n`;
}
