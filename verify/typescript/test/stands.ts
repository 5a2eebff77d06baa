/** Where a course stands, in the few lines of courses.md: always computed from the beginning. */
import type { GameCourse } from "../src/courses.js";
import type { Letter } from "../src/letter.js";
import type { Replay } from "../src/replay.js";
import type { Slot } from "../src/slot.js";
import { has, type State, type View } from "../src/state.js";

interface Stand {
  readonly at: string | null;
  readonly last: string | null;
}

/** The slot and the `after` of a declaration or a decision. */
function madeIn({ content }: Letter): { readonly slot: Slot; readonly after: string | null } | null {
  return content.kind === "declare" || content.kind === "decide" ? content.body : null;
}

function isSettled(state: State, course: GameCourse, view: View, id: string): boolean {
  const declaration = state.declarations.get(id);
  if (declaration === undefined) return false;
  if (course.isHidden) return declaration.answered(view) || declaration.forfeited(view);
  return declaration.namedIn(view) || (declaration.shown(view) && !declaration.forfeited(view));
}

export function standsIn({ order, state }: Replay, course: GameCourse, view: View): Stand {
  const made = order.filter((letter) => {
    const body = madeIn(letter);
    return letter.valid && has(view, letter) && body !== null && state.courseOf(body.slot) === course;
  });
  let stand: Stand = { at: null, last: null };
  for (;;) {
    const next = made.find((letter) => {
      const declaration = state.declarations.get(letter.id);
      if (madeIn(letter)?.after !== stand.at) return false;
      return declaration === undefined || (!declaration.replaced(view) && !declaration.anyVoid(view));
    });
    if (next === undefined) return stand;
    const declaration = state.declarations.get(next.id);
    if (declaration === undefined) stand = { ...stand, at: next.id };
    else {
      const isNamed = declaration.namedIn(view) && !course.isHidden;
      stand = { at: isNamed ? (declaration.named?.by.id ?? null) : next.id, last: next.id };
      if (!isSettled(state, course, view, next.id)) return stand;
    }
  }
}

/** The `after` of a redo that replaces a declaration, or corrects one that does (courses 4); else undefined. */
function ofReplaced(state: State, redo: object | null): string | null | undefined {
  if (redo === null) return undefined;
  if ("agreed" in redo) {
    const asked = state.acceptances.get(String(redo.agreed))?.proposal.declarations[0] ?? "";
    const declaration = state.declarations.get(asked);
    return declaration === undefined ? undefined : declaration.body.after;
  }
  const broken = "breach" in redo ? state.letter(String(redo.breach))?.content : undefined;
  if (broken?.kind !== "declare" || broken.body.redo === null) return undefined;
  return ofReplaced(state, { [broken.body.redo.is]: broken.body.redo.value });
}

/** The `after` of the next letter of a player who knows these letters and their pasts. */
export function nextAfter(
  replay: Replay,
  slot: Slot,
  known: readonly (string | null)[],
  redo: object | null,
): string | null {
  const course = replay.state.courseOf(slot);
  if (course === null) return null;
  const replaced = ofReplaced(replay.state, redo);
  if (replaced !== undefined) return replaced;
  const links = known.flatMap((id) => (id === null ? [] : (replay.state.letter(id) ?? [])));
  const view = { has: (letter: Letter) => links.some((link) => link === letter || link.has(letter)) } as Letter;
  return standsIn(replay, course, view).at;
}
