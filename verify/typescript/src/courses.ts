/** courses.md, as a game plays it: where a course stands in the past of a letter, and what a declaration results in. */
import { ORDERS, type Awaits, type Course, type Step, type Turn, type Violation } from "./course.js";
import { field, isObject, makeObject, type Json, type JsonObject } from "./json.js";
import type { Letter } from "./letter.js";
import { add } from "./lists.js";
import { STANDING } from "./office.js";
import { attempt } from "./refusal.js";
import type { CourseEntry } from "./report.js";
import type { Roll } from "./roll.js";
import { compareSlots, slotText, type Slot } from "./slot.js";
import { nextIn, Played, said, spotAt, spotBefore, type Made, type Outcome, type Spot } from "./spots.js";
import { countIn, END, has, lastIn, type DeclarationState, type SealState, type State, type View } from "./state.js";

export class GameCourse {
  readonly start: Spot;
  private readonly played = new Map<DeclarationState, Played>();
  /** ruling 4: by standing note, the valid declarations that found it. */
  private readonly finders = new Map<SealState, DeclarationState[]>();
  /** By author, the valid declarations and decisions, and where the course stands at their `after`. */
  private readonly made = new Map<string, Letter[]>();
  private readonly madeAt = new Map<Letter, Spot>();
  /** By author, the letters by which a declaration is replaced, void, forfeited or named, and which ones. */
  private readonly changes = new Map<string, Letter[]>();
  private readonly changed = new Map<Letter, Played[]>();
  /** courses 8: by player, the declarations in breach that can be done again and that they have not left behind. */
  private readonly breaches = new Map<string, Set<Letter>>();
  /** courses 8: the first valid declarations that have the breach in their past and another `after`. */
  readonly leftBehind = new Map<Letter, Letter[]>();
  private readonly awaited = new WeakMap<JsonObject, Awaits>();
  private known: { readonly view: Letter; readonly spot: Spot } | null = null;

  constructor(
    readonly system: string,
    /** Where it is declared in each turn. */
    private readonly places: readonly Omit<Slot, "turn" | "number">[],
    readonly course: Course,
    /** courses 1 */
    begins: JsonObject,
    private readonly game: State,
  ) {
    this.start = spotAt(null, null, null, { state: begins, public: makeObject([]) });
  }

  /**
   * courses 5: where the course stands in a past. In the past of the letter of the course that was made last there it stood
   * somewhere; the search begins there, or before a declaration on the way that another letter has taken back since.
   */
  spotIn(view: View): Spot {
    if (view !== END && this.known?.view === view) return this.known.spot;
    let from: Letter | null = null;
    for (const letters of this.made.values()) {
      const last = lastIn(view, letters);
      if (last !== null && (from === null || last.has(from))) from = last;
    }
    let spot = this.start;
    if (from !== null) {
      spot = this.madeAt.get(from) ?? spot;
      for (const letters of this.changes.values()) {
        const since = letters.slice(countIn(from, letters), countIn(view, letters));
        for (const one of since.flatMap((letter) => this.changed.get(letter) ?? [])) spot = spotBefore(spot, one);
      }
    }
    for (let next = nextIn(view, spot); next !== null; next = nextIn(view, spot)) spot = next;
    if (view !== END) this.known = { view, spot };
    return spot;
  }

  /** Where the course stands for a declaration that replaces another one, or none (declare 14). */
  spotFor(view: View, replaced: DeclarationState | null): Spot {
    const from = replaced === null ? undefined : this.played.get(replaced)?.from;
    return from ?? this.spotIn(view);
  }

  /** courses 6, 14: what the letter at a spot results in, and the notes that speak there. */
  stepAt(view: View, { heard, last, step }: Spot): Step | null {
    const open = last?.found.filter((note) => note.isOpen(view, 0)) ?? [];
    if (step === null || open.length === 0) return step;
    const authors = open.map(({ letter }) => letter.author).join(" ");
    const known = heard.get(authors) ?? this.answered(said(open), step);
    heard.set(authors, known);
    return known;
  }

  /** courses 6: the state in a past, or null if there is none. */
  stateIn(view: View): JsonObject | null {
    return this.stepAt(view, this.spotIn(view))?.state ?? null;
  }

  /** The state before a declaration. */
  stateBefore(declaration: DeclarationState): JsonObject | null {
    const played = this.played.get(declaration);
    return played === undefined ? null : (this.stepAt(played.letter, played.from)?.state ?? null);
  }

  /** courses 14: makes the decisions for which the notes have a wish. */
  private answered(says: ReadonlyMap<string, Json>, first: Step): Step {
    let step = first;
    for (;;) {
      const { state } = step;
      const awaited = this.awaits(state);
      const wishes = awaited.is === "decision" ? says.get(awaited.by) : undefined;
      if (awaited.is !== "decision" || !isObject(wishes)) return step;
      const wish = field(wishes, awaited.name);
      if (wish === undefined) return step;
      const { course } = this;
      const value = (): Json => (course.wished === undefined ? wish : course.wished(state, wish));
      const made = attempt(() => course.decide(state, awaited.name, value()));
      if (!made.ok) return step;
      step = { ...made.value, story: [...(step.story ?? []), ...(made.value.story ?? [])] };
    }
  }

  /** courses 13: the standing note that is due in a past. */
  noteDueIn(view: View): SealState | null {
    const found = this.spotIn(view).last?.found ?? [];
    const state = found.length === 0 ? null : this.stateIn(view);
    const awaited = state === null ? null : this.awaits(state);
    if (awaited?.is !== "decision") return null;
    return found.find((note) => note.letter.author === awaited.by && !note.isOpen(view, 0)) ?? null;
  }

  /** courses 13: whether a standing note is due in a past. */
  isDue(view: View, note: SealState): boolean {
    return this.finders.has(note) && this.noteDueIn(view) === note;
  }

  /** Whether a declaration was the one that was taken last in a past. */
  isLast(view: View, declaration: DeclarationState): boolean {
    return this.spotIn(view).last?.declaration === declaration;
  }

  /** Whether a slot is at the place that is awaited. */
  isPlace({ turn, place }: { readonly turn: number; readonly place: number }, slot: Slot): boolean {
    const at = this.places[place];
    return turn === slot.turn && at?.impulse === slot.impulse && at.phase === slot.phase;
  }

  /** courses 7 to 9: whether a declaration in breach is still pending. */
  isPending(view: View, breach: Letter, slot: Slot, replaced: DeclarationState | null, declarer: string | null): boolean {
    if (replaced !== null) return this.isLast(view, replaced);
    if (this.leftBehind.get(breach)?.some((left) => has(view, left)) === true) return false;
    const state = this.stateIn(view);
    if (state === null) return false;
    const awaited = this.awaits(state);
    return awaited.is !== "decision" && this.isPlace(awaited, slot) && (awaited.by ?? declarer) === breach.author;
  }

  /** declare 17: the first place for which others may not be declared yet. */
  front(view: View): Slot {
    const { last } = this.spotIn(view);
    const state = this.stateIn(view);
    const awaited = state === null ? null : this.awaits(state);
    const place = awaited?.is === "turn" ? this.places[awaited.place] : undefined;
    if (awaited?.is === "turn" && place !== undefined) return { turn: awaited.turn, ...place, number: 0 };
    return last === null ? { turn: 0, impulse: 0, phase: "", number: 0 } : { ...last.declaration.body.slot, number: 0 };
  }

  /** What a state awaits; it is asked often. */
  awaits(state: JsonObject): Awaits {
    const known = this.awaited.get(state) ?? this.course.awaits(state);
    this.awaited.set(state, known);
    return known;
  }

  get isHidden(): boolean {
    return this.course.hidden !== undefined;
  }

  has(declaration: DeclarationState | undefined): boolean {
    return declaration !== undefined && this.played.has(declaration);
  }

  /** declare 18: the last declaration of an author that was taken in a past. */
  lastBy(view: View, author: string): DeclarationState | null {
    return this.spotIn(view).last?.lastBy.get(author) ?? null;
  }

  /** courses 11: whether a declaration was taken in a past, and every later one that was taken is in a scope. */
  canBeVoid(view: View, declaration: DeclarationState, scope: ReadonlySet<DeclarationState>): boolean {
    let { last } = this.spotIn(view);
    while (last !== null && last.declaration !== declaration && scope.has(last.declaration)) last = last.from.last;
    return last?.declaration === declaration;
  }

  /** courses 11: whether a scope has every declaration that was taken in a past and is of a later place than a slot. */
  isCovered(view: View, slot: Slot, scope: ReadonlySet<DeclarationState>): boolean {
    const { charter } = this.game.chains;
    let { last } = this.spotIn(view);
    while (last !== null && scope.has(last.declaration)) last = last.from.last;
    return last === null || compareSlots(charter, last.declaration.body.slot, slot) <= 0;
  }

  /**
   * courses 6: what was taken at the end: the declarations in their order, each with its step and those of the decisions on
   * it, notes that speak included. All other declarations were passed over.
   */
  takenAtEnd(): ReadonlyMap<DeclarationState, readonly (Step | null)[]> {
    const path: Spot[] = [];
    for (let spot = this.spotIn(END); spot.before !== null; spot = spot.before) path.push(spot);
    const taken = new Map<DeclarationState, (Step | null)[]>();
    for (const spot of path.reverse()) {
      if (spot.last !== null) add(taken, spot.last.declaration, this.stepAt(END, spot));
    }
    return taken;
  }

  /** courses 6: decisions that change nothing. */
  decisionsPassedOver(): ReadonlySet<Letter> {
    const passed = new Set([...this.madeAt.keys()].filter((letter) => letter.kind === "decide"));
    for (let spot = this.spotIn(END); spot.before !== null; spot = spot.before) if (spot.at !== null) passed.delete(spot.at);
    return passed;
  }

  /** hidden 9: the declarations that were taken at the end, in their order, and whether their sheets are open. */
  sheetsAtEnd(): { readonly declaration: DeclarationState; readonly open: boolean }[] {
    if (!this.isHidden) return [];
    const isOpen = (declaration: DeclarationState): boolean => this.sheetOf(declaration)?.isOpen(END, 0) ?? false;
    return [...this.takenAtEnd().keys()].map((declaration) => ({ declaration, open: isOpen(declaration) }));
  }

  // hidden 2
  private sheetOf({ body }: DeclarationState): SealState | null {
    return body.moves.is === "note" ? this.game.seal(body.moves.value.seal) : null;
  }

  /** What a declaration results in by its dice alone, or null while it is not settled (courses 3). */
  outcome(view: View, declaration: DeclarationState): Outcome | null {
    return this.played.get(declaration)?.outcomeIn(view) ?? null;
  }

  /** The dice that a declaration asks for. */
  rolls(declaration: DeclarationState): readonly Roll[] {
    return this.played.get(declaration)?.rolls() ?? declaration.reading.rolls;
  }

  /** courses 12: the notes that a declaration of a slot finds. */
  notesFor(letter: Letter, slot: string): SealState[] {
    // hidden 1, courses 18
    return this.isHidden || this.course.takesOrders === true ? [] : this.notesNamed(letter, `${slot}/${STANDING}`);
  }

  /** courses 18: the orders of a declaration of a slot, one of each player. */
  private ordersFor(letter: Letter, slot: string): SealState[] {
    return this.course.takesOrders === true ? this.notesNamed(letter, `${slot}/${ORDERS}`) : [];
  }

  private notesNamed(letter: Letter, purpose: string): SealState[] {
    const notes = this.game.chains.players.flatMap((role) => this.game.notes(letter, purpose, role));
    return notes.filter((note) => !note.killed(letter));
  }

  /** ruling 4: whether a valid declaration in a past found a note. */
  isFound(view: View, note: SealState): boolean {
    return this.finders.get(note)?.some(({ letter }) => has(view, letter)) ?? false;
  }

  /** courses 19, 20: the findings that outcomes bring along, by the letter that they are on. */
  violations(): ReadonlyMap<Letter, readonly Violation[]> {
    const found = new Map<Letter, { readonly declaration: DeclarationState; readonly all: readonly Violation[] }>();
    for (const [declaration, played] of this.played) {
      const violations = played.outcomeIn(END)?.spot.step?.violations ?? [];
      for (const role of new Set(violations.map(({ by }) => by))) {
        const letter = played.orders.find((note) => note.letter.author === role)?.letter ?? declaration.letter;
        if (!found.has(letter)) found.set(letter, { declaration, all: violations.filter(({ by }) => by === role) });
      }
    }
    const blamed = [...found].filter(([letter, { declaration }]) => !this.mayHaveBeenGood(letter, declaration));
    return new Map(blamed.map(([letter, { all }]) => [letter, all] as const));
  }

  // courses 21
  private mayHaveBeenGood(letter: Letter, { body }: DeclarationState): boolean {
    const state = this.stateIn(letter);
    if (state === null || (this.spotIn(letter).at?.id ?? null) === body.after) return false;
    const awaited = this.awaits(state);
    return awaited.is === "turn" && this.isPlace(awaited, body.slot);
  }

  /** Takes in a valid declaration. */
  declare(declaration: DeclarationState, turn: Turn, from: Spot): void {
    const { letter, body } = declaration;
    const slot = slotText(body.slot);
    const [found, orders] = [this.notesFor(letter, slot), this.ordersFor(letter, slot)];
    const played = new Played(declaration, from, turn, found, orders, this.isHidden);
    this.played.set(declaration, played);
    for (const note of found) add(this.finders, note, declaration);
    this.make(played, from);
    const breaches = this.breaches.get(letter.author);
    for (const breach of breaches ?? []) {
      if (!letter.has(breach) || afterOf(breach) === body.after) continue;
      breaches?.delete(breach);
      this.leaveBehind(breach, letter);
    }
  }

  /** Takes in a valid decision. */
  decide(letter: Letter, name: string, value: Json): void {
    const from = this.spotIn(letter);
    const state = this.stateIn(letter);
    if (state === null) return;
    const then = spotAt(letter, from, from.last, this.course.decide(state, name, value));
    this.make({ letter, spotIn: () => then }, from);
  }

  private make(made: Made, from: Spot): void {
    const { letter } = made;
    from.next.push(made);
    this.madeAt.set(letter, from);
    add(this.made, letter.author, letter);
  }

  /** Takes in a declaration in breach that can be done again, and that replaces none. */
  breach(letter: Letter): void {
    for (const player of this.game.chains.players) {
      const breaches = this.breaches.get(player) ?? new Set();
      this.breaches.set(player, breaches.add(letter));
    }
  }

  /** courses 8: with what it was to mend. */
  private leaveBehind(breach: Letter, by: Letter): void {
    for (let at: Letter | null = breach; at !== null; at = mendedBy(this.game, at)) {
      // Whoever holds this declaration holds that one too.
      if (this.leftBehind.get(at)?.some((left) => by.has(left)) === true) return;
      add(this.leftBehind, at, by);
    }
  }

  /** A letter voids, replaces or forfeits a declaration, or names its dice. */
  change(letter: Letter, declaration: DeclarationState): void {
    const played = this.played.get(declaration);
    if (played === undefined) return;
    if (!this.changed.has(letter)) add(this.changes, letter.author, letter);
    add(this.changed, letter, played);
  }

  // courses 22, hidden 9
  report(): CourseEntry {
    const entry = { state: this.stateIn(END), system: this.system };
    if (!this.isHidden) return entry;
    const taken = this.sheetsAtEnd().map(({ declaration }) => declaration.letter.author);
    const runs = this.course.players.map((role) => {
      const declared = taken.filter((author) => author === role).length;
      return [role, { declared, hand: null, run: 0, stopped: "not run here" }] as const;
    });
    return { ...entry, runs: Object.fromEntries(runs) };
  }
}

function afterOf({ content }: Letter): string | null {
  return content.kind === "declare" ? content.body.after : null;
}

/** The breach that a redo of `breach` was to mend. */
function mendedBy(game: State, { content }: Letter): Letter | null {
  const redo = content.kind === "declare" ? content.body.redo : null;
  return redo?.is === "breach" ? game.letter(redo.value) : null;
}
