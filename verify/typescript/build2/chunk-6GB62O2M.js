// src/refusal.ts
var Refusal = class extends Error {
  constructor(class_, message) {
    super(message);
    this.class_ = class_;
  }
  class_;
  name = "Refusal";
};
function refuse(class_, message) {
  throw new Refusal(class_, message);
}
function attempt(work) {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, class: error.class_, text: error.message };
    throw error;
  }
}

// src/bytes.ts
var DIGITS = "0123456789abcdef";
var PAIRS = Array.from({ length: 256 }, (_, byte) => DIGITS.charAt(byte >> 4) + DIGITS.charAt(byte & 15));
function toHex(bytes) {
  let text2 = "";
  for (const byte of bytes) text2 += PAIRS[byte] ?? "";
  return text2;
}
function nibble(code) {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 97 && code <= 102) return code - 87;
  return -1;
}
function fromHex(text2) {
  if (text2.length % 2 !== 0) return null;
  const bytes = new Uint8Array(text2.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = nibble(text2.charCodeAt(2 * i));
    const low = nibble(text2.charCodeAt(2 * i + 1));
    if (high < 0 || low < 0) return null;
    bytes[i] = high * 16 + low;
  }
  return bytes;
}
function hexBytes(text2) {
  return fromHex(text2) ?? new Uint8Array(0);
}
var encoder = new TextEncoder();
var strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
var lenient = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
function utf8(text2) {
  return encoder.encode(text2);
}
function fromUtf8(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}
function shownUtf8(bytes) {
  return lenient.decode(bytes);
}
function concat(...parts) {
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
function sameBytes(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
function le64(value) {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, value % 4294967296, true);
  view.setUint32(4, Math.floor(value / 4294967296), true);
  return bytes;
}
function littleEndian(bytes) {
  let value = 0n;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = bytes.length;
  while (at >= 8) {
    at -= 8;
    value = value << 64n | view.getBigUint64(at, true);
  }
  while (at > 0) value = value << 8n | BigInt(view.getUint8(--at));
  return value;
}
function byBytes(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    const xs = x >= 55296 && x <= 57343;
    const ys = y >= 55296 && y <= 57343;
    if (xs !== ys) {
      if (xs) x += 65536;
      else y += 65536;
    }
    return x - y;
  }
  return a.length - b.length;
}
function byText(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
function characters(text2) {
  let count = 0;
  for (let i = 0; i < text2.length; i++) {
    const code = text2.charCodeAt(i);
    if (code >= 55296 && code <= 56319) i++;
    count++;
  }
  return count;
}

// src/limits.ts
var LIMITS = {
  frame: 1048576,
  armoured: 1398104,
  depth: 8,
  places: 256,
  columns: 40,
  cells: 10,
  attacksAnEnvelope: 10,
  hexes: 32,
  odds: 999,
  rolls: 400,
  phases: 64,
  list: 64,
  scopeLines: 2560,
  disputeLetters: 16,
  namedDice: 65536,
  seen: 8,
  forkIds: 8,
  branches: 256,
  chartRows: 1024,
  keyFile: 4096,
  receiptSeals: 64,
  refusedWords: 65536
};

// src/armour.ts
var BEGIN = "BEGINSEALEDDICEMESSAGE";
var END = "ENDSEALEDDICEMESSAGE";
var BEGIN_WORDS = [5, 11, 15];
var END_WORDS = [3, 9, 13];
var IGNORABLE = 1;
var DASH = 2;
var EQUALS = 3;
var KINDS = /* @__PURE__ */ (() => {
  const kinds = new Uint8Array(65536);
  const set = (kind, ...ranges) => {
    for (const range of ranges) {
      const [from, to] = typeof range === "number" ? [range, range] : range;
      kinds.fill(kind, from, to + 1);
    }
  };
  set(IGNORABLE, [9, 13], 32, 133, 160, 5760, [8192, 8202], 8232, 8233, 8239, 8287, 12288);
  set(IGNORABLE, 173, [8203, 8207], [8234, 8238], [8288, 8292], 65279);
  set(IGNORABLE, 62, 124);
  set(DASH, 45, [8208, 8213], 8722, 65112, 65123, 65293);
  set(EQUALS, 61);
  return kinds;
})();
function isDash(code) {
  return KINDS[code] === DASH;
}
var LF = 10;
var CR = 13;
function softBreak(text2, at) {
  const next = text2.charCodeAt(at + 1);
  return next === LF || next === CR && text2.charCodeAt(at + 2) === LF;
}
function ignorable(text2, at) {
  const kind = KINDS[text2.charCodeAt(at)];
  return kind === IGNORABLE || kind === EQUALS && softBreak(text2, at);
}
function isHexDigit(code) {
  return code >= 48 && code <= 57 || code >= 65 && code <= 70 || code >= 97 && code <= 102;
}
function quotedRemains(text2, at) {
  return text2.charCodeAt(at) === 61 && isHexDigit(text2.charCodeAt(at + 1)) && isHexDigit(text2.charCodeAt(at + 2));
}
function matchMark(text2, from, letters, words) {
  let at = from;
  for (let i = 0; i < letters.length; i++) {
    if (i > 0) {
      const before = at;
      while (at < text2.length && ignorable(text2, at)) at++;
      if (at === before && words.includes(i)) return -1;
    }
    if (text2.charCodeAt(at) !== letters.charCodeAt(i)) return -1;
    at++;
  }
  return at;
}
function findMarks(text2) {
  const marks = [];
  let at = 0;
  let b = text2.indexOf("B");
  let e = text2.indexOf("E");
  while (b >= 0 || e >= 0) {
    const begins = b >= 0 && (e < 0 || b < e);
    const from = begins ? b : e;
    const to = begins ? matchMark(text2, from, BEGIN, BEGIN_WORDS) : matchMark(text2, from, END, END_WORDS);
    if (to >= 0) marks.push({ begins, from, to });
    at = to >= 0 ? to : from + 1;
    if (b >= 0 && b < at) b = text2.indexOf("B", at);
    if (e >= 0 && e < at) e = text2.indexOf("E", at);
  }
  return marks;
}
var VALUES = /* @__PURE__ */ (() => {
  const values = new Int8Array(128).fill(-1);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
  return values;
})();
function decodeBase64(text2) {
  if (text2.length === 0 || text2.length % 4 !== 0) return null;
  const bytes = new Uint8Array(text2.length / 4 * 3);
  let out = 0;
  for (let i = 0; i < text2.length; i += 4) {
    let word2 = 0;
    for (let j = i; j < i + 4; j++) {
      const value = VALUES[text2.charCodeAt(j)] ?? -1;
      if (value < 0) return null;
      word2 = word2 << 6 | value;
    }
    bytes[out++] = word2 >> 16;
    bytes[out++] = word2 >> 8;
    bytes[out++] = word2;
  }
  return bytes;
}
function strip(text2, begin, end) {
  let from = begin.to;
  while (from < end.from) {
    if (KINDS[text2.charCodeAt(from)] === DASH || ignorable(text2, from)) from++;
    else if (quotedRemains(text2, from) && from + 3 <= end.from) from += 3;
    else break;
  }
  let to = end.from;
  while (to > from) {
    if (KINDS[text2.charCodeAt(to - 1)] === DASH || ignorable(text2, to - 1)) to--;
    else if (to - 3 >= from && quotedRemains(text2, to - 3)) to -= 3;
    else break;
  }
  const parts = [];
  let characters2 = 0;
  let run = from;
  let first2 = false;
  for (let at = from; at < to; at++) {
    const code = text2.charCodeAt(at);
    const kind = KINDS[code];
    let drop = false;
    if (kind === IGNORABLE) {
      drop = true;
      if (code === LF) first2 = true;
    } else if (kind === EQUALS && softBreak(text2, at)) {
      drop = true;
    } else {
      drop = kind === DASH && first2 && text2.charCodeAt(at + 1) === 32;
      first2 = false;
    }
    if (drop) {
      if (run < at) parts.push(text2.slice(run, at));
      run = at + 1;
    } else if (code < 56320 || code > 57343) {
      characters2++;
    }
  }
  if (run < to) parts.push(text2.slice(run, to));
  return { left: parts.join(""), characters: characters2 };
}
function damagedLine(text2, begin, end, line) {
  const lines = text2.slice(begin.to, end.from).split("\n");
  for (let i = 1; i < lines.length - 2; i++) {
    const { characters: characters2 } = strip(lines[i] ?? "", { begins: true, from: 0, to: 0 }, { begins: false, from: (lines[i] ?? "").length, to: 0 });
    if (characters2 !== 64) return line + i;
  }
  return null;
}
function hasSecret(text2) {
  return text2.includes("SEALED DICE SECRET");
}
function findBlobs(text2) {
  const blobs = [];
  const marks = findMarks(text2);
  let line = 1;
  let counted = 0;
  const lineOf = (at) => {
    for (let next = text2.indexOf("\n", counted); next >= 0 && next < at; next = text2.indexOf("\n", counted)) {
      line++;
      counted = next + 1;
    }
    return line;
  };
  for (let i = 0; i < marks.length; i++) {
    const mark = marks[i];
    if (mark === void 0) break;
    const at = lineOf(mark.from);
    const wrong2 = (class_, what, left2 = "") => {
      blobs.push({ ok: false, line: at, class: class_, text: what, left: left2 });
    };
    if (!mark.begins) {
      wrong2("armour", "an END without its BEGIN");
      continue;
    }
    const end = marks[i + 1];
    if (end === void 0) {
      wrong2("armour", "a BEGIN without its END");
      continue;
    }
    if (end.begins) {
      wrong2("armour", "a BEGIN that is followed by another BEGIN");
      continue;
    }
    i++;
    const { left, characters: characters2 } = strip(text2, mark, end);
    if (characters2 > LIMITS.armoured) {
      wrong2("size", "longer than the longest letter");
      continue;
    }
    const frame = decodeBase64(left);
    if (frame === null) {
      const damaged = damagedLine(text2, mark, end, at);
      wrong2("armour", damaged === null ? "what stands between the marks is not whole" : `line ${damaged} is damaged`, left);
      continue;
    }
    blobs.push({ ok: true, line: at, frame });
  }
  return blobs;
}
var ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
function armour(frame) {
  const bytes = frame.length % 3 === 0 ? frame : utf8("");
  const lines = ["-----BEGIN SEALED DICE MESSAGE-----"];
  let line = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const word2 = (bytes[i] ?? 0) << 16 | (bytes[i + 1] ?? 0) << 8 | (bytes[i + 2] ?? 0);
    line += ALPHABET.charAt(word2 >> 18) + ALPHABET.charAt(word2 >> 12 & 63) + ALPHABET.charAt(word2 >> 6 & 63) + ALPHABET.charAt(word2 & 63);
    if (line.length === 64) {
      lines.push(line);
      line = "";
    }
  }
  if (line !== "") lines.push(line);
  lines.push("-----END SEALED DICE MESSAGE-----");
  return `${lines.join("\n")}
`;
}

// src/json.ts
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isList(value) {
  return Array.isArray(value);
}
function field(object2, key3) {
  return Object.hasOwn(object2, key3) ? object2[key3] : void 0;
}
function makeObject(fields) {
  const object2 = /* @__PURE__ */ Object.create(null);
  for (const [key3, value] of fields) object2[key3] = value;
  return object2;
}
function plain(value) {
  if (value === null || value === void 0) return null;
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(plain);
  return makeObject(Object.entries(value).map(([key3, item]) => [key3, plain(item)]));
}
var Parser = class {
  constructor(text2) {
    this.text = text2;
  }
  text;
  at = 0;
  whole() {
    const value = this.value(0);
    this.blanks();
    if (this.at !== this.text.length) this.fail("something follows the value");
    return value;
  }
  fail(what) {
    return refuse("json", `${what}, at character ${this.at + 1}`);
  }
  blanks() {
    for (; ; ) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.at++;
    }
  }
  value(depth) {
    this.blanks();
    const code = this.text.charCodeAt(this.at);
    switch (code) {
      case 123:
        return this.object(depth + 1);
      case 91:
        return this.list(depth + 1);
      case 34:
        return this.string();
      case 116:
        return this.word("true", true);
      case 102:
        return this.word("false", false);
      case 110:
        return this.word("null", null);
      default:
        return this.number();
    }
  }
  word(word2, value) {
    if (!this.text.startsWith(word2, this.at)) this.fail("this is no value");
    this.at += word2.length;
    return value;
  }
  number() {
    const start = this.at;
    if (this.text.charCodeAt(this.at) === 45) this.at++;
    const digits = this.at;
    let code = this.text.charCodeAt(this.at);
    while (code >= 48 && code <= 57) code = this.text.charCodeAt(++this.at);
    const count = this.at - digits;
    if (count === 0) this.fail("this is no value");
    if (count > 1 && this.text.charCodeAt(digits) === 48) this.fail("a number has a leading zero");
    if (code === 46 || code === 101 || code === 69) this.fail("a number has a fraction or an exponent");
    if (count > 16) this.fail("an integer is too large");
    const value = Number(this.text.slice(start, this.at));
    if (!Number.isSafeInteger(value)) this.fail("an integer is too large");
    if (Object.is(value, -0)) this.fail("minus zero");
    return value;
  }
  string() {
    let from = ++this.at;
    let made = "";
    for (; ; ) {
      const code = this.text.charCodeAt(this.at);
      if (Number.isNaN(code)) this.fail("a string does not end");
      if (code === 34) {
        made += this.text.slice(from, this.at++);
        return made;
      }
      if (code < 32) this.fail("a control character stands in a string");
      if (code !== 92) {
        this.at++;
        continue;
      }
      made += this.text.slice(from, this.at++);
      made += this.escape();
      from = this.at;
    }
  }
  escape() {
    const letter2 = this.text.charAt(this.at++);
    switch (letter2) {
      case '"':
      case "\\":
      case "/":
        return letter2;
      case "b":
        return "\b";
      case "f":
        return "\f";
      case "n":
        return "\n";
      case "r":
        return "\r";
      case "t":
        return "	";
      case "u":
        break;
      default:
        this.fail("there is no such escape");
    }
    const unit = this.unit();
    if (unit >= 56320 && unit <= 57343) this.fail("a lone surrogate");
    if (unit < 55296 || unit > 56319) return String.fromCharCode(unit);
    if (!this.text.startsWith("\\u", this.at)) this.fail("a lone surrogate");
    this.at += 2;
    const low = this.unit();
    if (low < 56320 || low > 57343) this.fail("a lone surrogate");
    return String.fromCharCode(unit, low);
  }
  unit() {
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9A-Fa-f]{4}$/.test(digits)) this.fail("an escape has four digits");
    this.at += 4;
    return Number.parseInt(digits, 16);
  }
  deep(depth) {
    if (depth > LIMITS.depth) this.fail(`deeper than ${LIMITS.depth}`);
  }
  list(depth) {
    this.deep(depth);
    this.at++;
    const items = [];
    this.blanks();
    if (this.text.charCodeAt(this.at) === 93) {
      this.at++;
      return items;
    }
    for (; ; ) {
      items.push(this.value(depth));
      this.blanks();
      const code = this.text.charCodeAt(this.at);
      if (code === 93) {
        this.at++;
        return items;
      }
      if (code !== 44) this.fail("a list goes on with a comma");
      this.at++;
    }
  }
  object(depth) {
    this.deep(depth);
    this.at++;
    const fields = /* @__PURE__ */ Object.create(null);
    this.blanks();
    if (this.text.charCodeAt(this.at) === 125) {
      this.at++;
      return fields;
    }
    for (; ; ) {
      this.blanks();
      if (this.text.charCodeAt(this.at) !== 34) this.fail("a key is a string");
      const key3 = this.string();
      if (Object.hasOwn(fields, key3)) this.fail("a key stands twice");
      this.blanks();
      if (this.text.charCodeAt(this.at) !== 58) this.fail("a colon follows a key");
      this.at++;
      fields[key3] = this.value(depth);
      this.blanks();
      const code = this.text.charCodeAt(this.at);
      if (code === 125) {
        this.at++;
        return fields;
      }
      if (code !== 44) this.fail("an object goes on with a comma");
      this.at++;
    }
  }
};
function parseJson(text2) {
  return new Parser(text2).whole();
}
var SHORT = { '"': '\\"', "\\": "\\\\", "\b": "\\b", "	": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r" };
function encodeString(text2) {
  if (!/["\\\u0000-\u001f]/.test(text2)) return `"${text2}"`;
  let made = '"';
  for (let i = 0; i < text2.length; i++) {
    const char = text2.charAt(i);
    const code = text2.charCodeAt(i);
    made += SHORT[char] ?? (code < 32 ? `\\u00${code < 16 ? "0" : ""}${code.toString(16)}` : char);
  }
  return `${made}"`;
}
function encodeJson(value) {
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return encodeString(value);
  if (isList(value)) return `[${value.map(encodeJson).join(",")}]`;
  if (!isObject(value)) return "null";
  const keys2 = Object.keys(value).sort(byBytes);
  return `{${keys2.map((key3) => `${encodeString(key3)}:${encodeJson(value[key3] ?? null)}`).join(",")}}`;
}
function sameJson(a, b) {
  return encodeJson(a) === encodeJson(b);
}
function readPayload(bytes) {
  const text2 = fromUtf8(bytes);
  if (text2 === null) return refuse("json", "this is no UTF-8");
  const value = parseJson(text2);
  if (encodeJson(value) !== text2) refuse("canonical", "this JSON is not written in the one canonical way");
  return { text: text2, value };
}

// src/dice.ts
import { chacha20 } from "@noble/ciphers/chacha.js";

// src/hash.ts
import { sha3_256 } from "@noble/hashes/sha3.js";
var TAGS = [
  "message-id",
  "key-fingerprint",
  "set-master",
  "envelope-key",
  "cell-chain",
  "envelope-commit",
  "envelope-seed",
  "note-key",
  "dice-root",
  "roll-key",
  "key-root-signing",
  "key-root-vault",
  "key-file",
  "key-root-deposit",
  "deposit",
  "key-backup"
];
function pae(items) {
  const parts = [le64(items.length)];
  for (const item of items) parts.push(le64(item.length), item);
  return concat(...parts);
}
function preimage(tag, items) {
  return pae([utf8(`sealed-dice/v1/${tag}`), ...items]);
}
function hash(tag, ...items) {
  return sha3_256(preimage(tag, items));
}
function sha3(bytes) {
  return sha3_256(bytes);
}

// src/dice.ts
function diceRoot(seal3, declaration, index, seed, contribution) {
  return hash("dice-root", hexBytes(seal3), hexBytes(declaration), le64(index), seed, contribution);
}
function rollKey(root, line) {
  return hash("roll-key", root, le64(line));
}
var NONCE = new Uint8Array(12);
var BLOCK = 64;
var Stream = class {
  constructor(key3) {
    this.key = key3;
  }
  key;
  /** The words that were taken so far, the refused ones too. */
  words = [];
  block = new DataView(new ArrayBuffer(0));
  counter = 0;
  at = 0;
  next() {
    if (this.at >= this.block.byteLength) {
      const bytes = chacha20(this.key, NONCE, new Uint8Array(BLOCK), void 0, this.counter++);
      this.block = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.at = 0;
    }
    const word2 = this.block.getUint32(this.at, true);
    this.at += 4;
    this.words.push(word2);
    return word2;
  }
  // dice 4
  draw(sides) {
    if (!Number.isSafeInteger(sides) || sides < 1 || sides > 4294967296) refuse("rule", "a die has 1 to 2^32 sides");
    const limit = 4294967296 - 4294967296 % sides;
    for (let refused = 0; ; refused++) {
      if (refused === LIMITS.refusedWords) refuse("rule", "the stream does not give a die");
      const word2 = this.next();
      if (word2 < limit) return 1 + word2 % sides;
    }
  }
};
var VALUES2 = ["1-6", "0-9", "2-12"];
function sidesOf(values) {
  switch (values) {
    case "1-6":
      return [6];
    case "0-9":
      return [10];
    case "2-12":
      return [6, 6];
  }
}
function valueOf(values, draws) {
  const sum = draws.reduce((total, draw) => total + draw, 0);
  return values === "0-9" ? sum - 1 : sum;
}

// src/coin-envelopes.ts
var GRAMMARS = ["letters", "numeric4", "mapnumeric"];
var DOUBLES = ["doubled", "spreadsheet"];
function no(what) {
  return refuse("rule", what);
}
function exactly(value, names, what) {
  if (!isObject(value)) return no(`${what} is no object`);
  for (const key3 of Object.keys(value)) if (!names.includes(key3)) no(`${what} has a field that it should not have`);
  for (const name2 of names) if (field(value, name2) === void 0) no(`${what} has no ${name2}`);
  return value;
}
function among(value, words, what) {
  return words.find((word2) => word2 === value) ?? no(`${what} is none of ${words.join(", ")}`);
}
function letterRank(letter2) {
  return letter2.charCodeAt(0) - 64;
}
function cut(text2, char, both) {
  let from = 0;
  let to = text2.length;
  while (to > 0 && text2.charAt(to - 1) === char) to--;
  while (both && from < to && text2.charAt(from) === char) from++;
  return text2.slice(from, to);
}
function readHex(written, grammar, doubles) {
  const text2 = cut(cut(written, " ", true), ".", false).replace(/[a-z]/g, (letter2) => letter2.toUpperCase());
  switch (grammar) {
    case "letters": {
      const parts = /^([A-Z]{1,2})(?:-| *)([0-9]{1,3})$/.exec(text2);
      if (parts === null) break;
      const letters = parts[1] ?? "";
      const number = Number(parts[2]);
      const first2 = letterRank(letters);
      let rank = first2;
      if (letters.length === 2) {
        if (doubles === "doubled" && letters.charAt(0) !== letters.charAt(1)) break;
        rank = doubles === "doubled" ? 26 + first2 : 26 * first2 + letterRank(letters.charAt(1));
      }
      return { written: `${letters}${number}`, order: [rank, number], label: letters, chartRow: rank, digit: number % 10 };
    }
    case "numeric4": {
      const whole = /^[0-9]{3,4}$/.exec(text2);
      const split = /^([0-9]{1,2})[.\- ]([0-9]{2})$/.exec(text2);
      if (whole === null && split === null) break;
      const digits = (split === null ? text2 : `${split[1] ?? ""}${split[2] ?? ""}`).padStart(4, "0");
      const label = digits.slice(0, 2);
      return { written: digits, order: [Number(digits)], label, chartRow: Number(label), digit: Number(digits.charAt(3)) };
    }
    case "mapnumeric": {
      const parts = /^([A-Z])([0-9]{2})[.\- ]?([0-9]{2})$/.exec(text2);
      if (parts === null) break;
      const [, letter2 = "", a = "", b = ""] = parts;
      return { written: `${letter2}${a}.${b}`, order: [letterRank(letter2), Number(a), Number(b)], label: a, chartRow: Number(a), digit: Number(b.charAt(1)) };
    }
  }
  return no(`a hex cannot be read: ${written}`);
}
function compareNumbers(a, b) {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
function compareHexes(a, b) {
  return compareNumbers(a.order, b.order);
}
function compareAttacks(a, b) {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const x = a[i];
    const y = b[i];
    if (x === void 0 || y === void 0) break;
    const difference = compareHexes(x, y);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
function houseValue(hex) {
  return 1 + ((hex.chartRow + 4) ** 2 + 7 * hex.digit + 2) % 10;
}
function tableChart(tables) {
  const table = exactly(field(tables, "hex-chart"), ["rows"], "the table hex-chart");
  const rows = field(table, "rows");
  if (!isObject(rows)) return no("the rows of a chart are no object");
  if (Object.keys(rows).length > LIMITS.chartRows) no("a chart has too many rows");
  for (const row of Object.values(rows)) {
    if (!isList(row) || row.length !== 10) no("a row of a chart is no list of ten");
    else if (!row.every((value) => typeof value === "number" && value >= 0 && value <= 99)) no("a chart has a value that is not 0 to 99");
  }
  return (hex) => {
    const row = field(rows, hex.label);
    const value = isList(row) ? row[hex.digit] : void 0;
    return typeof value === "number" ? value : no(`the chart has no row ${hex.label}`);
  };
}
function integerIn(value, least, most, what) {
  return typeof value === "number" && value >= least && value <= most ? value : no(`${what} is not ${least} to ${most}`);
}
var SETTINGS = ["envelopes", "grammar", "double_letters", "chart", "values", "list_automatic"];
function readWorksheetSettings(settings) {
  const read = exactly(settings, SETTINGS, "the settings");
  const automatic = field(read, "list_automatic");
  return {
    envelopes: integerIn(field(read, "envelopes"), 1, LIMITS.places, "the number of envelopes"),
    grammar: among(field(read, "grammar"), GRAMMARS, "the grammar"),
    double_letters: among(field(read, "double_letters"), DOUBLES, "double_letters"),
    chart: among(field(read, "chart"), ["house", "table"], "the chart"),
    values: among(field(read, "values"), VALUES2, "the values"),
    list_automatic: typeof automatic === "boolean" ? automatic : no("list_automatic is not true or false")
  };
}
function readOdds(value) {
  if (typeof value !== "string") return no("odds are a text");
  const parts = /^ *([1-9][0-9]{0,2}) *(to|[^0-9 ]) *([1-9][0-9]{0,2}) *$/.exec(value);
  const middle = parts?.[2] ?? "";
  if (parts === null || !(middle === ":" || middle === "to" || middle.length === 1 && isDash(middle.charCodeAt(0)))) return no(`odds cannot be read: ${value}`);
  const a = Number(parts[1]);
  const b = Number(parts[3]);
  return { written: `${a}-${b}`, multiplier: Math.max(a, b) };
}
function readAttack(value, place, settings) {
  if (!isObject(value)) return no("an attack is no object");
  for (const key3 of Object.keys(value)) if (!["hexes", "id", "odds", "order"].includes(key3)) no("an attack has a field that it should not have");
  const id = field(value, "id") ?? `a${place + 1}`;
  if (field(value, "id") === null || typeof id !== "string" || characters(id) < 1 || characters(id) > 32) return no("the id of an attack is a text of 1 to 32 characters");
  const written = field(value, "hexes");
  if (!isList(written) || written.length < 1 || written.length > LIMITS.hexes) return no(`an attack has 1 to ${LIMITS.hexes} hexes`);
  const hexes = written.map((hex) => typeof hex === "string" ? readHex(hex, settings.grammar, settings.double_letters) : no("a hex is a text")).sort(compareHexes);
  if (new Set(hexes.map((hex) => hex.written)).size !== hexes.length) no("a hex stands twice in an attack");
  const order = field(value, "order") ?? null;
  if (order !== null && typeof order !== "number") return no("the order of an attack is an integer or null");
  return { id, hexes, odds: readOdds(field(value, "odds")), order };
}
function ranks(attacks) {
  const given = /* @__PURE__ */ new Set();
  for (const { order } of attacks) {
    if (order === null) continue;
    if (order < 1 || order > attacks.length) no("an order is a place from 1 to the number of attacks");
    if (given.has(order)) no("an order stands twice");
    given.add(order);
  }
  let free = 1;
  return attacks.map(({ order }) => {
    if (order !== null) return order;
    while (given.has(free)) free++;
    return free++;
  });
}
function readWorksheet(input, settings, tables) {
  const chart = settings.chart === "house" ? houseValue : tableChart(tables);
  const attacks = field(exactly(input, ["attacks"], "the input"), "attacks");
  if (!isList(attacks)) return no("the attacks are no list");
  const n = settings.envelopes;
  if (attacks.length > LIMITS.attacksAnEnvelope * n) no("there are more attacks than rows");
  const written = attacks.map((attack, place) => readAttack(attack, place, settings));
  if (new Set(written.map((attack) => attack.id)).size !== written.length) no("an id stands twice");
  const sorted = [...written].sort((a, b) => compareAttacks(a.hexes, b.hexes));
  const rank = ranks(sorted);
  const valued = sorted.map((attack) => {
    const hexValues = attack.hexes.map(chart);
    const value = hexValues.reduce((sum, one) => sum + one, 0);
    return { ...attack, hexValues, value, product: value * attack.odds.multiplier };
  });
  const total = valued.reduce((sum, attack) => sum + attack.product, 0);
  const index = total % n;
  const placed = valued.map((attack, k) => ({
    ...attack,
    envelope: (index + Math.floor(k / 10)) % n,
    row: 1 + k % 10,
    rank: rank[k] ?? 0
  }));
  const opened = [...new Set(placed.map((attack) => attack.envelope))];
  const returned = Array.from({ length: n }, (_, i) => i).filter((i) => !opened.includes(i));
  return { attacks: placed, total, index: placed.length === 0 ? null : index, opened, returned };
}
var WorksheetSystem = class {
  constructor(settings, tables) {
    this.settings = settings;
    this.tables = tables;
  }
  settings;
  tables;
  read(input) {
    const sheet = readWorksheet(input, this.settings, this.tables);
    const canonical = makeObject([
      ["attacks", sheet.attacks.map((attack) => plain({ hexes: attack.hexes.map((hex) => hex.written), id: attack.id, odds: attack.odds.written, order: attack.order }))]
    ]);
    const sides = sidesOf(this.settings.values);
    const rolls = sheet.attacks.map((attack) => ({
      why: `${attack.id} ${attack.hexes.map((hex) => hex.written).join("+")} ${attack.odds.written}`,
      sides,
      index: attack.envelope,
      line: attack.row,
      cell: null
    }));
    return {
      canonical,
      forRedo: canonical,
      rolls,
      opened: sheet.opened,
      cells: [],
      // coin-envelopes 9
      select: () => plain({ worksheet: { index: sheet.index, rows: sheet.attacks.map((attack) => [attack.envelope, attack.row]), total: sheet.total } }),
      // coin-envelopes 11
      outcome: (draws, redoIndex) => makeObject([
        [
          "attacks",
          sheet.attacks.map(
            (attack, k) => plain({
              die: valueOf(this.settings.values, draws[k] ?? []),
              envelope: redoIndex ?? attack.envelope,
              hexes: attack.hexes.map((hex) => hex.written),
              id: attack.id,
              odds: attack.odds.written,
              rank: attack.rank,
              row: redoIndex === null ? attack.row : k + 1
            })
          )
        ]
      ])
    };
  }
};
var Worksheets = {
  source: "coin",
  prefill: makeObject(
    Object.entries({ envelopes: 5, grammar: "letters", double_letters: "doubled", chart: "house", values: "1-6", list_automatic: true })
  ),
  make(settings, tables) {
    const read = readWorksheetSettings(settings);
    if (read.chart === "table") tableChart(tables);
    return new WorksheetSystem(read, tables);
  }
};

// src/signature.ts
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
var { Point } = ed25519;
var ORDER = Point.Fn.ORDER;
var TABLE_FROM = 12;
var TABLE_WINDOW = 6;
function decode(bytes) {
  try {
    return Point.fromBytes(bytes, false);
  } catch {
    return null;
  }
}
function checkKey(bytes) {
  const point = bytes.length === 32 ? decode(bytes) : null;
  if (point === null) return refuse("key", "the key is not the encoding of a point");
  if (point.isSmallOrder()) refuse("key", "the key is a point of small order");
  if (!point.isTorsionFree()) refuse("key", "the key is not of prime order");
  return { bytes, minusA: point.negate(), uses: 0 };
}
var KeyRing = class {
  known = /* @__PURE__ */ new Map();
  /** The key, or null where it is none. */
  find(hex) {
    const known = this.known.get(hex);
    if (known !== void 0) return known;
    let key3 = null;
    const bytes = fromHex(hex);
    try {
      if (bytes !== null) key3 = checkKey(bytes);
    } catch {
      key3 = null;
    }
    this.known.set(hex, key3);
    return key3;
  }
};
function verifies(key3, message, signature) {
  if (signature.length !== 64) return false;
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  if (s >= ORDER) return false;
  const k = littleEndian(sha512(concat(r, key3.bytes, message))) % ORDER;
  if (++key3.uses === TABLE_FROM) key3.minusA.precompute(TABLE_WINDOW);
  const expected = Point.BASE.multiplyUnsafe(s).add(key3.minusA.multiplyUnsafe(k));
  if (!sameBytes(expected.toBytes(), r)) return false;
  return !expected.isSmallOrder();
}
var BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
function fingerprint(key3) {
  const bytes = hash("key-fingerprint", key3).subarray(0, 15);
  let bits = BigInt(`0x${toHex(bytes)}`);
  const letters = [];
  for (let i = 0; i < 24; i++) {
    letters.unshift(BASE32.charAt(Number(bits & 31n)));
    bits >>= 5n;
  }
  return (letters.join("").match(/.{4}/g) ?? []).join(" ");
}
function publicOf(seed) {
  return ed25519.getPublicKey(seed);
}

// src/shape.ts
function wrong(path, what) {
  return refuse("fields", `${path} ${what}`);
}
function record(fields) {
  const names = Object.keys(fields);
  return (value, path) => {
    if (!isObject(value)) return wrong(path, "is no object");
    for (const key3 of Object.keys(value)) if (!Object.hasOwn(fields, key3)) wrong(path, "has a field that its table does not have");
    const read = {};
    for (const name2 of names) {
      const item = field(value, name2);
      const shape = fields[name2];
      if (item === void 0 || shape === void 0) return wrong(path, `has no ${name2}`);
      read[name2] = shape(item, `${path}.${name2}`);
    }
    return read;
  };
}
function oneOf(fields) {
  return (value, path) => {
    if (!isObject(value)) return wrong(path, "is no object");
    const keys2 = Object.keys(value);
    const key3 = keys2[0];
    if (key3 === void 0 || keys2.length !== 1 || !Object.hasOwn(fields, key3)) return wrong(path, `is not exactly one of ${Object.keys(fields).join(", ")}`);
    const shape = fields[key3];
    const item = field(value, key3);
    if (shape === void 0 || item === void 0) return wrong(path, "is empty");
    return { is: key3, value: shape(item, `${path}.${key3}`) };
  };
}
function list(item, least, most) {
  return (value, path) => {
    if (!isList(value)) return wrong(path, "is no list");
    if (value.length < least || value.length > most) wrong(path, `has ${value.length} items, not ${least} to ${most}`);
    return value.map((entry, i) => item(entry, `${path}[${i}]`));
  };
}
function pair(a, b) {
  return (value, path) => {
    if (!isList(value) || value.length !== 2) return wrong(path, "is no list of two");
    return [a(value[0] ?? null, `${path}[0]`), b(value[1] ?? null, `${path}[1]`)];
  };
}
function triple(a, b, c) {
  return (value, path) => {
    if (!isList(value) || value.length !== 3) return wrong(path, "is no list of three");
    return [a(value[0] ?? null, `${path}[0]`), b(value[1] ?? null, `${path}[1]`), c(value[2] ?? null, `${path}[2]`)];
  };
}
function nullable(shape) {
  return (value, path) => value === null ? null : shape(value, path);
}
var nothing = (value, path) => value === null ? null : wrong(path, "is not null");
var bool = (value, path) => typeof value === "boolean" ? value : wrong(path, "is not true or false");
var json = (value) => value;
var object = (value, path) => isObject(value) ? value : wrong(path, "is no object");
function objectOf(most) {
  return (value, path) => {
    const read = object(value, path);
    if (Object.keys(read).length > most) wrong(path, `has more than ${most} fields`);
    return read;
  };
}
function integer(least = 0, most = Number.MAX_SAFE_INTEGER) {
  return (value, path) => {
    if (typeof value !== "number") return wrong(path, "is no integer");
    if (value < least || value > most) wrong(path, `is not from ${least} to ${most}`);
    return value;
  };
}
function text(least = 0, most = Number.MAX_SAFE_INTEGER) {
  return (value, path) => {
    if (typeof value !== "string") return wrong(path, "is no text");
    const length = characters(value);
    if (length < least || length > most) wrong(path, `has ${length} characters, not ${least} to ${most}`);
    return value;
  };
}
function word(...words) {
  return (value, path) => {
    const found = words.find((one) => one === value);
    return found === void 0 ? wrong(path, `is none of ${words.join(", ")}`) : found;
  };
}
function form(pattern, what) {
  return (value, path) => typeof value === "string" && pattern.test(value) ? value : wrong(path, `is no ${what}`);
}
var hex32 = form(/^[0-9a-f]{64}$/, "hex32");
var hex64 = form(/^[0-9a-f]{128}$/, "128 hexadecimal digits");
var hex80 = form(/^[0-9a-f]{160}$/, "160 hexadecimal digits");
var role = form(/^[a-z][a-z0-9-]{0,15}$/, "role");
var name = form(/^[a-z][a-z0-9-]{0,31}$/, "name");
var letter = hex32;
function ascending(shape) {
  return (value, path) => {
    const items = shape(value, path);
    for (let i = 1; i < items.length; i++) {
      const before = items[i - 1];
      const item = items[i];
      if (before === void 0 || item === void 0 || !(before < item)) wrong(path, "is not strictly ascending");
    }
    return items;
  };
}

// src/slot.ts
var slotShape = record({ impulse: integer(1, 99), number: integer(1, 9999), phase: name, turn: integer(1, 9999) });
function slotText(slot) {
  return `${slot.turn}/${slot.impulse}/${slot.phase}/${slot.number}`;
}
function phaseOf(charter2, slot) {
  const phase2 = charter2.phases.find((one) => one.name === slot.phase);
  return phase2 !== void 0 && phase2.impulses.includes(slot.impulse) ? phase2 : null;
}
function readSlot(written) {
  const parts = /^([1-9][0-9]{0,3})\/([1-9][0-9]?)\/([a-z][a-z0-9-]{0,31})\/([1-9][0-9]{0,3})$/.exec(written);
  if (parts === null) return null;
  return { turn: Number(parts[1]), impulse: Number(parts[2]), phase: parts[3] ?? "", number: Number(parts[4]) };
}
function compareSlots(charter2, a, b) {
  const place = (slot) => charter2.phases.findIndex((phase2) => phase2.name === slot.phase);
  return a.turn - b.turn || a.impulse - b.impulse || place(a) - place(b) || a.number - b.number;
}

// src/kinds.ts
var STEPS = ["answer", "declare", "reveal"];
var forfeit = word("declarer-names", "game");
var party = record({ key: hex32, name: text(1, 80), role });
var deposits = record({ key: hex32, notes: bool });
var referee = record({ deposit: nullable(deposits), key: hex32, name: text(1, 80), role });
var decision = record({ by: nullable(role), how: word("open", "sealed", "simultaneous"), name });
var phase = record({
  decisions: list(decision, 0, LIMITS.list),
  declarer: role,
  impulses: ascending(list(integer(1, 99), 1, 99)),
  name,
  private: bool,
  revealer: word("sealer"),
  settings: object,
  source: word("coin", "sheet"),
  system: text()
});
var remedy = word("keep", "redo");
var charter = record({
  compared: bool,
  deadlines: list(record({ days: integer(1, 3650), forfeit: word("none", "declarer-names", "game"), step: word(...STEPS) }), 0, LIMITS.list),
  foul_up: record({
    envelopes: integer(1, LIMITS.places),
    remedies: record({ "illegal-move": remedy, "illegal-odds": remedy, "wrong-list": remedy }),
    revealer: word("sealer")
  }),
  hard_core: bool,
  nonce: hex32,
  office: nothing,
  parties: list(party, 2, 2),
  penalties: list(
    record({
      applied_by: role,
      consequence: word("keep", "redo", "forfeit-move", "forfeit-attack"),
      text: text(0, 1e3),
      trigger: word("wrong-envelope", "wrong-row", "illegal-odds", "illegal-move", "late", "unreadable")
    }),
    0,
    LIMITS.list
  ),
  phases: list(phase, 1, LIMITS.phases),
  referee: nullable(referee),
  sets_at_start: record({ "foul-up": integer(0, 8), sheet: integer(0, 8) }),
  tables: objectOf(LIMITS.list),
  title: text(1, 200)
});
var accept = record({ charter: letter, compared: bool, nonce: hex32 });
var ciphertext = (value, path) => {
  if (typeof value !== "string" || !/^[0-9a-f]*$/.test(value)) return refuse("fields", `${path} is no hexadecimal text`);
  if (value.length <= 32 || (value.length - 32) % 512 !== 0) refuse("fields", `${path} is not a multiple of 256 bytes and 16 more`);
  return value;
};
var sealFields = record({
  commits: list(hex32, 0, LIMITS.places),
  declarer: role,
  kind: word("coin", "sheet", "foul-up", "note", "contribution"),
  n: integer(1, LIMITS.columns * LIMITS.cells),
  notes: nullable(list(ciphertext, 0, LIMITS.places)),
  purpose: text(),
  revealer: role,
  salt: hex32
});
var seal = (value, path) => {
  const body = sealFields(value, path);
  const sheet = body.kind === "sheet";
  if (sheet ? body.n !== LIMITS.columns * LIMITS.cells : body.n > LIMITS.places) refuse("fields", `${path}.n is not the number of places of such a set`);
  if (body.commits.length !== (sheet ? LIMITS.columns : body.n)) refuse("fields", `${path}.commits are not one for each place`);
  if (body.kind === "note" !== (body.notes !== null)) refuse("fields", `${path}.notes do not go with the kind`);
  if (body.notes !== null && body.notes.length !== body.n) refuse("fields", `${path}.notes are not one for each place`);
  return body;
};
var cell = pair(integer(), integer());
var declare = record({
  contribution: nullable(oneOf({ open: hex32, sealed: record({ index: integer(), seal: letter }) })),
  input: object,
  moves: oneOf({
    files: list(record({ length: integer(), name: text(1, 255), sha3_256: hex32 }), 1, LIMITS.list),
    none: nothing,
    note: record({ index: integer(0, 0), seal: letter }),
    text: text()
  }),
  redo: nullable(oneOf({ agreed: letter, breach: letter, opened: letter })),
  seal: nullable(letter),
  select: nullable(
    oneOf({
      cells: list(cell, 0, Number.MAX_SAFE_INTEGER),
      foul_up: record({ index: integer(), lines: integer() }),
      worksheet: record({ index: integer(), rows: list(cell, 0, Number.MAX_SAFE_INTEGER), total: integer() })
    })
  ),
  slot: slotShape
});
var keys = list(pair(integer(), hex32), 0, LIMITS.places);
var sheets = list(triple(integer(), integer(), hex32), 0, LIMITS.columns);
var reveal = record({ declaration: nullable(letter), keys, seal: letter, sheets });
var decide = record({ name, slot: slotShape, value: json });
var result = record({ declaration: letter, outcome: word("done", "needs"), public: object });
var scopeShape = oneOf({
  declaration: letter,
  impulse: record({ declarations: ascending(list(letter, 1, LIMITS.list)), impulse: integer(1, 99), turn: integer(1, 9999) }),
  rolls: record({ declaration: letter, lines: ascending(list(integer(1), 1, LIMITS.scopeLines)) })
});
var correct = oneOf({
  accept: letter,
  propose: record({
    at_fault: role,
    class: word("illegal-move", "illegal-odds", "wrong-list"),
    declaration: letter,
    input: nullable(object),
    reason: text(0, 1e3)
  }),
  refuse: letter,
  void: record({ reason: text(1, 1e3), scope: scopeShape })
});
var masters = list(record({ master: hex32, seal: letter }), 0, Number.MAX_SAFE_INTEGER);
var closeFields = record({ masters: nullable(masters), result: nullable(text(0, 1e3)) });
var close = (value, path) => {
  const body = closeFields(value, path);
  if (body.masters !== null && new Set(body.masters.map((entry) => entry.seal)).size !== body.masters.length) {
    refuse("fields", `${path}.masters has a seal twice`);
  }
  return body;
};
var claim = oneOf({
  dispute: record({ letters: ascending(list(letter, 1, LIMITS.disputeLetters)), text: text(1, 1e3) }),
  names: record({ declaration: letter, dice: list(integer(1, 4294967296), 1, LIMITS.namedDice), forfeit: letter }),
  stall: record({ letter: nullable(letter), owes: role, step: word(...STEPS), text: text(0, 1e3) }),
  withdraw: letter,
  yield: record({ declaration: nullable(letter), forfeit, text: text(0, 1e3) })
});
var ruling = record({
  rule: oneOf({
    admit: letter,
    agree: letter,
    branch: letter,
    dismiss: letter,
    forfeit: record({ forfeit, request: letter }),
    kill: letter,
    open: record({ keys, request: letter, sheets }),
    request: letter,
    settle: letter,
    void: scopeShape
  }),
  text: text(0, 1e3)
});
var deposit = record({ key: hex32, seal: hex32, wrapped: hex80 });
var receipt = record({ deposit: record({ seals: ascending(list(letter, 1, LIMITS.receiptSeals)) }) });
var key = oneOf({
  admit: record({ after: letter, key: hex32, player: role, proof: hex64 }),
  ask: record({ after: hex32, proof: hex64 }),
  rotate: record({ key: hex32, proof: hex64, stolen: bool })
});
var resync = oneOf({ answer: record({ ask: hex32, to: role }), ask: hex32 });
var BODIES = { charter, accept, seal, declare, reveal, decide, result, correct, claim, ruling, receipt, key, resync, deposit, close };
var KINDS2 = Object.keys(BODIES);
function isUnnumbered(content) {
  return content.kind === "deposit" || (content.kind === "resync" || content.kind === "key") && content.body.is === "ask";
}
function readContent(kind, value) {
  return { kind, body: BODIES[kind](value, "body") };
}

// src/message.ts
var TYPE = "sealed-dice/v1";
var seen = (value, path) => {
  if (!isObject(value)) return refuse("fields", `${path} is no object`);
  const keys2 = Object.keys(value);
  if (keys2.length > LIMITS.seen) refuse("fields", `${path} has more than ${LIMITS.seen} roles`);
  return new Map(keys2.map((key3) => [role(key3, path), nullable(hex32)(value[key3] ?? null, `${path}.${key3}`)]));
};
var headShape = record({
  v: integer(1, 1),
  kind: word(...KINDS2),
  game: nullable(hex32),
  author: role,
  number: integer(),
  prev: nullable(hex32),
  seen
});
var LF2 = 10;
function readFrame(frame) {
  if (frame.length > LIMITS.frame) refuse("size", "longer than the longest frame");
  const lines = [];
  let from = 0;
  while (lines.length < 4) {
    const end = frame.indexOf(LF2, from);
    if (end < 0) refuse("frame", "a frame has four lines");
    lines.push(frame.subarray(from, end));
    from = end + 1;
  }
  const [type, payload, key3, signature] = lines;
  if (type === void 0 || payload === void 0 || key3 === void 0 || signature === void 0) return refuse("frame", "a frame has four lines");
  const padding = frame.length - from;
  if (padding !== (3 - from % 3) % 3 || frame.subarray(from).some((byte) => byte !== LF2)) refuse("frame", "a frame ends in no more and no fewer line feeds than it needs");
  const ascii = (bytes) => String.fromCharCode(...bytes.subarray(0, 200));
  if (ascii(type) !== TYPE) refuse("frame", `the type is not ${TYPE}`);
  const keyText = ascii(key3);
  const signatureText = ascii(signature);
  if (key3.length !== 64 || fromHex(keyText) === null) refuse("frame", "the key is not 64 lower-case hexadecimal digits");
  if (signature.length !== 128 || fromHex(signatureText) === null) refuse("frame", "the signature is not 128 lower-case hexadecimal digits");
  return { payload, key: keyText, signature: signatureText };
}
function signedBytes(type, payload) {
  const name2 = utf8(type);
  return concat(utf8(`DSSEv1 ${name2.length} ${type} ${payload.length} `), payload);
}
function messageId(payload) {
  return toHex(hash("message-id", utf8(TYPE), payload));
}
var payloadShape = record({ body: json, head: json });
function readHeadAndBody(value) {
  const payload = payloadShape(value, "payload");
  const head = headShape(payload.head, "head");
  const content = readContent(head.kind, payload.body);
  const unnumbered = isUnnumbered(content);
  const first2 = content.kind === "charter" || content.kind === "accept";
  const rightGame = head.game === null === (head.kind === "charter");
  const rightNumber = first2 ? head.number === 1 : unnumbered ? head.number === 0 : head.number >= 2;
  const rightPrev = head.prev === null === (first2 || unnumbered);
  const rightSeen = !unnumbered || [...head.seen.values()].every((id) => id === null);
  if (!rightGame || !rightNumber || !rightPrev || !rightSeen) refuse("fields", `the head is not that of a letter of kind ${head.kind}`);
  return { head, content };
}
function checkMessage(bytes, keys2) {
  let id = null;
  try {
    const frame = readFrame(bytes);
    id = messageId(frame.payload);
    const key3 = keys2.find(frame.key);
    if (key3 === null) return { ok: false, class: "key", text: "the key is none", id };
    const { text: text2, value } = readPayload(frame.payload);
    const { head, content } = readHeadAndBody(value);
    const signature = fromHex(frame.signature) ?? new Uint8Array(0);
    if (!verifies(key3, signedBytes(TYPE, frame.payload), signature)) refuse("signature", "the signature does not fit: the letter was altered or damaged on its way, or somebody else signed it");
    return { ok: true, message: { id, head, content, key: frame.key, signature: frame.signature, payload: text2 } };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, class: error.class_, text: error.message, id };
    throw error;
  }
}

// src/checker.ts
import { sha256 as sha2562 } from "@noble/hashes/sha2.js";

// src/deposits.ts
import { chacha20poly1305 as chacha20poly13052 } from "@noble/ciphers/chacha.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { expand, extract } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";

// src/envelope.ts
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
function contextItems(context) {
  return [
    hexBytes(context.game),
    utf8(context.purpose),
    utf8(context.kind),
    utf8(context.sealer),
    utf8(context.declarer),
    utf8(context.revealer),
    utf8(context.fallback),
    le64(context.n)
  ];
}
function contextOfSet(context) {
  return pae(contextItems(context));
}
function contextOfEnvelope(context, index) {
  return pae([...contextItems(context), le64(index)]);
}
function contextOfCell(context, column, row) {
  return pae([...contextItems(context), le64(column), le64(row)]);
}
function setMaster(context, vault, salt) {
  return hash("set-master", vault, contextOfSet(context), salt);
}
function envelopeKey(context, master, index) {
  return hash("envelope-key", master, contextOfEnvelope(context, index));
}
function envelopeCommit(context, index, key3) {
  return hash("envelope-commit", contextOfEnvelope(context, index), key3);
}
function envelopeSeed(context, index, key3) {
  return hash("envelope-seed", contextOfEnvelope(context, index), key3);
}
function climb(context, column, from, key3) {
  const keys2 = [key3];
  let above = key3;
  for (let row = from; row >= 1; row--) {
    above = hash("cell-chain", contextOfCell(context, column, row), above);
    keys2.push(above);
  }
  return keys2;
}
function columnKeys(context, master, column) {
  return climb(context, column, LIMITS.cells, hash("envelope-key", master, contextOfCell(context, column, LIMITS.cells)));
}
function cellKey(context, column, deep, key3, row) {
  let above = key3;
  for (let at = deep; at > row; at--) above = hash("cell-chain", contextOfCell(context, column, at), above);
  return above;
}
function cellSeed(context, column, row, key3) {
  return hash("envelope-seed", contextOfCell(context, column, row), key3);
}
function opensEnvelope(context, index, key3, commit) {
  return toHex(envelopeCommit(context, index, key3)) === commit;
}
function opensCell(context, column, row, key3, commit) {
  if (row < 1 || row > LIMITS.cells) return false;
  return toHex(cellKey(context, column, row, key3, 0)) === commit;
}
var NONCE2 = new Uint8Array(12);
function decrypt(key3, associated, ciphertext2) {
  try {
    return chacha20poly1305(key3, NONCE2, associated).decrypt(ciphertext2);
  } catch {
    return refuse("rule", "the cipher does not accept");
  }
}
var STEP = 256;
function padded(text2) {
  const whole = concat(text2, new Uint8Array([128]));
  return concat(whole, new Uint8Array((STEP - whole.length % STEP) % STEP));
}
function openNote(context, key3, commit, ciphertext2) {
  if (!opensEnvelope(context, 0, key3, commit)) refuse("rule", "the key does not match");
  const a = contextOfEnvelope(context, 0);
  const plain2 = decrypt(hash("note-key", a, key3), a, ciphertext2);
  let end = plain2.length - 1;
  while (end >= 0 && plain2[end] === 0) end--;
  if (end < 0 || plain2[end] !== 128) return refuse("rule", "the note is not padded");
  const bytes = plain2.subarray(0, end);
  if (!sameBytes(padded(bytes), plain2)) refuse("rule", "the note is padded too far");
  return fromUtf8(bytes) ?? refuse("rule", "the note is no UTF-8");
}

// src/deposits.ts
function fallbackOf(charter2, kind) {
  const { referee: referee2 } = charter2;
  if (referee2 === null || referee2.deposit === null || kind === "contribution") return "";
  return kind === "note" && !referee2.deposit.notes ? "" : referee2.role;
}
function openedByRuling(request, letters) {
  const asked = letters.get(request)?.content;
  const claim3 = asked?.kind === "ruling" && asked.body.rule.is === "request" ? letters.get(asked.body.rule.value) : void 0;
  const nothing2 = { claim: claim3 ?? null, about: null, set: null };
  if (claim3 === void 0 || claim3.content.kind !== "claim" || claim3.content.body.is !== "stall") return nothing2;
  const about = letters.get(claim3.content.body.value.letter ?? "");
  if (about?.content.kind === "seal") return about.content.body.kind === "note" ? { claim: claim3, about, set: about } : nothing2;
  if (about?.content.kind !== "declare") return nothing2;
  const set = letters.get(about.content.body.seal ?? "");
  return { claim: claim3, about, set: set?.content.kind === "seal" ? set : null };
}
function agree(secret, key3) {
  try {
    const shared = x25519.getSharedSecret(secret, key3);
    return shared.every((byte) => byte === 0) ? null : shared;
  } catch {
    return null;
  }
}
function depositKey(secret) {
  return x25519.getPublicKey(secret);
}
function depositInfo(context, seal3) {
  return hash("deposit", contextOfSet(context), hexBytes(seal3));
}
function labeled(suite) {
  const version = utf8("HPKE-v1");
  return {
    extract: (salt, label, ikm) => extract(sha256, concat(version, suite, utf8(label), ikm), salt),
    expand: (prk, label, info, length) => expand(sha256, prk, concat(new Uint8Array([length >> 8, length & 255]), version, suite, utf8(label), info), length)
  };
}
var NONE = new Uint8Array(0);
var KEM = labeled(concat(utf8("KEM"), new Uint8Array([0, 32])));
var HPKE = labeled(concat(utf8("HPKE"), new Uint8Array([0, 32, 0, 1, 0, 3])));
var BASE = new Uint8Array([0]);
function openDeposit(secret, wrapped, info) {
  const enc = wrapped.subarray(0, 32);
  const shared = agree(secret, enc);
  if (shared === null) return refuse("rule", "the encapsulated key is of small order");
  const kem = KEM.expand(KEM.extract(NONE, "eae_prk", shared), "shared_secret", concat(enc, depositKey(secret)), 32);
  const schedule = concat(BASE, HPKE.extract(NONE, "psk_id_hash", NONE), HPKE.extract(NONE, "info_hash", info));
  const prk = HPKE.extract(kem, "secret", NONE);
  const key3 = HPKE.expand(prk, "key", schedule, 32);
  const nonce = HPKE.expand(prk, "base_nonce", schedule, 12);
  try {
    return chacha20poly13052(key3, nonce).decrypt(wrapped.subarray(32));
  } catch {
    return refuse("rule", "the deposit does not open");
  }
}

// src/icrk.ts
function no2(what) {
  return refuse("rule", what);
}
function columnLabel(column) {
  return column < 26 ? String.fromCharCode(65 + column) : String.fromCharCode(39 + column).repeat(2);
}
function columnOf(label) {
  for (let column = 0; column < LIMITS.columns; column++) if (columnLabel(column) === label) return column;
  return null;
}
function readRoll(value, redo) {
  const read = exactly(value, ["cell", "why"], "a roll");
  const why = field(read, "why");
  if (typeof why !== "string" || characters(why) < 1 || characters(why) > 200) return no2("a roll says in 1 to 200 characters what it is for");
  const cell2 = field(read, "cell");
  if (redo) return cell2 === null ? { cell: null, why } : no2("in a redo no roll names a cell");
  if (typeof cell2 !== "string") return no2("a roll names its cell");
  const hex = readHex(cell2, "letters", "doubled");
  const column = columnOf(hex.label);
  const row = hex.order[1] ?? 0;
  if (column === null || row < 1 || row > LIMITS.cells) return no2(`there is no cell ${hex.written}`);
  return { cell: { column, row, written: hex.written }, why };
}
function readRolls(input, redo) {
  const rolls = field(exactly(input, ["rolls"], "the input"), "rolls");
  if (!isList(rolls)) return no2("the rolls are no list");
  if (rolls.length > LIMITS.rolls) no2(`there are more than ${LIMITS.rolls} rolls`);
  return rolls.map((roll) => readRoll(roll, redo));
}
function checkCells(rolls, spent) {
  const depths = /* @__PURE__ */ new Map();
  for (const { cell: cell2 } of rolls) {
    if (cell2 === null) continue;
    const depth = depths.get(cell2.column) ?? spent(cell2.column);
    if (cell2.row !== depth + 1) {
      no2(depth >= LIMITS.cells ? `column ${columnLabel(cell2.column)} is spent` : `the next cell of column ${columnLabel(cell2.column)} is ${columnLabel(cell2.column)}${depth + 1}, not ${cell2.written}`);
    }
    depths.set(cell2.column, cell2.row);
  }
  return depths;
}
function readState(state) {
  const spent = field(exactly(state, ["spent"], "the state"), "spent");
  if (!isObject(spent)) return no2("the spent cells are no object");
  const depths = /* @__PURE__ */ new Map();
  for (const [label, depth] of Object.entries(spent)) {
    const column = columnOf(label);
    if (column === null) return no2(`there is no column ${label}`);
    if (typeof depth !== "number" || depth < 1 || depth > LIMITS.cells) return no2(`a column is spent down to 1 to ${LIMITS.cells}`);
    depths.set(column, depth);
  }
  return depths;
}
function writeState(depths) {
  return makeObject([["spent", makeObject([...depths].map(([column, depth]) => [columnLabel(column), depth]))]]);
}
function readSheetValues(settings) {
  return among(field(exactly(settings, ["values"], "the settings"), "values"), VALUES2, "the values");
}
var SheetSystem = class {
  constructor(values) {
    this.values = values;
  }
  values;
  read(input, redo) {
    const read = readRolls(input, redo);
    const sides = sidesOf(this.values);
    const form2 = (cell2) => makeObject([["rolls", read.map((roll) => plain({ cell: cell2(roll), why: roll.why }))]]);
    const rolls = read.map((roll, k) => ({
      why: roll.why,
      sides,
      index: roll.cell?.column ?? 0,
      line: roll.cell?.row ?? k + 1,
      cell: roll.cell?.written ?? null
    }));
    const cells = read.flatMap(({ cell: cell2 }) => cell2 === null ? [] : [[cell2.column, cell2.row]]);
    return {
      canonical: form2((roll) => roll.cell?.written ?? null),
      forRedo: form2(() => null),
      rolls,
      opened: [],
      cells,
      // icrk 4
      select: (spent) => {
        checkCells(read, spent);
        return plain({ cells });
      },
      // icrk 6
      outcome: (draws) => makeObject([["rolls", read.map((roll, k) => plain({ cell: roll.cell?.written ?? null, value: valueOf(this.values, draws[k] ?? []), why: roll.why }))]])
    };
  }
};
var Sheets = {
  source: "sheet",
  prefill: makeObject([["values", "1-6"]]),
  make(settings) {
    return new SheetSystem(readSheetValues(settings));
  }
};

// src/system.ts
var SYSTEMS = /* @__PURE__ */ new Map([
  ["coin-envelopes", Worksheets],
  ["icrk", Sheets]
]);
function systemNamed(name2) {
  return SYSTEMS.get(name2) ?? refuse("rule", `there is no system ${name2}`);
}
function systemOf(phase2, tables) {
  const made = attempt(() => systemNamed(phase2.system).make(phase2.settings, tables));
  return made.ok ? made.value : null;
}

// src/charter.ts
function isCharter(message) {
  return message.content.kind === "charter";
}
function isAccept(message) {
  return message.content.kind === "accept";
}
function partiesOf(charter2) {
  return charter2.referee === null ? charter2.parties : [...charter2.parties, charter2.referee];
}
function signedByItsAuthor(message) {
  return message.content.body.parties.some((party2) => party2.role === message.head.author && party2.key === message.key);
}
function twice(items) {
  return new Set(items).size !== items.length;
}
function charterBreach(message) {
  const charter2 = message.content.body;
  const parties = partiesOf(charter2);
  const players = charter2.parties.map((party2) => party2.role);
  if (twice(parties.map((party2) => party2.role))) return "roles differ";
  if (twice(parties.map((party2) => party2.key))) return "keys differ";
  if (twice(charter2.phases.map((phase2) => phase2.name))) return "names of phases differ";
  for (const phase2 of charter2.phases) {
    if (twice(phase2.decisions.map((decision2) => decision2.name))) return `names of decisions differ within the phase ${phase2.name}`;
    if (!players.includes(phase2.declarer)) return `the declarer of the phase ${phase2.name} is no player`;
    for (const decision2 of phase2.decisions) {
      if (decision2.by === null !== (decision2.how === "simultaneous")) return `the decision ${decision2.name} is simultaneous exactly if it is by nobody`;
      if (decision2.by !== null && !players.includes(decision2.by)) return `the decision ${decision2.name} is by somebody who is no player`;
    }
    const made = attempt(() => {
      const maker = systemNamed(phase2.system);
      maker.make(phase2.settings, charter2.tables);
      return maker;
    });
    if (!made.ok) return `the phase ${phase2.name}: ${made.text}`;
    if (made.value.source !== phase2.source) return `the phase ${phase2.name}: the system has another source`;
  }
  for (const penalty of charter2.penalties) if (!players.includes(penalty.applied_by)) return "a penalty is applied by somebody who is no player";
  if (charter2.hard_core) {
    if (Object.values(charter2.foul_up.remedies).includes("redo")) return "under hard core no remedy is a redo";
    if (charter2.penalties.some((penalty) => penalty.consequence === "redo")) return "under hard core no penalty is a redo";
  }
  const deposit2 = charter2.referee?.deposit ?? null;
  if (deposit2 !== null) {
    if (!charter2.deadlines.some((deadline) => deadline.step === "reveal")) return "a referee who holds deposits needs a deadline for the reveal";
    if (agree(new Uint8Array(32), hexBytes(deposit2.key)) === null) return "the referee's deposit key is of small order";
  }
  const others = parties.map((party2) => party2.role).filter((role2) => role2 !== message.head.author);
  const { seen: seen2 } = message.head;
  if (seen2.size !== others.length || !others.every((role2) => seen2.get(role2) === null)) return "seen has exactly the other roles, each null";
  return null;
}
function acceptedBy(charter2, accept2) {
  const { parties, referee: referee2 } = charter2.content.body;
  const { author } = accept2.head;
  if (author === charter2.head.author) return null;
  if (referee2 !== null && referee2.role === author && referee2.key === accept2.key) return "referee";
  return parties.some((party2) => party2.role === author && party2.key === accept2.key) ? "opponent" : null;
}
function acceptBreach(charter2, accept2, by) {
  const { body } = accept2.content;
  const { seen: seen2 } = accept2.head;
  if (body.charter !== accept2.head.game) return "the charter in the body is not that of the head";
  const others = partiesOf(charter2.content.body).map((party2) => party2.role).filter((role2) => role2 !== accept2.head.author);
  if (seen2.size !== others.length || !others.every((role2) => seen2.has(role2))) return "seen has exactly the other roles";
  for (const role2 of others) {
    const id = seen2.get(role2) ?? null;
    if (role2 === charter2.head.author) {
      if (id !== charter2.id) return "seen is the charter for its author";
    } else if (by === "referee") {
      if (id !== null) return "the referee accepts before the other player";
    } else if (id === null || id === charter2.id) {
      return "seen is the referee's accept for him";
    }
  }
  return null;
}

// src/letter.ts
var Letter = class {
  constructor(message, place) {
    this.message = message;
    this.place = place;
    this.id = message.id;
    this.head = message.head;
    this.content = message.content;
    this.author = message.head.author;
    this.number = message.head.number;
  }
  message;
  place;
  id;
  head;
  content;
  author;
  number;
  /** Letters at hand that it names, each once, and the ids of those that are not at hand. */
  names = [];
  missing = [];
  prev = null;
  seen = /* @__PURE__ */ new Map();
  /** chain 4 */
  placed = false;
  /** chain 2: it breaks the rule itself, or follows one that does. */
  detached = "no";
  /** chain 3: what is wrong with its `seen`, or null. */
  badSeen = null;
  /** chain 9: it stands on a branch that does not. */
  fallen = false;
  /** A line is a part of a tree of letters where each follows the one before by `prev`; `at` counts from 0. */
  line = 0;
  at = 0;
  /** chain 5: of each line, how many of its letters are in the past. */
  past = new Int32Array(0);
  /** Where its branch begins and ends, when all letters are counted down the trees. */
  enter = 0;
  leave = 0;
  /** Whether its rules were looked at, and what came of it. */
  judged = false;
  breach = null;
  get kind() {
    return this.content.kind;
  }
  /** letters 4 */
  get valid() {
    return this.judged && this.breach === null;
  }
  /** letters 4: in breach or not, it counts. */
  get counts() {
    return this.placed && this.detached === "no" && this.badSeen === null && !this.fallen;
  }
  /** Whether another letter is in its past (chain 5). */
  has(other) {
    return (this.past[other.line] ?? 0) > other.at;
  }
  /** chain 6: it is `prev` or a `seen`, or in the past of one of these. */
  covers(other) {
    const through = (link2) => link2 !== null && (link2 === other || link2.has(other));
    if (through(this.prev)) return true;
    for (const link2 of this.seen.values()) if (through(link2)) return true;
    return false;
  }
  /** Whether it is in the branch that begins with another letter (chain 9). */
  inBranchOf(first2) {
    return first2.enter <= this.enter && this.leave <= first2.leave;
  }
};
function replayOrder(a, b) {
  return a.place - b.place || a.number - b.number || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
function byNumber(a, b) {
  return a.number - b.number || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

// src/names.ts
function scopeDeclarations(scope) {
  switch (scope.is) {
    case "declaration":
      return [scope.value];
    case "impulse":
      return scope.value.declarations;
    case "rolls":
      return [scope.value.declaration];
  }
}
function some(...ids) {
  return ids.filter((id) => id !== null);
}
function namedInBody(content) {
  switch (content.kind) {
    case "charter":
    case "seal":
    case "decide":
    // Unnumbered messages name nothing, and the ask that an answer answers is no letter (message 9).
    case "resync":
    case "deposit":
      return [];
    case "accept":
      return [content.body.charter];
    case "declare": {
      const { contribution, moves, redo, seal: seal3 } = content.body;
      return some(
        moves.is === "note" ? moves.value.seal : null,
        seal3,
        contribution?.is === "sealed" ? contribution.value.seal : null,
        redo === null ? null : redo.value
      );
    }
    case "reveal":
      return some(content.body.declaration, content.body.seal);
    case "result":
      return [content.body.declaration];
    case "correct":
      switch (content.body.is) {
        case "propose":
          return [content.body.value.declaration];
        case "void":
          return scopeDeclarations(content.body.value.scope);
        case "accept":
        case "refuse":
          return [content.body.value];
      }
      break;
    case "claim":
      switch (content.body.is) {
        case "stall":
          return some(content.body.value.letter);
        case "dispute":
          return content.body.value.letters;
        case "withdraw":
          return [content.body.value];
        case "yield":
          return some(content.body.value.declaration);
        case "names":
          return [content.body.value.declaration, content.body.value.forfeit];
      }
      break;
    case "ruling": {
      const { rule } = content.body;
      switch (rule.is) {
        case "void":
          return scopeDeclarations(rule.value);
        case "forfeit":
        case "open":
          return [rule.value.request];
        default:
          return [rule.value];
      }
    }
    case "receipt":
      return content.body.deposit.seals;
    case "key":
      return content.body.is === "admit" ? [content.body.value.after] : [];
    case "close":
      return (content.body.masters ?? []).map((entry) => entry.seal);
  }
}

// src/topology.ts
function topological(items, needs) {
  const waiting = /* @__PURE__ */ new Map();
  const namers = /* @__PURE__ */ new Map();
  const ready = [];
  for (const item of items) waiting.set(item, 0);
  for (const item of items) {
    let count = 0;
    for (const need of new Set(needs(item))) {
      if (!waiting.has(need)) continue;
      count++;
      const list2 = namers.get(need);
      if (list2 === void 0) namers.set(need, [item]);
      else list2.push(item);
    }
    waiting.set(item, count);
    if (count === 0) ready.push(item);
  }
  for (let i = 0; i < ready.length; i++) {
    const item = ready[i];
    if (item === void 0) break;
    for (const namer of namers.get(item) ?? []) {
      const left = (waiting.get(namer) ?? 0) - 1;
      waiting.set(namer, left);
      if (left === 0) ready.push(namer);
    }
  }
  return ready;
}

// src/chain.ts
function missingOf(letters) {
  const missing = /* @__PURE__ */ new Map();
  const at = (id) => {
    const entry = missing.get(id) ?? { named: /* @__PURE__ */ new Set(), author: null, number: null };
    missing.set(id, entry);
    return entry;
  };
  for (const letter2 of letters) {
    for (const id of letter2.missing) {
      const entry = at(id);
      entry.named.add(letter2.id);
      if (letter2.head.prev === id) {
        entry.author = letter2.author;
        entry.number = letter2.number - 1;
      }
      for (const [role2, seen2] of letter2.head.seen) if (seen2 === id) entry.author ??= role2;
    }
  }
  return [...missing].map(([id, { named, author, number }]) => ({ id, named_by: [...named].sort(), author, number })).sort((a, b) => a.id < b.id ? -1 : 1);
}
function follows(letter2, prev) {
  return prev.author === letter2.author && prev.number === letter2.number - 1;
}
function countBranches(placed) {
  const followed = /* @__PURE__ */ new Set();
  for (const letter2 of placed) {
    if (letter2.prev !== null && follows(letter2, letter2.prev)) followed.add(letter2.prev);
  }
  return placed.length - followed.size;
}
function link(letters) {
  for (const letter2 of letters.values()) {
    const { prev, seen: seen2 } = letter2.head;
    const names = /* @__PURE__ */ new Set();
    const missing = /* @__PURE__ */ new Set();
    const take = (id) => {
      if (id === null) return null;
      const named = letters.get(id) ?? null;
      if (named === null) missing.add(id);
      else names.add(named);
      return named;
    };
    letter2.prev = take(prev);
    letter2.seen = new Map([...seen2].map(([role2, id]) => [role2, take(id)]));
    for (const id of namedInBody(letter2.content)) take(id);
    letter2.names = [...names];
    letter2.missing = [...missing];
  }
}
function reach(placed) {
  const tips = [];
  for (const letter2 of placed) {
    let lines = 0;
    for (const named of letter2.names) lines = Math.max(lines, named.past.length, named.line + 1);
    const past = new Int32Array(lines);
    for (const named of letter2.names) {
      const other = named.past;
      for (let i = 0; i < other.length; i++) {
        const count = other[i] ?? 0;
        if (count > (past[i] ?? 0)) past[i] = count;
      }
      if (named.at + 1 > (past[named.line] ?? 0)) past[named.line] = named.at + 1;
    }
    letter2.past = past;
    const { prev } = letter2;
    if (prev !== null && tips[prev.line] === prev) {
      letter2.line = prev.line;
      letter2.at = prev.at + 1;
      tips[letter2.line] = letter2;
    } else {
      letter2.line = tips.push(letter2) - 1;
      letter2.at = 0;
    }
  }
}
function enter(placed) {
  const children = /* @__PURE__ */ new Map();
  const roots = [];
  for (const letter2 of placed) {
    if (letter2.prev === null) roots.push(letter2);
    else {
      const list2 = children.get(letter2.prev);
      if (list2 === void 0) children.set(letter2.prev, [letter2]);
      else list2.push(letter2);
    }
  }
  let time = 0;
  const stack = [];
  for (const root of roots) {
    root.enter = time++;
    stack.push({ letter: root, next: 0 });
    for (let top = stack.at(-1); top !== void 0; top = stack.at(-1)) {
      const child = children.get(top.letter)?.[top.next++];
      if (child === void 0) {
        top.letter.leave = time++;
        stack.pop();
      } else {
        child.enter = time++;
        stack.push({ letter: child, next: 0 });
      }
    }
  }
}
function findDetached(placed) {
  for (const letter2 of placed) {
    const { prev } = letter2;
    if (prev === null) continue;
    if (!follows(letter2, prev)) letter2.detached = "itself";
    else if (prev.detached !== "no") letter2.detached = "behind";
  }
}
function findBadSeen(chains) {
  const answers = /* @__PURE__ */ new Map();
  for (const letter2 of chains.placed) {
    if (letter2.prev === null || letter2.detached !== "no") continue;
    letter2.badSeen = badSeen(chains, letter2, answers.get(letter2.author) ?? []);
    if (letter2.badSeen !== null || letter2.content.kind !== "resync" || letter2.content.body.is !== "answer") continue;
    const { to } = letter2.content.body.value;
    if (to === letter2.author || !chains.roles.includes(to) || !chains.players.includes(letter2.author)) continue;
    const list2 = answers.get(letter2.author);
    if (list2 === void 0) answers.set(letter2.author, [letter2]);
    else list2.push(letter2);
  }
}
function badSeen(chains, letter2, answers) {
  const others = chains.roles.filter((role2) => role2 !== letter2.author);
  if (letter2.seen.size !== others.length || !others.every((role2) => letter2.seen.has(role2))) return "seen has exactly the other roles";
  for (const role2 of others) {
    const seen2 = letter2.seen.get(role2) ?? null;
    if (seen2 !== null && seen2.author !== role2) return `seen for ${role2} is a letter by ${seen2.author}`;
    const before = letter2.prev?.seen.get(role2)?.number ?? 0;
    if ((seen2?.number ?? 0) < before) return `seen for ${role2} goes back from letter ${before} to ${seen2 === null ? "none" : `letter ${seen2.number}`}`;
  }
  for (const answer of answers) {
    if (!letter2.has(answer) || answer.content.kind !== "resync" || answer.content.body.is !== "answer") continue;
    const { to } = answer.content.body.value;
    const now = letter2.seen.get(to) ?? null;
    const then = answer.seen.get(to) ?? null;
    if (now === null || now === then || (then?.has(now) ?? false) || now.has(answer)) continue;
    return `it follows ${to} on a branch that does not know the answer in letter ${answer.number}`;
  }
  return null;
}
function buildChains(charter2, messages) {
  const roles = partiesOf(charter2).map((party2) => party2.role);
  const letters = new Map(messages.map((message) => [message.id, new Letter(message, roles.indexOf(message.head.author))]));
  link(letters);
  const waits = /* @__PURE__ */ new Set();
  const placed = [];
  for (const letter2 of topological([...letters.values()], (one) => one.names)) {
    if (letter2.missing.length > 0 || letter2.names.some((named) => waits.has(named))) waits.add(letter2);
    else {
      letter2.placed = true;
      placed.push(letter2);
    }
  }
  const tooManyBranches = countBranches(placed) > LIMITS.branches;
  const chains = {
    charter: charter2,
    roles,
    players: charter2.parties.map((party2) => party2.role),
    referee: charter2.referee?.role ?? null,
    letters,
    placed,
    missing: missingOf(letters.values()),
    tooManyBranches
  };
  if (tooManyBranches) return chains;
  reach(placed);
  enter(placed);
  findDetached(placed);
  findBadSeen(chains);
  return chains;
}

// src/keys.ts
function rotateOf(message) {
  return message.content.kind === "key" && message.content.body.is === "rotate" ? message.content.body.value : null;
}
function admitOf(message) {
  return message.content.kind === "key" && message.content.body.is === "admit" ? message.content.body.value : null;
}
var Proofs = class {
  constructor(keys2) {
    this.keys = keys2;
  }
  keys;
  known = /* @__PURE__ */ new Map();
  good(game, role2, follows2, key3, proof) {
    const found = this.keys.find(key3);
    const signature = fromHex(proof);
    if (found === null || signature === null) return false;
    return verifies(found, signedBytes("sealed-dice/v1/new-key", utf8([game, role2, follows2, key3].join("\n"))), signature);
  }
  /** key 1, and what key 2 takes from it. */
  of(message) {
    const known = this.known.get(message.id);
    if (known !== void 0) return known;
    const rotate = rotateOf(message);
    const admit = admitOf(message);
    const { game, prev, author } = message.head;
    let good = false;
    if (game !== null && rotate !== null && prev !== null) good = this.good(game, author, prev, rotate.key, rotate.proof);
    if (game !== null && admit !== null) good = this.good(game, admit.player, admit.after, admit.key, admit.proof);
    this.known.set(message.id, good);
    return good;
  }
};
var Resolution = class {
  constructor(charter2, roots, groups, proofs, givenUp) {
    this.charter = charter2;
    this.proofs = proofs;
    for (const copies of groups.values()) {
      for (const copy of copies) {
        const rotate = rotateOf(copy);
        if (rotate !== null && proofs.of(copy)) push(this.rotated, `${copy.head.author} ${copy.key}`, rotate.key);
      }
    }
    for (const party2 of partiesOf(charter2)) this.know(party2.role, party2.key);
    for (const { message } of roots) this.roots.set(message.id, { role: message.head.author, key: message.key, message });
    for (const [id, copies] of groups) {
      const [first2] = copies;
      if (first2 === void 0 || givenUp.has(id)) continue;
      this.candidates.set(id, { id, role: first2.head.author, prev: first2.head.prev, copies, letter: null, after: "" });
      if (first2.head.prev !== null) push(this.children, first2.head.prev, id);
      for (const copy of copies) push(this.byKey, `${first2.head.author} ${copy.key}`, id);
    }
    this.queue = [...this.candidates.values()].sort((a, b) => this.number(a) - this.number(b)).map((one) => one.id);
    for (; ; ) {
      this.settle();
      if (!this.admit()) return;
    }
  }
  charter;
  proofs;
  candidates = /* @__PURE__ */ new Map();
  /** keys 2: the keys that a role has, and of all messages the new keys that rotates name, by the role and key that sign them. */
  known = /* @__PURE__ */ new Map();
  rotated = /* @__PURE__ */ new Map();
  admissions = [];
  admitted = /* @__PURE__ */ new Map();
  /** The admits that have admitted their keys. */
  heeded = /* @__PURE__ */ new Set();
  children = /* @__PURE__ */ new Map();
  byKey = /* @__PURE__ */ new Map();
  roots = /* @__PURE__ */ new Map();
  queue = [];
  number(candidate) {
    return candidate.copies[0]?.head.number ?? 0;
  }
  /** Whether the id is a letter of the role, and the key in force after it. */
  keyAfter(id, role2) {
    if (id === null) return null;
    const root = this.roots.get(id);
    if (root !== void 0) return root.role === role2 ? root.key : null;
    const candidate = this.candidates.get(id);
    return candidate !== void 0 && candidate.letter !== null && candidate.role === role2 ? candidate.after : null;
  }
  isAdmitted(role2, key3, after) {
    return after !== null && (this.admitted.get(`${role2} ${after}`)?.has(key3) ?? false);
  }
  // keys 1, 2
  choose(candidate) {
    const { role: role2, prev, copies } = candidate;
    const inForce = this.keyAfter(prev, role2);
    const admitted = copies.find((copy) => this.isAdmitted(role2, copy.key, prev));
    if (inForce !== null) return admitted ?? copies.find((copy) => copy.key === inForce) ?? null;
    const known = this.known.get(role2);
    return admitted ?? copies.find((copy) => known?.has(copy.key) ?? false) ?? null;
  }
  /** Whether a copy that is not the letter would be in force, were it not for the one that is. */
  alsoInForce(candidate, copy) {
    const inForce = this.keyAfter(candidate.prev, candidate.role);
    return inForce !== null ? copy.key === inForce : this.known.get(candidate.role)?.has(copy.key) ?? false;
  }
  know(role2, key3) {
    const known = this.known.get(role2) ?? /* @__PURE__ */ new Set();
    this.known.set(role2, known);
    const found = [key3];
    for (let one = found.pop(); one !== void 0; one = found.pop()) {
      if (known.has(one)) continue;
      known.add(one);
      for (const next of this.rotated.get(`${role2} ${one}`) ?? []) found.push(next);
      for (const id of this.byKey.get(`${role2} ${one}`) ?? []) this.queue.push(id);
    }
  }
  settle() {
    for (let i = 0; i < this.queue.length; i++) {
      const candidate = this.candidates.get(this.queue[i] ?? "");
      if (candidate === void 0) continue;
      const letter2 = this.choose(candidate);
      let after = "";
      if (letter2 !== null) {
        const rotate = rotateOf(letter2);
        after = rotate !== null && this.proofs.of(letter2) ? rotate.key : letter2.key;
      }
      if (letter2 === candidate.letter && after === candidate.after) continue;
      candidate.letter = letter2;
      candidate.after = after;
      for (const id of this.children.get(candidate.id) ?? []) this.queue.push(id);
    }
    this.queue = [];
  }
  /** Whether a letter of a role is another one, or comes before it in its chain. */
  upTo(id, last, role2) {
    for (let at = last; at !== null; ) {
      if (at === id) return true;
      if (this.keyAfter(at, role2) === null) return false;
      at = this.candidates.get(at)?.prev ?? null;
    }
    return false;
  }
  // keys 6
  admit() {
    const referee2 = this.charter.referee?.role;
    if (referee2 === void 0) return false;
    const players = this.charter.parties.map((party2) => party2.role);
    const rulings = /* @__PURE__ */ new Map();
    const admits = [];
    for (const { letter: letter2 } of this.candidates.values()) {
      if (letter2 === null) continue;
      if (admitOf(letter2) !== null) admits.push(letter2);
      if (letter2.content.kind !== "ruling" || letter2.head.author !== referee2) continue;
      const { rule } = letter2.content.body;
      if (rule.is === "admit") push(rulings, rule.value, letter2);
    }
    let more = false;
    for (const letter2 of admits) {
      const admit = admitOf(letter2);
      if (admit === null || this.heeded.has(letter2.id)) continue;
      const { author, seen: seen2 } = letter2.head;
      if (!players.includes(author) || !players.includes(admit.player) || author === admit.player) continue;
      if (seen2.get(admit.player) !== admit.after) continue;
      const ruling3 = (rulings.get(letter2.id) ?? []).find((one) => {
        const known = one.head.seen.get(admit.player);
        return known !== void 0 && (known === null || this.upTo(known, admit.after, admit.player));
      });
      if (ruling3 === void 0 || !this.proofs.of(letter2)) continue;
      this.heeded.add(letter2.id);
      this.admissions.push({ player: admit.player, after: admit.after, key: admit.key, admit: letter2.id, ruling: ruling3.id });
      const place = `${admit.player} ${admit.after}`;
      this.admitted.set(place, (this.admitted.get(place) ?? /* @__PURE__ */ new Set()).add(admit.key));
      this.know(admit.player, admit.key);
      for (const id of this.children.get(admit.after) ?? []) this.queue.push(id);
      more = true;
    }
    return more;
  }
  isLetter(id) {
    return this.roots.has(id) || (this.candidates.get(id)?.letter ?? null) !== null;
  }
  named(message) {
    const { prev, seen: seen2 } = message.head;
    return [prev, ...seen2.values(), ...namedInBody(message.content)].filter((id) => id !== null);
  }
  /** chain 2 and 3, as far as the links themselves go. */
  linksWhole(message) {
    const { prev, author, number, seen: seen2 } = message.head;
    const at = (id) => this.roots.get(id)?.message ?? this.candidates.get(id)?.letter ?? null;
    const before = prev === null ? null : at(prev);
    if (before === null || before.head.author !== author || before.head.number !== number - 1) return false;
    const others = partiesOf(this.charter).map((party2) => party2.role).filter((role2) => role2 !== author);
    if (seen2.size !== others.length) return false;
    return others.every((role2) => {
      const id = seen2.get(role2);
      if (id === void 0) return false;
      const now = id === null ? null : at(id);
      if (id !== null && now?.head.author !== role2) return false;
      const last = before.head.seen.get(role2) ?? null;
      return (now?.head.number ?? 0) >= (last === null ? 0 : at(last)?.head.number ?? 0);
    });
  }
  /** keys 2: letters under keys that have been given up, and that nobody else knows. */
  givenUp() {
    const letters = [...this.candidates.values()].filter((one) => one.letter !== null);
    const related = /* @__PURE__ */ new Set();
    const older = /* @__PURE__ */ new Map();
    for (const one of letters) {
      const letter2 = one.letter;
      if (letter2 === null) continue;
      const stolen = rotateOf(letter2)?.stolen === true && one.after !== letter2.key && this.linksWhole(letter2) && this.named(letter2).every((id) => this.isLetter(id));
      const first2 = this.isAdmitted(one.role, letter2.key, one.prev);
      if (!stolen && !first2) continue;
      const keys2 = older.get(one.role) ?? new Set(this.charter.parties.concat(this.charter.referee ?? []).filter((party2) => party2.role === one.role).map((party2) => party2.key));
      older.set(one.role, keys2);
      if (stolen) keys2.add(letter2.key);
      else if (one.prev !== null) keys2.add(this.keyAfter(one.prev, one.role) ?? letter2.key);
      this.relate(one, related, keys2);
    }
    if (older.size === 0) return [];
    const order = topological(letters, (one) => (one.letter === null ? [] : this.named(one.letter)).flatMap((id) => this.candidates.get(id) ?? [])).reverse();
    const knownBy = /* @__PURE__ */ new Map();
    const gone = [];
    for (const one of order) {
      const letter2 = one.letter;
      if (letter2 === null) continue;
      const by = knownBy.get(one.id) ?? /* @__PURE__ */ new Set();
      const elsewhere = [...by].some((role2) => role2 !== one.role);
      if ((older.get(one.role)?.has(letter2.key) ?? false) && !related.has(one.id) && !elsewhere) {
        gone.push(one.id);
        continue;
      }
      for (const id of this.named(letter2)) {
        const set = knownBy.get(id) ?? /* @__PURE__ */ new Set();
        knownBy.set(id, set);
        set.add(one.role);
        for (const role2 of by) set.add(role2);
      }
    }
    return gone;
  }
  /** What leads up to a letter by `prev`, what follows it, and the letter itself. */
  relate(one, related, keys2) {
    for (let at = one.prev; at !== null; ) {
      const before = this.candidates.get(at);
      if (before === void 0 || before.letter === null || before.role !== one.role || related.has(`up ${at}`)) break;
      related.add(at).add(`up ${at}`);
      keys2.add(before.letter.key);
      at = before.prev;
    }
    const below = [one.id];
    for (let id = below.pop(); id !== void 0; id = below.pop()) {
      if (related.has(`down ${id}`)) continue;
      const follower = this.candidates.get(id);
      if (follower === void 0 || follower.letter === null || follower.role !== one.role) continue;
      related.add(id).add(`down ${id}`);
      for (const child of this.children.get(id) ?? []) below.push(child);
    }
  }
};
function push(map, key3, value) {
  const list2 = map.get(key3);
  if (list2 === void 0) map.set(key3, [value]);
  else list2.push(value);
}
var ROUNDS = 16;
function keysInForce(charter2, roots, messages, proofs) {
  const parties = partiesOf(charter2);
  const charterKeys = new Map(parties.map((party2) => [party2.role, party2.key]));
  const refused = [];
  const ours = messages.filter((message) => {
    const known = charterKeys.has(message.head.author);
    if (!known) refused.push(message);
    return known;
  });
  const letters = /* @__PURE__ */ new Map();
  if (!ours.some((message) => message.content.kind === "key")) {
    for (const message of ours) {
      if (charterKeys.get(message.head.author) === message.key) letters.set(message.id, message);
      else refused.push(message);
    }
    return { letters, refused, admissions: [] };
  }
  const groups = /* @__PURE__ */ new Map();
  for (const message of ours) push(groups, message.id, message);
  for (const copies of groups.values()) copies.sort((a, b) => a.key < b.key ? -1 : 1);
  const givenUp = /* @__PURE__ */ new Set();
  let resolution = new Resolution(charter2, roots, groups, proofs, givenUp);
  for (let round = 0; round < ROUNDS; round++) {
    const gone = resolution.givenUp();
    if (gone.length === 0) break;
    for (const id of gone) givenUp.add(id);
    resolution = new Resolution(charter2, roots, groups, proofs, givenUp);
  }
  for (const [id, copies] of groups) {
    const candidate = resolution.candidates.get(id);
    const letter2 = candidate?.letter ?? null;
    if (letter2 !== null) letters.set(id, letter2);
    for (const copy of copies) {
      if (copy === letter2) continue;
      const superseded = letter2 !== null && candidate !== void 0 && resolution.alsoInForce(candidate, copy);
      if (!superseded) refused.push(copy);
    }
  }
  return { letters, refused, admissions: resolution.admissions };
}

// src/forks.ts
function placeOf(key3) {
  return `${key3.seal.id} ${key3.place}`;
}
function decide2(revealed, ruled) {
  if (revealed === null || ruled === null) return (revealed ?? ruled)?.branch ?? null;
  if (revealed.branch === ruled.branch) return revealed.branch;
  if (ruled.letter.has(revealed.letter)) return revealed.branch;
  return revealed.letter.has(ruled.letter) ? ruled.branch : "neither";
}
var Resolver = class {
  constructor(chains, admissions, proofs, openings) {
    this.chains = chains;
    this.admissions = admissions;
    this.openings = openings;
    const children = /* @__PURE__ */ new Map();
    this.links = chains.placed.filter((letter2) => letter2.detached === "no");
    for (const letter2 of this.links) {
      if (letter2.prev === null) continue;
      const list2 = children.get(letter2.prev);
      if (list2 === void 0) children.set(letter2.prev, [letter2]);
      else list2.push(letter2);
    }
    const whole = this.links.filter((letter2) => letter2.badSeen === null);
    this.stolen = whole.filter((letter2) => rotateOf(letter2.message)?.stolen === true && proofs.of(letter2.message));
    this.answers = whole.filter((letter2) => letter2.content.kind === "resync" && chains.players.includes(letter2.author));
    const forked = [...children.values()].some((branches) => branches.length > 1);
    for (const by of forked ? chains.placed : []) {
      for (const key3 of openings.of(by, chains.letters)) {
        const list2 = this.opened.get(placeOf(key3));
        if (list2 === void 0) this.opened.set(placeOf(key3), [{ by, row: key3.row }]);
        else list2.push({ by, row: key3.row });
      }
    }
    for (const [prev, branches] of children) {
      if (branches.length < 2) continue;
      branches.sort((a, b) => a.enter - b.enter);
      const explained = /* @__PURE__ */ new Map();
      for (const branch of branches) {
        const why = this.explain(prev, branch, branches);
        if (why.admits.length + why.answers.length + why.rotates.length > 0) explained.set(branch, why);
      }
      this.groups.set(prev, { author: prev.author, prev, branches, explained, standing: null, excused: false });
    }
  }
  chains;
  admissions;
  openings;
  groups = /* @__PURE__ */ new Map();
  links;
  stolen;
  answers;
  /** By place, the letters that open it (letters 5). */
  opened = /* @__PURE__ */ new Map();
  explain(prev, branch, branches) {
    const { key: key3 } = branch.message;
    const alone = branches.filter((one) => one.message.key === key3).length === 1;
    const admits = this.admissions.filter((one) => alone && one.player === branch.author && one.after === prev.id && one.key === key3).flatMap((one) => this.chains.letters.get(one.admit) ?? []).filter((letter2) => letter2.placed);
    const answers = this.answers.filter((answer) => {
      if (answer.content.kind !== "resync" || answer.content.body.is !== "answer") return false;
      if (answer.content.body.value.to !== branch.author || answer.author === branch.author) return false;
      if (!branch.has(answer) || prev.has(answer) || branches.some((one) => one !== branch && one.has(answer))) return false;
      const known = answer.seen.get(branch.author) ?? null;
      return known === null || known.author === branch.author && prev.inBranchOf(known);
    });
    const rotates = this.stolen.filter((rotate) => rotate.author === branch.author && rotate.inBranchOf(branch));
    return { admits, answers, rotates };
  }
  /** The branch of a group that a letter is in, if any. */
  branchWith(group, letter2) {
    if (letter2 === group.prev || !letter2.inBranchOf(group.prev)) return null;
    let from = 0;
    let to = group.branches.length;
    while (from < to) {
      const middle = from + to >> 1;
      if ((group.branches[middle]?.enter ?? 0) <= letter2.enter) from = middle + 1;
      else to = middle;
    }
    const branch = group.branches[from - 1];
    return branch !== void 0 && letter2.inBranchOf(branch) ? branch : null;
  }
  // keys 8
  binds(group, letter2, against, why) {
    if (letter2.author === group.author || letter2.badSeen !== null) return false;
    const named = letter2.names.filter((one) => {
      const branch = this.branchWith(group, one);
      return branch !== null && branch !== against;
    });
    if (named.length === 0) return false;
    if (![...why.admits, ...why.answers, ...why.rotates].some((one) => letter2.has(one))) return true;
    return named.some((one) => why.answers.some((answer) => one.has(answer)));
  }
  bindsAgainstOthers(group, letter2, branch) {
    for (const [other, why] of group.explained) if (other !== branch && !this.binds(group, letter2, other, why)) return false;
    return true;
  }
  /** The letter with the smallest (number, id) of those for which `choice` names a branch, and that branch. */
  first(letters, choice) {
    let best = null;
    let chosen = null;
    for (const letter2 of letters) {
      if (best !== null && byNumber(best, letter2) < 0) continue;
      const branch = choice(letter2);
      if (branch === null) continue;
      best = letter2;
      chosen = { letter: letter2, branch };
    }
    return chosen;
  }
  // chain 9
  choose(group) {
    const { explained, author } = group;
    const only = (by) => {
      const ones = [...explained].filter(([, why]) => by(why).length > 0).map(([branch]) => branch);
      return ones.length === 1 ? ones[0] ?? null : null;
    };
    const others = this.links.filter((letter2) => letter2.author !== author && this.chains.players.includes(letter2.author));
    const opened = (letter2) => {
      if (letter2.content.kind !== "reveal" || letter2.content.body.declaration === null) return null;
      const declaration = this.chains.letters.get(letter2.content.body.declaration);
      if (declaration === void 0 || declaration.kind !== "declare") return null;
      const branch = this.branchWith(group, declaration);
      if (branch === null || !this.fresh(letter2).some((key3) => key3.seal.author === letter2.author)) return null;
      return this.bindsAgainstOthers(group, letter2, branch) ? branch : null;
    };
    const named = (letter2) => {
      const seen2 = letter2.seen.get(author) ?? null;
      const branch = seen2 === null ? null : this.branchWith(group, seen2);
      return branch !== null && this.bindsAgainstOthers(group, letter2, branch) ? branch : null;
    };
    const ruled = (letter2) => {
      if (letter2.content.kind !== "ruling" || letter2.content.body.rule.is !== "branch") return null;
      const one = this.chains.letters.get(letter2.content.body.rule.value);
      return one !== void 0 && this.chains.players.includes(one.author) ? this.branchWith(group, one) : null;
    };
    const referees = this.links.filter((letter2) => letter2.author === this.chains.referee);
    const revealed = this.first(others, opened);
    const ruledOpen = author === this.chains.referee ? null : this.first(referees, (letter2) => this.openedByRuling(group, letter2));
    const admitted = only((why) => why.admits);
    if (admitted !== null) return admitted;
    const opening = decide2(revealed, ruledOpen);
    const bySeenOrKeys = () => only((why) => why.answers) ?? this.first(others, named)?.branch ?? only((why) => why.rotates);
    return (opening === "neither" ? null : opening ?? bySeenOrKeys()) ?? this.first(referees, ruled)?.branch ?? null;
  }
  /** The branch that a ruling `open` is an opening for (deposits 12). */
  openedByRuling(group, letter2) {
    if (letter2.content.kind !== "ruling" || letter2.content.body.rule.is !== "open") return null;
    const { claim: claim3, about, set } = openedByRuling(letter2.content.body.rule.value.request, this.chains.letters);
    if (claim3 === null || about === null || set === null || claim3.author !== group.author) return null;
    const branch = this.branchWith(group, claim3);
    if (branch === null || this.fresh(letter2).length === 0) return null;
    const there = about.content.kind === "declare" ? this.branchWith(group, about) === branch : this.hasSlotOf(group, branch, set);
    return there && this.bindsAgainstOthers(group, letter2, branch) ? branch : null;
  }
  /** The keys of a letter that match at places which nothing in its past opens. */
  fresh(letter2) {
    return this.openings.of(letter2, this.chains.letters).filter((key3) => !(this.opened.get(placeOf(key3)) ?? []).some((other) => other.row >= key3.row && letter2.has(other.by)));
  }
  /** Whether a declaration of a note's slot, or a note of the player's for the same purpose, is on a branch. */
  hasSlotOf(group, branch, note) {
    const purpose = note.content.kind === "seal" ? note.content.body.purpose : "";
    const slot = purpose.slice(0, purpose.lastIndexOf("/"));
    const fits = ({ content }) => content.kind === "declare" && slotText(content.body.slot) === slot || content.kind === "seal" && content.body.kind === "note" && content.body.purpose === purpose;
    return this.links.some((letter2) => letter2.author === group.author && fits(letter2) && this.branchWith(group, letter2) === branch);
  }
  /** keys 8, for letters with one `prev`: an explanation that nobody binds against. */
  unbound(group) {
    for (const [branch, why] of group.explained) {
      if (!this.links.some((letter2) => this.binds(group, letter2, branch, why))) return true;
    }
    return false;
  }
  settle() {
    const fallen = [];
    const order = [...this.groups.values()].sort((a, b) => a.prev.number - b.prev.number);
    for (const group of order) {
      group.standing = this.choose(group);
      for (const branch of group.branches) if (branch !== group.standing) fallen.push(branch);
      group.excused = this.unbound(group) || order.some((above) => above !== group && this.clears(above, group.prev));
    }
    return fallen;
  }
  /** keys 8: whether a fork behind `prev` is on a branch that fell where an explained one stands, or where two are explained and none stands. */
  clears(above, prev) {
    const branch = this.branchWith(above, prev);
    if (branch === null || branch === above.standing) return false;
    return above.standing === null ? above.explained.size >= 2 : above.explained.has(above.standing);
  }
  run() {
    const fallen = this.settle();
    return { found: findForks(this.chains, (letters, explainedBelow) => this.explainedFork(letters, explainedBelow)), fallen };
  }
  explainedFork(letters, explainedBelow) {
    const prevs = /* @__PURE__ */ new Map();
    for (const letter2 of letters) {
      const list2 = prevs.get(letter2.prev);
      if (list2 === void 0) prevs.set(letter2.prev, [letter2]);
      else list2.push(letter2);
    }
    const groupExplained = (prev) => prev !== null && (this.groups.get(prev)?.excused ?? false);
    if (prevs.size > 1 && !explainedBelow()) return false;
    for (const [prev, list2] of prevs) if (list2.length > 1 && !(groupExplained(prev) && list2.every((letter2) => letter2.detached === "no"))) return false;
    return true;
  }
};
function findForks(chains, explained) {
  const numbers = /* @__PURE__ */ new Map();
  for (const letter2 of chains.letters.values()) {
    const of = numbers.get(letter2.author) ?? /* @__PURE__ */ new Map();
    numbers.set(letter2.author, of);
    const list2 = of.get(letter2.number);
    if (list2 === void 0) of.set(letter2.number, [letter2]);
    else list2.push(letter2);
  }
  const forks = [];
  for (const author of chains.roles) {
    const byNumbers = numbers.get(author) ?? /* @__PURE__ */ new Map();
    const forked = [...byNumbers.keys()].filter((number) => (byNumbers.get(number)?.length ?? 0) > 1).sort((a, b) => a - b);
    const known = /* @__PURE__ */ new Map();
    let first2 = true;
    for (const number of forked) {
      const letters = byNumbers.get(number) ?? [];
      const placed = letters.filter((letter2) => letter2.placed);
      const isExplained = placed.length > 1 && explained(placed, () => known.get(number - 1) ?? false);
      known.set(number, isExplained);
      const culprit = !chains.tooManyBranches && (placed.length < 2 || isExplained) ? null : author;
      if (first2 || culprit !== null) {
        forks.push({ author, number, ids: letters.map((letter2) => letter2.id).sort(), culprit });
        first2 = false;
      }
      if (culprit !== null) break;
    }
  }
  return forks;
}
function findAndSettleForks(chains, admissions, proofs, openings) {
  if (chains.tooManyBranches) return { found: findForks(chains, () => false), fallen: [] };
  const forks = new Resolver(chains, admissions, proofs, openings).run();
  for (const first2 of forks.fallen) first2.fallen = true;
  for (const letter2 of chains.placed) if (letter2.prev?.fallen === true && letter2.detached === "no") letter2.fallen = true;
  return forks;
}
function forkIds(ids) {
  return ids.slice(0, LIMITS.forkIds);
}

// src/openings.ts
function sealBody(letter2) {
  return letter2.content.kind === "seal" ? letter2.content.body : null;
}
function contextOf({ game, charter: charter2 }, seal3, body) {
  return {
    game,
    purpose: body.purpose,
    kind: body.kind,
    sealer: seal3.author,
    declarer: body.declarer,
    revealer: body.revealer,
    fallback: fallbackOf(charter2, body.kind),
    n: body.n
  };
}
function mastered(context, commits, master) {
  const keys2 = [];
  const matches = [];
  for (let place = 0; place < commits.length; place++) {
    if (context.kind === "sheet") {
      const column = columnKeys(context, master, place);
      keys2.push(column[0] ?? new Uint8Array(0));
      matches.push(toHex(column[LIMITS.cells] ?? new Uint8Array(0)) === commits[place]);
    } else {
      const key3 = envelopeKey(context, master, place);
      keys2.push(key3);
      matches.push(toHex(envelopeCommit(context, place, key3)) === commits[place]);
    }
  }
  return { keys: keys2, matches };
}
var Openings = class {
  constructor(terms) {
    this.terms = terms;
  }
  terms;
  reveals = /* @__PURE__ */ new Map();
  masters = /* @__PURE__ */ new Map();
  /** What a master of a seal gives, worked out once. */
  master(seal3, body, master) {
    const known = this.masters.get(`${seal3.id} ${master}`);
    if (known !== void 0) return known;
    const made = mastered(contextOf(this.terms, seal3, body), body.commits, hexBytes(master));
    this.masters.set(`${seal3.id} ${master}`, made);
    return made;
  }
  /** The keys of a reveal or of a ruling that match. */
  matching(revealed, seal3) {
    const body = seal3 === void 0 ? null : sealBody(seal3);
    if (seal3 === void 0 || body === null) return [];
    const context = contextOf(this.terms, seal3, body);
    const keys2 = [];
    if (body.kind === "sheet") {
      for (const [column, row, key3] of revealed.sheets) {
        const commit = body.commits[column];
        const bytes = hexBytes(key3);
        if (commit !== void 0 && opensCell(context, column, row, bytes, commit)) keys2.push({ seal: seal3, place: column, row, key: bytes });
      }
    } else {
      for (const [index, key3] of revealed.keys) {
        const commit = body.commits[index];
        const bytes = hexBytes(key3);
        if (commit !== void 0 && opensEnvelope(context, index, bytes, commit)) keys2.push({ seal: seal3, place: index, row: 0, key: bytes });
      }
    }
    return keys2;
  }
  /** All keys that a placed letter brings and that match, whatever else is wrong with it. */
  of(letter2, letters) {
    const { content } = letter2;
    if (content.kind !== "reveal" && content.kind !== "close" && content.kind !== "ruling") return [];
    const known = this.reveals.get(letter2);
    if (known !== void 0) return known;
    const keys2 = [];
    if (content.kind === "reveal") keys2.push(...this.matching(content.body, letters.get(content.body.seal)));
    if (content.kind === "ruling" && content.body.rule.is === "open") {
      const { set } = openedByRuling(content.body.rule.value.request, letters);
      if (set !== null) keys2.push(...this.matching(content.body.rule.value, set));
    }
    if (content.kind === "close") {
      for (const entry of content.body.masters ?? []) {
        const seal3 = letters.get(entry.seal);
        const body = seal3 === void 0 ? null : sealBody(seal3);
        if (seal3 === void 0 || body === null) continue;
        const made = this.master(seal3, body, entry.master);
        made.keys.forEach((key3, place) => {
          if (made.matches[place] === true) keys2.push({ seal: seal3, place, row: body.kind === "sheet" ? LIMITS.cells : 0, key: key3 });
        });
      }
    }
    this.reveals.set(letter2, keys2);
    return keys2;
  }
};

// src/state.ts
var END2 = null;
function has(view, letter2) {
  return view === END2 ? letter2.placed : view.has(letter2);
}
function lastIn(view, letters) {
  let from = 0;
  let to = letters.length;
  while (from < to) {
    const middle = from + to >> 1;
    const letter2 = letters[middle];
    if (letter2 !== void 0 && has(view, letter2)) from = middle + 1;
    else to = middle;
  }
  return letters[from - 1] ?? null;
}
var SealState = class {
  constructor(letter2, body, terms) {
    this.letter = letter2;
    this.body = body;
    this.context = contextOf(terms, letter2, body);
  }
  letter;
  body;
  context;
  /** By index, or by column of a sheet. */
  openings = /* @__PURE__ */ new Map();
  /** letters, Spending: what declarations of its declarer have named. */
  coinNamed = false;
  indicesNamed = /* @__PURE__ */ new Set();
  depthsNamed = /* @__PURE__ */ new Map();
  lowest = 0;
  kills = [];
  /** deposits 7: the receipt that holds its keys. */
  receipt = null;
  /** The receipts of the referee that name it, in breach or not (ruling 10). */
  receipts = [];
  open(key3, by) {
    const list2 = this.openings.get(key3.place) ?? [];
    this.openings.set(key3.place, list2);
    if (list2.some((one) => one.row >= key3.row && by.has(one.by))) return;
    list2.push({ by, row: key3.row, key: key3.key });
  }
  opening(view, index) {
    return this.openings.get(index)?.find((one) => has(view, one.by)) ?? null;
  }
  isOpen(view, index) {
    return this.opening(view, index) !== null;
  }
  /** How far down a column is opened. */
  deepest(view, column) {
    let best = null;
    for (const one of this.openings.get(column) ?? []) if (has(view, one.by) && one.row > (best?.row ?? 0)) best = one;
    return best;
  }
  isCellOpen(view, column, row) {
    return (this.deepest(view, column)?.row ?? 0) >= row;
  }
  // icrk 3
  spent(view, column) {
    return Math.max(this.depthsNamed.get(column) ?? 0, this.deepest(view, column)?.row ?? 0);
  }
  /** The lowest index that no earlier declaration names and that is not opened in the past (declare 8, 9). */
  lowestFree(view) {
    while (this.indicesNamed.has(this.lowest)) this.lowest++;
    let index = this.lowest;
    while (this.indicesNamed.has(index) || this.isOpen(view, index)) index++;
    return index;
  }
  /** Whether a receipt in a view names it. */
  named(view) {
    return this.receipts.some((receipt3) => has(view, receipt3));
  }
  killed(view) {
    return this.kills.some((ruling3) => has(view, ruling3));
  }
};
var DeclarationState = class {
  constructor(letter2, body, phase2, reading, seal3, sealed) {
    this.letter = letter2;
    this.body = body;
    this.phase = phase2;
    this.reading = reading;
    this.seal = seal3;
    this.sealed = sealed;
  }
  letter;
  body;
  phase;
  reading;
  seal;
  sealed;
  /** By which redo it is replaced (letters, Foul-up). */
  replacedBy = [];
  voids = [];
  forfeits = [];
  named = null;
  get redoIndex() {
    return this.body.select?.is === "foul_up" ? this.body.select.value.index : null;
  }
  /** The keys that open its selection: indices, or a column with its deepest row. */
  get selection() {
    if (this.seal === null) return [];
    if (this.redoIndex !== null) return [[this.redoIndex, 0]];
    if (this.seal.body.kind !== "sheet") return this.reading.opened.map((index) => [index, 0]);
    const depths = /* @__PURE__ */ new Map();
    for (const [column, row] of this.reading.cells) depths.set(column, Math.max(row, depths.get(column) ?? 0));
    return [...depths].sort(([a], [b]) => a - b);
  }
  isOpen(view, [place, row]) {
    const { seal: seal3 } = this;
    return seal3 !== null && (row > 0 ? seal3.isCellOpen(view, place, row) : seal3.isOpen(view, place));
  }
  // secrets 3
  answered(view) {
    return this.selection.every((one) => this.isOpen(view, one));
  }
  /** correct 2: an opening of its selection. */
  touched(view) {
    return this.selection.some((one) => this.isOpen(view, one));
  }
  // secrets 3
  shown(view) {
    return this.answered(view) && (this.sealed === null || this.sealed.set.isOpen(view, this.sealed.index));
  }
  /** deposits 8: what the referee holds later changes nothing. */
  get held() {
    const receipt3 = this.seal?.receipt ?? null;
    return receipt3 !== null && this.letter.has(receipt3);
  }
  replaced(view) {
    return this.replacedBy.some((redo) => has(view, redo));
  }
  forfeited(view) {
    return this.forfeits.some((letter2) => has(view, letter2));
  }
  namedIn(view) {
    return this.named !== null && has(view, this.named.by);
  }
  /** The first letter, in the order of replay, that voids a roll (counted from 1). */
  voidedBy(view, roll) {
    return this.voids.find((one) => has(view, one.by) && (one.lines === null || one.lines.has(roll)))?.by ?? null;
  }
  anyVoid(view) {
    return this.voids.some((one) => has(view, one.by));
  }
  /** What each roll draws, and from which place. */
  places() {
    const redo = this.redoIndex;
    return this.reading.rolls.map((roll, k) => redo === null ? { index: roll.index, line: roll.line } : { index: redo, line: k + 1 });
  }
  /** The dice of a declaration that is shown at the end. */
  dice() {
    const drawn = attempt(() => this.draw());
    return drawn.ok ? drawn.value : null;
  }
  draw() {
    const { seal: seal3, body, sealed } = this;
    if (seal3 === null) return [];
    if (!this.shown(END2)) return null;
    let contribution;
    if (sealed !== null) {
      const opening = sealed.set.opening(END2, sealed.index);
      if (opening === null) return null;
      contribution = envelopeSeed(sealed.set.context, sealed.index, opening.key);
    } else if (body.contribution?.is === "open") {
      contribution = hexBytes(body.contribution.value);
    } else {
      return null;
    }
    const sheet = seal3.body.kind === "sheet";
    const rolls = [];
    for (const [k, { index, line }] of this.places().entries()) {
      const opening = sheet ? seal3.deepest(END2, index) : seal3.opening(END2, index);
      if (opening === null) return null;
      const key3 = sheet ? cellKey(seal3.context, index, opening.row, opening.key, line) : opening.key;
      const seed = sheet ? cellSeed(seal3.context, index, line, key3) : envelopeSeed(seal3.context, index, key3);
      const root = diceRoot(seal3.letter.id, this.letter.id, index, seed, contribution);
      const streamKey = rollKey(root, line);
      const stream = new Stream(streamKey);
      const draws = (this.reading.rolls[k]?.sides ?? []).map((sides) => stream.draw(sides));
      rolls.push({ index, line, key: key3, seed, contribution, root, rollKey: streamKey, words: stream.words, draws });
    }
    return rolls;
  }
};
var AuthorState = class {
  /** All letters that count, in the order of his chain; the same of some kinds. */
  letters = [];
  declarations = [];
  declarationsAndCloses = [];
  closes = [];
  seals = [];
  slots = /* @__PURE__ */ new Set();
  numbers = /* @__PURE__ */ new Map();
  lastSlot = null;
  /** The declaration in breach that is to be declared again before anything else, and which rule it broke. */
  pending = null;
  due = [];
  contributions = /* @__PURE__ */ new Set();
  agreedUsed = /* @__PURE__ */ new Set();
  decided = /* @__PURE__ */ new Map();
  withdrawn = /* @__PURE__ */ new Set();
  validClose = null;
  closeWithMasters = null;
  numbersOf(slot) {
    const key3 = `${slot.turn}/${slot.impulse}/${slot.phase}`;
    const found = this.numbers.get(key3) ?? { taken: /* @__PURE__ */ new Set(), free: 1 };
    this.numbers.set(key3, found);
    return found;
  }
  /** The smallest number that no earlier declaration has in this turn, impulse and phase (declare 2). */
  nextNumber(slot) {
    const numbers = this.numbersOf(slot);
    while (numbers.taken.has(numbers.free)) numbers.free++;
    return numbers.free;
  }
  takeSlot(slot) {
    this.slots.add(slotText(slot));
    this.numbersOf(slot).taken.add(slot.number);
  }
};
var State = class {
  constructor(chains, terms, openings, proofs, fallen) {
    this.chains = chains;
    this.terms = terms;
    this.openings = openings;
    this.proofs = proofs;
    this.fallen = fallen;
  }
  chains;
  terms;
  openings;
  proofs;
  fallen;
  seals = /* @__PURE__ */ new Map();
  /** Valid seals by kind and purpose. */
  validSeals = /* @__PURE__ */ new Map();
  /** For each commitment the first seal of each author that counts. */
  commits = /* @__PURE__ */ new Map();
  declarations = /* @__PURE__ */ new Map();
  bySlot = /* @__PURE__ */ new Map();
  byImpulse = /* @__PURE__ */ new Map();
  proposals = /* @__PURE__ */ new Map();
  /** For a declaration, the last valid proposal of each author that concerns it. */
  lastProposal = /* @__PURE__ */ new Map();
  acceptances = /* @__PURE__ */ new Map();
  claims = /* @__PURE__ */ new Map();
  /** Valid yields and rulings by which a declaration's dice may be named: the declaration, or null of a game. */
  forfeits = /* @__PURE__ */ new Map();
  gamesForfeited = [];
  /** Valid yields of the game, by who yields. */
  yields = /* @__PURE__ */ new Map();
  requests = /* @__PURE__ */ new Map();
  branchesRuled = /* @__PURE__ */ new Set();
  settled = /* @__PURE__ */ new Map();
  admitsRuled = /* @__PURE__ */ new Set();
  authors = /* @__PURE__ */ new Map();
  systems = /* @__PURE__ */ new Map();
  author(role2) {
    const found = this.authors.get(role2) ?? new AuthorState();
    this.authors.set(role2, found);
    return found;
  }
  isPlayer(role2) {
    return this.chains.players.includes(role2);
  }
  /** The other player. */
  other(role2) {
    return this.chains.players.find((one) => one !== role2) ?? "";
  }
  /** A letter that is named, whose kind is known. */
  letter(id) {
    return this.chains.letters.get(id) ?? null;
  }
  ofKind(id, kind) {
    const letter2 = this.letter(id);
    return letter2 !== null && letter2.kind === kind ? letter2 : null;
  }
  system(phase2) {
    const known = this.systems.get(phase2);
    if (known !== void 0) return known;
    const made = systemOf(phase2, this.chains.charter.tables);
    this.systems.set(phase2, made);
    return made;
  }
  phaseOf(slot) {
    return phaseOf(this.chains.charter, slot);
  }
  /** A set, valid or not. */
  seal(id) {
    const known = this.seals.get(id);
    if (known !== void 0) return known;
    const letter2 = this.letter(id);
    if (letter2 === null || letter2.content.kind !== "seal") return null;
    const made = new SealState(letter2, letter2.content.body, this.terms);
    this.seals.set(id, made);
    return made;
  }
  validSeal(id) {
    const seal3 = this.seal(id);
    return seal3 !== null && seal3.letter.valid ? seal3 : null;
  }
  /** Valid notes for a purpose by a role that a view holds. */
  notes(view, purpose, by) {
    return (this.validSeals.get(`note ${purpose}`) ?? []).filter((one) => one.letter.author === by && has(view, one.letter));
  }
  // disputes 4
  stands(view, claim3) {
    if (claim3.ends.some((letter3) => has(view, letter3))) return false;
    const { stall, letter: letter2 } = claim3;
    if (stall === null) return true;
    if ((this.yields.get(stall.owes) ?? []).some((one) => has(view, one))) return false;
    const owes = this.author(stall.owes);
    switch (stall.step) {
      case "reveal": {
        const id = stall.letter ?? "";
        const declaration = this.declarations.get(id);
        if (declaration !== void 0) return !declaration.answered(view) && !declaration.forfeited(view);
        return !(this.seal(id)?.isOpen(view, 0) ?? false);
      }
      case "declare":
        return !(lastIn(view, owes.declarations)?.has(letter2) ?? false);
      case "answer":
        return !(lastIn(view, owes.letters)?.has(letter2) ?? false);
    }
  }
  /** Whether a proposal is answered: by the other's first letter that has it in its past, or by a ruling that agrees. */
  answeredProposal(view, proposal) {
    if (proposal.agreements.some((letter2) => has(view, letter2))) return true;
    return lastIn(view, this.author(this.other(proposal.letter.author)).letters)?.has(proposal.letter) ?? false;
  }
  /** chain 10 */
  mayHaveBeenGood(letter2) {
    return this.fallen.some((first2) => first2.author !== letter2.author && letter2.has(first2));
  }
};
function sheetColumnValid(column, row) {
  return column >= 0 && column < LIMITS.columns && row >= 1 && row <= LIMITS.cells;
}
function add(map, key3, value) {
  const list2 = map.get(key3);
  if (list2 === void 0) map.set(key3, [value]);
  else list2.push(value);
}

// src/rules/rule.ts
var Broken = class extends Error {
  constructor(rule, text2) {
    super(text2);
    this.rule = rule;
  }
  rule;
  name = "Broken";
};
function broken(rule, text2) {
  throw new Broken(rule, text2);
}
function must(condition, rule, text2) {
  if (!condition) broken(rule, text2);
}

// src/rules/reveal.ts
function decisionOf(state, seal3) {
  if (seal3.body.kind !== "note") return null;
  const { purpose } = seal3.body;
  const cut2 = purpose.lastIndexOf("/");
  const slot = readSlot(purpose.slice(0, cut2));
  const phase2 = slot === null ? null : state.phaseOf(slot);
  const decision2 = phase2?.decisions.find((one) => one.name === purpose.slice(cut2 + 1));
  return slot === null || decision2 === void 0 ? null : { slot: slotText(slot), how: decision2.how, by: decision2.by };
}
function partOf(state, body, seal3) {
  const { id } = seal3.letter;
  if (body.seal === id) return "dice";
  if (body.moves.is === "note" && body.moves.value.seal === id) return "moves";
  if (body.contribution?.is === "sealed" && body.contribution.value.seal === id) return "contribution";
  const decision2 = decisionOf(state, seal3);
  if (decision2 !== null && decision2.how === "sealed" && decision2.by === seal3.letter.author && decision2.slot === slotText(body.slot)) return "choice";
  return null;
}
function checkSelection(body, seal3, declaration, part) {
  const indices = body.keys.map(([index]) => index);
  const exactly2 = (wanted) => body.sheets.length === 0 && indices.length === wanted.length && wanted.every((index, i) => index === indices[i]);
  if (part === "contribution") {
    must(exactly2([declaration?.sealed?.index ?? -1]), "reveal 4", `the contribution is envelope ${declaration?.sealed?.index ?? 0}`);
  } else if (part === "dice" && seal3.body.kind === "sheet") {
    const wanted = declaration?.selection ?? [];
    must(
      body.keys.length === 0 && body.sheets.length === wanted.length && wanted.every(([column, row], i) => body.sheets[i]?.[0] === column && body.sheets[i]?.[1] === row),
      "reveal 4",
      "these are not the columns that were named, each with its deepest row"
    );
  } else if (part === "dice") {
    const wanted = (declaration?.selection ?? []).map(([index]) => index);
    must(exactly2(wanted), "reveal 4", `the envelopes to be opened are ${wanted.join(", ")}`);
  } else {
    must(exactly2([0]), "reveal 4", "a note has the index 0");
  }
}
function checkKeys(body, seal3, rule) {
  const { commits, notes, kind } = seal3.body;
  for (const [index, key3] of body.keys) {
    const commit = commits[index];
    must(kind !== "sheet" && commit !== void 0 && opensEnvelope(seal3.context, index, hexBytes(key3), commit), rule, `the key of envelope ${index} does not match`);
    const ciphertext2 = notes?.[index];
    if (ciphertext2 === void 0) continue;
    const note = attempt(() => openNote(seal3.context, hexBytes(key3), commit, hexBytes(ciphertext2)));
    if (!note.ok) broken(rule, `the note does not open: ${note.text}`);
  }
  for (const [column, row, key3] of body.sheets) {
    const commit = commits[column];
    must(kind === "sheet" && commit !== void 0 && row >= 1 && row <= LIMITS.cells && opensCell(seal3.context, column, row, hexBytes(key3), commit), rule, `the key of column ${column}, row ${row} does not match`);
  }
}
var reveal2 = {
  kinds: (body) => body.declaration === null ? [[body.seal, "seal"]] : [[body.declaration, "declare"], [body.seal, "seal"]],
  check(state, letter2, body) {
    const seal3 = state.validSeal(body.seal);
    if (seal3 === null) return broken("reveal 1", "the set is in breach itself");
    must(seal3.body.revealer === letter2.author, "reveal 1", `the set is not for ${letter2.author} to open`);
    if (body.declaration === null) {
      const decision2 = decisionOf(state, seal3);
      must(decision2 !== null && decision2.how === "simultaneous", "reveal 2", "this is no note for orders at once");
      checkSelection(body, seal3, null, "choice");
      checkKeys(body, seal3, "reveal 5");
      must(state.notes(letter2, seal3.body.purpose, state.other(letter2.author)).length > 0, "reveal 7", "the other's orders are not sealed yet");
      return;
    }
    const named = state.letter(body.declaration);
    if (named === null || named.content.kind !== "declare") return broken("letters 3", "this is no declaration");
    const part = partOf(state, named.content.body, seal3);
    if (part === null) return broken("reveal 2", "the set is none of this declaration's");
    const declaration = state.declarations.get(named.id) ?? null;
    if (!named.fallen) {
      must(declaration !== null, "reveal 3", "the declaration is in breach, and is not opened");
      checkSelection(body, seal3, declaration, part);
    }
    checkKeys(body, seal3, "reveal 5");
    if (part === "contribution" && !named.fallen) must(declaration?.answered(letter2) ?? false, "reveal 6", "the contribution is opened after the dice");
  },
  apply: () => void 0
};
function openKeys(state, letter2) {
  for (const key3 of state.openings.of(letter2, state.chains.letters)) state.seal(key3.seal.id)?.open(key3, letter2);
}

// src/open.ts
function openMatters(replay2, charter2, accept2, admissions, complete) {
  const { state, chains, order } = replay2;
  const open = [];
  const say = (id, what, who, text2) => {
    open.push({ id, what, who, text: text2 });
  };
  if (!charter2.content.body.compared || !accept2.content.body.compared) say(accept2.id, "compared", null, "the players do not both claim to have compared their keys");
  for (const { message } of order.filter((letter2) => letter2.counts)) {
    const rotate = rotateOf(message);
    if (rotate !== null && state.proofs.of(message)) say(message.id, "key", message.head.author, rotate.stolen ? "a new key, for somebody else may have signed with the old one" : "a new key");
  }
  for (const one of admissions) say(one.admit, "key", one.player, "a new key was admitted by the other player and the referee");
  for (const declaration of state.declarations.values()) {
    const { letter: letter2, seal: seal3, body } = declaration;
    const slot = slotText(body.slot);
    if (declaration.forfeited(END2)) {
      if (declaration.named === null) say(letter2.id, "names", letter2.author, `${letter2.author} may name the dice of ${slot}`);
      continue;
    }
    if (!declaration.answered(END2)) say(letter2.id, "reveal", seal3?.letter.author ?? null, `the envelopes of ${slot} are to be opened`);
    else if (!declaration.shown(END2)) say(letter2.id, "contribution", letter2.author, complete || state.author(letter2.author).closes.length > 0 ? `the private rolls of ${slot} are unproved` : `the rolls of ${slot} are private`);
  }
  for (const player of chains.players) {
    const own = state.author(player);
    if (own.pending !== null) say(own.pending.id, "redo", player, `letter ${own.pending.number} is in breach, and is to be declared again from the foul-up set`);
    for (const acceptance of own.due) {
      const declaration = state.declarations.get(acceptance.proposal.declarations[0] ?? "");
      if (declaration === void 0 || own.agreedUsed.has(acceptance.proposal.letter) || declaration.replaced(END2) || declaration.anyVoid(END2)) continue;
      say(acceptance.letter.id, "redo", player, `${slotText(declaration.body.slot)} is to be declared again, as was agreed`);
    }
  }
  for (const [, seals] of state.validSeals) {
    for (const seal3 of seals) {
      const decision2 = decisionOf(state, seal3);
      if (decision2 === null || seal3.isOpen(END2, 0)) continue;
      const due = decision2.how === "sealed" ? decision2.by === seal3.letter.author && (state.bySlot.get(decision2.slot) ?? []).length > 0 : decision2.how === "simultaneous" && state.notes(END2, seal3.body.purpose, state.other(seal3.letter.author)).length > 0;
      if (due) say(seal3.letter.id, "note", seal3.letter.author, `the note for ${seal3.body.purpose} is to be opened`);
    }
  }
  for (const proposal of state.proposals.values()) {
    if (!state.answeredProposal(END2, proposal)) say(proposal.letter.id, "answer", state.other(proposal.letter.author), proposal.scope === null ? "a correction is proposed" : "a void is proposed");
  }
  for (const claim3 of state.claims.values()) {
    if (!state.stands(END2, claim3)) continue;
    say(claim3.letter.id, "claim", claim3.stall?.owes ?? null, claim3.stall === null ? `${claim3.letter.author} disputes` : `${claim3.letter.author} says that ${claim3.stall.owes} does not answer`);
  }
  for (const { by, loser } of state.gamesForfeited) say(by.id, "forfeit", loser, `${loser} forfeits the game`);
  for (const player of chains.players) {
    const own = state.author(player);
    const other = state.author(state.other(player));
    const [last] = other.closes;
    if (last !== void 0 && own.closeWithMasters === null) say(last.id, "masters", player, `${player} owes the remaining keys`);
  }
  return open;
}

// src/heap.ts
var Heap = class {
  constructor(compare) {
    this.compare = compare;
  }
  compare;
  items = [];
  get size() {
    return this.items.length;
  }
  less(i, j) {
    const a = this.items[i];
    const b = this.items[j];
    return a !== void 0 && b !== void 0 && this.compare(a, b) < 0;
  }
  swap(i, j) {
    const a = this.items[i];
    const b = this.items[j];
    if (a === void 0 || b === void 0) return;
    this.items[i] = b;
    this.items[j] = a;
  }
  push(item) {
    let at = this.items.push(item) - 1;
    while (at > 0) {
      const parent = at - 1 >> 1;
      if (!this.less(at, parent)) break;
      this.swap(at, parent);
      at = parent;
    }
  }
  pop() {
    const top = this.items[0];
    const last = this.items.pop();
    if (this.items.length === 0 || last === void 0) return top;
    this.items[0] = last;
    let at = 0;
    for (; ; ) {
      let least = at;
      if (this.less(2 * at + 1, least)) least = 2 * at + 1;
      if (this.less(2 * at + 2, least)) least = 2 * at + 2;
      if (least === at) return top;
      this.swap(at, least);
      at = least;
    }
  }
};

// src/rules/claim.ts
function noteIsDue(state, letter2, id) {
  const seal3 = state.validSeal(id);
  const owes = state.other(letter2.author);
  if (seal3 === null || seal3.letter.author !== owes || !has(letter2, seal3.letter) || seal3.isOpen(letter2, 0)) return false;
  const decision2 = decisionOf(state, seal3);
  if (decision2 === null) return false;
  if (decision2.how === "sealed") return decision2.by === owes && (state.bySlot.get(decision2.slot) ?? []).some((one) => letter2.has(one.letter));
  return decision2.how === "simultaneous" && state.notes(letter2, seal3.body.purpose, letter2.author).length > 0;
}
function checkStall(state, letter2, stall) {
  must(stall.owes === state.other(letter2.author), "claim 1", "who owes is the other player");
  if (stall.step !== "reveal") {
    must(stall.letter === null, "claim 1", "such a stall names no letter");
    return;
  }
  const id = stall.letter;
  if (id === null) return broken("claim 1", "it does not say what is not revealed");
  const declaration = state.declarations.get(id);
  if (declaration !== void 0) {
    must(declaration.letter.author === letter2.author, "claim 1", "the declaration is not the author's");
    must(!declaration.answered(letter2) && !declaration.forfeited(letter2), "claim 1", "nothing is owed");
    return;
  }
  must(noteIsDue(state, letter2, id), "claim 1", "nothing is owed");
}
var claim2 = {
  kinds(body) {
    switch (body.is) {
      case "stall":
        return body.value.letter === null ? [] : [[body.value.letter, "declare", "seal"]];
      case "dispute":
        return [];
      case "withdraw":
        return [[body.value, "claim"]];
      case "yield":
        return body.value.declaration === null ? [] : [[body.value.declaration, "declare"]];
      case "names":
        return [[body.value.declaration, "declare"], [body.value.forfeit, "claim", "ruling"]];
    }
  },
  check(state, letter2, body) {
    switch (body.is) {
      case "stall":
        checkStall(state, letter2, body.value);
        return;
      case "dispute":
        return;
      case "withdraw": {
        const claimed = state.claims.get(body.value);
        must(claimed !== void 0 && claimed.letter.author === letter2.author, "claim 2", "this is no claim of the author");
        must(!state.author(letter2.author).withdrawn.has(body.value), "claim 2", "it has been withdrawn");
        return;
      }
      case "yield": {
        const { declaration: id, forfeit: forfeit2 } = body.value;
        if (forfeit2 === "game") {
          must(id === null, "claim 3", "who yields the game names no declaration");
          return;
        }
        const declaration = id === null ? void 0 : state.declarations.get(id);
        if (declaration === void 0) return broken("claim 3", "this is no valid declaration");
        must(declaration.seal !== null && declaration.seal.letter.author === letter2.author, "claim 3", "the set is not the author's");
        must(!declaration.held, "claim 3", "the referee holds these dice");
        must(!declaration.answered(letter2) && !declaration.forfeited(letter2), "claim 3", "nothing is owed");
        return;
      }
      case "names": {
        const { declaration: id, dice, forfeit: forfeit2 } = body.value;
        const declaration = state.declarations.get(id);
        if (declaration === void 0 || declaration.letter.author !== letter2.author) return broken("claim 4", "this is no valid declaration of the author");
        const by = state.letter(forfeit2);
        must(by !== null && declaration.forfeits.includes(by) && letter2.has(by), "claim 4", "its dice are not forfeited by that letter");
        must(declaration.named === null, "claim 4", "its dice have been named");
        const sides = declaration.reading.rolls.flatMap((roll) => roll.sides);
        must(sides.length === dice.length, "claim 4", `it takes ${sides.length} dice, not ${dice.length}`);
        must(dice.every((die, i) => die <= (sides[i] ?? 0)), "claim 4", "a die does not have so many sides");
      }
    }
  },
  apply(state, letter2, body) {
    if (letter2.breach !== null) return;
    switch (body.is) {
      case "stall":
      case "dispute":
        state.claims.set(letter2.id, { letter: letter2, stall: body.is === "stall" ? body.value : null, ends: [] });
        return;
      case "withdraw":
        state.author(letter2.author).withdrawn.add(body.value);
        state.claims.get(body.value)?.ends.push(letter2);
        return;
      case "yield": {
        const declaration = body.value.declaration === null ? void 0 : state.declarations.get(body.value.declaration);
        if (declaration !== void 0) declaration.forfeits.push(letter2);
        else {
          add(state.yields, letter2.author, letter2);
          state.gamesForfeited.push({ by: letter2, loser: letter2.author });
        }
        return;
      }
      case "names": {
        const declaration = state.declarations.get(body.value.declaration);
        if (declaration !== void 0) declaration.named = { by: letter2, dice: body.value.dice };
      }
    }
  }
};

// src/rules/close.ts
var close2 = {
  kinds: (body) => (body.masters ?? []).map((entry) => [entry.seal, "seal"]),
  check(state, letter2, body) {
    const { masters: masters2 } = body;
    if (masters2 === null) return;
    const other = lastIn(letter2, state.author(state.other(letter2.author)).closes);
    must(other !== null, "close 1", "masters follow the other's close");
    const seals = state.author(letter2.author).seals;
    must(masters2.length === seals.length && seals.every((seal3, i) => seal3.id === masters2[i]?.seal), "close 2", "the masters are not those of all sets, in the order of the chain");
    for (const { master, seal: id } of masters2) {
      const seal3 = state.validSeal(id);
      if (seal3 === null) continue;
      const { keys: keys2, matches } = state.openings.master(seal3.letter, seal3.body, master);
      const wrong2 = matches.indexOf(false);
      must(wrong2 < 0, "close 3", `place ${wrong2} of ${seal3.body.purpose} is not what was sealed`);
      for (const [index, ciphertext2] of (seal3.body.notes ?? []).entries()) {
        const note = attempt(() => openNote(seal3.context, keys2[index] ?? new Uint8Array(0), seal3.body.commits[index] ?? "", hexBytes(ciphertext2)));
        if (!note.ok) broken("close 3", `the note of ${seal3.body.purpose} does not open: ${note.text}`);
      }
    }
  },
  apply(state, letter2, body) {
    const own = state.author(letter2.author);
    own.closes.push(letter2);
    own.declarationsAndCloses.push(letter2);
    if (letter2.breach !== null) return;
    own.validClose ??= letter2;
    if (body.masters !== null) own.closeWithMasters ??= letter2;
  }
};

// src/rules/scope.ts
function canBeVoid(declaration, letter2) {
  return declaration.reading.rolls.length > 0 && (declaration.shown(letter2) || declaration.namedIn(letter2)) && !declaration.replaced(letter2);
}
function checkScope(state, letter2, scope, rule) {
  must(!state.chains.charter.hard_core, rule, "hard core knows no void");
  const declarations = scopeDeclarations(scope).map((id) => state.declarations.get(id));
  let standing = false;
  for (const declaration of declarations) {
    if (declaration === void 0 || !canBeVoid(declaration, letter2)) return broken(rule, "a declaration of the scope is not valid, shown and in force");
    const count = declaration.reading.rolls.length;
    const lines = scope.is === "rolls" ? scope.value.lines : Array.from({ length: count }, (_, i) => i + 1);
    must((lines.at(-1) ?? 0) <= count, rule, `the declaration has ${count} rolls`);
    standing ||= lines.some((line) => declaration.voidedBy(letter2, line) === null);
  }
  if (scope.is === "impulse") {
    const { turn, impulse } = scope.value;
    const all = (state.byImpulse.get(`${turn}/${impulse}`) ?? []).filter((one) => letter2.has(one.letter) && canBeVoid(one, letter2)).map((one) => one.letter.id).sort();
    must(all.length === scope.value.declarations.length && all.every((id, i) => id === scope.value.declarations[i]), rule, "these are not all declarations of the impulse");
  }
  must(standing, rule, "all of it is void already");
}
function applyVoid(state, by, scope) {
  for (const id of scopeDeclarations(scope)) {
    state.declarations.get(id)?.voids.push({ by, lines: scope.is === "rolls" ? new Set(scope.value.lines) : null });
  }
}

// src/rules/correct.ts
function checkCorrection(state, letter2, body) {
  const declaration = state.declarations.get(body.declaration);
  if (declaration === void 0) return broken("correct 1", "the declaration is in breach");
  must(!declaration.replaced(letter2), "correct 1", "the declaration was done again");
  must(declaration.shown(letter2), "correct 1", "first the reveal, then the objection");
  must(!declaration.anyVoid(letter2), "correct 1", "a roll of the declaration is void");
  must(state.isPlayer(body.at_fault), "correct 1", `${body.at_fault} is no player`);
  if (body.input === null) return;
  must(state.chains.charter.foul_up.remedies[body.class] === "redo", "correct 2", `the charter keeps the dice for ${body.class}`);
  for (const player of state.chains.players) {
    const last = lastIn(letter2, state.author(player).declarationsAndCloses);
    must(last === null || last === declaration.letter || !declaration.touched(last), "correct 2", "the game has gone on since the dice were known");
  }
  const input = body.input;
  const system = state.system(declaration.phase);
  const read = system === null ? null : attempt(() => system.read(input, true));
  must(read !== null && read.ok && sameJson(read.value.canonical, input), "correct 2", "the input is not valid and canonical for a redo");
}
function checkNoOther(state, letter2, declarations) {
  for (const id of declarations) {
    const last = state.lastProposal.get(`${letter2.author} ${id}`);
    must(last === void 0 || state.answeredProposal(letter2, last), "correct 3", "a proposal for this declaration is not answered yet");
  }
}
function acceptProposal(state, by, proposal) {
  const acceptance = { letter: by, proposal };
  state.acceptances.set(by.id, acceptance);
  proposal.agreements.push(by);
  if (proposal.scope !== null) applyVoid(state, by, proposal.scope);
  if (proposal.correction === null || proposal.correction.input === null) return;
  const declaration = state.declarations.get(proposal.correction.declaration);
  if (declaration !== void 0) state.author(declaration.letter.author).due.push(acceptance);
}
var correct2 = {
  kinds(body) {
    switch (body.is) {
      case "propose":
        return [[body.value.declaration, "declare"]];
      // disputes 1
      case "void":
        return scopeDeclarations(body.value.scope).map((id) => [id, "declare"]);
      default:
        return [[body.value, "correct"]];
    }
  },
  check(state, letter2, body) {
    switch (body.is) {
      case "propose":
        checkCorrection(state, letter2, body.value);
        checkNoOther(state, letter2, [body.value.declaration]);
        return;
      case "void":
        checkNoOther(state, letter2, scopeDeclarations(body.value.scope));
        checkScope(state, letter2, body.value.scope, "correct 5");
        return;
      case "accept":
      case "refuse": {
        const proposal = state.proposals.get(body.value);
        if (proposal === void 0) return broken("correct 4", "this is no valid proposal");
        must(proposal.letter.author !== letter2.author, "correct 4", "nobody answers himself");
        const before = state.author(letter2.author).letters.at(-1);
        must(before === void 0 || !before.has(proposal.letter), "correct 4", "it has been answered by an earlier letter");
        must(!proposal.agreements.some((ruling3) => ruling3.kind === "ruling" && letter2.has(ruling3)), "correct 4", "the referee has agreed to it");
      }
    }
  },
  apply(state, letter2, body) {
    if (letter2.breach !== null) return;
    switch (body.is) {
      case "propose":
      case "void": {
        const declarations = body.is === "propose" ? [body.value.declaration] : scopeDeclarations(body.value.scope);
        const proposal = {
          letter: letter2,
          declarations,
          correction: body.is === "propose" ? body.value : null,
          scope: body.is === "void" ? body.value.scope : null,
          agreements: []
        };
        state.proposals.set(letter2.id, proposal);
        for (const id of declarations) state.lastProposal.set(`${letter2.author} ${id}`, proposal);
        return;
      }
      case "accept": {
        const proposal = state.proposals.get(body.value);
        if (proposal !== void 0) acceptProposal(state, letter2, proposal);
        return;
      }
      case "refuse":
        return;
    }
  }
};

// src/rules/decide.ts
var decide3 = {
  kinds: () => [],
  check(state, letter2, body) {
    const slot = slotText(body.slot);
    const decision2 = state.phaseOf(body.slot)?.decisions.find((one) => one.name === body.name);
    must(decision2 !== void 0 && decision2.how === "open" && decision2.by === letter2.author, "decide 1", `${slot} has no open decision ${body.name} by ${letter2.author}`);
    must(!state.author(letter2.author).decided.has(`${slot}/${body.name}`), "decide 2", `${body.name} has been decided`);
    must(!(state.bySlot.get(slot) ?? []).some((one) => letter2.has(one.letter)), "decide 3", `${slot} has been declared`);
  },
  apply(state, letter2, body) {
    const { decided } = state.author(letter2.author);
    const name2 = `${slotText(body.slot)}/${body.name}`;
    if (!decided.has(name2)) decided.set(name2, letter2);
  }
};

// src/rules/declare.ts
function declareBody(letter2) {
  return letter2 !== null && letter2.content.kind === "declare" ? letter2.content.body : null;
}
function readInput(state, phase2, input, redo) {
  const system = state.system(phase2);
  if (system === null) return { reading: null, text: "the phase has no system" };
  const outcome = attempt(() => system.read(input, redo));
  return outcome.ok ? { reading: outcome.value, text: "" } : { reading: null, text: outcome.text };
}
function sameMoves(a, b) {
  return sameJson(plain(a.moves), plain(b.moves));
}
function dueRedo(state, letter2) {
  const own = state.author(letter2.author);
  for (const acceptance of own.due) {
    if (!letter2.has(acceptance.letter) || own.agreedUsed.has(acceptance.proposal.letter)) continue;
    const declaration = state.declarations.get(acceptance.proposal.declarations[0] ?? "");
    if (declaration === void 0 || declaration.replaced(letter2) || declaration.anyVoid(letter2)) continue;
    return acceptance;
  }
  return null;
}
function checkSlot(state, letter2, body) {
  const own = state.author(letter2.author);
  if (body.redo?.is === "breach") return;
  must(own.pending === null, "declare 2", `letter ${own.pending?.number ?? 0} is in breach, and is to be declared again first`);
  if (body.redo?.is === "agreed") return;
  must(dueRedo(state, letter2) === null, "declare 2", "a redo that was agreed on is due first");
  const slot = slotText(body.slot);
  must(!own.slots.has(slot), "declare 2", `${slot} has been declared`);
  must(body.slot.number === own.nextNumber(body.slot), "declare 2", `the next number of the phase is ${own.nextNumber(body.slot)}, not ${body.slot.number}`);
  must(own.lastSlot === null || compareSlots(state.chains.charter, body.slot, own.lastSlot) > 0, "declare 2", `${slot} does not come after ${own.lastSlot === null ? "" : slotText(own.lastSlot)}`);
}
function mayBeKilled(state, letter2, redo) {
  return redo?.is === "agreed" || redo?.is === "breach" && state.author(letter2.author).pending?.breach?.rule !== "declare 3";
}
function checkBreachRedo(state, letter2, body, phase2, id) {
  const { pending } = state.author(letter2.author);
  const old = declareBody(pending);
  if (pending === null || old === null || pending.id !== id) return broken("declare 11", "this is not the author's pending breach");
  must(slotText(old.slot) === slotText(body.slot), "declare 11", `the breach was in ${slotText(old.slot)}`);
  must(pending.breach?.rule === "declare 3" || sameMoves(body, old), "declare 11", "the moves are others");
  const { reading } = readInput(state, phase2, old.input, old.redo !== null);
  must(reading === null || sameJson(body.input, reading.forRedo), "declare 11", "the input is another one");
}
function checkAgreedRedo(state, letter2, body, id) {
  const acceptance = state.acceptances.get(id);
  const correction = acceptance?.proposal.correction ?? null;
  if (acceptance === void 0 || correction === null || correction.input === null) return broken("declare 12", "this is no acceptance of a proposal to declare again");
  const declaration = state.declarations.get(correction.declaration);
  if (declaration === void 0 || declaration.letter.author !== letter2.author) return broken("declare 12", "what was agreed on concerns no declaration of the author");
  must(slotText(declaration.body.slot) === slotText(body.slot), "declare 12", `what was agreed on concerns ${slotText(declaration.body.slot)}`);
  must(!declaration.replaced(letter2), "declare 12", "the declaration was done again");
  must(!state.author(letter2.author).agreedUsed.has(acceptance.proposal.letter), "declare 12", "the agreement has been used");
  must(!declaration.anyVoid(letter2), "declare 12", "a roll of the declaration is void");
  must(sameJson(body.input, correction.input), "declare 12", "the input is not the one that was agreed on");
  must(sameMoves(body, declaration.body), "declare 12", "the moves are others");
}
function checkOpenedRedo(state, letter2, body, phase2, id) {
  const { reading } = readInput(state, phase2, body.input, true);
  const by = state.letter(id);
  const sets = (state.validSeals.get(`coin ${slotText(body.slot)}`) ?? []).filter((set) => set.body.declarer === letter2.author && letter2.has(set.letter) && !set.killed(letter2));
  const opened = by !== null && letter2.has(by) && state.openings.of(by, state.chains.letters).some((key3) => sets.some((set) => set.letter === key3.seal) && (reading?.opened.includes(key3.place) ?? false));
  must(opened, "declare 13", "that letter opened no envelope that this worksheet would open");
}
function checkDecisions(state, letter2, body, phase2) {
  const slot = slotText(body.slot);
  const note = (name2, by) => state.notes(letter2, `${slot}/${name2}`, by).filter((one) => !one.killed(letter2));
  for (const decision2 of phase2.decisions) {
    switch (decision2.how) {
      case "open": {
        const decide4 = state.author(decision2.by ?? "").decided.get(`${slot}/${decision2.name}`);
        must(decide4 !== void 0 && decide4.valid && letter2.has(decide4), "declare 7", `${decision2.by ?? ""} has not decided ${decision2.name}`);
        break;
      }
      case "sealed":
        must(note(decision2.name, decision2.by ?? "").length > 0, "declare 7", `${decision2.by ?? ""} has not sealed ${decision2.name}`);
        break;
      case "simultaneous":
        for (const player of state.chains.players) {
          must(note(decision2.name, player).some((one) => one.isOpen(letter2, 0)), "declare 7", `${player} has not opened ${decision2.name}`);
        }
    }
  }
}
function checkContribution(state, letter2, body, phase2) {
  const { contribution } = body;
  if (contribution === null) return;
  must(contribution.is === "sealed" === phase2.private, "declare 8", phase2.private ? "in a private phase the contribution is sealed" : "in an open phase the contribution is open");
  if (contribution.is === "open") {
    must(!state.author(letter2.author).contributions.has(contribution.value), "declare 8", "the contribution has been used");
    return;
  }
  const { index } = contribution.value;
  const set = state.validSeal(contribution.value.seal);
  if (set === null || set.body.kind !== "contribution" || set.letter.author !== letter2.author || set.killed(letter2)) return broken("declare 8", "there is no such contribution set of the author");
  const next = set.lowestFree(letter2);
  must(index === next && index < set.body.n, "declare 8", next < set.body.n ? `the next contribution is ${next}, not ${index}` : "the contribution set is used up");
}
function sumUp(selected) {
  if (selected === null) return "nothing";
  switch (selected.is) {
    case "worksheet":
      return `total ${selected.value.total}, index ${selected.value.index}`;
    case "cells":
      return `${selected.value.length} cells`;
    case "foul_up":
      return `index ${selected.value.index}, ${selected.value.lines} lines`;
  }
}
function checkSelect(letter2, body, reading, set) {
  const { select } = body;
  if (select === null) return;
  if (body.redo !== null) {
    const index = set.lowestFree(letter2);
    must(index < set.body.n, "declare 9", "the foul-up set is used up");
    must(select.is === "foul_up" && select.value.index === index && select.value.lines === reading.rolls.length, "declare 9", `the next foul-up envelope is ${index}, with ${reading.rolls.length} lines, not ${sumUp(select)}`);
    return;
  }
  const outcome = attempt(() => reading.select((column) => set.spent(letter2, column)));
  if (!outcome.ok) return broken("declare 9", outcome.text);
  const written = plain(select.is === "worksheet" ? { worksheet: select.value } : select.is === "cells" ? { cells: select.value } : { foul_up: select.value });
  if (sameJson(written, outcome.value)) return;
  if (select.is === "worksheet") {
    const right = isObject(outcome.value) ? field(outcome.value, "worksheet") : void 0;
    const total = isObject(right) ? field(right, "total") : void 0;
    const index = isObject(right) ? field(right, "index") : void 0;
    if (typeof total === "number" && total !== select.value.total) broken("declare 9", `the total is ${total}, not ${select.value.total}`);
    if (typeof index === "number" && index !== select.value.index) broken("declare 9", `the envelope is ${index}, not ${select.value.index}`);
  }
  broken("declare 9", `not what the system selects: ${sumUp(select)}`);
}
function spend(state, letter2, body) {
  const set = body.seal === null ? null : state.seal(body.seal);
  if (set !== null && set.body.declarer === letter2.author) {
    const { select } = body;
    if (set.body.kind === "coin") set.coinNamed = true;
    else if (set.body.kind === "foul-up" && select?.is === "foul_up") set.indicesNamed.add(select.value.index);
    else if (set.body.kind === "sheet" && select?.is === "cells") {
      for (const [column, row] of select.value) {
        if (sheetColumnValid(column, row)) set.depthsNamed.set(column, Math.max(row, set.depthsNamed.get(column) ?? 0));
      }
    }
  }
  if (body.contribution?.is === "sealed") {
    const sealed = state.seal(body.contribution.value.seal);
    if (sealed !== null && sealed.body.kind === "contribution" && sealed.body.declarer === letter2.author) sealed.indicesNamed.add(body.contribution.value.index);
  }
}
function replacedBy(state, letter2) {
  let at = letter2;
  while (at !== null) {
    const redo = declareBody(at)?.redo ?? null;
    if (redo === null) return null;
    if (redo.is === "agreed") {
      const correction = state.acceptances.get(redo.value)?.proposal.correction ?? null;
      return correction === null ? null : state.declarations.get(correction.declaration) ?? null;
    }
    at = redo.is === "breach" ? state.letter(redo.value) : null;
  }
  return null;
}
var REPAIRABLE = /* @__PURE__ */ new Set(["declare 3", "declare 4", "declare 5", "declare 6", "declare 7", "declare 8", "declare 9", "declare 10"]);
var declare2 = {
  kinds: (body) => body.seal === null ? [] : [[body.seal, "seal"]],
  check(state, letter2, body) {
    const phase2 = state.phaseOf(body.slot);
    if (phase2 === null || phase2.declarer !== letter2.author) return broken("declare 1", `${slotText(body.slot)} is no slot of ${letter2.author}`);
    checkSlot(state, letter2, body);
    const { redo } = body;
    if (redo?.is === "breach") checkBreachRedo(state, letter2, body, phase2, redo.value);
    if (redo?.is === "agreed") checkAgreedRedo(state, letter2, body, redo.value);
    if (redo?.is === "opened") checkOpenedRedo(state, letter2, body, phase2, redo.value);
    if (body.moves.is === "note") {
      const note = state.validSeal(body.moves.value.seal);
      must(
        note !== null && note.body.kind === "note" && note.letter.author === letter2.author && note.body.purpose.startsWith(`${slotText(body.slot)}/`),
        "declare 3",
        "the moves are in no note of the author for this slot"
      );
      must(mayBeKilled(state, letter2, redo) || !note.killed(letter2), "declare 3", "a ruling has killed the note of the moves");
    }
    const { reading, text: text2 } = readInput(state, phase2, body.input, redo !== null);
    if (reading === null) return broken("declare 4", text2);
    must(sameJson(reading.canonical, body.input), "declare 4", "the input is not written in the canonical way");
    if (reading.rolls.length === 0) {
      must(body.seal === null && body.contribution === null && body.select === null, "declare 5", "no roll is asked for, and so nothing is selected");
      return;
    }
    if (body.seal === null || body.contribution === null || body.select === null) return broken("declare 5", "rolls are asked for, and so a seal, a contribution and a selection");
    const set = state.validSeal(body.seal);
    if (set === null) return broken("declare 6", "the set is in breach itself");
    must(set.body.declarer === letter2.author, "declare 6", "the set is not for the author to declare on");
    must(!set.killed(letter2), "declare 6", "a ruling has killed the set");
    must(set.body.kind === (redo === null ? phase2.source : "foul-up"), "declare 6", redo === null ? `the phase takes its dice from a ${phase2.source} set` : "a redo takes its dice from a foul-up set");
    must(set.body.kind !== "coin" || set.body.purpose === slotText(body.slot), "declare 6", `the set is sealed for ${set.body.purpose}`);
    checkDecisions(state, letter2, body, phase2);
    checkContribution(state, letter2, body, phase2);
    checkSelect(letter2, body, reading, set);
    if (set.body.kind === "coin") {
      must(!set.coinNamed, "declare 10", "the set has answered a declaration already");
      const open = reading.opened.find((index) => set.isOpen(letter2, index));
      must(open === void 0, "declare 10", `envelope ${open ?? 0} is open already`);
    }
  },
  apply(state, letter2, body) {
    const own = state.author(letter2.author);
    own.declarations.push(letter2);
    own.declarationsAndCloses.push(letter2);
    own.takeSlot(body.slot);
    spend(state, letter2, body);
    if (body.contribution?.is === "open") own.contributions.add(body.contribution.value);
    const { redo } = body;
    if (redo?.is === "agreed") {
      const used = state.acceptances.get(redo.value);
      if (used !== void 0) own.agreedUsed.add(used.proposal.letter);
    }
    if (letter2.breach !== null) {
      if (REPAIRABLE.has(letter2.breach.rule) && !letter2.breach.excused) own.pending = letter2;
      return;
    }
    if (redo?.is === "breach") own.pending = null;
    if (redo?.is !== "breach" && redo?.is !== "agreed") own.lastSlot = body.slot;
    const phase2 = state.phaseOf(body.slot);
    if (phase2 === null) return;
    const { reading } = readInput(state, phase2, body.input, redo !== null);
    if (reading === null) return;
    const sealed = body.contribution?.is === "sealed" ? { set: state.seal(body.contribution.value.seal), index: body.contribution.value.index } : null;
    const declaration = new DeclarationState(
      letter2,
      body,
      phase2,
      reading,
      body.seal === null ? null : state.seal(body.seal),
      sealed === null || sealed.set === null ? null : { set: sealed.set, index: sealed.index }
    );
    state.declarations.set(letter2.id, declaration);
    add(state.bySlot, slotText(body.slot), declaration);
    add(state.byImpulse, `${body.slot.turn}/${body.slot.impulse}`, declaration);
    const replaced = replacedBy(state, letter2);
    if (replaced !== null) replaced.replacedBy.push(letter2);
  }
};

// src/rules/key.ts
var key2 = {
  kinds: () => [],
  check(state, letter2, body) {
    if (body.is === "rotate") {
      must(state.proofs.of(letter2.message), "key 1", "the new key is none, or its proof is not good");
      return;
    }
    if (body.is === "ask") return;
    const { player, after } = body.value;
    must(player !== letter2.author && state.isPlayer(player), "key 2", "a key is admitted for the other player");
    must(letter2.head.seen.get(player) === after, "key 2", "the key does not follow the last letter of his that the author has seen");
    must(state.proofs.of(letter2.message), "key 2", "the new key is none, or its proof is not good");
  },
  apply: () => void 0
};

// src/rules/receipt.ts
function mayHold(state, id) {
  const seal3 = state.validSeal(id);
  return seal3 !== null && seal3.context.fallback !== "" && seal3.receipt === null;
}
var receipt2 = {
  kinds: (body) => body.deposit.seals.map((id) => [id, "seal"]),
  check(state, _letter, body) {
    for (const id of body.deposit.seals) must(mayHold(state, id), "receipt 1", `the set ${id.slice(0, 8)} is in breach, is not for the referee to hold, or is held already`);
  },
  // deposits 7: what is wrong with another seal does not matter.
  apply(state, letter2, body) {
    if (letter2.author !== state.chains.referee) return;
    for (const id of body.deposit.seals) {
      const seal3 = state.seal(id);
      if (seal3 === null) continue;
      seal3.receipts.push(letter2);
      if (mayHold(state, id)) seal3.receipt = letter2;
    }
  }
};

// src/rules/result.ts
var result2 = {
  kinds: (body) => [[body.declaration, "declare"]],
  check(state, letter2, body) {
    const declaration = state.declarations.get(body.declaration);
    if (declaration === void 0) return broken("result 1", "the declaration is in breach");
    if (declaration.forfeited(letter2)) return;
    must(declaration.shown(letter2), "result 1", "the dice are not shown yet");
    const dice = declaration.dice();
    const right = dice === null ? null : declaration.reading.outcome(dice.map((roll) => roll.draws), declaration.redoIndex);
    must(body.outcome === "done", "result 2", "the outcome is done");
    must(right !== null && sameJson(right, body.public), "result 2", "this is not what the dice say");
  },
  apply: () => void 0
};

// src/rules/resync.ts
var resync2 = {
  kinds: () => [],
  check(state, letter2, body) {
    if (body.is !== "answer") return;
    const { to } = body.value;
    must(to !== letter2.author && state.chains.roles.includes(to), "resync 1", "the answer is to another role of the game");
  },
  apply: () => void 0
};

// src/rules/ruling.ts
var KINDS3 = { request: "claim", kill: "seal", dismiss: "claim", agree: "correct", admit: "key" };
function statedPlaces({ select }) {
  switch (select?.is) {
    case void 0:
      return { indices: [], cells: [] };
    case "worksheet":
      return { indices: [...new Set(select.value.rows.map(([envelope]) => envelope))], cells: [] };
    case "foul_up":
      return { indices: [select.value.index], cells: [] };
    case "cells": {
      const depths = /* @__PURE__ */ new Map();
      for (const [column, row] of select.value) depths.set(column, Math.max(row, depths.get(column) ?? row));
      return { indices: [], cells: [...depths].sort(([a], [b]) => a - b) };
    }
  }
}
function checkOpening(state, letter2, opening) {
  const { about, set } = openedByRuling(opening.request, state.chains.letters);
  const seal3 = set === null ? null : state.seal(set.id);
  if (about !== null) {
    const { indices, cells } = about.content.kind === "declare" ? statedPlaces(about.content.body) : { indices: [0], cells: [] };
    const same = opening.keys.length === indices.length && opening.sheets.length === cells.length && opening.keys.every(([index], i) => index === indices[i]) && opening.sheets.every(([column, row], i) => column === cells[i]?.[0] && row === cells[i]?.[1]);
    must(same, "ruling 10", "these are not the places that are to be opened");
    if (seal3 !== null) checkKeys(opening, seal3, "ruling 10");
    else broken("ruling 10", "there is no set whose keys these could be");
    must(about.kind !== "declare" || (seal3?.named(about) ?? false), "ruling 10", "no receipt for the set was there before the declaration");
  }
  const claim3 = state.requests.get(opening.request);
  if (claim3 === void 0 || claim3.stall === null) return broken("ruling 11", "this is no valid request of the referee's");
  must(claim3.stall.step === "reveal", "ruling 11", "the claim is not about a reveal");
  must(state.stands(letter2, claim3), "ruling 11", "the claim does not stand any more");
  must(seal3 !== null && seal3.context.fallback !== "", "ruling 11", "the keys of such a set are not deposited");
}
var ruling2 = {
  kinds({ rule }) {
    if (rule.is === "void") return scopeDeclarations(rule.value).map((id) => [id, "declare"]);
    if (rule.is === "forfeit" || rule.is === "open") return [[rule.value.request, "ruling"]];
    const kind = KINDS3[rule.is];
    return kind === void 0 ? [] : [[rule.value, kind]];
  },
  check(state, letter2, { rule }) {
    switch (rule.is) {
      case "request": {
        const claim3 = state.claims.get(rule.value);
        must(claim3 !== void 0 && claim3.stall !== null && state.stands(letter2, claim3), "ruling 1", "this is no stall that stands");
        return;
      }
      case "forfeit": {
        const { request, forfeit: forfeit2 } = rule.value;
        const claim3 = state.requests.get(request);
        if (claim3 === void 0 || claim3.stall === null) return broken("ruling 2", "this is no request of the referee's");
        const { step, letter: about } = claim3.stall;
        must(state.stands(letter2, claim3), "ruling 2", "the claim does not stand any more");
        must(state.chains.charter.deadlines.some((one) => one.step === step && one.forfeit === forfeit2), "ruling 2", `the charter has no such forfeit for ${step}`);
        if (forfeit2 === "game") return;
        const declaration = state.declarations.get(about ?? "");
        must(declaration !== void 0, "ruling 2", "the claim names no declaration");
        must(!declaration.held, "ruling 2", "the referee holds these dice");
        return;
      }
      case "open":
        checkOpening(state, letter2, rule.value);
        return;
      case "branch": {
        const named = state.letter(rule.value);
        must(named !== null && state.isPlayer(named.author), "ruling 3", "the letter is not a player's");
        must(!state.branchesRuled.has(`${named.author} ${named.number}`), "ruling 3", "that fork has been ruled on");
        return;
      }
      case "void":
        checkScope(state, letter2, rule.value, "ruling 4");
        return;
      case "kill": {
        const seal3 = state.validSeal(rule.value);
        must(seal3 !== null, "ruling 5", "the set is in breach itself");
        must(!seal3.killed(letter2), "ruling 5", "the set is killed already");
        return;
      }
      case "settle": {
        const named = state.letter(rule.value);
        must(named !== null && state.isPlayer(named.author), "ruling 6", "the letter is not a player's");
        must(!state.settled.has(rule.value), "ruling 6", "it has been settled");
        return;
      }
      case "dismiss": {
        const claim3 = state.claims.get(rule.value);
        must(claim3 !== void 0 && state.stands(letter2, claim3), "ruling 7", "this is no claim that stands");
        return;
      }
      case "agree": {
        const proposal = state.proposals.get(rule.value);
        must(proposal !== void 0, "ruling 8", "this is no valid proposal");
        must(!state.answeredProposal(letter2, proposal), "ruling 8", "it is answered");
        return;
      }
      case "admit": {
        const named = state.letter(rule.value);
        must(named !== null && named.valid && admitOf(named.message) !== null, "ruling 9", "this is no valid admission");
        must(!state.admitsRuled.has(rule.value), "ruling 9", "it has been admitted");
      }
    }
  },
  apply(state, letter2, { rule }) {
    if (letter2.breach !== null) return;
    switch (rule.is) {
      case "request": {
        const claim3 = state.claims.get(rule.value);
        if (claim3 !== void 0) state.requests.set(letter2.id, claim3);
        return;
      }
      case "forfeit": {
        const claim3 = state.requests.get(rule.value.request);
        if (claim3 === void 0) return;
        claim3.ends.push(letter2);
        if (rule.value.forfeit === "game") state.gamesForfeited.push({ by: letter2, loser: claim3.stall?.owes ?? "" });
        else state.declarations.get(claim3.stall?.letter ?? "")?.forfeits.push(letter2);
        return;
      }
      // Its keys do all that it does (deposits 10).
      case "open":
        return;
      case "branch": {
        const named = state.letter(rule.value);
        if (named !== null) state.branchesRuled.add(`${named.author} ${named.number}`);
        return;
      }
      case "void":
        applyVoid(state, letter2, rule.value);
        return;
      case "kill":
        state.seal(rule.value)?.kills.push(letter2);
        return;
      case "settle":
        state.settled.set(rule.value, letter2);
        return;
      case "dismiss":
        state.claims.get(rule.value)?.ends.push(letter2);
        return;
      case "agree": {
        const proposal = state.proposals.get(rule.value);
        if (proposal !== void 0) acceptProposal(state, letter2, proposal);
        return;
      }
      case "admit":
        state.admitsRuled.add(rule.value);
    }
  }
};

// src/rules/seal.ts
function numbered(purpose, kind) {
  return purpose.startsWith(`${kind}/`) && /^[1-9][0-9]{0,3}$/.test(purpose.slice(kind.length + 1));
}
function purposeFits(state, body) {
  const { kind, purpose } = body;
  switch (kind) {
    case "sheet":
    case "foul-up":
    case "contribution":
      return { fits: numbered(purpose, kind), envelopes: null };
    case "note": {
      const cut2 = purpose.lastIndexOf("/");
      const slot = cut2 < 0 ? null : readSlot(purpose.slice(0, cut2));
      const named = /^[a-z][a-z0-9-]{0,31}$/.test(purpose.slice(cut2 + 1));
      return { fits: slot !== null && named && state.phaseOf(slot) !== null, envelopes: null };
    }
    case "coin": {
      const slot = readSlot(purpose);
      const phase2 = slot === null ? null : state.phaseOf(slot);
      if (phase2 === null || phase2.source !== "coin" || phase2.declarer !== body.declarer) return { fits: false, envelopes: null };
      const envelopes = field(phase2.settings, "envelopes");
      return { fits: true, envelopes: typeof envelopes === "number" ? envelopes : null };
    }
  }
}
var seal2 = {
  kinds: () => [],
  check(state, letter2, body) {
    const own = body.kind === "note" || body.kind === "contribution";
    must(body.declarer === (own ? letter2.author : state.other(letter2.author)), "seal 1", own ? "the declarer of such a set is its sealer" : "the declarer of a set is the opponent of its sealer");
    must(body.revealer === letter2.author, "seal 1", "the revealer is the sealer");
    const { fits, envelopes } = purposeFits(state, body);
    if (fits && body.kind === "coin") must(body.n === envelopes, "seal 2", `the phase has sets of ${envelopes ?? "no"} envelopes, not of ${body.n}`);
    if (body.kind === "foul-up") must(body.n === state.chains.charter.foul_up.envelopes, "seal 2", `a foul-up set has ${state.chains.charter.foul_up.envelopes} envelopes, not ${body.n}`);
    if (body.kind === "note") must(body.n === 1, "seal 2", "a note is one");
    must(fits, "seal 3", `a set of kind ${body.kind} cannot have the purpose ${body.purpose}`);
    const same = state.validSeals.get(`${body.kind} ${body.purpose}`) ?? [];
    must(!same.some((one) => one.letter.author === letter2.author && !one.killed(letter2)), "seal 4", `there is a set for ${body.purpose} already`);
    must(new Set(body.commits).size === body.commits.length, "seal 5", "a commitment stands twice");
    must(!body.commits.some((commit) => (state.commits.get(commit) ?? []).some((other) => letter2.has(other))), "seal 5", "a commitment stands in another seal");
  },
  apply(state, letter2, body) {
    state.author(letter2.author).seals.push(letter2);
    for (const commit of body.commits) {
      const first2 = state.commits.get(commit) ?? [];
      if (!first2.some((other) => other.author === letter2.author)) state.commits.set(commit, [...first2, letter2]);
    }
    const made = state.seal(letter2.id);
    if (letter2.breach === null && made !== null) add(state.validSeals, `${body.kind} ${body.purpose}`, made);
  }
};

// src/replay.ts
var first = { kinds: () => [], check: () => void 0, apply: () => void 0 };
var RULES = { charter: first, accept: first, seal: seal2, declare: declare2, reveal: reveal2, decide: decide3, result: result2, correct: correct2, claim: claim2, ruling: ruling2, receipt: receipt2, key: key2, resync: resync2, deposit: first, close: close2 };
function isCorrection(content) {
  return content.kind === "correct" && (content.body.is === "accept" || content.body.is === "refuse");
}
var AFTER_CLOSE = /* @__PURE__ */ new Set(["reveal", "close", "claim", "key", "resync"]);
var REFEREES = /* @__PURE__ */ new Set(["accept", "ruling", "receipt", "key"]);
function checkWho(state, letter2) {
  if (letter2.author === state.chains.referee) {
    must(REFEREES.has(letter2.kind), "letters 2", `the referee signs no letter of kind ${letter2.kind}`);
    return;
  }
  must(letter2.kind !== "ruling" && letter2.kind !== "receipt", "letters 2", `a ${letter2.kind} is the referee's`);
  if (state.author(letter2.author).closes.length > 0) must(AFTER_CLOSE.has(letter2.kind) || isCorrection(letter2.content), "letters 2", `after his close a player signs no letter of kind ${letter2.kind}`);
}
function check(state, letter2, content) {
  for (const id of namedInBody(letter2.content)) {
    const named = state.letter(id);
    must(named !== null && letter2.covers(named), "chain 6", "it names a letter that its links do not cover");
  }
  checkWho(state, letter2);
  const rules = RULES[content.kind];
  for (const [id, ...kinds] of rules.kinds(content.body)) {
    const named = state.letter(id);
    if (named === null || !kinds.includes(named.kind)) broken("letters 3", `it names a letter of kind ${named?.kind ?? "none"} where one of kind ${kinds.join(" or ")} belongs`);
  }
  rules.check(state, letter2, content.body);
}
function apply(state, letter2, content) {
  RULES[content.kind].apply(state, letter2, content.body);
}
var EXCUSED = /^(?:declare (?:3|6|7|10|11|12|13)|reveal [23467]|decide 3|close 1|ruling (?:[1-9]|11)|(?:result|correct|claim|receipt) \d+)$/;
function judge(state, letter2) {
  if (letter2.fallen || letter2.detached === "behind") return;
  if (letter2.detached === "itself") {
    letter2.breach = { class: "chain", rule: "chain 2", text: "it does not follow the author's letter before", excused: false };
    return;
  }
  if (letter2.badSeen !== null) {
    letter2.breach = { class: "chain", rule: "chain 3", text: letter2.badSeen, excused: false };
    return;
  }
  letter2.judged = true;
  try {
    check(state, letter2, letter2.content);
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const { rule } = error;
    const excused = EXCUSED.test(rule) && state.mayHaveBeenGood(letter2);
    letter2.breach = { class: "rule", rule, text: error.message, excused };
  }
  apply(state, letter2, letter2.content);
  state.author(letter2.author).letters.push(letter2);
}
function inOrder(placed) {
  const waiting = /* @__PURE__ */ new Map();
  const namers = /* @__PURE__ */ new Map();
  const heap = new Heap(replayOrder);
  for (const letter2 of placed) {
    waiting.set(letter2, letter2.names.length);
    for (const named of letter2.names) {
      const list2 = namers.get(named);
      if (list2 === void 0) namers.set(named, [letter2]);
      else list2.push(letter2);
    }
    if (letter2.names.length === 0) heap.push(letter2);
  }
  const order = [];
  for (let letter2 = heap.pop(); letter2 !== void 0; letter2 = heap.pop()) {
    order.push(letter2);
    for (const namer of namers.get(letter2) ?? []) {
      const left = (waiting.get(namer) ?? 0) - 1;
      waiting.set(namer, left);
      if (left === 0) heap.push(namer);
    }
  }
  return order;
}
function replay(chains, game, admissions, proofs) {
  const terms = { game, charter: chains.charter };
  const openings = new Openings(terms);
  const forks = findAndSettleForks(chains, admissions, proofs, openings);
  const state = new State(chains, terms, openings, proofs, forks.fallen);
  const order = [];
  if (!chains.tooManyBranches) {
    for (const letter2 of inOrder(chains.placed)) {
      order.push(letter2);
      judge(state, letter2);
      openKeys(state, letter2);
    }
  }
  return { chains, state, forks: forks.found, order, replayed: !chains.tooManyBranches };
}

// src/audit.ts
function finding(code, culprit, ids, text2, settled = null) {
  return { code, culprit, message_ids: ids, settled_by: settled, text: text2 };
}
function emptyReport(verdict, game, fields = {}) {
  return { verdict, game, complete: false, heads: {}, missing: [], findings: [], rolls: [], open: [], ...fields };
}
function settlements(state) {
  const by = /* @__PURE__ */ new Map();
  const waiting = /* @__PURE__ */ new Set();
  for (const declaration of state.declarations.values()) {
    const done = declaration.answered(END2) || declaration.forfeited(END2);
    let redo = declaration.body.redo;
    while (redo !== null && redo.is === "breach") {
      if (done) by.set(redo.value, declaration.letter.id);
      else waiting.add(redo.value);
      const named = state.letter(redo.value);
      redo = named !== null && named.content.kind === "declare" ? named.content.body.redo : null;
    }
  }
  return { by, waiting };
}
function rollsOf(declaration) {
  const { letter: letter2, body, reading, named, seal: seal3 } = declaration;
  if (seal3 === null) return [];
  const forfeited = declaration.forfeited(END2);
  if (named === null && forfeited) return [];
  const dice = named === null ? declaration.dice() : null;
  if (named === null && dice === null) return [];
  const replacedBy2 = declaration.replacedBy[0]?.id ?? null;
  const entries = [];
  const places = declaration.places();
  let taken = 0;
  reading.rolls.forEach((roll, k) => {
    const standing = replacedBy2 ?? declaration.voidedBy(END2, k + 1)?.id ?? true;
    roll.sides.forEach((sides, draw) => {
      const value = named === null ? dice?.[k]?.draws[draw] ?? 0 : named.dice[taken] ?? 0;
      taken++;
      entries.push({
        cell: roll.cell,
        declaration: letter2.id,
        index: places[k]?.index ?? 0,
        line: places[k]?.line ?? 0,
        named_by: named?.by.id ?? null,
        seal: seal3.letter.id,
        sides,
        slot: slotText(body.slot),
        standing,
        value,
        why: roll.why
      });
    });
  });
  return entries;
}
function headsOf({ chains, order }) {
  const heads = {};
  for (const role2 of chains.roles) heads[role2] = null;
  for (const letter2 of order) if (!letter2.fallen && letter2.detached === "no") heads[letter2.author] = { id: letter2.id, number: letter2.number };
  return heads;
}
function letterFinding(letter2, settled) {
  const { breach } = letter2;
  if (breach === null) return null;
  return finding(breach.class, breach.excused ? null : letter2.author, [letter2.id], `${breach.rule}: ${breach.text}`, settled);
}
function gameClass(message) {
  return finding("game", null, [message.id], `a letter in the name of ${message.head.author}, under a key that is not in force`);
}
function auditGame(game, keys2) {
  const { charter: charter2, accept: accept2, siblings } = game;
  const charterBody = charter2.content.body;
  const refereeId = charterBody.referee === null ? null : accept2.head.seen.get(charterBody.referee.role) ?? null;
  const refereeAccept = game.refereeAccepts.find((one) => one.id === refereeId) ?? null;
  const proofs = new Proofs(keys2);
  const roots = [charter2, ...refereeAccept === null ? [] : [refereeAccept], accept2];
  const inForce = keysInForce(charterBody, roots.map((message) => ({ message })), game.messages, proofs);
  const refused = [...inForce.refused].sort((a, b) => byText(a.id, b.id)).map(gameClass);
  const findings = [];
  if (siblings.length > 1) {
    const placed = siblings.filter((one) => charterBody.referee === null || game.refereeAccepts.some((other) => other.id === one.head.seen.get(charterBody.referee?.role ?? "")));
    const ids = siblings.map((one) => one.id).sort();
    findings.push(finding("chain", placed.length < 2 ? null : accept2.head.author, forkIds(ids), "one charter is accepted more than once; a restored backup looks the same"));
  }
  const acceptFork = findings[0] ?? null;
  const breaches = [
    ...refereeAccept === null ? [] : [{ accept: refereeAccept, text: acceptBreach(charter2, refereeAccept, "referee") }],
    { accept: accept2, text: acceptBreach(charter2, accept2, "opponent") }
  ].flatMap((one) => one.text === null ? [] : [finding("rule", one.accept.head.author, [one.accept.id], `charter 6: ${one.text}`)]);
  if (breaches.length > 0) {
    return { report: emptyReport("refuted", accept2.id, { findings: [...findings, ...breaches] }), replay: null, charter: charter2, accept: accept2 };
  }
  const chains = buildChains(charterBody, [...roots, ...inForce.letters.values()]);
  const replayed = replay(chains, accept2.id, inForce.admissions, proofs);
  const { state, forks, order } = replayed;
  const { by, waiting } = settlements(state);
  const settledBy = (ids) => {
    for (const id of ids) {
      const redo = by.get(id);
      if (redo !== void 0 && ids.length === 1) return redo;
      const ruling3 = state.settled.get(id);
      if (ruling3 !== void 0) return ruling3.id;
    }
    return null;
  };
  const waits = /* @__PURE__ */ new Set();
  const forkFindings = [];
  if (acceptFork !== null) forkFindings.push({ place: chains.roles.indexOf(accept2.head.author), found: { ...acceptFork, settled_by: settledBy(siblings.map((one) => one.id)) } });
  for (const fork of forks) {
    if (fork.author === accept2.head.author && acceptFork !== null && (acceptFork.culprit !== null || fork.culprit === null)) continue;
    const text2 = `two letters by ${fork.author} have the number ${fork.number}; a restored backup looks the same`;
    forkFindings.push({ place: chains.roles.indexOf(fork.author), found: finding("chain", fork.culprit, forkIds(fork.ids), text2, settledBy(fork.ids)) });
  }
  forkFindings.sort((a, b) => a.place - b.place);
  const all = forkFindings.map((one) => one.found);
  for (const letter2 of order) {
    const found = letterFinding(letter2, settledBy([letter2.id]));
    if (found === null) continue;
    all.push(found);
    if (found.settled_by === null && waiting.has(letter2.id)) waits.add(found);
  }
  for (const one of refused) all.push(one);
  const complete = replayed.replayed && chains.players.every((player) => state.author(player).closeWithMasters !== null);
  const claimStands = !complete && [...state.claims.values()].some((claim3) => state.stands(END2, claim3));
  let verdict = "verified";
  if (chains.missing.length > 0 || waits.size > 0 || claimStands || !replayed.replayed) verdict = "undecided";
  if (all.some((found) => found.culprit !== null && found.settled_by === null && !waits.has(found))) verdict = "refuted";
  const report = {
    verdict,
    game: accept2.id,
    complete,
    heads: replayed.replayed ? headsOf(replayed) : {},
    missing: chains.missing,
    findings: all,
    rolls: [...state.declarations.values()].flatMap(rollsOf),
    open: openMatters(replayed, charter2, accept2, inForce.admissions, complete)
  };
  return { report, replay: replayed, charter: charter2, accept: accept2 };
}
function absent(game, missing, accept2) {
  return { report: emptyReport("undecided", game, { missing: [missing] }), replay: null, charter: null, accept: accept2 };
}
function missingAccept(id, letters) {
  let author = null;
  let number = null;
  for (const { head } of letters) {
    if (head.prev === id) {
      author = head.author;
      number = head.number - 1;
    }
    for (const [role2, seen2] of head.seen) if (seen2 === id) author ??= role2;
  }
  return { id, named_by: [...new Set(letters.map((letter2) => letter2.id))].sort(), author, number };
}
function push2(map, key3, value) {
  const list2 = map.get(key3);
  if (list2 === void 0) map.set(key3, [value]);
  else list2.push(value);
}
function audit(messages, refusedBefore, keys2) {
  const nowhere = refusedBefore.map((one) => finding(one.class, null, one.id === null ? [] : [one.id], one.text));
  const charters = /* @__PURE__ */ new Map();
  const byGame = /* @__PURE__ */ new Map();
  const accepts = [];
  for (const message of messages) {
    if (isUnnumbered(message.content)) continue;
    if (isAccept(message)) accepts.push(message);
    else if (isCharter(message)) {
      if (signedByItsAuthor(message)) charters.set(message.id, message);
      else nowhere.push(finding("game", null, [message.id], "a charter that its author has not signed"));
    } else if (message.head.game !== null) push2(byGame, message.head.game, message);
  }
  const audits = [];
  const opponents = /* @__PURE__ */ new Map();
  const referees = /* @__PURE__ */ new Map();
  const breachOf = /* @__PURE__ */ new Map();
  for (const [id, charter2] of charters) breachOf.set(id, charterBreach(charter2));
  const accepted = /* @__PURE__ */ new Set();
  const gameIds = /* @__PURE__ */ new Set();
  for (const accept2 of accepts) {
    const charterId = accept2.head.game ?? "";
    const charter2 = charters.get(charterId);
    if (charter2 === void 0) {
      if (gameIds.has(accept2.id)) continue;
      gameIds.add(accept2.id);
      let author = null;
      for (const [role2, seen2] of accept2.head.seen) if (seen2 === charterId) author ??= role2;
      audits.push(absent(accept2.id, { id: charterId, named_by: [accept2.id], author, number: null }, accept2));
      continue;
    }
    const breach = breachOf.get(charterId) ?? null;
    if (breach !== null) {
      if (gameIds.has(accept2.id)) continue;
      gameIds.add(accept2.id);
      accepted.add(charterId);
      const found = finding("rule", charter2.head.author, [charter2.id], `charter 4: ${breach}`);
      audits.push({ report: emptyReport("refuted", accept2.id, { findings: [found] }), replay: null, charter: charter2, accept: accept2 });
      continue;
    }
    const by = acceptedBy(charter2, accept2);
    if (by === null) nowhere.push(finding("game", null, [accept2.id], "an accept by somebody whom the charter does not ask, or under another key"));
    else push2(by === "opponent" ? opponents : referees, charterId, accept2);
  }
  for (const [charterId, siblings] of opponents) {
    const charter2 = charters.get(charterId);
    if (charter2 === void 0) continue;
    accepted.add(charterId);
    for (const accept2 of siblings) {
      gameIds.add(accept2.id);
      const refereeAccepts = referees.get(charterId) ?? [];
      audits.push(auditGame({ charter: charter2, accept: accept2, refereeAccepts, siblings, messages: byGame.get(accept2.id) ?? [] }, keys2));
    }
  }
  for (const [id, letters] of byGame) if (!gameIds.has(id)) audits.push(absent(id, missingAccept(id, letters), null));
  let refuted = false;
  let lonely = nowhere.length > 0;
  for (const [id, charter2] of charters) {
    if (accepted.has(id)) continue;
    lonely = true;
    const breach = breachOf.get(id) ?? null;
    if (breach === null) continue;
    refuted = true;
    nowhere.push(finding("rule", charter2.head.author, [id], `charter 4: ${breach}`));
  }
  audits.sort((a, b) => byText(a.report.game ?? "", b.report.game ?? ""));
  if (lonely) {
    const sorted = nowhere.sort((a, b) => byText(a.message_ids[0] ?? "", b.message_ids[0] ?? "") || byText(a.code, b.code) || byText(a.text, b.text));
    audits.push({ report: emptyReport(refuted ? "refuted" : "undecided", null, { findings: sorted }), replay: null, charter: null, accept: null });
  }
  return { report: { games: audits.map((one) => one.report) }, games: audits };
}

// src/checker.ts
var Checker = class {
  keys = new KeyRing();
  frames = /* @__PURE__ */ new Map();
  waiting = [];
  at = 0;
  messages = /* @__PURE__ */ new Map();
  refused = /* @__PURE__ */ new Map();
  sources = /* @__PURE__ */ new Map();
  seen = /* @__PURE__ */ new Set();
  framesOf = /* @__PURE__ */ new Map();
  /** Finds the letters of a text. A text that is cut must not be cut within a letter. */
  add(input, name2 = "") {
    this.take(input, name2);
    return this.progress;
  }
  /** The same, and says how many letters the text has: whole ones, new or known, and damaged ones; and whether it has a secret key (key-file 3). */
  take(input, name2 = "") {
    const text2 = typeof input === "string" ? input : shownUtf8(input);
    let [whole, damaged] = [0, 0];
    for (const blob of findBlobs(text2)) {
      const key3 = blob.ok ? toHex(sha2562(blob.frame)) : `${blob.class} ${blob.left}`;
      const source = { name: name2, line: blob.line };
      const known = this.sources.get(key3);
      if (known === void 0) this.sources.set(key3, [source]);
      else known.push(source);
      if (blob.ok) whole++;
      else damaged++;
      if (!blob.ok) {
        this.refused.set(key3, { class: blob.class, text: blob.text, id: null });
      } else if (!this.seen.has(key3)) {
        this.seen.add(key3);
        this.frames.set(key3, blob.frame);
        this.waiting.push(key3);
      }
    }
    return { whole, damaged, secret: hasSecret(text2) };
  }
  get progress() {
    return { done: this.at, total: this.waiting.length };
  }
  /** Checks up to so many letters: their form and their signatures, which is most of the work. */
  verify(most = Number.MAX_SAFE_INTEGER) {
    const end = Math.min(this.waiting.length, this.at + Math.max(1, most));
    for (; this.at < end; this.at++) {
      const key3 = this.waiting[this.at] ?? "";
      const frame = this.frames.get(key3);
      if (frame === void 0) continue;
      this.frames.delete(key3);
      const checked = checkMessage(frame, this.keys);
      if (checked.ok) {
        const { message } = checked;
        this.place(message.id, key3);
        const one = `${message.id} ${message.key}`;
        if (!this.messages.has(one)) this.messages.set(one, message);
      } else {
        if (checked.id !== null) this.place(checked.id, key3);
        this.refused.set(key3, { class: checked.class, text: checked.text, id: checked.id });
      }
    }
    return this.progress;
  }
  /** Where the letter with an id was found. */
  sourcesOf(id) {
    return (this.framesOf.get(id) ?? []).flatMap((key3) => this.sources.get(key3) ?? []);
  }
  /** What was refused before it could have an id, and where it was found. */
  get damaged() {
    return [...this.refused].flatMap(([key3, one]) => one.id === null ? [{ class: one.class, text: one.text, sources: this.sources.get(key3) ?? [] }] : []);
  }
  place(id, key3) {
    const keys2 = this.framesOf.get(id);
    if (keys2 === void 0) this.framesOf.set(id, [key3]);
    else keys2.push(key3);
  }
  run() {
    this.verify();
    const order = [...this.messages].sort(([a], [b]) => a < b ? -1 : 1).map(([, message]) => message);
    return audit(order, [...this.refused.values()], this.keys);
  }
  /** The report of audit.md on everything that was added. */
  report() {
    return this.run().report;
  }
  /** The report, and with it all letters, their links, and what came of them. */
  examine() {
    return this.run();
  }
};
function check2(input) {
  const checker = new Checker();
  checker.add(input);
  return checker.report();
}

export {
  LIMITS,
  refuse,
  attempt,
  toHex,
  fromHex,
  hexBytes,
  utf8,
  concat,
  sameBytes,
  le64,
  findBlobs,
  armour,
  TAGS,
  preimage,
  hash,
  sha3,
  contextOfSet,
  contextOfEnvelope,
  contextOfCell,
  setMaster,
  envelopeKey,
  envelopeCommit,
  envelopeSeed,
  columnKeys,
  cellKey,
  cellSeed,
  opensEnvelope,
  opensCell,
  decrypt,
  openNote,
  depositKey,
  depositInfo,
  openDeposit,
  isObject,
  isList,
  field,
  makeObject,
  plain,
  parseJson,
  encodeJson,
  readPayload,
  slotText,
  diceRoot,
  rollKey,
  Stream,
  VALUES2 as VALUES,
  valueOf,
  exactly,
  readHex,
  readWorksheetSettings,
  readOdds,
  readWorksheet,
  readRolls,
  checkCells,
  readState,
  writeState,
  readSheetValues,
  systemNamed,
  checkKey,
  KeyRing,
  verifies,
  fingerprint,
  publicOf,
  TYPE,
  signedBytes,
  messageId,
  checkMessage,
  END2 as END,
  Checker,
  check2 as check
};
