/** Findings with their letters side by side and advice; missing letters, open matters and deadlines. */
import { flat, h, type Child, type Line } from "./dom.js";
import type { FindingView } from "./model.js";
import { sourcesLine, type Names } from "./names.js";
import { pretty, prettyPayload, sideBySide, signed, type Column } from "./payload.js";
import { slotText } from "../slot.js";
import { advice, describe, TEXTS } from "./texts.js";

const { findings: texts } = TEXTS;

function columnOf(names: Names, id: string, heading: string): Column | null {
  const letter = names.letter(id);
  if (letter === null) return null;
  return { title: [heading, ": ", names.link(id)], says: describe(letter.content, names.person, names.called, slotText), label: `${heading}: ${flat(names.called(id))}`, text: prettyPayload(letter.payload) };
}

/** The fields of the payload for which the rules give other values. */
function partOf(payload: string, expected: unknown): string[] {
  try {
    const { body } = JSON.parse(payload) as { body?: Record<string, unknown> };
    const keys = typeof expected === "object" && expected !== null ? Object.keys(expected) : [];
    return pretty(Object.fromEntries(keys.map((key) => [key, body?.[key] ?? null])));
  } catch {
    return [];
  }
}

function beside(names: Names, view: FindingView): Child {
  const [id, second] = view.finding.message_ids;
  const letter = id === undefined ? null : names.letter(id);
  if (id === undefined || letter === null) return null;
  const left = columnOf(names, id, texts.offending);
  if (left === null) return null;
  if (view.expected !== null) {
    const right: Column = { title: texts.expected, says: null, label: texts.expected, text: pretty(view.expected) };
    return sideBySide({ ...left, text: partOf(letter.payload, view.expected) }, right);
  }
  const right = view.fork && second !== undefined ? columnOf(names, second, texts.other) : view.related === null ? null : columnOf(names, view.related, texts.related);
  return right === null ? signed(letter.payload) : sideBySide(left, right);
}

/** The checker's own sentence, without the rule. */
function inItsWords(view: FindingView): Line {
  return [{ foreign: view.finding.text }];
}

function row(term: string, ...what: Child[]): Child {
  return [h("dt", {}, term), h("dd", {}, ...what)];
}

function one(names: Names, view: FindingView): HTMLElement {
  const { finding } = view;
  const who = finding.culprit ?? names.letter(finding.message_ids[0] ?? "")?.author ?? "";
  const what = texts.rules[view.rule] ?? texts.classes[finding.code] ?? finding.code;
  const settled = finding.settled_by === null ? null : names.called(finding.settled_by);
  const sources = sourcesLine(view.sources);
  const compared = beside(names, view);
  const sure = finding.culprit !== null && finding.settled_by === null;
  return h(
    "li",
    { class: sure ? "finding sure" : "finding" },
    h("h4", {}, h("span", { class: "sign", "aria-hidden": "true" }, sure ? "✗ " : "○ "), what),
    h(
      "dl",
      { class: "facts" },
      finding.message_ids.length === 0 ? null : row(texts.letter, finding.message_ids.map((id, i) => [i === 0 ? "" : ", ", names.link(id)]), sources.length === 0 ? null : h("span", { class: "source" }, " ", sources)),
      finding.message_ids.length > 0 || sources.length === 0 ? null : row(texts.letter, sources),
      row(texts.fault, finding.culprit === null ? texts.nobody : { foreign: names.person(finding.culprit) }),
      row(texts.checker, inItsWords(view)),
      row(texts.todo, h("strong", {}, advice(view, names.person(who), settled))),
    ),
    compared === null ? null : h("details", sure ? { open: true } : {}, h("summary", {}, texts.beside), compared),
  );
}

export function findings(names: Names): HTMLElement | null {
  const { findings: list } = names.game;
  if (list.length === 0) return null;
  return h("section", {}, h("h3", { id: `${names.prefix}-wrong` }, texts.heading), h("ol", { class: "findings" }, list.map((view) => one(names, view))));
}

export function missing(names: Names): HTMLElement | null {
  const list = names.game.missing;
  if (list.length === 0) return null;
  const { missing: words } = TEXTS;
  return h(
    "section",
    {},
    h("h3", { id: `${names.prefix}-missing` }, words.heading),
    h(
      "ul",
      {},
      list.map(({ id, author, number, named_by }) => {
        const who = author === null ? null : names.person(author);
        const named = named_by.slice(0, 3).map(names.called);
        return h("li", {}, who === null ? words.unknown : words.known(who, number), " (", h("code", { class: "id" }, id), "), ", words.named(named), ". ", h("strong", {}, who === null ? words.anybody : words.ask(who)));
      }),
    ),
  );
}

export function openMatters(names: Names): HTMLElement | null {
  const list = names.game.open;
  if (list.length === 0) return null;
  const { open: words } = TEXTS;
  return h(
    "section",
    {},
    h("h3", { id: `${names.prefix}-open` }, words.heading),
    h("ul", {}, list.map((matter) => h("li", {}, words.what(matter, matter.who === null ? "" : names.person(matter.who), names.called(matter.id))))),
  );
}

/** Whether the office's clock confirms the deadlines of rulings (disputes 23). */
export function days(names: Names): HTMLElement | null {
  const list = names.game.days;
  if (list.length === 0) return null;
  const { days: words } = TEXTS;
  return h(
    "section",
    {},
    h("h3", { id: `${names.prefix}-days` }, words.heading),
    h("p", { class: "legend" }, words.legend),
    h("ul", {}, list.map((one) => h("li", {}, names.link(one.ruling), `: ${words.what(one)}.`))),
  );
}
