/** Draws dice. */
import { s } from "./dom.js";
import { TEXTS } from "./texts.js";

/** Positions of the pips for each value, on a grid of three by three. */
const PIPS: readonly (readonly (readonly [number, number])[])[] = [
  [],
  [[1, 1]],
  [[0, 0], [2, 2]],
  [[0, 0], [1, 1], [2, 2]],
  [[0, 0], [2, 0], [0, 2], [2, 2]],
  [[0, 0], [2, 0], [1, 1], [0, 2], [2, 2]],
  [[0, 0], [2, 0], [0, 1], [2, 1], [0, 2], [2, 2]],
];

/** Draws a die of six with pips, and any other die as a number in a kite. `shown` is the number on its face. */
export function die(sides: number, value: number, shown = value): SVGElement {
  const face = { class: "die", viewBox: "0 0 32 32", width: 28, height: 28, role: "img", "aria-label": TEXTS.roll.dieLabel(sides, shown), focusable: "false" };
  if (sides === 6) {
    const pips = (PIPS[value] ?? []).map(([x, y]) => s("circle", { class: "pip", cx: 8 + 8 * x, cy: 8 + 8 * y, r: 2.8 }));
    return s("svg", face, s("rect", { class: "face", x: 1.5, y: 1.5, width: 29, height: 29, rx: 6 }), pips);
  }
  return s("svg", face, s("path", { class: "face", d: "M16 1 L31 13 L16 31 L1 13 Z" }), s("text", { class: "figure", x: 16, y: 20, "text-anchor": "middle" }, String(shown)));
}
