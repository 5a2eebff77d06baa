import { characters } from "./bytes.js";
import { field, isList, isObject, type Json, type JsonObject } from "./json.js";
import { refuse } from "./refusal.js";

/**
 * A shape reads a value of exactly one form, and refuses any other value with class `fields` (json 4). `path` says where the value is, for
 * the error message.
 */
export type Shape<T> = (value: Json, path: string) => T;
export type Read<S> = S extends Shape<infer T> ? T : never;

function wrong(path: string, what: string): never {
  return refuse("fields", `${path} ${what}`);
}

export function record<F extends Readonly<Record<string, Shape<unknown>>>>(fields: F): Shape<{ readonly [K in keyof F]: Read<F[K]> }> {
  const names = Object.keys(fields);
  return (value, path) => {
    if (!isObject(value)) return wrong(path, "is no object");
    for (const key of Object.keys(value)) if (!Object.hasOwn(fields, key)) wrong(path, "has a field that its table does not have");
    const read: Record<string, unknown> = {};
    for (const name of names) {
      const item = field(value, name);
      const shape = fields[name];
      if (item === undefined || shape === undefined) return wrong(path, `has no ${name}`);
      read[name] = shape(item, `${path}.${name}`);
    }
    return read as { readonly [K in keyof F]: Read<F[K]> };
  };
}

/** Reads exactly one of several fields, such as `{"open":..}` or `{"sealed":..}`. `is` says which it was. */
export function oneOf<F extends Readonly<Record<string, Shape<unknown>>>>(
  fields: F,
): Shape<{ readonly [K in keyof F]: { readonly is: K; readonly value: Read<F[K]> } }[keyof F]> {
  return (value, path) => {
    if (!isObject(value)) return wrong(path, "is no object");
    const keys = Object.keys(value);
    const key = keys[0];
    if (key === undefined || keys.length !== 1 || !Object.hasOwn(fields, key)) return wrong(path, `is not exactly one of ${Object.keys(fields).join(", ")}`);
    const shape = fields[key];
    const item = field(value, key);
    if (shape === undefined || item === undefined) return wrong(path, "is empty");
    return { is: key, value: shape(item, `${path}.${key}`) } as { readonly [K in keyof F]: { readonly is: K; readonly value: Read<F[K]> } }[keyof F];
  };
}

export function list<T>(item: Shape<T>, least: number, most: number): Shape<readonly T[]> {
  return (value, path) => {
    if (!isList(value)) return wrong(path, "is no list");
    if (value.length < least || value.length > most) wrong(path, `has ${value.length} items, not ${least} to ${most}`);
    return value.map((entry, i) => item(entry, `${path}[${i}]`));
  };
}

export function pair<A, B>(a: Shape<A>, b: Shape<B>): Shape<readonly [A, B]> {
  return (value, path) => {
    if (!isList(value) || value.length !== 2) return wrong(path, "is no list of two");
    return [a(value[0] ?? null, `${path}[0]`), b(value[1] ?? null, `${path}[1]`)];
  };
}

export function triple<A, B, C>(a: Shape<A>, b: Shape<B>, c: Shape<C>): Shape<readonly [A, B, C]> {
  return (value, path) => {
    if (!isList(value) || value.length !== 3) return wrong(path, "is no list of three");
    return [a(value[0] ?? null, `${path}[0]`), b(value[1] ?? null, `${path}[1]`), c(value[2] ?? null, `${path}[2]`)];
  };
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value, path) => (value === null ? null : shape(value, path));
}

export const nothing: Shape<null> = (value, path) => (value === null ? null : wrong(path, "is not null"));

export const bool: Shape<boolean> = (value, path) => (typeof value === "boolean" ? value : wrong(path, "is not true or false"));

export const json: Shape<Json> = (value) => value;

export const object: Shape<JsonObject> = (value, path) => (isObject(value) ? value : wrong(path, "is no object"));

export function objectOf(most: number, least = 0): Shape<JsonObject> {
  return (value, path) => {
    const read = object(value, path);
    const fields = Object.keys(read).length;
    if (fields < least || fields > most) wrong(path, `has ${fields} fields, not ${least} to ${most}`);
    return read;
  };
}

/** Reads an object whose names and values have given shapes. */
export function mapOf<N extends string, T>(
  name: Shape<N>,
  item: Shape<T>,
  most: number,
  least = 0,
): Shape<ReadonlyMap<N, T>> {
  return (value, path) => {
    const fields = Object.entries(objectOf(most, least)(value, path));
    return new Map(fields.map(([key, one]) => [name(key, `${path}: ${key}`), item(one, `${path}.${key}`)] as const));
  };
}

export function integer(least = 0, most = Number.MAX_SAFE_INTEGER): Shape<number> {
  return (value, path) => {
    if (typeof value !== "number") return wrong(path, "is no integer");
    if (value < least || value > most) wrong(path, `is not from ${least} to ${most}`);
    return value;
  };
}

export function text(least = 0, most = Number.MAX_SAFE_INTEGER): Shape<string> {
  return (value, path) => {
    if (typeof value !== "string") return wrong(path, "is no text");
    const length = characters(value);
    if (length < least || length > most) wrong(path, `has ${length} characters, not ${least} to ${most}`);
    return value;
  };
}

export function word<W extends string>(...words: readonly W[]): Shape<W> {
  return (value, path) => {
    const found = words.find((one) => one === value);
    return found === undefined ? wrong(path, `is none of ${words.join(", ")}`) : found;
  };
}

function form(pattern: RegExp, what: string): Shape<string> {
  return (value, path) => (typeof value === "string" && pattern.test(value) ? value : wrong(path, `is no ${what}`));
}

export const hex32 = form(/^[0-9a-f]{64}$/, "hex32");
/** deposits 4 */
export const hex80 = form(/^[0-9a-f]{160}$/, "160 hexadecimal digits");
/** message 8 */
export const role = form(/^[a-z][a-z0-9-]{0,15}$/, "role");
/** charter 2 */
export const name = form(/^[a-z][a-z0-9-]{0,31}$/, "name");
/** The id of a letter that this letter names (chain 1). */
export const letter = hex32;

export function ascending<T extends string | number>(shape: Shape<readonly T[]>): Shape<readonly T[]> {
  return (value, path) => {
    const items = shape(value, path);
    for (let i = 1; i < items.length; i++) {
      const before = items[i - 1];
      const item = items[i];
      if (before === undefined || item === undefined || !(before < item)) wrong(path, "is not strictly ascending");
    }
    return items;
  };
}
