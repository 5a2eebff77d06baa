/**
 * What has been replayed of a game. Nothing here is asked without a view: the letter whose past counts (chain 5), or {@link END}, all
 * letters at hand.
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

/** The end of the letters at hand. */
export const END = null;
export type View = Letter | typeof END;

export function has(view: View, letter: Letter): boolean {
  return view === END ? letter.placed : view.has(letter);
}

/** How many of an author's letters, in the order of his chain, a view holds. */
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

/** The last of them. */
export function lastIn(view: View, letters: readonly Letter[]): Letter | null {
  return letters[countIn(view, letters) - 1] ?? null;
}

export interface Opening {
  readonly by: Letter;
  readonly row: number;
  readonly key: Bytes;
}

/** A set, and what became of its places. */
export class SealState {
  readonly context: SetContext;
  /** By index, or by column of a sheet. */
  private readonly openings = new Map<number, Opening[]>();
  /** letters, Spending: what declarations of its declarer have named. */
  coinNamed = false;
  readonly indicesNamed = new Set<number>();
  readonly depthsNamed = new Map<number, number>();
  private lowest = 0;
  /** ruling 4 */
  readonly kills: Letter[] = [];
  /** deposits 8: the referee's receipt that holds its keys. */
  receipt: Letter | null = null;
  /** office 23: the office's receipts that hold them. */
  readonly officeReceipts: Letter[] = [];
  /** office 20: the office's receipts that hand it back, and rulings that kill it. */
  readonly takenBackBy: Letter[] = [];

  constructor(
    readonly letter: Letter,
    readonly body: BodyOf<"seal">,
    private readonly terms: Terms,
    /** The epochs of the office's, as they come. */
    private readonly epochs: readonly Letter[],
  ) {
    this.context = contextOf(terms, letter, body);
  }

  get isDice(): boolean {
    return this.body.kind !== "note" && this.body.kind !== "contribution";
  }

  /** office 5: whether its revealer is the office. */
  get isForOffice(): boolean {
    return this.body.revealer === this.terms.charter.office?.role;
  }

  /** The epochs with which it was not sealed (office 20, 27). */
  private get laterEpochs(): readonly Letter[] {
    return this.isForOffice ? this.epochs.filter((epoch) => !this.letter.has(epoch)) : [];
  }

  /** All that takes it back (office 20). */
  get backBy(): readonly Letter[] {
    return [...this.takenBackBy, ...this.laterEpochs];
  }

  open(key: Key, by: Letter): void {
    const list = this.openings.get(key.place) ?? [];
    this.openings.set(key.place, list);
    // One that is in the past of this letter opens the same: whoever holds this letter holds that one too.
    if (list.some((one) => one.row >= key.row && by.has(one.by))) return;
    list.push({ by, row: key.row, key: key.key });
  }

  opening(view: View, index: number): Opening | null {
    return this.openings.get(index)?.find((one) => has(view, one.by)) ?? null;
  }

  isOpen(view: View, index: number): boolean {
    return this.opening(view, index) !== null;
  }

  /** How far down a column is opened. */
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
  /** Null: all of them. */
  readonly lines: ReadonlySet<number> | null;
}

export interface NamedDice {
  readonly by: Letter;
  readonly dice: readonly number[];
}

/** A roll's dice, and every value on the way to them. */
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
  /** By which redo it is replaced (letters, Agreed redo). */
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

  /** The keys that open its selection: indices, or a column with its deepest row. */
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

  /** The letters by which its selection is opened at the end. */
  get openedBy(): readonly Letter[] {
    const { seal } = this;
    const openings = this.selection.map(([place, row]) => (row > 0 ? seal?.deepest(END, place) : seal?.opening(END, place)));
    return [...new Set(openings.flatMap((opening) => opening?.by ?? []))];
  }

  // secrets 3
  answered(view: View): boolean {
    return this.selection.every((one) => this.isOpen(view, one));
  }

  /** correct 6: an opening of a place in its selection, of a sheet of any cell. */
  touched(view: View): boolean {
    const cells = this.redoIndex === null ? this.reading.cells : [];
    return [...this.selection, ...cells].some((one) => this.isOpen(view, one));
  }

  // secrets 3
  shown(view: View): boolean {
    return this.answered(view) && (this.sealed === null || this.sealed.set.isOpen(view, this.sealed.index));
  }

  /** deposits 9: what the referee holds later changes nothing. */
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

  /** The first letter, in the order of replay, that voids a roll (counted from 1). */
  voidedBy(view: View, roll: number): Letter | null {
    return this.voids.find((one) => has(view, one.by) && (one.lines === null || one.lines.has(roll)))?.by ?? null;
  }

  anyVoid(view: View): boolean {
    return this.voids.some((one) => has(view, one.by));
  }

  /** What each roll draws, and from which place. */
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
    // Very many are rather drawn again than kept.
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

/** A valid proposal: a correction, or a void. */
export interface Proposal {
  readonly letter: Letter;
  readonly declarations: readonly string[];
  readonly correction: Extract<BodyOf<"correct">, { readonly is: "propose" }>["value"] | null;
  readonly scope: Scope | null;
  readonly agreements: Letter[];
}

/** A valid acceptance, by a player or by the referee in his place. */
export interface Acceptance {
  readonly letter: Letter;
  readonly proposal: Proposal;
}

/** A valid stall or dispute. */
export interface Claim {
  readonly letter: Letter;
  readonly stall: Extract<BodyOf<"claim">, { readonly is: "stall" }>["value"] | null;
  /** Withdrawals, dismissals, and forfeits that were ruled on it. */
  readonly ends: Letter[];
}

/** What the office's clock showed when it signed a receipt that acts (office 23, 29). */
export interface OfficeTime {
  readonly by: Letter;
  readonly at: number;
}

/** What a letter of the office's follows by `prev`: its last epoch, and the latest time (receipt 3, 5). */
export interface OfficeTrail {
  readonly epoch: Letter | null;
  readonly clock: number;
}

/** What a player has done so far, along the one chain of his that stands. */
export class AuthorState {
  /** All letters that count, in the order of his chain; the same of some kinds. */
  readonly letters: Letter[] = [];
  readonly declarationsAndCloses: Letter[] = [];
  /** Declarations, valid names, and valid decisions in a course (disputes 8). */
  readonly moves: Letter[] = [];
  readonly closes: Letter[] = [];
  readonly seals: Letter[] = [];

  readonly slots = new Set<string>();
  private readonly numbers = new Map<string, { readonly taken: Set<number>; free: number }>();
  lastSlot: Slot | null = null;
  /** Declarations in breach that are to be declared again before anything else; in a course, while they can be (courses 7). */
  readonly pending = new Set<Letter>();
  readonly due: Acceptance[] = [];
  readonly contributions = new Set<string>();
  /** By the proposal, the first redo that names an acceptance of it. */
  readonly agreedUsed = new Map<Letter, Letter>();
  readonly decided = new Map<string, Letter>();
  readonly withdrawn = new Set<string>();
  /** His valid proposals that were not answered when it was last asked: what a letter of his knows, his later ones know too. */
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
  /** For each commitment the first seal of each author that counts. */
  readonly commits = new Map<string, Letter[]>();
  readonly declarations = new Map<string, DeclarationState>();
  readonly bySlot = new Map<string, DeclarationState[]>();
  readonly byImpulse = new Map<string, DeclarationState[]>();
  readonly proposals = new Map<string, Proposal>();
  /** For a declaration, the last valid proposal of each author that concerns it. */
  readonly lastProposal = new Map<string, Proposal>();
  readonly acceptances = new Map<string, Acceptance>();
  readonly claims = new Map<string, Claim>();
  /** By what is to be revealed, valid stalls. */
  readonly stalls = new Map<string, Letter[]>();
  /** Valid yields and rulings by which a declaration's dice may be named: the declaration, or null of a game. */
  readonly forfeits = new Map<string, DeclarationState | null>();
  readonly gamesForfeited: { readonly by: Letter; readonly loser: string }[] = [];
  readonly requests = new Map<string, Claim>();
  /** By letter, the valid rulings that settle it: of a declaration of a hidden course there may be two (ruling 12). */
  readonly settled = new Map<string, Letter[]>();
  /** office 22: of the office's letters, on whatever branch, as are the times. */
  readonly epochs: Letter[] = [];
  readonly times: OfficeTime[] = [];
  /** What each of the office's letters follows by `prev`, or is itself. */
  readonly officeTrails = new Map<Letter, OfficeTrail>();
  private readonly authors = new Map<string, AuthorState>();
  private readonly systems = new Map<Phase, System | null>();
  /** By system, in the order of their first phases (courses 22). */
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

  /** The course of the phase that a slot is of, if it has one. */
  courseOf(slot: Slot): GameCourse | null {
    const phase = this.phaseOf(slot);
    return phase === null ? null : (this.courses.get(phase.system) ?? null);
  }

  /** hidden 1 */
  isHidden(slot: Slot): boolean {
    return this.courseOf(slot)?.isHidden ?? false;
  }

  /** correct 1, disputes 2: whether what was rolled is known, as far as it will be; in a hidden course it is settled unseen (hidden 3). */
  isKnown(view: View, declaration: DeclarationState): boolean {
    return this.isHidden(declaration.body.slot) ? declaration.answered(view) || declaration.forfeited(view) : declaration.shown(view);
  }

  /** A letter voids, replaces or forfeits a declaration, or names its dice. */
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

  /** A letter that is named, whose kind is known. */
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

  /** Valid notes for a purpose by a role that a view holds. */
  notes(view: View, purpose: string, by: string): SealState[] {
    return (this.validSeals.get(`note ${purpose}`) ?? []).filter((one) => one.letter.author === by && has(view, one.letter));
  }

  /** courses 13: whether a standing note is due in a past. */
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

  /** Whether a proposal is answered: by the other's first letter that has it in its past, or by a ruling that agrees. */
  answeredProposal(view: View, proposal: Proposal): boolean {
    if (proposal.agreements.some((letter) => has(view, letter))) return true;
    return lastIn(view, this.author(this.other(proposal.letter.author)).letters)?.has(proposal.letter) ?? false;
  }
}

export function sheetColumnValid(column: number, row: number): boolean {
  return column >= 0 && column < LIMITS.columns && row >= 1 && row <= LIMITS.cells;
}
