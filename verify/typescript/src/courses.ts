/** courses.md, as a game plays it: which state there is in the past of a letter, and what a declaration comes to. */
import { hexBytes, utf8 } from "./bytes.js";
import type { Phase } from "./charter.js";
import type { Course, Step, Turn } from "./course.js";
import { openNote } from "./envelope.js";
import { isObject, readPayload, type Json, type JsonObject } from "./json.js";
import type { Letter } from "./letter.js";
import { attempt } from "./refusal.js";
import type { CourseEntry } from "./report.js";
import { compareSlots, slotText } from "./slot.js";
import { END, has, type DeclarationState, type SealState, type State, type View } from "./state.js";

interface Decision {
  readonly letter: Letter;
  readonly name: string;
  readonly value: Json;
}

/** A valid declaration of a course. */
interface Played {
  readonly declaration: DeclarationState;
  readonly turn: Turn;
  /** courses 6: the notes that it found. */
  readonly standing: readonly SealState[];
  /** The valid decisions that were made on it, in the order of replay. */
  readonly decisions: Decision[];
  /** What it comes to by its own dice, and by those that were named; each is worked out once. */
  shown: Step | null;
  named: Step | null;
}

/** What a course is at in a past: its state, and the declaration that it is of. */
export interface Standing {
  readonly state: JsonObject;
  readonly last: DeclarationState | null;
}

export class GameCourse {
  /** In the order of slots; of one slot, that of the player who comes first in the charter is the last. */
  private readonly played: Played[] = [];
  private readonly byDeclaration = new Map<DeclarationState, Played>();
  /** Every declaration that counts, in breach or not. */
  private readonly declared: Letter[] = [];

  constructor(
    readonly system: string,
    /** ocs 3: there is one. */
    readonly phase: Phase,
    readonly course: Course,
    private readonly game: State,
  ) {}

  // courses 3
  private lastIn(view: View, without: DeclarationState | null): Played | null {
    for (let i = this.played.length - 1; i >= 0; i--) {
      const one = this.played[i];
      const declaration = one?.declaration;
      if (one === undefined || declaration === undefined || declaration === without || !has(view, declaration.letter)) continue;
      if (!declaration.replaced(view) && !declaration.anyVoid(view)) return one;
    }
    return null;
  }

  private of(declaration: DeclarationState): Played | null {
    return this.byDeclaration.get(declaration) ?? null;
  }

  /** courses 2: whether what the notes say is known. */
  notesOpen(view: View, declaration: DeclarationState): boolean {
    return this.of(declaration)?.standing.every((note) => note.isOpen(view, 0)) ?? true;
  }

  /** courses 2, 4: what a declaration comes to, or null while it is not settled. */
  private after(view: View, one: Played): Step | null {
    const { declaration, turn } = one;
    if (!this.notesOpen(view, declaration)) return null;
    if (declaration.namedIn(view)) {
      const { dice = [] } = declaration.named ?? {};
      return (one.named ??= turn.after([dice], this.saidBy(one)));
    }
    if (declaration.forfeited(view) || !declaration.shown(view)) return null;
    if (one.shown === null) {
      const dice = declaration.dice();
      if (dice !== null) one.shown = turn.after(dice.map((roll) => roll.draws.map((draw) => draw.value)), this.saidBy(one));
    }
    return one.shown;
  }

  /** What standing notes say, by role; what is no canonical object says nothing (courses 6). */
  private saidBy({ standing }: Played): ReadonlyMap<string, Json> {
    const said = new Map<string, Json>();
    for (const note of standing) {
      const opening = note.opening(END, 0);
      const [commit, ciphertext] = [note.body.commits[0], note.body.notes?.[0]];
      if (opening === null || commit === undefined || ciphertext === undefined) continue;
      const read = attempt(() => readPayload(utf8(openNote(note.context, opening.key, commit, hexBytes(ciphertext)))).value);
      if (read.ok && isObject(read.value)) said.set(note.letter.author, read.value);
    }
    return said;
  }

  /** courses 3: the state in a past, or null while there is none. */
  stateIn(view: View, without: DeclarationState | null = null): Standing | null {
    const last = this.lastIn(view, without);
    if (last === null) return { state: this.course.begins, last: null };
    const state = this.decided(view, last);
    return state === null ? null : { state, last: last.declaration };
  }

  /** The state after a declaration and the decisions on it. */
  private decided(view: View, one: Played): JsonObject | null {
    const step = this.after(view, one);
    if (step === null) return null;
    let { state } = step;
    for (const { letter, name, value } of one.decisions) {
      if (!has(view, letter)) continue;
      const awaited = this.course.awaits(state);
      if (awaited.is !== "decision" || awaited.name !== name || awaited.by !== letter.author) continue;
      const decided = attempt(() => this.course.decide(state, name, value).state);
      if (decided.ok) state = decided.value;
    }
    return state;
  }

  /** What a declaration has come to at the end of the letters at hand, whatever came after it. */
  stateAfter(declaration: DeclarationState): JsonObject | null {
    const one = this.of(declaration);
    return one === null ? null : this.decided(END, one);
  }

  /** What a declaration came to by its dice and the standing notes alone, or null while it is not settled (courses 2). */
  outcome(view: View, declaration: DeclarationState): Step | null {
    const one = this.of(declaration);
    return one === null ? null : this.after(view, one);
  }

  /** courses 6: the notes of other roles that a declaration of a slot finds. */
  notesFor(letter: Letter, slot: string): SealState[] {
    return this.game.chains.players
      .filter((role) => role !== letter.author)
      .flatMap((role) => this.game.notes(letter, `${slot}/${STANDING}`, role).filter((note) => !note.killed(letter)));
  }

  declare(declaration: DeclarationState, turn: Turn): void {
    const { charter } = this.game.chains;
    const { letter, body } = declaration;
    const after = ({ declaration: one }: Played): boolean => (compareSlots(charter, one.body.slot, body.slot) || letter.place - one.letter.place) > 0;
    const made: Played = { declaration, turn, standing: this.notesFor(letter, slotText(body.slot)), decisions: [], shown: null, named: null };
    let at = this.played.length;
    for (let one = this.played[at - 1]; one !== undefined && after(one); one = this.played[at - 1]) at--;
    this.played.splice(at, 0, made);
    this.byDeclaration.set(declaration, made);
  }

  decide(letter: Letter, name: string, value: Json): void {
    this.lastIn(letter, null)?.decisions.push({ letter, name, value });
  }

  /** Every declaration that counts is known, for the scopes that it closes (courses 5). */
  note(letter: Letter): void {
    this.declared.push(letter);
  }

  // courses 5
  goesOnAfter(letter: Letter, declaration: DeclarationState): boolean {
    const { charter } = this.game.chains;
    return this.declared.some((one) => one.content.kind === "declare" && compareSlots(charter, one.content.body.slot, declaration.body.slot) > 0 && letter.has(one));
  }

  /** courses 6: whether a seal is a standing note which a valid declaration in a past found. */
  due(view: View, seal: SealState): boolean {
    return this.played.some((one) => one.standing.includes(seal) && has(view, one.declaration.letter));
  }

  // courses 9
  report(): CourseEntry {
    return { state: this.stateIn(END)?.state ?? null, system: this.system };
  }
}

const STANDING = "standing";
