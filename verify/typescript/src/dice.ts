import { chacha20 } from "@noble/ciphers/chacha.js";
import { hexBytes, le64, type Bytes } from "./bytes.js";
import { hash } from "./hash.js";
import { LIMITS } from "./limits.js";
import { refuse } from "./refusal.js";

// dice 1
export function diceRoot(seal: string, declaration: string, index: number, seed: Bytes, contribution: Bytes): Bytes {
  return hash("dice-root", hexBytes(seal), hexBytes(declaration), le64(index), seed, contribution);
}

// dice 2
export function rollKey(root: Bytes, line: number): Bytes {
  return hash("roll-key", root, le64(line));
}

const NONCE = new Uint8Array(12);
const BLOCK = 64;

/** The stream of a line (dice 3), and the draws from it (dice 4, 5). */
export class Stream {
  /** The words drawn so far, including refused ones. */
  readonly words: number[] = [];
  private block: DataView = new DataView(new ArrayBuffer(0));
  private counter = 0;
  private at = 0;

  constructor(private readonly key: Bytes) {}

  private next(): number {
    if (this.at >= this.block.byteLength) {
      const bytes = chacha20(this.key, NONCE, new Uint8Array(BLOCK), undefined, this.counter++);
      this.block = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.at = 0;
    }
    const word = this.block.getUint32(this.at, true);
    this.at += 4;
    this.words.push(word);
    return word;
  }

  // dice 4
  draw(sides: number): number {
    if (!Number.isSafeInteger(sides) || sides < 1 || sides > 0x1_0000_0000) refuse("rule", "a die has 1 to 2^32 sides");
    const limit = 0x1_0000_0000 - (0x1_0000_0000 % sides);
    for (let refused = 0; ; refused++) {
      if (refused === LIMITS.refusedWords) refuse("rule", "the stream does not give a die");
      const word = this.next();
      if (word < limit) return 1 + (word % sides);
    }
  }
}

/** The meaning of a row or cell (dice 7). */
export const VALUES = ["1-6", "0-9", "2-12"] as const;
export type Values = (typeof VALUES)[number];

export function sidesOf(values: Values): readonly number[] {
  switch (values) {
    case "1-6":
      return [6];
    case "0-9":
      return [10];
    case "2-12":
      return [6, 6];
  }
}

export function valueOf(values: Values, draws: readonly number[]): number {
  const sum = draws.reduce((total, draw) => total + draw, 0);
  return values === "0-9" ? sum - 1 : sum;
}
