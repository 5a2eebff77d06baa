/** Bytes, hexadecimal digits and text. This file does not depend on node. */

export type Bytes = Uint8Array;

const DIGITS = "0123456789abcdef";
const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => DIGITS.charAt(byte >> 4) + DIGITS.charAt(byte & 15));

export function toHex(bytes: Bytes): string {
  let text = "";
  for (const byte of bytes) text += PAIRS[byte] ?? "";
  return text;
}

function nibble(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 97 && code <= 102) return code - 87;
  return -1;
}

/** Decodes lower-case hexadecimal digits, or returns null for any other text. */
export function fromHex(text: string): Bytes | null {
  if (text.length % 2 !== 0) return null;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = nibble(text.charCodeAt(2 * i));
    const low = nibble(text.charCodeAt(2 * i + 1));
    if (high < 0 || low < 0) return null;
    bytes[i] = high * 16 + low;
  }
  return bytes;
}

/** Decodes hexadecimal digits whose form was checked before. */
export function hexBytes(text: string): Bytes {
  return fromHex(text) ?? new Uint8Array(0);
}

const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

/** Decodes UTF-8, or returns null if it is invalid. A byte order mark is kept. */
export function fromUtf8(bytes: Bytes): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** Windows-1252 from 0x80 to 0x9f. Above that range it is Latin-1. */
export const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Returns the length of the character that begins here, or 0 if none does. */
function characterBytes(bytes: Bytes, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const [low, high] = first === 0xe0 ? [0xa0, 0xbf] : first === 0xed ? [0x80, 0x9f] : first === 0xf0 ? [0x90, 0xbf] : first === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] ?? 0;
    if (byte < (i === 1 ? low : 0x80) || byte > (i === 1 ? high : 0xbf)) return 0;
  }
  return length;
}

/** Decodes any bytes: as UTF-8, and each byte outside a valid character as windows-1252 (mail 3). */
export function textOf(bytes: Bytes): string {
  const whole = fromUtf8(bytes);
  if (whole !== null) return whole;
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterBytes(bytes, at);
    if (length === 0) {
      const byte = bytes[at] ?? 0;
      parts.push(strict.decode(bytes.subarray(from, at)), byte < 0xa0 ? WINDOWS_1252.charAt(byte - 0x80) : String.fromCharCode(byte));
      from = at + 1;
    }
    at += Math.max(1, length);
  }
  parts.push(strict.decode(bytes.subarray(from)));
  return parts.join("");
}

export function concat(...parts: readonly Bytes[]): Bytes {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

export function sameBytes(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

export function le64(value: number): Bytes {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, value % 0x1_0000_0000, true);
  view.setUint32(4, Math.floor(value / 0x1_0000_0000), true);
  return bytes;
}

export function littleEndian(bytes: Bytes): bigint {
  let value = 0n;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = bytes.length;
  while (at >= 8) {
    at -= 8;
    value = (value << 64n) | view.getBigUint64(at, true);
  }
  while (at > 0) value = (value << 8n) | BigInt(view.getUint8(--at));
  return value;
}

/** Compares texts by their UTF-8 bytes, that is by code points, while `<` compares UTF-16 units. */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates encode characters above U+FFFF.
    const xs = x >= 0xd800 && x <= 0xdfff;
    const ys = y >= 0xd800 && y <= 0xdfff;
    if (xs !== ys) {
      if (xs) x += 0x10000;
      else y += 0x10000;
    }
    return x - y;
  }
  return a.length - b.length;
}

/** Compares ASCII texts: ids, roles, classes. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The number of code points in a text. */
export function characters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code <= 0xdbff) i++;
    count++;
  }
  return count;
}

export function isHex32(text: string): boolean {
  return text.length === 64 && /^[0-9a-f]{64}$/.test(text);
}
