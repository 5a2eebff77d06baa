/** courses 3 to 6: where a course can stand, and the declarations that lead from one spot to the next. */
import { hexBytes, utf8 } from "./bytes.js";
import type { Step, Turn } from "./course.js";
import { openNote } from "./envelope.js";
import { isObject, readPayload, type Json } from "./json.js";
import type { Letter } from "./letter.js";
import { attempt } from "./refusal.js";
import type { Roll } from "./roll.js";
import { END, has, type DeclarationState, type SealState, type View } from "./state.js";

/** courses 5: a letter that is taken where the course stands at its `after`. */
export interface Made {
  readonly letter: Letter;
  /** Where the course stands once it is taken, or null if a redo replaces it in this past, or a roll of it is void. */
  spotIn(view: View): Spot | null;
}

/** courses 4: where a course can stand. The spots of a game are a tree, by `after`: equal ones are one object. */
export interface Spot {
  /** A declaration, a decision, or the `names` of a declaration's dice; null if nothing was taken yet. */
  readonly at: Letter | null;
  readonly before: Spot | null;
  /** The declaration that was taken last. */
  readonly last: Played | null;
  /** What that letter results in, without the notes that speak since; null while the declaration is not settled. */
  readonly step: Step | null;
  /** The valid letters whose `after` it is. */
  readonly next: Made[];
  /** By the authors of the notes that speak, what the step results in with them. */
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
  /** How many declarations are taken once this one is. */
  readonly place: number;
  /** By author, the last of them. */
  readonly lastBy: ReadonlyMap<string, DeclarationState>;
  private readonly says: ReadonlyMap<string, Json>;
  /** By the `names` of its dice. */
  private readonly outcomes = new Map<string, Outcome>();
  private readonly unsettled: Spot;

  constructor(
    readonly declaration: DeclarationState,
    /** Where the course stands at its `after`. */
    readonly from: Spot,
    private readonly turn: Turn,
    /** courses 12 */
    readonly found: readonly SealState[],
    /** courses 18 */
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

  /** courses 3: what it results in, or null while it is not settled in a past. */
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

/** courses 5: where the course stands behind the letter that is taken at a spot, or null if none is. */
export function nextIn(view: View, { next }: Spot): Spot | null {
  for (const made of next) {
    const spot = has(view, made.letter) ? made.spotIn(view) : null;
    if (spot !== null) return spot;
  }
  return null;
}

/** Where the course stood before a declaration, if that is on the way to a spot; else the spot. */
export function spotBefore(spot: Spot, played: Played): Spot {
  let { last } = spot;
  while (last !== null && last.place > played.place) last = last.from.last;
  return last === played ? played.from : spot;
}

/** What notes say, by role; what is no canonical object says nothing (courses 14). */
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
