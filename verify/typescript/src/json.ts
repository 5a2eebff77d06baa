import { byBytes, fromUtf8, type Bytes } from "./bytes.js";
import { LIMITS } from "./limits.js";
import { refuse } from "./refusal.js";

/** A JSON value (json 1). Objects have no prototype, so that `__proto__` is a key like any other. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** A field of an object, or undefined. */
export function field(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function makeObject(fields: Iterable<readonly [string, Json]>): JsonObject {
  const object = Object.create(null) as Record<string, Json>;
  for (const [key, value] of fields) object[key] = value;
  return object;
}

/** Converts plain values of this program, whose objects have a prototype, to JSON. */
export function plain(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return makeObject([...value].map(([key, item]) => [String(key), plain(item)] as const));
  return makeObject(Object.entries(value as object).map(([key, item]) => [key, plain(item)] as const));
}

class Parser {
  private at = 0;
  constructor(private readonly text: string) {}

  whole(): Json {
    const value = this.value(0);
    this.blanks();
    if (this.at !== this.text.length) this.fail("something follows the value");
    return value;
  }

  private fail(what: string): never {
    return refuse("json", `${what}, at character ${this.at + 1}`);
  }

  private blanks(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private value(depth: number): Json {
    this.blanks();
    const code = this.text.charCodeAt(this.at);
    switch (code) {
      case 0x7b:
        return this.object(depth + 1);
      case 0x5b:
        return this.list(depth + 1);
      case 0x22:
        return this.string();
      case 0x74:
        return this.word("true", true);
      case 0x66:
        return this.word("false", false);
      case 0x6e:
        return this.word("null", null);
      default:
        return this.number();
    }
  }

  private word<T extends Json>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail("this is no value");
    this.at += word.length;
    return value;
  }

  private number(): number {
    const start = this.at;
    if (this.text.charCodeAt(this.at) === 0x2d) this.at++;
    const digits = this.at;
    let code = this.text.charCodeAt(this.at);
    while (code >= 0x30 && code <= 0x39) code = this.text.charCodeAt(++this.at);
    const count = this.at - digits;
    if (count === 0) this.fail("this is no value");
    if (count > 1 && this.text.charCodeAt(digits) === 0x30) this.fail("a number has a leading zero");
    if (code === 0x2e || code === 0x65 || code === 0x45) this.fail("a number has a fraction or an exponent");
    if (count > 16) this.fail("an integer is too large");
    const value = Number(this.text.slice(start, this.at));
    if (!Number.isSafeInteger(value)) this.fail("an integer is too large");
    if (Object.is(value, -0)) this.fail("minus zero");
    return value;
  }

  private string(): string {
    let from = ++this.at;
    let made = "";
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (Number.isNaN(code)) this.fail("a string does not end");
      if (code === 0x22) {
        made += this.text.slice(from, this.at++);
        return made;
      }
      if (code < 0x20) this.fail("a control character stands in a string");
      if (code !== 0x5c) {
        this.at++;
        continue;
      }
      made += this.text.slice(from, this.at++);
      made += this.escape();
      from = this.at;
    }
  }

  private escape(): string {
    const letter = this.text.charAt(this.at++);
    switch (letter) {
      case '"':
      case "\\":
      case "/":
        return letter;
      case "b":
        return "\b";
      case "f":
        return "\f";
      case "n":
        return "\n";
      case "r":
        return "\r";
      case "t":
        return "\t";
      case "u":
        break;
      default:
        this.fail("there is no such escape");
    }
    const unit = this.unit();
    if (unit >= 0xdc00 && unit <= 0xdfff) this.fail("a lone surrogate");
    if (unit < 0xd800 || unit > 0xdbff) return String.fromCharCode(unit);
    if (!this.text.startsWith("\\u", this.at)) this.fail("a lone surrogate");
    this.at += 2;
    const low = this.unit();
    if (low < 0xdc00 || low > 0xdfff) this.fail("a lone surrogate");
    return String.fromCharCode(unit, low);
  }

  private unit(): number {
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9A-Fa-f]{4}$/.test(digits)) this.fail("an escape has four digits");
    this.at += 4;
    return Number.parseInt(digits, 16);
  }

  private deep(depth: number): void {
    if (depth > LIMITS.depth) this.fail(`deeper than ${LIMITS.depth}`);
  }

  private list(depth: number): Json {
    this.deep(depth);
    this.at++;
    const items: Json[] = [];
    this.blanks();
    if (this.text.charCodeAt(this.at) === 0x5d) {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value(depth));
      this.blanks();
      const code = this.text.charCodeAt(this.at);
      if (code === 0x5d) {
        this.at++;
        return items;
      }
      if (code !== 0x2c) this.fail("a list goes on with a comma");
      this.at++;
    }
  }

  private object(depth: number): Json {
    this.deep(depth);
    this.at++;
    const fields = Object.create(null) as Record<string, Json>;
    this.blanks();
    if (this.text.charCodeAt(this.at) === 0x7d) {
      this.at++;
      return fields;
    }
    for (;;) {
      this.blanks();
      if (this.text.charCodeAt(this.at) !== 0x22) this.fail("a key is a string");
      const key = this.string();
      if (Object.hasOwn(fields, key)) this.fail("a key stands twice");
      this.blanks();
      if (this.text.charCodeAt(this.at) !== 0x3a) this.fail("a colon follows a key");
      this.at++;
      fields[key] = this.value(depth);
      this.blanks();
      const code = this.text.charCodeAt(this.at);
      if (code === 0x7d) {
        this.at++;
        return fields;
      }
      if (code !== 0x2c) this.fail("an object goes on with a comma");
      this.at++;
    }
  }
}

/** A JSON reader (json 1). It accepts blanks and all escapes of RFC 8259; json 3 demands the canonical form afterwards. */
export function parseJson(text: string): Json {
  return new Parser(text).whole();
}

const SHORT: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r" };

function encodeString(text: string): string {
  // eslint-disable-next-line no-control-regex
  if (!/["\\\u0000-\u001f]/.test(text)) return `"${text}"`;
  let made = '"';
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    const code = text.charCodeAt(i);
    made += SHORT[char] ?? (code < 0x20 ? `\\u00${code < 16 ? "0" : ""}${code.toString(16)}` : char);
  }
  return `${made}"`;
}

// json 2
export function encodeJson(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return encodeString(value);
  if (isList(value)) return `[${value.map(encodeJson).join(",")}]`;
  if (!isObject(value)) return "null";
  const keys = Object.keys(value).sort(byBytes);
  return `{${keys.map((key) => `${encodeString(key)}:${encodeJson(value[key] ?? null)}`).join(",")}}`;
}

export function sameJson(a: Json, b: Json): boolean {
  return encodeJson(a) === encodeJson(b);
}

/** Reads a payload (json 1 to 3). */
export function readPayload(bytes: Bytes): { readonly text: string; readonly value: Json } {
  const text = fromUtf8(bytes);
  if (text === null) return refuse("json", "this is no UTF-8");
  const value = parseJson(text);
  if (encodeJson(value) !== text) refuse("canonical", "this JSON is not written in the one canonical way");
  return { text, value };
}
