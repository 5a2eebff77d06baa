/** Recognises damaged copies of letters that are whole elsewhere in a message, in linear time (mail 15). */
import { armour } from "./armour.js";
import type { Bytes } from "./bytes.js";

/** Characters in a line of a letter. */
const WIDTH = 64;
/** The multiplier of a rolling hash. */
const FACTOR = 0x2c1b3c6d;
/** The weight of the character that leaves the hash. */
const LEAVES = /* @__PURE__ */ Array.from({ length: WIDTH }).reduce((power: number) => Math.imul(power, FACTOR), 1);

/** Calls back at each offset where this many characters end, with their hash. */
function eachLine(text: string, call: (end: number, hash: number) => void): void {
  let hash = 0;
  for (let at = 0; at < text.length; at++) {
    hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0;
    if (at >= WIDTH) hash = (hash - Math.imul(text.charCodeAt(at - WIDTH), LEAVES)) | 0;
    if (at >= WIDTH - 1) call(at + 1, hash);
  }
}

/** The lines of the whole letters of a message, to tell whether a damaged letter is a copy of one of them. */
export class Wholes {
  private readonly letters: { readonly view: number; readonly lines: number; readonly stride: number }[] = [];
  private readonly having = new Map<string, number[]>();
  private readonly hashes = new Set<number>();

  /** At most 64 lines of each letter are kept. */
  add(view: number, frame: Bytes): void {
    const all = armour(frame).split("\n").slice(1, -2).filter((line) => line.length === WIDTH);
    const stride = Math.ceil(all.length / 64);
    const lines = new Set(all.filter((_, i) => i % stride === 0));
    for (const line of lines) {
      const having = this.having.get(line);
      if (having === undefined) this.having.set(line, [this.letters.length]);
      else having.push(this.letters.length);
      eachLine(line, (_, hash) => this.hashes.add(hash));
    }
    this.letters.push({ view, lines: lines.size, stride });
  }

  /** Whether a damaged body is a copy of a letter found in another text: at least half of its lines occur in it. */
  hasCopyOf(left: string, view: number): boolean {
    const lines = new Set<string>();
    eachLine(left, (end, hash) => {
      if (this.hashes.has(hash)) lines.add(left.slice(end - WIDTH, end));
    });
    const counts = new Map<number, number>();
    for (const line of lines) for (const letter of this.having.get(line) ?? []) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    return [...counts].some(([i, count]) => {
      const letter = this.letters[i];
      return letter !== undefined && letter.view !== view && count * 2 >= Math.min(letter.lines, Math.max(1, left.length / WIDTH / letter.stride));
    });
  }
}
