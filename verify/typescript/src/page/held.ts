/** Lists the sets that an office holds, and the letters that opened them. */
import { h, type Child } from "./dom.js";
import type { HeldView } from "./model.js";
import type { Names } from "./names.js";
import { TEXTS } from "./texts.js";

const { office: texts } = TEXTS;

/** A table cell with its own label, for narrow screens where rows become cards. */
function cell(label: string, ...content: Child[]): HTMLElement {
  return h("td", { role: "cell", "data-label": label }, ...content);
}

function row(names: Names, set: HeldView): HTMLElement {
  return h(
    "tr",
    { role: "row" },
    h("th", { scope: "row", role: "rowheader", "data-label": texts.set }, names.link(set.seal)),
    cell(texts.purpose, { foreign: set.purpose }),
    cell(texts.sealer, { foreign: names.person(set.sealer) }),
    cell(texts.since, names.link(set.since)),
    cell(texts.opened, set.opened.length === 0 ? texts.nothing : set.opened.map((id, i) => [i === 0 ? "" : ", ", names.link(id)])),
    cell(texts.until, set.until === null ? texts.no : names.link(set.until)),
  );
}

export function held(names: Names): HTMLElement | null {
  const { held: list } = names.game;
  if (list.length === 0) return null;
  const id = `${names.prefix}-office`;
  const columns = [texts.set, texts.purpose, texts.sealer, texts.since, texts.opened, texts.until];
  return h(
    "section",
    {},
    h("h3", { id }, texts.heading),
    h("p", { class: "legend" }, texts.legend),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "group", "aria-label": texts.table },
      h(
        "table",
        { class: "worksheet", role: "table" },
        h("caption", {}, texts.table),
        h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map((column) => h("th", { scope: "col", role: "columnheader" }, column)))),
        h("tbody", { role: "rowgroup" }, list.map((set) => row(names, set))),
      ),
    ),
  );
}
