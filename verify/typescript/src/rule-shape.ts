/** Shapes for what players write in a system's input or settings. Unlike those for letters, they refuse with class `rule`. */
import type { Json } from "./json.js";
import { attempt, refuse } from "./refusal.js";
import type { Shape } from "./shape.js";

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
