/** deposits.md: the sets whose keys a referee holds, the letters that a referee's ruling can open, and the wrapping of keys. */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { expand, extract } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concat, hexBytes, utf8, type Bytes } from "./bytes.js";
import { contextOfSet, type SetContext } from "./envelope.js";
import { hash } from "./hash.js";
import type { BodyOf, Charter } from "./kinds.js";
import type { Letter } from "./letter.js";
import { refuse } from "./refusal.js";

// deposits 3
export function fallbackOf(charter: Charter, kind: BodyOf<"seal">["kind"]): string {
  const { referee } = charter;
  if (referee === null || referee.deposit === null || kind === "contribution") return "";
  return kind === "note" && !referee.deposit.notes ? "" : referee.role;
}

/** What a ruling `open` is for, in breach or not: the declaration or note that its request's stall names, and the set. */
export interface OpenedByRuling {
  readonly about: Letter | null;
  readonly set: Letter | null;
}

// deposits 12
export function openedByRuling(request: string, letters: ReadonlyMap<string, Letter>): OpenedByRuling {
  const asked = letters.get(request)?.content;
  const claim = asked?.kind === "ruling" && asked.body.rule.is === "request" ? letters.get(asked.body.rule.value) : undefined;
  const nothing = { about: null, set: null };
  if (claim === undefined || claim.content.kind !== "claim" || claim.content.body.is !== "stall") return nothing;
  const about = letters.get(claim.content.body.value.letter ?? "");
  if (about?.content.kind === "seal") return about.content.body.kind === "note" ? { about, set: about } : nothing;
  if (about?.content.kind !== "declare") return nothing;
  const set = letters.get(about.content.body.seal ?? "");
  return { about, set: set?.content.kind === "seal" ? set : null };
}

/** X25519 (RFC 7748), or null if the shared secret would be zero (charter 6, deposits 5). */
export function agree(secret: Bytes, key: Bytes): Bytes | null {
  try {
    const shared = x25519.getSharedSecret(secret, key);
    return shared.every((byte) => byte === 0) ? null : shared;
  } catch {
    return null;
  }
}

export function depositKey(secret: Bytes): Bytes {
  return x25519.getPublicKey(secret);
}

// deposits 5
export function depositInfo(context: SetContext, seal: string): Bytes {
  return hash("deposit", contextOfSet(context), hexBytes(seal));
}

/** RFC 9180, 4: `LabeledExtract` and `LabeledExpand` of HKDF-SHA256 for one suite. */
function labeled(suite: Bytes): { extract(salt: Bytes, label: string, ikm: Bytes): Bytes; expand(prk: Bytes, label: string, info: Bytes, length: number): Bytes } {
  const version = utf8("HPKE-v1");
  return {
    extract: (salt, label, ikm) => extract(sha256, concat(version, suite, utf8(label), ikm), salt),
    expand: (prk, label, info, length) => expand(sha256, prk, concat(new Uint8Array([length >> 8, length & 255]), version, suite, utf8(label), info), length),
  };
}

const NONE = new Uint8Array(0);
const KEM = labeled(concat(utf8("KEM"), new Uint8Array([0, 0x20])));
const HPKE = labeled(concat(utf8("HPKE"), new Uint8Array([0, 0x20, 0, 1, 0, 3])));
const BASE = new Uint8Array([0]);

/** Opens a deposit with the referee's secret: HPKE in base mode with X25519, HKDF-SHA256 and ChaCha20-Poly1305 (deposits 5). */
export function openDeposit(secret: Bytes, wrapped: Bytes, info: Bytes): Bytes {
  const enc = wrapped.subarray(0, 32);
  const shared = agree(secret, enc);
  if (shared === null) return refuse("rule", "the encapsulated key is of small order");
  const kem = KEM.expand(KEM.extract(NONE, "eae_prk", shared), "shared_secret", concat(enc, depositKey(secret)), 32);
  const schedule = concat(BASE, HPKE.extract(NONE, "psk_id_hash", NONE), HPKE.extract(NONE, "info_hash", info));
  const prk = HPKE.extract(kem, "secret", NONE);
  const key = HPKE.expand(prk, "key", schedule, 32);
  const nonce = HPKE.expand(prk, "base_nonce", schedule, 12);
  try {
    return chacha20poly1305(key, nonce).decrypt(wrapped.subarray(32));
  } catch {
    return refuse("rule", "the deposit does not open");
  }
}
