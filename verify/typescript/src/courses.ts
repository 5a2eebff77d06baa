/** courses.md, as a game plays it: at which point a course stands in the past of a letter, and what a declaration comes to. */
import { hexBytes, utf8 } from "./bytes.js";
import { ORDERS, type Awaits, type Course, type Step, type Turn, type Violation } from "./course.js";
import { openNote } from "./envelope.js";
import { field, isObject, makeObject, readPayload, type Json, type JsonObject } from "./json.js";
import type { BodyOf } from "./kinds.js";
import type { Letter } from "./letter.js";
import { attempt } from "./refusal.js";
import type { CourseEntry } from "./report.js";
import type { Roll } from "./roll.js";
import { STANDING } from "./office.js";
import { slotText, type Slot } from "./slot.js";
import { countIn, END, has, lastIn, type DeclarationState, type SealState, type State, type View } from "./state.js";

/**
 * courses 3: what a course may stand at. Points grow as a tree from the one where nothing is taken, by what is made at them; so two are
 * the same point exactly if they are the same object.
 */
export interface Point {
  /** How many letters were taken. */
  readonly depth: number;
  /** Where the letter was made that was taken last. */
  readonly before: Point | null;
  /** The declaration that was taken last. */
  readonly last: Played | null;
  /** Null while that declaration is not settled. */
  readonly state: JsonObject | null;
  /** What came of the letter that was taken last, or of the note that speaks since. */
  readonly step: Step | null;
  /** courses 7: the standing notes that speak. */
  readonly speaking: readonly SealState[];
  /** Where one more speaks. */
  readonly heard: Map<SealState, Point>;
  readonly declarations: Played[];
  readonly decisions: { readonly letter: Letter; readonly then: Point }[];
}

/** What a declaration comes to, and the point behind it. */
interface Outcome {
  readonly step: Step;
  readonly rolls: readonly Roll[];
  readonly point: Point;
}

/** A valid declaration of a course. */
class Played {
  /** By the `names` of its dice. */
  private readonly outcomes = new Map<string, Outcome>();
  /** Where a course stands that has taken it while it is not settled. */
  readonly waiting: Point;

  constructor(
    readonly declaration: DeclarationState,
    private readonly turn: Turn,
    readonly madeAt: Point,
    /** courses 7: the notes that it found. */
    readonly found: readonly SealState[],
    private readonly hidden: boolean,
    /** courses 11: what the orders say, if the system takes any. */
    private readonly orders: ReadonlyMap<string, Json> | null,
  ) {
    this.waiting = pointAfter(madeAt, this, null, null);
  }

  /** courses 2: what it comes to in a past, or null while it is not settled there. */
  in(view: View): Outcome | null {
    const { declaration } = this;
    // hidden 3
    if (this.hidden) return settledUnseen(view, declaration) ? this.outcome("", (rolls) => rolls.map(() => [])) : null;
    const { named } = declaration;
    if (named !== null && declaration.namedIn(view)) return this.outcome(named.by.id, () => [named.dice]);
    if (declaration.forfeited(view) || !declaration.shown(view)) return null;
    return this.outcome("", (rolls) => declaration.dice(rolls)?.map((roll) => roll.draws.map((draw) => draw.value)) ?? null);
  }

  rolls(): readonly Roll[] {
    return this.turn.rolls(this.orders ?? NONE);
  }

  private outcome(named: string, draws: (rolls: readonly Roll[]) => readonly (readonly number[])[] | null): Outcome | null {
    const known = this.outcomes.get(named);
    if (known !== undefined) return known;
    const rolls = this.rolls();
    const drawn = draws(rolls);
    if (drawn === null) return null;
    const step = this.turn.after(drawn, this.orders ?? NONE);
    const outcome = { step, rolls, point: pointAfter(this.madeAt, this, step.state, step) };
    this.outcomes.set(named, outcome);
    return outcome;
  }
}

/** hidden 3: answered, shown or not, or forfeited. */
function settledUnseen(view: View, declaration: DeclarationState): boolean {
  return declaration.answered(view) || declaration.forfeited(view);
}

const NONE: ReadonlyMap<string, Json> = new Map();

function pointAfter(before: Point | null, last: Played | null, state: JsonObject | null, step: Step | null, speaking: readonly SealState[] = []): Point {
  return { depth: before === null ? 0 : before.depth + 1, before, last, state, step, speaking, heard: new Map(), declarations: [], decisions: [] };
}

export class GameCourse {
  readonly start: Point;
  private readonly played = new Map<DeclarationState, Played>();
  /** By the note that they found. */
  private readonly finders = new Map<SealState, Played[]>();
  /** courses 11: by the note that is among their orders. */
  private readonly orderedBy = new Map<SealState, DeclarationState[]>();
  /** By author, what was made, and at which point. */
  private readonly made = new Map<string, Letter[]>();
  private readonly points = new Map<Letter, Point>();
  /** By author, what may take declarations back, or say other dice of them, or silence their notes. */
  private readonly changes = new Map<string, Letter[]>();
  private readonly changed = new Map<Letter, (readonly Played[])[]>();
  /** courses 4: declarations in breach that may be done again, and where the course stood in their past. */
  private readonly breaches = new Map<Letter, Point>();
  /** courses 4: by which declarations those are settled because the course went another way, in the order of replay. */
  readonly leftBehind = new Map<Letter, Letter[]>();
  private readonly awaited = new WeakMap<JsonObject, Awaits>();
  private lastTurn: { readonly state: JsonObject; readonly input: JsonObject; readonly turn: Turn } | null = null;
  private lastDecision: { readonly state: JsonObject; readonly name: string; readonly value: Json; readonly step: Step } | null = null;
  private known: { readonly letter: Letter; readonly point: Point } | null = null;

  constructor(
    readonly system: string,
    /** Where it is declared in each turn. */
    private readonly places: readonly Omit<Slot, "turn" | "number">[],
    readonly course: Course,
    private readonly game: State,
  ) {
    this.start = pointAfter(null, null, course.begins, null);
  }

  /**
   * courses 3: the point at which the course stands in a past. What was made last in it was made at a point that is reached here too,
   * but for what has changed since; so it is not sought from the beginning.
   */
  pointIn(view: View): Point {
    if (view !== END && this.known?.letter === view) return this.known.point;
    let point = this.start;
    let from: Letter | null = null;
    for (const made of this.made.values()) {
      const last = lastIn(view, made);
      const at = last === null ? undefined : this.points.get(last);
      if (at !== undefined && (from === null || at.depth > point.depth)) [point, from] = [at, last];
    }
    if (from !== null) {
      for (const changes of this.changes.values()) {
        for (const letter of changes.slice(countIn(from, changes), countIn(view, changes))) {
          for (const played of this.changed.get(letter)?.flat() ?? []) point = backBefore(point, played);
        }
      }
    }
    point = this.onwards(view, point);
    if (view !== END) this.known = { letter: view, point };
    return point;
  }

  /** courses 3: takes what is made at a point, and so on. */
  onwards(view: View, from: Point): Point {
    let point = from;
    for (let next: Point | null = point; next !== null; next = this.nextIn(view, point)) point = next;
    return point;
  }

  /** The point behind the letter that is taken at a point, or null if none is. */
  private nextIn(view: View, point: Point): Point | null {
    const { declarations, decisions } = point;
    const note = this.noteOn(view, point);
    if (note?.isOpen(view, 0) === true) return this.hear(point, note);
    const decision = decisions.find(({ letter }) => has(view, letter));
    if (decision !== undefined) return decision.then;
    const played = declarations.find(({ declaration }) => has(view, declaration.letter) && !declaration.replaced(view) && !declaration.anyVoid(view));
    return played === undefined ? null : (played.in(view)?.point ?? played.waiting);
  }

  /** courses 7: the note that the last declaration found, of whoever's decision is awaited, that is not killed and does not speak yet. */
  noteOn(view: View, { last, state, speaking }: Point): SealState | null {
    const silent = last?.found.filter((note) => !speaking.includes(note) && !note.silenced(view)) ?? [];
    if (state === null || silent.length === 0) return null;
    const awaited = this.awaits(state);
    return awaited.is === "decision" ? (silent.find(({ letter }) => letter.author === awaited.by) ?? null) : null;
  }

  /** courses 7: whether a standing note is due in a past. */
  isDue(view: View, note: SealState): boolean {
    return !note.isOpen(view, 0) && this.finders.has(note) && this.noteOn(view, this.pointIn(view)) === note;
  }

  /** The point at which one more note speaks. */
  private hear(point: Point, note: SealState): Point {
    const known = point.heard.get(note);
    if (known !== undefined) return known;
    const speaking = [...point.speaking, note];
    const step = point.state === null ? null : this.answered(speaking, { state: point.state, public: makeObject([]) });
    const heard = pointAfter(point, point.last, step?.state ?? null, step, speaking);
    point.heard.set(note, heard);
    return heard;
  }

  /** courses 7: what notes that speak make of a state: each decision that they answer is made. */
  private answered(speaking: readonly SealState[], first: Step): Step {
    if (speaking.length === 0) return first;
    const says = said(speaking);
    let step = first;
    for (;;) {
      const { state } = step;
      const awaited = this.awaits(state);
      const wishes = awaited.is === "decision" ? says.get(awaited.by) : undefined;
      if (awaited.is !== "decision" || !isObject(wishes)) return step;
      const wish = field(wishes, awaited.name);
      if (wish === undefined) return step;
      const made = attempt(() => this.course.decide(state, awaited.name, this.course.wished === undefined ? wish : this.course.wished(state, wish)));
      if (!made.ok) return step;
      step = { ...made.value, public: made.value.public, story: [...(step.story ?? []), ...(made.value.story ?? [])] };
    }
  }

  /** Where a declaration is made that replaces another one, or none (courses 3, declare 14). */
  pointFor(view: View, replaced: DeclarationState | null): Point {
    const point = this.pointIn(view);
    return replaced !== null && point.last?.declaration === replaced ? point.last.madeAt : point;
  }

  /** Whether a declaration is the one of the point in a past. */
  isLast(view: View, declaration: DeclarationState): boolean {
    return this.pointIn(view).last?.declaration === declaration;
  }

  /** Whether a slot is at the place that is awaited. */
  isPlace({ turn, place }: { readonly turn: number; readonly place: number }, slot: Slot): boolean {
    const at = this.places[place];
    return turn === slot.turn && at?.impulse === slot.impulse && at.phase === slot.phase;
  }

  /** courses 4: whether a declaration in breach is still pending. */
  isPending(view: View, breach: Letter, slot: Slot, replaced: DeclarationState | null, declarer: string | null): boolean {
    if (replaced !== null) return this.isLast(view, replaced);
    if (this.leftBehind.get(breach)?.some((left) => has(view, left)) === true) return false;
    const { state } = this.pointIn(view);
    if (state === null) return false;
    const awaited = this.awaits(state);
    return awaited.is !== "decision" && this.isPlace(awaited, slot) && (awaited.by ?? declarer) === breach.author;
  }

  /** declare 14: the first place for which others may not be declared yet. */
  front(view: View): Slot {
    const { last, state } = this.pointIn(view);
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

  /** What the course makes of an input; a letter asks when it is checked, and again when it is valid. */
  turn(state: JsonObject, input: JsonObject): Turn {
    const known = this.lastTurn?.state === state && this.lastTurn.input === input ? this.lastTurn.turn : this.course.turn(state, input);
    this.lastTurn = { state, input, turn: known };
    return known;
  }

  decision(state: JsonObject, name: string, value: Json): Step {
    const last = this.lastDecision;
    const step = last?.state === state && last.name === name && last.value === value ? last.step : this.course.decide(state, name, value);
    this.lastDecision = { state, name, value, step };
    return step;
  }

  get isHidden(): boolean {
    return this.course.hidden !== undefined;
  }

  /** hidden 9: the declarations that were taken at the end, in their order, and whether the sheets are open on which they rest. */
  sheetsAtEnd(): { readonly declaration: DeclarationState; readonly open: boolean }[] {
    if (!this.isHidden) return [];
    return [...this.takenAtEnd().keys()].reverse().map((declaration) => ({ declaration, open: this.sheetOf(declaration)?.isOpen(END, 0) ?? false }));
  }

  // hidden 2
  private sheetOf({ body }: DeclarationState): SealState | null {
    return body.moves.is === "note" ? this.game.seal(body.moves.value.seal) : null;
  }

  has(declaration: DeclarationState | undefined): boolean {
    return declaration !== undefined && this.played.has(declaration);
  }

  /** declare 14: the last declaration of an author that was taken in a past. */
  lastBy(view: View, author: string): DeclarationState | null {
    let { last } = this.pointIn(view);
    while (last !== null && last.declaration.letter.author !== author) last = last.madeAt.last;
    return last?.declaration ?? null;
  }

  /** courses 3: the declarations that were taken in a past, the last one first. */
  takenIn(view: View): DeclarationState[] {
    const taken: DeclarationState[] = [];
    for (let { last } = this.pointIn(view); last !== null; last = last.madeAt.last) taken.push(last.declaration);
    return taken;
  }

  /** courses 6: whether a declaration was taken, and every later one that was taken is in a scope. */
  canBeVoid(view: View, declaration: DeclarationState, scope: ReadonlySet<DeclarationState>): boolean {
    let { last } = this.pointIn(view);
    for (; last !== null && last.declaration !== declaration; last = last.madeAt.last) if (!scope.has(last.declaration)) return false;
    return last !== null;
  }

  /** courses 3: the declarations that were taken at the end, with the point behind each and the decisions on it. All others were passed over. */
  takenAtEnd(): ReadonlyMap<DeclarationState, Point> {
    const taken = new Map<DeclarationState, Point>();
    for (let at = this.pointIn(END); at.last !== null; at = at.last.madeAt) taken.set(at.last.declaration, at);
    return taken;
  }

  /** courses 3: decisions that change nothing. */
  decisionsPassedOver(): ReadonlySet<Letter> {
    const passed = new Set([...this.points.keys()].filter((letter) => letter.kind === "decide"));
    for (let at = this.pointIn(END); at.before !== null; at = at.before) {
      for (const { letter, then } of at.before.decisions) if (then === at) passed.delete(letter);
    }
    return passed;
  }

  /** The state before a declaration. */
  stateBefore(declaration: DeclarationState): JsonObject | null {
    return this.played.get(declaration)?.madeAt.state ?? null;
  }

  /** What a declaration came to by its dice alone, or null while it is not settled (courses 2). */
  outcome(view: View, declaration: DeclarationState): Outcome | null {
    return this.played.get(declaration)?.in(view) ?? null;
  }

  /** The dice that a declaration asks for. */
  rolls(declaration: DeclarationState): readonly Roll[] {
    return this.played.get(declaration)?.rolls() ?? declaration.reading.rolls;
  }

  /** courses 7: the notes that a declaration of a slot finds. */
  notesFor(letter: Letter, slot: string): SealState[] {
    // hidden 1, courses 11
    if (this.isHidden || this.course.takesOrders === true) return [];
    return this.game.chains.players
      .flatMap((role) => this.game.notes(letter, `${slot}/${STANDING}`, role).filter((note) => !note.killed(letter)));
  }

  /** courses 11: the orders of a declaration of a slot, one of each player. */
  ordersFor(letter: Letter, slot: string): SealState[] {
    if (this.course.takesOrders !== true) return [];
    return this.game.chains.players.flatMap((role) => this.game.notes(letter, `${slot}/${ORDERS}`, role).filter((note) => !note.killed(letter)));
  }

  /** courses 11: whether a valid declaration in a past has a note among its orders. */
  isOrdered(view: View, seal: SealState): boolean {
    return this.orderedBy.get(seal)?.some((declaration) => has(view, declaration.letter)) ?? false;
  }

  /**
   * courses 12: the findings that outcomes bring along, by the letter that they are on. One for each letter, of the first declaration
   * that has one on it.
   */
  violations(): ReadonlyMap<Letter, readonly Violation[]> {
    const found = new Map<Letter, { readonly declaration: DeclarationState; readonly all: readonly Violation[] }>();
    for (const declaration of this.played.keys()) {
      const violations = this.outcome(END, declaration)?.step.violations ?? [];
      const orders = this.ordersFor(declaration.letter, slotText(declaration.body.slot));
      for (const role of new Set(violations.map(({ by }) => by))) {
        const letter = orders.find((note) => note.letter.author === role)?.letter ?? declaration.letter;
        if (!found.has(letter)) found.set(letter, { declaration, all: violations.filter(({ by }) => by === role) });
      }
    }
    return new Map([...found].flatMap(([letter, { declaration, all }]) => (this.mayHaveBeenGood(letter, declaration) ? [] : [[letter, all] as const])));
  }

  /** courses 12: whether the course, as the author of a letter knew it, awaited this place at another point. */
  private mayHaveBeenGood(letter: Letter, declaration: DeclarationState): boolean {
    const point = this.pointIn(letter);
    if (point === this.played.get(declaration)?.madeAt || point.state === null) return false;
    const awaited = this.awaits(point.state);
    return awaited.is === "turn" && this.isPlace(awaited, declaration.body.slot);
  }

  declare(declaration: DeclarationState, turn: Turn, madeAt: Point): void {
    const { letter, body } = declaration;
    const found = this.notesFor(letter, slotText(body.slot));
    const played = new Played(declaration, turn, madeAt, found, this.isHidden, this.course.takesOrders === true ? said(this.ordersFor(letter, slotText(body.slot))) : null);
    madeAt.declarations.push(played);
    this.played.set(declaration, played);
    for (const note of found) listOf(this.finders, note).push(played);
    for (const note of this.ordersFor(letter, slotText(body.slot))) listOf(this.orderedBy, note).push(declaration);
    this.note(letter, madeAt);
    for (const [breach, stood] of this.breaches) {
      if (stood === madeAt || !letter.has(breach)) continue;
      this.leaveBehind(breach, letter);
    }
  }

  /** courses 4: with what it was to mend. */
  private leaveBehind(breach: Letter, by: Letter): void {
    for (let at: Letter | null = breach; at !== null; ) {
      const before = listOf(this.leftBehind, at);
      // Whoever holds this declaration holds that one too.
      if (before.some((left) => by.has(left))) return;
      before.push(by);
      // What either declares later has his own in its past.
      if (this.game.chains.players.every((role) => before.some((left) => left.author === role))) this.breaches.delete(at);
      const redo: BodyOf<"declare">["redo"] = at.content.kind === "declare" ? at.content.body.redo : null;
      at = redo?.is === "breach" ? this.game.letter(redo.value) : null;
    }
  }

  /** A declaration in breach that may be done again, and that replaces none. */
  breach(letter: Letter): void {
    this.breaches.set(letter, this.pointIn(letter));
  }

  decide(letter: Letter, name: string, value: Json): void {
    const at = this.pointIn(letter);
    if (at.state === null) return;
    const step = this.answered(at.speaking, this.decision(at.state, name, value));
    at.decisions.push({ letter, then: pointAfter(at, at.last, step.state, step, at.speaking) });
    this.note(letter, at);
  }

  private note(letter: Letter, at: Point): void {
    listOf(this.made, letter.author).push(letter);
    this.points.set(letter, at);
  }

  /** A letter voids, replaces or forfeits a declaration, or names its dice. */
  change(letter: Letter, declaration: DeclarationState): void {
    const played = this.played.get(declaration);
    if (played !== undefined) this.noteChange(letter, [played]);
  }

  /** A letter kills a note. A declaration that finds it all the same may come later in the order of replay. */
  kill(letter: Letter, note: SealState): void {
    this.noteChange(letter, listOf(this.finders, note));
  }

  private noteChange(letter: Letter, of: readonly Played[]): void {
    if (!this.changed.has(letter)) listOf(this.changes, letter.author).push(letter);
    listOf(this.changed, letter).push(of);
  }

  /** courses 7: whether a valid declaration found a note. */
  isFound(note: SealState): boolean {
    return this.finders.has(note);
  }

  // courses 10, hidden 9
  report(): CourseEntry {
    const entry = { state: this.pointIn(END).state, system: this.system };
    if (!this.isHidden) return entry;
    const taken = this.sheetsAtEnd().map(({ declaration }) => declaration.letter.author);
    const runs = this.course.players.map((role) => [role, { declared: taken.filter((author) => author === role).length, hand: null, run: 0, stopped: "not run here" }] as const);
    return { ...entry, runs: Object.fromEntries(runs) };
  }
}

/** A point, or where a declaration was made that was taken on the way to it. */
function backBefore(point: Point, played: Played): Point {
  let at: Point | null = point;
  while (at !== null && at.depth > played.madeAt.depth + 1) at = at.before;
  return at !== null && at.depth > played.madeAt.depth && at.last === played ? played.madeAt : point;
}

/** What standing notes say that speak, by role; what is no canonical object says nothing (courses 7). */
function said(notes: readonly SealState[]): ReadonlyMap<string, Json> {
  const all = new Map<string, Json>();
  for (const note of notes) {
    const opening = note.opening(END, 0);
    const [commit, ciphertext] = [note.body.commits[0], note.body.notes?.[0]];
    if (opening === null || commit === undefined || ciphertext === undefined) continue;
    const read = attempt(() => readPayload(utf8(openNote(note.context, opening.key, commit, hexBytes(ciphertext)))).value);
    if (read.ok && isObject(read.value)) all.set(note.letter.author, read.value);
  }
  return all;
}

function listOf<K, V>(map: Map<K, V[]>, key: K): V[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}
