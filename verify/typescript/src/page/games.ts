/** The report: the verdict first, then each game. */
import { continues } from "./continues.js";
import { h, type Child, type Line } from "./dom.js";
import { days, findings, missing, openMatters } from "./findings.js";
import type { GameView, ReportView } from "./model.js";
import { Names } from "./names.js";
import type { ByHand } from "./rolls.js";
import { held } from "./held.js";
import { sheets } from "./sheets.js";
import { TEXTS, verdictOf } from "./texts.js";
import { timeline } from "./timeline.js";

const { verdict: texts, game: words } = TEXTS;

function titleOf(game: GameView): Child {
  if (game.id === null) return words.loose;
  return game.title === null ? words.untitled : { foreign: game.title };
}

function headsOf(names: Names): Line {
  const heads = names.game.heads.flatMap(([role, head]) => (head === null ? [] : [texts.head(names.person(role), head.number, names.short(head.id))]));
  return heads.length === 0 ? [] : texts.heads(heads);
}

/** The verdict in one sentence, and up to which letters it holds. */
function verdict(names: Names): HTMLElement {
  const { game } = names;
  const unproved = game.open.filter((one) => one.what === "unproved").length;
  return h(
    "div",
    { class: `verdict ${game.verdict}` },
    h("p", { class: "sentence" }, h("span", { class: "sign", "aria-hidden": "true" }, texts.signs[game.verdict]), h("span", {}, verdictOf(game, names.person))),
    unproved === 0 ? null : h("p", {}, texts.unproved(unproved)),
    game.id === null ? null : h("p", {}, game.complete ? texts.complete : texts.incomplete, " ", headsOf(names)),
  );
}

function people(names: Names): Child {
  const { game } = names;
  if (game.people.length === 0) return null;
  const id = `${names.prefix}-people`;
  return h(
    "section",
    {},
    h("h3", { id }, words.people),
    h("ul", { class: "people" }, game.people.map((person) => h("li", {}, h("b", {}, { foreign: person.name }), ` (${person.role}), ${words[person.part]}; ${words.fingerprint} `, h("code", { class: "print" }, person.fingerprint)))),
    game.id === null ? null : h("p", {}, `${words.id} `, h("code", { class: "id" }, game.id)),
  );
}

function contents(all: readonly Names[]): Child {
  if (all.length < 2) return null;
  return h("nav", { "aria-label": words.contents }, h("p", {}, texts.several(all.filter((one) => one.game.id !== null).length), ":"), h("ul", {}, all.map((one) => h("li", {}, h("a", { href: `#${one.prefix}` }, titleOf(one.game)), ` – ${texts.signs[one.game.verdict]} ${texts.each[one.game.verdict]}`))));
}

/** Shows a report part by part. `breathe` lets the page handle events in between, and resolves to false if showing must stop. */
export async function show(view: ReportView, into: HTMLElement, byHand: ByHand, breathe: () => Promise<boolean>): Promise<void> {
  into.replaceChildren();
  const all = view.games.map((game, i) => new Names(game, `game-${i + 1}`));
  if (all.length === 0) {
    into.append(h("div", { class: "verdict undecided" }, h("p", { class: "sentence" }, texts.nothing)));
    return;
  }
  const overview = contents(all);
  if (overview instanceof Node) into.append(overview);
  for (const names of all) {
    const section = h("section", { class: "game", id: names.prefix, "aria-labelledby": `${names.prefix}-title` }, h("h2", { id: `${names.prefix}-title` }, titleOf(names.game)), verdict(names));
    into.append(section);
    const before = continues(names, all);
    if (before !== null) section.append(before);
    for (const one of [findings(names), missing(names), openMatters(names), days(names)]) if (one !== null) section.append(one);
    const who = people(names);
    if (who instanceof Node) section.append(who);
    const grid = sheets(names);
    const letters = await timeline(names, byHand, breathe);
    if (letters !== null) section.append(letters);
    if (grid !== null) section.append(grid);
    const kept = held(names);
    if (kept !== null) section.append(kept);
    section.append(h("p", { class: "limits" }, texts.limits));
    if (!(await breathe())) return;
  }
}

/** The text for screen readers: the verdicts of all games. */
export function spoken(view: ReportView): Line {
  if (view.games.length === 0) return [texts.nothing];
  return view.games.flatMap((game, i) => [...(i > 0 ? [" "] : []), ...verdictOf(game, new Names(game, "").person)]);
}
