/** Makes elements. Text is only ever inserted as text, and text by strangers is isolated. */
import { visible } from "./visible.js";

/** Text that somebody else wrote. It is shown in a `bdi`, so that it cannot reorder the sentence around it. */
export interface Foreign {
  readonly foreign: string;
}
export type Line = readonly (string | Foreign)[];
export type Child = string | Foreign | Node | null | readonly Child[];
export type Attributes = Readonly<Record<string, string | number | boolean | null>>;

export function foreign(text: string): Foreign {
  return { foreign: text };
}

/** Builds a sentence. An inserted string is treated as foreign; numbers and lines are not. */
export function say(strings: TemplateStringsArray, ...values: readonly (string | number | Line)[]): Line {
  const line: (string | Foreign)[] = [];
  strings.forEach((text, i) => {
    if (text !== "") line.push(text);
    const value = values[i];
    if (value === undefined) return;
    if (typeof value === "number") line.push(String(value));
    else if (typeof value === "string") line.push(foreign(value));
    else line.push(...value);
  });
  return line;
}

/** Returns a sentence as plain text, for labels. */
export function flat(line: Line | string): string {
  if (typeof line === "string") return line;
  return line.map((part) => (typeof part === "string" ? part : visible(part.foreign))).join("");
}

function put(parent: Element, child: Child): void {
  if (child === null) return;
  if (typeof child === "string") parent.append(child);
  else if (child instanceof Node) parent.append(child);
  else if ("foreign" in child) {
    const isolated = document.createElement("bdi");
    isolated.textContent = visible(child.foreign);
    parent.append(isolated);
  } else for (const one of child) put(parent, one);
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: readonly Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  for (const child of children) put(element, child);
  return element;
}

export function s(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  for (const child of children) put(element, child);
  return element;
}

/** Returns a fixed element of the page by its id. */
export function part<E extends HTMLElement>(id: string, type: new () => E): E {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the page has no ${id}`);
  return element;
}

export function button(label: string, attributes: Attributes, act: (button: HTMLButtonElement) => void): HTMLButtonElement {
  const made = h("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", () => act(made));
  return made;
}
