/** Plays courses (courses.md): where a course stands in the past of a letter, and what a declaration results in. */
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
  /** The valid declarations that found each standing note (ruling 4). */
  private readonly finders = new Map<SealState, DeclarationState[]>();
  /** Each author's valid declarations and decisions, and where the course stands at their `after`. */
  private readonly made = new Map<string, Letter[]>();
  private readonly madeAt = new Map<Letter, Spot>();
  /** Each author's letters that replace, void, forfeit or name declarations, and the declarations they change. */
  private readonly changes = new Map<string, Letter[]>();
  private readonly changed = new Map<Letter, Played[]>();
  /** Each player's declarations in breach that can be declared again and are not left behind yet (courses 8). */
  private readonly breaches = new Map<string, Set<Letter>>();
  /** The first valid declarations with the breach in their past and another `after` (courses 8). */
  readonly leftBehind = new Map<Letter, Letter[]>();
  private readonly awaited = new WeakMap<JsonObject, Awaits>();
  private known: { readonly view: Letter; readonly spot: Spot } | null = null;

  constructor(
    readonly system: string,
    /** The places of the course in each turn. */
    private readonly places: readonly Omit<Slot, "turn" | "number">[],
    readonly course: Course,
    /** The state with which the course begins (courses 1). */
    begins: JsonObject,
    private readonly game: State,
  ) {
    this.start = spotAt(null, null, null, { state: begins, public: makeObject([]) });
  }

  /**
   * Where the course stands in a past (courses 5). The search begins where the last letter of the course in that past was made, or
   * before the earliest declaration on the way there that a later letter took back.
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

  /** Where the course stands for a declaration, which may replace another one (declare 14). */
  spotFor(view: View, replaced: DeclarationState | null): Spot {
    const from = replaced === null ? undefined : this.played.get(replaced)?.from;
    return from ?? this.spotIn(view);
  }

  /** The result of the letter at a spot, with the notes that speak there (courses 6, 14). */
  stepAt(view: View, { heard, last, step }: Spot): Step | null {
    const open = last?.found.filter((note) => note.isOpen(view, 0)) ?? [];
    if (step === null || open.length === 0) return step;
    const authors = open.map(({ letter }) => letter.author).join(" ");
    const known = heard.get(authors) ?? this.answered(said(open), step);
    heard.set(authors, known);
    return known;
  }

  /** The state in a past, or null if there is none (courses 6). */
  stateIn(view: View): JsonObject | null {
    return this.stepAt(view, this.spotIn(view))?.state ?? null;
  }

  /** The state before a declaration. */
  stateBefore(declaration: DeclarationState): JsonObject | null {
    const played = this.played.get(declaration);
    return played === undefined ? null : (this.stepAt(played.letter, played.from)?.state ?? null);
  }

  /** Makes the decisions that the notes wish for (courses 14). */
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

  /** The standing note that is due in a past, or null (courses 13). */
  noteDueIn(view: View): SealState | null {
    const found = this.spotIn(view).last?.found ?? [];
    const state = found.length === 0 ? null : this.stateIn(view);
    const awaited = state === null ? null : this.awaits(state);
    if (awaited?.is !== "decision") return null;
    return found.find((note) => note.letter.author === awaited.by && !note.isOpen(view, 0)) ?? null;
  }

  /** Whether a standing note is due in a past (courses 13). */
  isDue(view: View, note: SealState): boolean {
    return this.finders.has(note) && this.noteDueIn(view) === note;
  }

  /** Whether a declaration is the last one taken in a past. */
  isLast(view: View, declaration: DeclarationState): boolean {
    return this.spotIn(view).last?.declaration === declaration;
  }

  /** Whether a slot is at the awaited place. */
  isPlace({ turn, place }: { readonly turn: number; readonly place: number }, slot: Slot): boolean {
    const at = this.places[place];
    return turn === slot.turn && at?.impulse === slot.impulse && at.phase === slot.phase;
  }

  /** Whether a declaration in breach is still pending (courses 7 to 9). */
  isPending(view: View, breach: Letter, slot: Slot, replaced: DeclarationState | null, declarer: string | null): boolean {
    if (replaced !== null) return this.isLast(view, replaced);
    if (this.leftBehind.get(breach)?.some((left) => has(view, left)) === true) return false;
    const state = this.stateIn(view);
    if (state === null) return false;
    const awaited = this.awaits(state);
    return awaited.is !== "decision" && this.isPlace(awaited, slot) && (awaited.by ?? declarer) === breach.author;
  }

  /** The front of the course (declare 17). */
  front(view: View): Slot {
    const { last } = this.spotIn(view);
    const state = this.stateIn(view);
    const awaited = state === null ? null : this.awaits(state);
    const place = awaited?.is === "turn" ? this.places[awaited.place] : undefined;
    if (awaited?.is === "turn" && place !== undefined) return { turn: awaited.turn, ...place, number: 0 };
    return last === null ? { turn: 0, impulse: 0, phase: "", number: 0 } : { ...last.declaration.body.slot, number: 0 };
  }

  /** What a state awaits, cached. */
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

  /** The last declaration by an author that was taken in a past (declare 18). */
  lastBy(view: View, author: string): DeclarationState | null {
    return this.spotIn(view).last?.lastBy.get(author) ?? null;
  }

  /** Whether a declaration was taken in a past, and a scope has every later one that was taken (courses 11). */
  canBeVoid(view: View, declaration: DeclarationState, scope: ReadonlySet<DeclarationState>): boolean {
    let { last } = this.spotIn(view);
    while (last !== null && last.declaration !== declaration && scope.has(last.declaration)) last = last.from.last;
    return last?.declaration === declaration;
  }

  /** Whether a scope has every declaration that was taken in a past at a place later than a slot (courses 11). */
  isCovered(view: View, slot: Slot, scope: ReadonlySet<DeclarationState>): boolean {
    const { charter } = this.game.chains;
    let { last } = this.spotIn(view);
    while (last !== null && scope.has(last.declaration)) last = last.from.last;
    return last === null || compareSlots(charter, last.declaration.body.slot, slot) <= 0;
  }

  /**
   * The declarations taken at the end (courses 6), in order, each with its step and the steps of the decisions on it, including
   * notes that speak. All other declarations were passed over.
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

  /** Decisions that change nothing (courses 6). */
  decisionsPassedOver(): ReadonlySet<Letter> {
    const passed = new Set([...this.madeAt.keys()].filter((letter) => letter.kind === "decide"));
    for (let spot = this.spotIn(END); spot.before !== null; spot = spot.before) if (spot.at !== null) passed.delete(spot.at);
    return passed;
  }

  /** The declarations taken at the end, in order, and whether their sheets are open (hidden 9). */
  sheetsAtEnd(): { readonly declaration: DeclarationState; readonly open: boolean }[] {
    if (!this.isHidden) return [];
    const isOpen = (declaration: DeclarationState): boolean => this.sheetOf(declaration)?.isOpen(END, 0) ?? false;
    return [...this.takenAtEnd().keys()].map((declaration) => ({ declaration, open: isOpen(declaration) }));
  }

  // hidden 2
  private sheetOf({ body }: DeclarationState): SealState | null {
    return body.moves.is === "note" ? this.game.seal(body.moves.value.seal) : null;
  }

  /** The result of a declaration from its dice alone, or null if it is not settled (courses 3). */
  outcome(view: View, declaration: DeclarationState): Outcome | null {
    return this.played.get(declaration)?.outcomeIn(view) ?? null;
  }

  /** The dice that a declaration asks for. */
  rolls(declaration: DeclarationState): readonly Roll[] {
    return this.played.get(declaration)?.rolls() ?? declaration.reading.rolls;
  }

  /** The notes that a declaration of a slot finds (courses 12). */
  notesFor(letter: Letter, slot: string): SealState[] {
    // hidden 1, courses 18
    return this.isHidden || this.course.takesOrders === true ? [] : this.notesNamed(letter, `${slot}/${STANDING}`);
  }

  /** The orders for a declaration of a slot, one note by each player (courses 18). */
  private ordersFor(letter: Letter, slot: string): SealState[] {
    return this.course.takesOrders === true ? this.notesNamed(letter, `${slot}/${ORDERS}`) : [];
  }

  private notesNamed(letter: Letter, purpose: string): SealState[] {
    const notes = this.game.chains.players.flatMap((role) => this.game.notes(letter, purpose, role));
    return notes.filter((note) => !note.killed(letter));
  }

  /** Whether a valid declaration in a past found a note (ruling 4). */
  isFound(view: View, note: SealState): boolean {
    return this.finders.get(note)?.some(({ letter }) => has(view, letter)) ?? false;
  }

  /** The findings that come from outcomes, by letter (courses 19, 20). */
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

  /** Adds a valid declaration. */
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

  /** Adds a valid decision. */
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

  /** Adds a declaration in breach that can be declared again and replaces no other one. */
  breach(letter: Letter): void {
    for (const player of this.game.chains.players) {
      const breaches = this.breaches.get(player) ?? new Set();
      this.breaches.set(player, breaches.add(letter));
    }
  }

  /** Records that a declaration leaves a breach behind, together with the breach that this one was to correct (courses 8). */
  private leaveBehind(breach: Letter, by: Letter): void {
    for (let at: Letter | null = breach; at !== null; at = mendedBy(this.game, at)) {
      // Every view that has this declaration also has that one.
      if (this.leftBehind.get(at)?.some((left) => by.has(left)) === true) return;
      add(this.leftBehind, at, by);
    }
  }

  /** Records a letter that voids, replaces or forfeits a declaration, or names its dice. */
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

/** The breach that a redo of `breach` was to correct. */
function mendedBy(game: State, { content }: Letter): Letter | null {
  const redo = content.kind === "declare" ? content.body.redo : null;
  return redo?.is === "breach" ? game.letter(redo.value) : null;
}
