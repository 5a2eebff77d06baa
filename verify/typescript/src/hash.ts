import { sha3_256 } from "@noble/hashes/sha3.js";
import { concat, le64, utf8, type Bytes } from "./bytes.js";

/** Each use has its own tag (hash 4). */
export const TAGS = [
  "message-id", "key-fingerprint", "set-master", "envelope-key", "cell-chain", "envelope-commit", "envelope-seed", "note-key",
  "dice-root", "roll-key", "key-root-signing", "key-root-vault", "key-file", "key-root-deposit", "deposit", "key-backup", "accept-nonce",
] as const;

export type Tag = (typeof TAGS)[number];

// hash 1
export function pae(items: readonly Bytes[]): Bytes {
  const parts: Bytes[] = [le64(items.length)];
  for (const item of items) parts.push(le64(item.length), item);
  return concat(...parts);
}

/** The bytes that are hashed, for the page that shows every step. */
export function preimage(tag: string, items: readonly Bytes[]): Bytes {
  return pae([utf8(`sealed-dice/v1/${tag}`), ...items]);
}

// hash 2, 3
export function hash(tag: Tag, ...items: readonly Bytes[]): Bytes {
  return sha3_256(preimage(tag, items));
}

export function sha3(bytes: Bytes): Bytes {
  return sha3_256(bytes);
}
