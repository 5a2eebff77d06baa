/** courses 3 to 6: the spots where a course can stand, and the letters that lead from one spot to the next. */
import { hexBytes, utf8 } from "./bytes.js";
import type { Step, Turn } from "./course.js";
import { openNote } from "./envelope.js";
import { isObject, readPayload, type Json } from "./json.js";
import type { Letter } from "./letter.js";
import { attempt } from "./refusal.js";
import type { Roll } from "./roll.js";
import { END, has, type DeclarationState, type SealState, type View } from "./state.js";

/** A letter that is taken where the course stands at its `after` (courses 5). */
export interface Made {
  readonly letter: Letter;
  /** Where the course stands after it, or null if it is replaced or partly void in this past. */
  spotIn(view: View): Spot | null;
}

/** A spot where a course can stand (courses 4). The spots of a game form a tree by `after`, and equal spots are one object. */
export interface Spot {
  /** The declaration, decision, or `names` of dice that was taken last; null at the start. */
  readonly at: Letter | null;
  readonly before: Spot | null;
  /** The last declaration that was taken. */
  readonly last: Played | null;
  /** The result of that letter, without notes that have spoken since; null while the declaration is not settled. */
  readonly step: Step | null;
  /** The valid letters with this spot as their `after`. */
  readonly next: Made[];
  /** The step with the notes that speak, by the authors of these notes. */
  readonly heard: Map<string, Step>;
}

export function spotAt(at: Letter | null, before: Spot | null, last: Played | null, step: Step | null): Spot {
  return { at, before, last, step, next: [], heard: new Map() };
}

type Draws = readonly (readonly number[])[];

export interface Outcome {
  readonly rolls: readonly Roll[];
  readonly spot: Spot;
}

/** A valid declaration of a course. */
export class Played implements Made {
  readonly letter: Letter;
  /** The number of declarations taken, including this one. */
  readonly place: number;
  /** The last declaration by each author. */
  readonly lastBy: ReadonlyMap<string, DeclarationState>;
  private readonly says: ReadonlyMap<string, Json>;
  /** The outcomes of named dice, by the `names` letter. */
  private readonly outcomes = new Map<string, Outcome>();
  private readonly unsettled: Spot;

  constructor(
    readonly declaration: DeclarationState,
    /** Where the course stands at its `after`. */
    readonly from: Spot,
    private readonly turn: Turn,
    /** The standing notes that the declaration found (courses 12). */
    readonly found: readonly SealState[],
    /** The orders of both players (courses 18). */
    readonly orders: readonly SealState[],
    private readonly hidden: boolean,
  ) {
    this.letter = declaration.letter;
    this.place = (from.last?.place ?? 0) + 1;
    this.lastBy = new Map([...(from.last?.lastBy ?? []), [this.letter.author, declaration]]);
    this.says = said(orders);
    this.unsettled = spotAt(this.letter, from, this, null);
  }

  spotIn(view: View): Spot | null {
    if (this.declaration.replaced(view) || this.declaration.anyVoid(view)) return null;
    return this.outcomeIn(view)?.spot ?? this.unsettled;
  }

  /** Its result, or null while it is not settled in a past (courses 3). */
  outcomeIn(view: View): Outcome | null {
    const { declaration, letter } = this;
    if (this.hidden) {
      // hidden 3
      const settled = declaration.answered(view) || declaration.forfeited(view);
      return settled ? this.outcome(letter, (rolls) => rolls.map(() => [])) : null;
    }
    const { named } = declaration;
    if (named !== null && declaration.namedIn(view)) return this.outcome(named.by, () => [named.dice]);
    if (declaration.forfeited(view) || !declaration.shown(view)) return null;
    return this.outcome(letter, (rolls) => declaration.dice(rolls)?.map(({ draws }) => draws.map(({ value }) => value)) ?? null);
  }

  /** The dice that it asks for. */
  rolls(): readonly Roll[] {
    return this.turn.rolls(this.says);
  }

  private outcome(at: Letter, draws: (rolls: readonly Roll[]) => Draws | null): Outcome | null {
    const known = this.outcomes.get(at.id);
    if (known !== undefined) return known;
    const rolls = this.rolls();
    const drawn = draws(rolls);
    if (drawn === null) return null;
    const outcome = { rolls, spot: spotAt(at, this.from, this, this.turn.after(drawn, this.says)) };
    this.outcomes.set(at.id, outcome);
    return outcome;
  }
}

/** Where the course stands after the letter taken at a spot, or null if no letter was taken (courses 5). */
export function nextIn(view: View, { next }: Spot): Spot | null {
  for (const made of next) {
    const spot = has(view, made.letter) ? made.spotIn(view) : null;
    if (spot !== null) return spot;
  }
  return null;
}

/** Where the course stood before a declaration that is on the way to a spot; otherwise that spot. */
export function spotBefore(spot: Spot, played: Played): Spot {
  let { last } = spot;
  while (last !== null && last.place > played.place) last = last.from.last;
  return last === played ? played.from : spot;
}

/** The content of notes, by role. A note that is not a canonical object says nothing (courses 14). */
export function said(notes: readonly SealState[]): ReadonlyMap<string, Json> {
  const all = new Map<string, Json>();
  for (const note of notes) {
    const opening = note.opening(END, 0);
    const [commit, ciphertext] = [note.body.commits[0], note.body.notes?.[0]];
    if (opening === null || commit === undefined || ciphertext === undefined) continue;
    const read = attempt(() => {
      const text = openNote(note.context, opening.key, commit, hexBytes(ciphertext));
      return readPayload(utf8(text)).value;
    });
    if (read.ok && isObject(read.value)) all.set(note.letter.author, read.value);
  }
  return all;
}
