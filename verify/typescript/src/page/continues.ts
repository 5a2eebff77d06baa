/** Describes the old game that a game continues, in one short paragraph. */
import { h, type Child } from "./dom.js";
import type { Names } from "./names.js";
import { TEXTS } from "./texts.js";

const { continues: texts } = TEXTS;

/** Most letters named in a list; any others are only counted. */
const NAMED = 12;

/** Names a game by its title, with a link to it if it is on the page. */
function link(id: string, all: readonly Names[]): Child {
  const names = all.find(({ game }) => game.id === id);
  const short: Child = h("code", { class: "id" }, id.slice(0, 8));
  if (names === undefined) return short;
  const { title } = names.game;
  return [h("a", { href: `#${names.prefix}` }, title === null ? TEXTS.game.untitled : { foreign: title }), " (", short, ")"];
}

function listed(items: readonly Child[]): Child {
  const more = items.length - NAMED;
  return [items.slice(0, NAMED).map((item, i) => [i === 0 ? "" : ", ", item]), more > 0 ? texts.more(more) : null];
}

export function continues(names: Names, all: readonly Names[]): HTMLElement | null {
  const { continues: entry } = names.game;
  if (entry === null) return null;
  const { at_hand, behind, game, open, others, same_keys, same_states, states } = entry;
  const old = all.find((one) => one.game.id === game);
  const letters = (ids: readonly string[]): Child => listed(ids.map((id) => old?.link(id) ?? id.slice(0, 8)));
  const known: Child = [
    behind.length === 0 ? texts.nothingBehind : [texts.behind(behind.length), letters(behind), ". "],
    open.length === 0 ? texts.nothingOpen : [texts.open, letters(open), ". "],
    states === 0 ? texts.noStates : same_states ? texts.sameStates : texts.otherStates,
    same_keys.length === 0 ? texts.noKeys : texts.keys(same_keys.map(names.person)),
  ];
  const also = others.length === 0 ? null : [texts.others(others.length), listed(others.map((id) => link(id, all))), "."];
  return h("p", { class: "continues" }, texts.of, link(game, all), ". ", at_hand ? known : texts.absent, also);
}
