/** Shows signed letters in readable layout, alone or two side by side. */
import { h, type Child } from "./dom.js";
import { TEXTS } from "./texts.js";

const WIDTH = 72;

/** Lays out JSON in lines. A value that fits on one line stays on one line. */
function lines(value: unknown, indent: string, before: string, after: string): string[] {
  const flat = JSON.stringify(value) ?? "";
  if (typeof value !== "object" || value === null || indent.length + before.length + flat.length <= WIDTH) return [`${indent}${before}${flat}${after}`];
  const list = Array.isArray(value);
  const entries: readonly (readonly [string, unknown])[] = list ? value.map((item: unknown) => ["", item] as const) : Object.entries(value).map(([key, item]) => [`${JSON.stringify(key)}: `, item] as const);
  const inner = entries.flatMap(([key, item], i) => lines(item, `${indent}  `, key, i < entries.length - 1 ? "," : ""));
  return [`${indent}${before}${list ? "[" : "{"}`, ...inner, `${indent}${list ? "]" : "}"}${after}`];
}

export function pretty(value: unknown): string[] {
  return lines(value, "", "", "");
}

/** Lays out a payload that is known to be valid JSON. */
export function prettyPayload(payload: string): string[] {
  try {
    return pretty(JSON.parse(payload));
  } catch {
    return [payload];
  }
}

function code(content: Child, label: string): HTMLElement {
  return h("pre", { class: "code", tabindex: 0, role: "group", "aria-label": label }, h("code", {}, content));
}

export function signed(payload: string): HTMLElement {
  return code({ foreign: prettyPayload(payload).join("\n") }, TEXTS.timeline.raw);
}

/** Marks the lines of a text that another text does not have. */
function marked(text: readonly string[], other: readonly string[]): Child {
  const known = new Set(other.map((line) => line.trim().replace(/,$/, "")));
  return text.map((line) => {
    const whole = h("span", { class: "line" }, { foreign: line }, "\n");
    if (known.has(line.trim().replace(/,$/, ""))) return whole;
    return h("mark", { class: "line differs" }, h("span", { class: "sign", title: TEXTS.findings.differs }, "≠ "), { foreign: line }, "\n");
  });
}

export interface Column {
  readonly title: Child;
  /** The letter described in a sentence. */
  readonly says: Child;
  readonly label: string;
  readonly text: readonly string[];
}

export function sideBySide(left: Column, right: Column): HTMLElement {
  const one = (column: Column, other: Column): HTMLElement => h("div", { class: "side" }, h("h5", {}, column.title), column.says === null ? null : h("p", { class: "says" }, column.says), code(marked(column.text, other.text), column.label));
  return h("div", { class: "sides" }, one(left, right), one(right, left));
}
