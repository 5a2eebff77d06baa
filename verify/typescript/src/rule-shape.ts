/** How systems read what players write: by the shapes of letters, but what these refuse breaks a rule of the system. */
import type { Json } from "./json.js";
import { attempt, refuse } from "./refusal.js";
import { objectOf, type Shape } from "./shape.js";

export function no(what: string): never {
  return refuse("rule", what);
}

export function shaped<T>(shape: Shape<T>, value: Json, what: string): T {
  const read = attempt(() => shape(value, what));
  return read.ok ? read.value : no(read.text);
}

export function form(pattern: RegExp, what: string): Shape<string> {
  return (value, path) => (typeof value === "string" && pattern.test(value) ? value : no(`${path} is no ${what}`));
}

/** An object whose names and values have a form. */
export function mapOf<N extends string, T>(name: Shape<N>, item: Shape<T>, most: number): Shape<ReadonlyMap<N, T>> {
  return (value, path) => new Map(Object.entries(objectOf(most)(value, path)).map(([key, one]) => [name(key, `${path}: ${key}`), item(one, `${path}.${key}`)] as const));
}
