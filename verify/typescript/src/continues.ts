/** The old game that a game continues (audit 11, 12). */
import { byText } from "./bytes.js";
import { buildChains } from "./chain.js";
import { partiesOf, type Charter } from "./charter.js";
import { sameJson } from "./json.js";
import type { Letter } from "./letter.js";
import { LIMITS } from "./limits.js";
import type { Message } from "./message.js";
import { replay, type Replay } from "./replay.js";
import type { ContinuesEntry } from "./report.js";
import { END, type State } from "./state.js";

type Continues = NonNullable<Charter["continues"]>;

/** A game that can be continued. */
interface Old {
  /** The id of its accept. */
  readonly game: string;
  readonly replay: Replay;
}

/** Returns the letters of the heads, or null if this game does not have them. */
function headsIn({ replay: { chains } }: Old, { heads }: Continues): Letter[] | null {
  if (heads.size !== chains.roles.length || !chains.roles.every((role) => heads.has(role))) return null;
  const found: Letter[] = [];
  for (const [role, id] of heads) {
    if (id === null) continue;
    const letter = chains.letters.get(id);
    if (letter?.placed !== true || letter.author !== role) return null;
    found.push(letter);
  }
  return found;
}

/** The courses whose state the charter repeats unchanged. */
function sameStates({ states }: Continues, { courses }: State): boolean {
  return [...states].every(([system, given]) => {
    const state = courses.get(system)?.stateIn(END) ?? null;
    return state !== null && sameJson(state, given);
  });
}

/** Valid declarations that are neither answered nor forfeited, and not on a discarded branch. */
function openIn({ declarations }: State): string[] {
  const open = [...declarations.values()].filter((one) => !one.answered(END) && !one.forfeited(END));
  return open.map(({ letter }) => letter.id);
}

function sameKeys(a: Charter, b: Charter): string[] {
  const keys = new Map(partiesOf(a).map(({ role, key }) => [role, key]));
  return partiesOf(b).filter(({ role, key }) => keys.get(role) === key).map(({ role }) => role).sort(byText);
}

/** `others` are the other games that continue the same game; `old` is that game, if it is on hand and replayed. */
export function continuesEntry(charter: Charter, others: readonly string[], old: Old | null): ContinuesEntry | null {
  const { continues } = charter;
  if (continues === null) return null;
  const { game } = continues;
  // Each game costs another replay of the old game.
  const heads = old === null || others.length >= LIMITS.sequels ? null : headsIn(old, continues);
  if (old === null || heads === null) {
    return { at_hand: false, behind: [], game, open: [], others, same_keys: [], same_states: false };
  }
  const { chains, order } = old.replay;
  const accept = chains.letters.get(old.game);
  const tips = accept === undefined ? heads : [...heads, accept];
  const isKept = (letter: Letter): boolean => tips.some((tip) => tip === letter || tip.has(letter));
  const kept: Message[] = order.filter(isKept).map(({ message }) => message);
  const { state } = replay(buildChains(chains.charter, kept), old.game);
  return {
    at_hand: true,
    behind: order.filter((letter) => !isKept(letter)).map(({ id }) => id),
    game,
    open: openIn(state),
    others,
    same_keys: sameKeys(chains.charter, charter),
    same_states: sameStates(continues, state),
  };
}
