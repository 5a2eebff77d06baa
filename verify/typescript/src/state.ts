/**
 * The replayed state of a game. Every question about it needs a view: a letter, whose past counts (chain 5), or {@link END} for all letters
 * on hand.
 */
import type { Chains } from "./chain.js";
import type { Phase } from "./charter.js";
import { cellKey, cellSeed, envelopeSeed, type SetContext } from "./envelope.js";
import { diceRoot, rollKey, Stream } from "./dice.js";
import { hexBytes, type Bytes } from "./bytes.js";
import type { BodyOf, Kind, Scope } from "./kinds.js";
import type { Letter } from "./letter.js";
import { LIMITS } from "./limits.js";
import { contextOf, type Key, type Openings, type Terms } from "./openings.js";
import { attempt } from "./refusal.js";
import { GameCourse } from "./courses.js";
import { phaseOf, placeText, placesOf, slotText, type Slot } from "./slot.js";
import { drawRoll, type Drawn, type Roll } from "./roll.js";
import { systemOf, type Reading, type System } from "./system.js";

/** The view of all letters on hand. */
export const END = null;
export type View = Letter | typeof END;

export function has(view: View, letter: Letter): boolean {
  return view === END ? letter.placed : view.has(letter);
}

/** The number of an author's letters, in chain order, that a view has. */
export function countIn(view: View, letters: readonly Letter[]): number {
  let from = 0;
  let to = letters.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const letter = letters[middle];
    if (letter !== undefined && has(view, letter)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The last of an author's letters that a view has. */
export function lastIn(view: View, letters: readonly Letter[]): Letter | null {
  return letters[countIn(view, letters) - 1] ?? null;
}

export interface Opening {
  readonly by: Letter;
  readonly row: number;
  readonly key: Bytes;
}

/** A set, and the state of its places. */
export class SealState {
  readonly context: SetContext;
  /** Openings by index, or by column of a sheet. */
  private readonly openings = new Map<number, Opening[]>();
  /** The places that its declarer's declarations have named (letters 13). */
  coinNamed = false;
  readonly indicesNamed = new Set<number>();
  readonly depthsNamed = new Map<number, number>();
  private lowest = 0;
  /** The rulings that kill it (ruling 4). */
  readonly kills: Letter[] = [];
  /** The referee's receipt for its keys (deposits 8). */
  receipt: Letter | null = null;
  /** The office's receipts for its keys (office 23). */
  readonly officeReceipts: Letter[] = [];
  /** The office's receipts that hand it back, and the rulings that kill it (office 20). */
  readonly takenBackBy: Letter[] = [];

  constructor(
    readonly letter: Letter,
    readonly body: BodyOf<"seal">,
    private readonly terms: Terms,
    /** The office's epochs; the list grows during the replay. */
    private readonly epochs: readonly Letter[],
  ) {
    this.context = contextOf(terms, letter, body);
  }

  get isDice(): boolean {
    return this.body.kind !== "note" && this.body.kind !== "contribution";
  }

  /** Whether the office is its revealer (office 5). */
  get isForOffice(): boolean {
    return this.body.revealer === this.terms.charter.office?.role;
  }

  /** The epochs that its seal does not have in its past (office 20, 27). */
  private get laterEpochs(): readonly Letter[] {
    return this.isForOffice ? this.epochs.filter((epoch) => !this.letter.has(epoch)) : [];
  }

  /** All letters that take it back (office 20). */
  get backBy(): readonly Letter[] {
    return [...this.takenBackBy, ...this.laterEpochs];
  }

  open(key: Key, by: Letter): void {
    const list = this.openings.get(key.place) ?? [];
    this.openings.set(key.place, list);
    // An opening in the past of this letter does as much, and every view that has this letter has that one too.
    if (list.some((one) => one.row >= key.row && by.has(one.by))) return;
    list.push({ by, row: key.row, key: key.key });
  }

  opening(view: View, index: number): Opening | null {
    return this.openings.get(index)?.find((one) => has(view, one.by)) ?? null;
  }

  isOpen(view: View, index: number): boolean {
    return this.opening(view, index) !== null;
  }

  /** The deepest opening in a column. */
  deepest(view: View, column: number): Opening | null {
    let best: Opening | null = null;
    for (const one of this.openings.get(column) ?? []) if (has(view, one.by) && one.row > (best?.row ?? 0)) best = one;
    return best;
  }

  isCellOpen(view: View, column: number, row: number): boolean {
    return (this.deepest(view, column)?.row ?? 0) >= row;
  }

  // icrk 3
  spent(view: View, column: number): number {
    return Math.max(this.depthsNamed.get(column) ?? 0, this.deepest(view, column)?.row ?? 0);
  }

  /** The lowest index that no earlier declaration names and that is not opened in the past (declare 8, 9). */
  lowestFree(view: View): number {
    while (this.indicesNamed.has(this.lowest)) this.lowest++;
    let index = this.lowest;
    while (this.indicesNamed.has(index) || this.isOpen(view, index)) index++;
    return index;
  }

  // office 20
  takenBack(view: View): boolean {
    return this.backBy.some((letter) => has(view, letter));
  }

  // office 8
  isWithOffice(view: View): boolean {
    return this.officeReceipts.some((receipt) => has(view, receipt)) && !this.takenBack(view);
  }

  // ruling 4, office 27
  killed(view: View): boolean {
    return this.kills.some((by) => has(view, by)) || (this.isDice && this.laterEpochs.some((epoch) => has(view, epoch)));
  }
}

export interface Void {
  readonly by: Letter;
  /** The void rolls; null if all are void. */
  readonly lines: ReadonlySet<number> | null;
}

export interface NamedDice {
  readonly by: Letter;
  readonly dice: readonly number[];
}

/** The dice of a roll, with all intermediate values. */
export interface RollDice {
  readonly index: number;
  readonly line: number;
  readonly key: Bytes;
  readonly seed: Bytes;
  readonly contribution: Bytes;
  readonly root: Bytes;
  readonly rollKey: Bytes;
  readonly words: readonly number[];
  readonly draws: readonly Drawn[];
}

const FEW_DRAWS = 4_096;

/** A valid declaration. */
export class DeclarationState {
  /** The redo that replaces it (letters 23). */
  readonly replacedBy: Letter[] = [];
  readonly voids: Void[] = [];
  readonly forfeits: Letter[] = [];
  named: NamedDice | null = null;

  constructor(
    readonly letter: Letter,
    readonly body: BodyOf<"declare">,
    readonly phase: Phase,
    readonly reading: Reading,
    readonly seal: SealState | null,
    readonly sealed: { readonly set: SealState; readonly index: number } | null,
  ) {}

  get redoIndex(): number | null {
    return this.body.select?.is === "foul_up" ? this.body.select.value.index : null;
  }

  /** The keys that open its selection, by index, or by column with the deepest row. */
  get selection(): readonly (readonly [place: number, row: number])[] {
    if (this.seal === null) return [];
    if (this.redoIndex !== null) return [[this.redoIndex, 0]];
    if (this.seal.body.kind !== "sheet") return this.reading.opened.map((index) => [index, 0] as const);
    const depths = new Map<number, number>();
    for (const [column, row] of this.reading.cells) depths.set(column, Math.max(row, depths.get(column) ?? 0));
    return [...depths].sort(([a], [b]) => a - b);
  }

  private isOpen(view: View, [place, row]: readonly [number, number]): boolean {
    const { seal } = this;
    return seal !== null && (row > 0 ? seal.isCellOpen(view, place, row) : seal.isOpen(view, place));
  }

  /** The letters that open its selection, as of the end. */
  get openedBy(): readonly Letter[] {
    const { seal } = this;
    const openings = this.selection.map(([place, row]) => (row > 0 ? seal?.deepest(END, place) : seal?.opening(END, place)));
    return [...new Set(openings.flatMap((opening) => opening?.by ?? []))];
  }

  // secrets 3
  answered(view: View): boolean {
    return this.selection.every((one) => this.isOpen(view, one));
  }

  /** Whether a place in its selection, or any selected cell of a sheet, is opened (correct 6). */
  touched(view: View): boolean {
    const cells = this.redoIndex === null ? this.reading.cells : [];
    return [...this.selection, ...cells].some((one) => this.isOpen(view, one));
  }

  // secrets 3
  shown(view: View): boolean {
    return this.answered(view) && (this.sealed === null || this.sealed.set.isOpen(view, this.sealed.index));
  }

  /** Whether the referee holds its set. Deposits that come later change nothing (deposits 9). */
  get held(): boolean {
    const receipt = this.seal?.receipt ?? null;
    return receipt !== null && this.letter.has(receipt);
  }

  // office 8
  get isWithOffice(): boolean {
    return this.seal !== null && this.seal.isWithOffice(this.letter);
  }

  replaced(view: View): boolean {
    return this.replacedBy.some((redo) => has(view, redo));
  }

  forfeited(view: View): boolean {
    return this.forfeits.some((letter) => has(view, letter));
  }

  namedIn(view: View): boolean {
    return this.named !== null && has(view, this.named.by);
  }

  /** The first letter, in order of replay, that voids a roll (counted from 1). */
  voidedBy(view: View, roll: number): Letter | null {
    return this.voids.find((one) => has(view, one.by) && (one.lines === null || one.lines.has(roll)))?.by ?? null;
  }

  anyVoid(view: View): boolean {
    return this.voids.some((one) => has(view, one.by));
  }

  /** The draws and the place of each roll. */
  places(): { readonly index: number; readonly line: number }[] {
    const redo = this.redoIndex;
    return this.reading.rolls.map((roll, k) => (redo === null ? { index: roll.index, line: roll.line } : { index: redo, line: k + 1 }));
  }

  private drawn: { readonly rolls: readonly Roll[]; readonly dice: readonly RollDice[] } | null = null;

  /** The dice of a declaration that is shown at the end. */
  dice(rolls: readonly Roll[] = this.reading.rolls): readonly RollDice[] | null {
    if (this.drawn?.rolls === rolls) return this.drawn.dice;
    const drawn = attempt(() => this.draw(rolls));
    if (!drawn.ok || drawn.value === null) return null;
    // A very large number of dice is drawn again rather than cached.
    if (drawn.value.reduce((all, roll) => all + roll.draws.length, 0) <= FEW_DRAWS) this.drawn = { rolls, dice: drawn.value };
    return drawn.value;
  }

  private draw(asks: readonly Roll[]): readonly RollDice[] | null {
    const { seal, body, sealed } = this;
    if (seal === null) return [];
    if (!this.shown(END)) return null;
    let contribution: Bytes;
    if (sealed !== null) {
      const opening = sealed.set.opening(END, sealed.index);
      if (opening === null) return null;
      contribution = envelopeSeed(sealed.set.context, sealed.index, opening.key);
    } else if (body.contribution?.is === "open") {
      contribution = hexBytes(body.contribution.value);
    } else {
      return null;
    }
    const sheet = seal.body.kind === "sheet";
    const rolls: RollDice[] = [];
    for (const [k, { index, line }] of this.places().entries()) {
      const opening = sheet ? seal.deepest(END, index) : seal.opening(END, index);
      if (opening === null) return null;
      const key = sheet ? cellKey(seal.context, index, opening.row, opening.key, line) : opening.key;
      const seed = sheet ? cellSeed(seal.context, index, line, key) : envelopeSeed(seal.context, index, key);
      const root = diceRoot(seal.letter.id, this.letter.id, index, seed, contribution);
      const streamKey = rollKey(root, line);
      const stream = new Stream(streamKey);
      const asked = asks[k];
      const draws = asked === undefined ? [] : drawRoll(asked, ({ sides }) => stream.draw(sides));
      rolls.push({ index, line, key, seed, contribution, root, rollKey: streamKey, words: stream.words, draws });
    }
    return rolls;
  }
}

/** A valid proposal: for a correction or a void. */
export interface Proposal {
  readonly letter: Letter;
  readonly declarations: readonly string[];
  readonly correction: Extract<BodyOf<"correct">, { readonly is: "propose" }>["value"] | null;
  readonly scope: Scope | null;
  readonly agreements: Letter[];
}

/** A valid acceptance, by a player, or by the referee for a player. */
export interface Acceptance {
  readonly letter: Letter;
  readonly proposal: Proposal;
}

/** A valid stall or dispute. */
export interface Claim {
  readonly letter: Letter;
  readonly stall: Extract<BodyOf<"claim">, { readonly is: "stall" }>["value"] | null;
  /** The withdrawals and dismissals of the claim, and the forfeits ruled on it. */
  readonly ends: Letter[];
}

/** The office's clock in a receipt that acts (office 23, 29). */
export interface OfficeTime {
  readonly by: Letter;
  readonly at: number;
}

/** What precedes a letter by the office along `prev`: the last epoch, and the latest time (receipt 3, 5). */
export interface OfficeTrail {
  readonly epoch: Letter | null;
  readonly clock: number;
}

/** What a player has done so far, along the branch of their chain that stands. */
export class AuthorState {
  /** All letters that count, in chain order, and the letters of some kinds. */
  readonly letters: Letter[] = [];
  readonly declarationsAndCloses: Letter[] = [];
  /** Declarations, valid names, and valid decisions in a course (disputes 8). */
  readonly moves: Letter[] = [];
  readonly closes: Letter[] = [];
  readonly seals: Letter[] = [];

  readonly slots = new Set<string>();
  private readonly numbers = new Map<string, { readonly taken: Set<number>; free: number }>();
  lastSlot: Slot | null = null;
  /** Declarations in breach that must be declared again before anything else; in a course, as long as they can be (courses 7). */
  readonly pending = new Set<Letter>();
  readonly due: Acceptance[] = [];
  readonly contributions = new Set<string>();
  /** The first redo that names an acceptance of each proposal. */
  readonly agreedUsed = new Map<Letter, Letter>();
  readonly decided = new Map<string, Letter>();
  readonly withdrawn = new Set<string>();
  /** The player's valid proposals that were unanswered at the last look. An answer known to one letter is known to all later ones. */
  unanswered: Proposal[] = [];
  validClose: Letter | null = null;
  closeWithMasters: Letter | null = null;

  /** Turn, impulse and phase of each declaration beyond repair (letters 18). */
  readonly beyondRepair = new Set<string>();

  private numbersOf(slot: Slot): { readonly taken: Set<number>; free: number } {
    const key = placeText(slot);
    const found = this.numbers.get(key) ?? { taken: new Set<number>(), free: 1 };
    this.numbers.set(key, found);
    return found;
  }

  /** The smallest number that no earlier declaration has in this turn, impulse and phase (declare 20). */
  nextNumber(slot: Slot): number {
    const numbers = this.numbersOf(slot);
    while (numbers.taken.has(numbers.free)) numbers.free++;
    return numbers.free;
  }

  takeSlot(slot: Slot): void {
    this.slots.add(slotText(slot));
    this.numbersOf(slot).taken.add(slot.number);
  }
}

export class State {
  readonly seals = new Map<string, SealState>();
  /** Valid seals by kind and purpose. */
  readonly validSeals = new Map<string, SealState[]>();
  /** For each commitment, each author's first seal that counts. */
  readonly commits = new Map<string, Letter[]>();
  readonly declarations = new Map<string, DeclarationState>();
  readonly bySlot = new Map<string, DeclarationState[]>();
  readonly byImpulse = new Map<string, DeclarationState[]>();
  readonly proposals = new Map<string, Proposal>();
  /** For each declaration, each author's last valid proposal about it. */
  readonly lastProposal = new Map<string, Proposal>();
  readonly acceptances = new Map<string, Acceptance>();
  readonly claims = new Map<string, Claim>();
  /** The valid stalls, by what they ask to be revealed. */
  readonly stalls = new Map<string, Letter[]>();
  /** The valid yields and rulings that let a declaration's dice be named, with that declaration; null if the game is forfeited. */
  readonly forfeits = new Map<string, DeclarationState | null>();
  readonly gamesForfeited: { readonly by: Letter; readonly loser: string }[] = [];
  readonly requests = new Map<string, Claim>();
  /** The valid rulings that settle each letter. A declaration of a hidden course can have two (ruling 12). */
  readonly settled = new Map<string, Letter[]>();
  /** The office's epochs, on all branches (office 22). `times` covers all branches too. */
  readonly epochs: Letter[] = [];
  readonly times: OfficeTime[] = [];
  /** The trail of each of the office's letters along `prev`, including the letter itself. */
  readonly officeTrails = new Map<Letter, OfficeTrail>();
  private readonly authors = new Map<string, AuthorState>();
  private readonly systems = new Map<Phase, System | null>();
  /** The courses by system, in the order of their first phases (courses 22). */
  readonly courses = new Map<string, GameCourse>();

  constructor(
    readonly chains: Chains,
    private readonly terms: Terms,
    readonly openings: Openings,
  ) {
    for (const phase of chains.charter.phases) {
      const course = this.system(phase)?.course;
      if (course === undefined || this.courses.has(phase.system)) continue;
      const phases = chains.charter.phases.filter((one) => one.system === phase.system);
      // charter 25
      const given = chains.charter.continues?.states.get(phase.system);
      const begins = given === undefined ? course.begins : course.checkState(given);
      this.courses.set(phase.system, new GameCourse(phase.system, placesOf(chains.charter, phases), course, begins, this));
    }
  }

  /** The course of a slot's phase, or null. */
  courseOf(slot: Slot): GameCourse | null {
    const phase = this.phaseOf(slot);
    return phase === null ? null : (this.courses.get(phase.system) ?? null);
  }

  /** Whether the slot belongs to a hidden course (hidden 1). */
  isHidden(slot: Slot): boolean {
    return this.courseOf(slot)?.isHidden ?? false;
  }

  /** Whether the dice of a declaration are known as far as they will be (correct 1, disputes 2). In a hidden course it is settled unseen (hidden 3). */
  isKnown(view: View, declaration: DeclarationState): boolean {
    return this.isHidden(declaration.body.slot) ? declaration.answered(view) || declaration.forfeited(view) : declaration.shown(view);
  }

  /** Records a letter that voids, replaces or forfeits a declaration, or names its dice. */
  change(letter: Letter, declaration: DeclarationState): void {
    this.courseOf(declaration.body.slot)?.change(letter, declaration);
  }

  author(role: string): AuthorState {
    const found = this.authors.get(role) ?? new AuthorState();
    this.authors.set(role, found);
    return found;
  }

  isPlayer(role: string): boolean {
    return this.chains.players.includes(role);
  }

  /** The other player. */
  other(role: string): string {
    return this.chains.players.find((one) => one !== role) ?? "";
  }

  /** The letter with an id that another letter names, whose kind was checked. */
  letter(id: string): Letter | null {
    return this.chains.letters.get(id) ?? null;
  }

  ofKind(id: string, kind: Kind): Letter | null {
    const letter = this.letter(id);
    return letter !== null && letter.kind === kind ? letter : null;
  }

  system(phase: Phase): System | null {
    const known = this.systems.get(phase);
    if (known !== undefined) return known;
    const made = systemOf(phase, this.chains.charter.tables);
    this.systems.set(phase, made);
    return made;
  }

  phaseOf(slot: Slot): Phase | null {
    return phaseOf(this.chains.charter, slot);
  }

  /** A set, valid or not. */
  seal(id: string): SealState | null {
    const known = this.seals.get(id);
    if (known !== undefined) return known;
    const letter = this.letter(id);
    if (letter === null || letter.content.kind !== "seal") return null;
    const made = new SealState(letter, letter.content.body, this.terms, this.epochs);
    this.seals.set(id, made);
    return made;
  }

  validSeal(id: string): SealState | null {
    const seal = this.seal(id);
    return seal !== null && seal.letter.valid ? seal : null;
  }

  /** The valid notes by a role for a purpose that a view has. */
  notes(view: View, purpose: string, by: string): SealState[] {
    return (this.validSeals.get(`note ${purpose}`) ?? []).filter((one) => one.letter.author === by && has(view, one.letter));
  }

  /** Whether a standing note is due in a past (courses 13). */
  isStandingDue(view: View, seal: SealState): boolean {
    return [...this.courses.values()].some((game) => game.isDue(view, seal));
  }

  // disputes 8
  stands(view: View, claim: Claim): boolean {
    if (claim.ends.some((letter) => has(view, letter))) return false;
    const { stall, letter } = claim;
    if (stall === null) return true;
    if (this.gamesForfeited.some((one) => one.loser === stall.owes && has(view, one.by))) return false;
    const owes = this.author(stall.owes);
    switch (stall.step) {
      case "reveal": {
        const id = stall.letter ?? "";
        const declaration = this.declarations.get(id);
        if (declaration !== undefined) return !declaration.answered(view) && !declaration.forfeited(view);
        const seal = this.seal(id);
        return seal?.isOpen(view, 0) !== true;
      }
      case "declare":
        return !(lastIn(view, owes.moves)?.has(letter) ?? false);
      case "answer":
        return !(lastIn(view, owes.letters)?.has(letter) ?? false);
    }
  }

  /** Whether a proposal is answered, by the other player's first letter with it in its past, or by a ruling that agrees. */
  answeredProposal(view: View, proposal: Proposal): boolean {
    if (proposal.agreements.some((letter) => has(view, letter))) return true;
    return lastIn(view, this.author(this.other(proposal.letter.author)).letters)?.has(proposal.letter) ?? false;
  }
}

export function sheetColumnValid(column: number, row: number): boolean {
  return column >= 0 && column < LIMITS.columns && row >= 1 && row <= LIMITS.cells;
}
