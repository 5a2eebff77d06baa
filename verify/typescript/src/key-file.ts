import { argon2id } from "@noble/hashes/argon2.js";
import { concat, fromHex, hexBytes, sameBytes, toHex, utf8, type Bytes } from "./bytes.js";
import { depositKey } from "./deposits.js";
import { decrypt } from "./envelope.js";
import { hash } from "./hash.js";
import { LIMITS } from "./limits.js";
import { refuse } from "./refusal.js";
import { checkKey, fingerprint, publicOf } from "./signature.js";

// key-file 1
export function signingSeed(root: Bytes): Bytes {
  return hash("key-root-signing", root);
}

export function vaultOf(root: Bytes): Bytes {
  return hash("key-root-vault", root);
}

// deposits 7
export function depositSecret(root: Bytes): Bytes {
  return hash("key-root-deposit", root);
}

export interface RootKeys {
  readonly signing: Bytes;
  readonly vault: Bytes;
  /** The X25519 public key of a referee who holds deposits. */
  readonly deposit: Bytes;
  readonly public: Bytes;
  readonly fingerprint: string;
}

export function keysOfRoot(root: Bytes): RootKeys {
  const signing = signingSeed(root);
  const public_ = publicOf(signing);
  return { signing, vault: vaultOf(root), deposit: depositKey(depositSecret(root)), public: public_, fingerprint: fingerprint(public_) };
}

/** The part of a key file that can be read without the passphrase. */
export interface KeyFile {
  readonly public: Bytes;
  readonly lock:
    | { readonly is: "none"; readonly root: Bytes }
    | { readonly is: "argon2id"; readonly memory: number; readonly passes: number; readonly lanes: number; readonly salt: Bytes; readonly sealed: Bytes; readonly associated: Bytes };
}

const WARNING = "SECRET: a sealed-dice key. Never mail it, never paste it anywhere, never show it to anybody.";
const BEGIN = "-----BEGIN SEALED DICE SECRET KEY FILE-----";
const END = "-----END SEALED DICE SECRET KEY FILE-----";
const NUMBER = "([1-9][0-9]{0,8})";
const ARGON = new RegExp(`^passphrase argon2id memory ${NUMBER} passes ${NUMBER} lanes ${NUMBER} salt ([0-9a-f]{64})$`);

// key-file 3, 4
export function readKeyFile(text: string): KeyFile {
  if (utf8(text).length > LIMITS.keyFile) refuse("size", "longer than a key file");
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  const begin = lines.indexOf(BEGIN);
  const version = begin < 0 ? undefined : lines[begin + 1];
  if (version?.startsWith("version") === true && version !== "version 1") refuse("fields", "a key file of another version");
  const armoured = (): never => refuse("armour", "this is no whole key file");
  const [warning, blank, first, , publicLine = "", passphrase = "", secret = "", last, rest] = lines;
  if (lines.length !== 9 || warning !== WARNING || blank !== "" || first !== BEGIN || version !== "version 1" || last !== END || rest !== "") return armoured();
  const key = fromHex(/^public ([0-9a-f]{64})$/.exec(publicLine)?.[1] ?? "-");
  if (key === null) return armoured();
  if (passphrase === "passphrase none") {
    const root = fromHex(/^root ([0-9a-f]{64})$/.exec(secret)?.[1] ?? "-");
    if (root === null) return armoured();
    checkKey(key);
    return { public: key, lock: { is: "none", root } };
  }
  const asked = ARGON.exec(passphrase);
  const sealed = fromHex(/^sealed ([0-9a-f]{96})$/.exec(secret)?.[1] ?? "-");
  if (asked === null || sealed === null) return armoured();
  const [memory, passes, lanes] = [Number(asked[1]), Number(asked[2]), Number(asked[3])];
  if (memory > 262_144 || memory < 8 * lanes || passes > 16 || lanes > 16) refuse("fields", "the passphrase would take more work than a file may ask for, or less than there is");
  checkKey(key);
  const associated = utf8(`${version}\n${publicLine}\n${passphrase}\n`);
  return { public: key, lock: { is: "argon2id", memory, passes, lanes, salt: hexBytes(asked[4] ?? ""), sealed, associated } };
}

// key-file 5
export function stretch(file: KeyFile, passphrase: string): Bytes {
  if (file.lock.is === "none") return new Uint8Array(0);
  const { memory, passes, lanes, salt } = file.lock;
  return argon2id(utf8(passphrase), salt, { t: passes, m: memory, p: lanes, dkLen: 32, version: 0x13 });
}

export function cipherKey(stretched: Bytes): Bytes {
  return hash("key-file", stretched);
}

// key-file 6, 7
export function openKeyFile(file: KeyFile, stretched: Bytes | null): Bytes {
  let root: Bytes;
  if (file.lock.is === "none") root = file.lock.root;
  else if (stretched === null) return refuse("rule", "the key file has a passphrase");
  else root = decrypt(cipherKey(stretched), file.lock.associated, file.lock.sealed);
  if (!sameBytes(publicOf(signingSeed(root)), file.public)) refuse("rule", "the secret is not that of the public key");
  return root;
}

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUPS = 14;

/** x times a, over GF(32) with x^5 = x^2 + 1. */
function timesX(a: number): number {
  return a & 16 ? ((a << 1) ^ 0b100101) & 31 : a << 1;
}

// key-file 9, by Horner's rule
function checkDigit(group: number, digits: readonly number[]): number {
  return timesX(digits.reduce((sum, digit) => timesX(sum) ^ digit, group));
}

// key-file 8
export function writeBackup(root: Bytes): string {
  const bytes = concat(root, hash("key-backup", root).subarray(0, 3));
  const bits = BigInt(`0x${toHex(bytes)}`);
  const groups: string[] = [];
  for (let group = 1; group <= GROUPS; group++) {
    const digits = [0, 1, 2, 3].map((i) => Number((bits >> BigInt(5 * (56 - 4 * group + 3 - i))) & 31n));
    groups.push([...digits, checkDigit(group, digits)].map((digit) => DIGITS.charAt(digit)).join(""));
  }
  return groups.join(" ");
}

// key-file 10, 11
export function readBackup(text: string): Bytes {
  const begin = text.indexOf("BEGIN SEALED DICE SECRET BACKUP");
  let inner = text;
  if (begin >= 0) {
    inner = text.slice(begin + "BEGIN SEALED DICE SECRET BACKUP".length);
    const end = inner.indexOf("END SEALED DICE SECRET BACKUP");
    if (end >= 0) inner = inner.slice(0, end);
  }
  const groups: string[] = [];
  for (const line of inner.split("\n")) {
    for (const word of line.slice(line.lastIndexOf(":") + 1).split(/[\s\-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+/u)) {
      if (word === "") continue;
      if (word.length % 5 === 0) groups.push(...(word.match(/.{5}/g) ?? []));
      else groups.push(word);
    }
  }
  if (groups.length !== GROUPS) return refuse("armour", `a backup code has ${GROUPS} groups, and this has ${groups.length}`);
  let bits = 0n;
  groups.forEach((group, i) => {
    const digits = [...group.toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1")].map((digit) => DIGITS.indexOf(digit));
    const [check] = digits.slice(-1);
    if (digits.length !== 5 || digits.includes(-1) || check !== checkDigit(i + 1, digits.slice(0, 4))) refuse("rule", `group ${i + 1} is wrong`);
    for (const digit of digits.slice(0, 4)) bits = (bits << 5n) | BigInt(digit);
  });
  const bytes = hexBytes(bits.toString(16).padStart(70, "0"));
  const root = bytes.slice(0, 32);
  if (!sameBytes(hash("key-backup", root).subarray(0, 3), bytes.subarray(32))) refuse("rule", "the groups are of different codes");
  return root;
}
