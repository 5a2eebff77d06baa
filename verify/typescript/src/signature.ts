import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { concat, fromHex, littleEndian, sameBytes, toHex, type Bytes } from "./bytes.js";
import { hash } from "./hash.js";
import { refuse } from "./refusal.js";

const { Point } = ed25519;
type CurvePoint = InstanceType<typeof Point>;
const ORDER = Point.Fn.ORDER;

/** A checked key (message 5), with its negation, because the equation subtracts it. */
export interface PublicKey {
  readonly bytes: Bytes;
  readonly minusA: CurvePoint;
  /** How often the key was used. After some uses, a table of its multiples pays off. */
  uses: number;
  /** The signatures already verified, if the key's ring remembers them. */
  readonly made: Set<string> | null;
}

/** Letters under one key before the table of its multiples is made. */
const TABLE_FROM = 12;
const TABLE_WINDOW = 6;

/** Decodes a point from 32 bytes, or returns null if they are not its canonical encoding. */
function decode(bytes: Bytes): CurvePoint | null {
  try {
    // `false` makes it refuse y >= p, and a sign bit on x = 0.
    return Point.fromBytes(bytes, false);
  } catch {
    return null;
  }
}

// message 5
export function checkKey(bytes: Bytes): PublicKey {
  const point = bytes.length === 32 ? decode(bytes) : null;
  if (point === null) return refuse("key", "the key is not the encoding of a point");
  if (point.isSmallOrder()) refuse("key", "the key is a point of small order");
  if (!point.isTorsionFree()) refuse("key", "the key is not of prime order");
  return { bytes, minusA: point.negate(), uses: 0, made: null };
}

/**
 * Checked keys. Each key is checked once, and refused keys are kept too. A ring that `remembers` also checks each signature only once, for
 * callers that judge many copies of the same letters.
 */
export class KeyRing {
  private readonly known = new Map<string, PublicKey | null>();

  constructor(private readonly remembers = false) {}

  /** Returns the key, or null if the bytes are not a valid key. */
  find(hex: string): PublicKey | null {
    const known = this.known.get(hex);
    if (known !== undefined) return known;
    let key: PublicKey | null = null;
    const bytes = fromHex(hex);
    try {
      if (bytes !== null) key = { ...checkKey(bytes), made: this.remembers ? new Set() : null };
    } catch {
      key = null;
    }
    this.known.set(hex, key);
    return key;
  }
}

// message 6: the strict rule. It uses noble's arithmetic, but not its `verify`, which is more lenient.
export function verifies(key: PublicKey, message: Bytes, signature: Bytes): boolean {
  if (signature.length !== 64) return false;
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  if (s >= ORDER) return false;
  const k = littleEndian(sha512(concat(r, key.bytes, message))) % ORDER;
  // k is a hash of R, the key and the message, so k and s together identify the signature and the message.
  const both = `${k} ${s}`;
  if (key.made?.has(both) === true) return true;
  if (++key.uses === TABLE_FROM) key.minusA.precompute(TABLE_WINDOW);
  const expected = Point.BASE.multiplyUnsafe(s).add(key.minusA.multiplyUnsafe(k));
  if (!sameBytes(expected.toBytes(), r)) return false;
  // R is the canonical encoding of `expected`, so this checks the point R.
  if (expected.isSmallOrder()) return false;
  key.made?.add(both);
  return true;
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

// message 7
export function fingerprint(key: Bytes): string {
  const bytes = hash("key-fingerprint", key).subarray(0, 15);
  let bits = BigInt(`0x${toHex(bytes)}`);
  const letters: string[] = [];
  for (let i = 0; i < 24; i++) {
    letters.unshift(BASE32.charAt(Number(bits & 31n)));
    bits >>= 5n;
  }
  return (letters.join("").match(/.{4}/g) ?? []).join(" ");
}

/** The public key of a signing seed (RFC 8032), for key files. */
export function publicOf(seed: Bytes): Bytes {
  return ed25519.getPublicKey(seed);
}
