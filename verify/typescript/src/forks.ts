/** chain 8 to 10, keys 5 to 8, 12: forks, which branch stands, and who is to blame. */
import { isAnswered, type Chains } from "./chain.js";
import type { Admission } from "./keys.js";
import { rotateOf, type Proofs } from "./keys.js";
import { byNumber, type Letter } from "./letter.js";
import { LIMITS } from "./limits.js";
import { add } from "./lists.js";
import { openedByRuling } from "./deposits.js";
import { epochAt } from "./office.js";
import { sealBody, type Key, type Openings } from "./openings.js";
import { slotText } from "./slot.js";
import { countIn } from "./state.js";

export interface Fork {
  readonly author: string;
  readonly number: number;
  /** All ids with this number, ascending. */
  readonly ids: readonly string[];
  readonly culprit: string | null;
}

/** What explains a branch (keys 8), and by which letters. */
interface Explanation {
  readonly admits: Letter[];
  readonly answers: Letter[];
  readonly rotates: Letter[];
}

/** Two or more letters with one `prev`. */
interface Group {
  readonly author: string;
  readonly prev: Letter;
  readonly branches: readonly Letter[];
  readonly explained: ReadonlyMap<Letter, Explanation>;
  standing: Letter | null;
  /** The branches of the office's that begin with an epoch, and the one of these that office 10 chooses, if it is not silent. */
  readonly epochs: readonly Letter[];
  readonly restored: Letter | null;
  /** office 10, where it is silent: for a player the last such branch that he names. */
  readonly goneOverTo: Map<string, Letter>;
  /** keys 8: a fork of these letters has no culprit. */
  excused: boolean;
}

export interface Forks {
  readonly found: readonly Fork[];
  /** The first letters of the branches that do not stand. */
  readonly fallen: readonly Letter[];
}

/** A branch, and the letter that is for it. */
interface Choice {
  readonly letter: Letter;
  readonly branch: Letter;
}

function placeOf(key: Key): string {
  return `${key.seal.id} ${key.place}`;
}

/** chain 12: the branch for which one is that all know which are for another; or that none of them chooses; or null where there is none. */
function decide(choices: readonly (Choice | null)[]): Letter | "none" | null {
  const made = choices.filter((choice) => choice !== null);
  if (made.length === 0) return null;
  return made.find(({ letter, branch }) => made.every((other) => other.branch === branch || other.letter.has(letter)))?.branch ?? "none";
}

function answeredTo({ content }: Letter): string | null {
  return content.kind === "resync" && content.body.is === "answer" ? content.body.value.to : null;
}

class Resolver {
  private readonly groups = new Map<Letter, Group>();
  private readonly links: readonly Letter[];
  private readonly stolen: readonly Letter[];
  private readonly answers: readonly Letter[];
  /** By place, the letters that open it (letters 5). */
  private readonly opened = new Map<string, { readonly by: Letter; readonly row: number }[]>();
  private readonly freshOf = new Map<Letter, readonly Key[]>();
  private readonly followables = new Map<Letter, readonly Letter[]>();
  private readonly told = new Map<Letter, readonly Letter[]>();
  private readonly offices: readonly Letter[];
  private readonly epochs: readonly Letter[];
  private readonly epochsKnown = new Map<Letter, number>();
  /** Notes by their author and purpose, by (number, id). */
  private readonly notes = new Map<string, Letter[]>();
  /** By what they admit, the referee's rulings. */
  private readonly admitting = new Map<string, Letter[]>();

  constructor(
    private readonly chains: Chains,
    private readonly admissions: readonly Admission[],
    proofs: Proofs,
    private readonly openings: Openings,
  ) {
    const children = new Map<Letter, Letter[]>();
    this.links = chains.placed.filter((letter) => letter.detached === "no");
    this.offices = this.links.filter((letter) => letter.author === chains.office);
    this.epochs = this.offices.filter((letter) => epochAt(letter) !== null);
    for (const letter of this.links) {
      if (letter.prev !== null) add(children, letter.prev, letter);
      const sealed = sealBody(letter);
      if (sealed?.kind === "note") add(this.notes, `${letter.author} ${sealed.purpose}`, letter);
    }
    for (const notes of this.notes.values()) notes.sort(byNumber);
    for (const letter of chains.placed) {
      const { author, content } = letter;
      if (author === chains.referee && content.kind === "ruling" && content.body.rule.is === "admit") add(this.admitting, content.body.rule.value, letter);
    }
    this.stolen = this.links.filter((letter) => rotateOf(letter.message)?.stolen === true && proofs.of(letter.message));
    // keys 12
    this.answers = this.links.filter(({ badSeen, content, author }) => badSeen === null && content.kind === "resync" && content.body.is === "answer" && isAnswered(chains, author, content.body.value.to));
    const forked = [...children.values()].some((branches) => branches.length > 1);
    for (const by of forked ? chains.placed : []) {
      for (const key of openings.of(by, chains.letters)) {
        add(this.opened, placeOf(key), { by, row: key.row });
      }
    }
    for (const [prev, branches] of children) {
      if (branches.length < 2) continue;
      branches.sort((a, b) => a.enter - b.enter);
      const explained = new Map<Letter, Explanation>();
      for (const branch of branches) {
        const why = this.explain(prev, branch, branches);
        if (why.admits.length + why.answers.length + why.rotates.length > 0) explained.set(branch, why);
      }
      this.groups.set(prev, this.group(prev, branches, explained));
    }
  }

  private group(prev: Letter, branches: readonly Letter[], explained: ReadonlyMap<Letter, Explanation>): Group {
    const epochs = branches.filter((branch) => branch.author === this.chains.office && epochAt(branch) !== null);
    const last = this.lastEpoch(epochs);
    // office 10: where a rotate explains another branch the rule is silent.
    const silent = [...explained].some(([branch, why]) => branch !== last && why.rotates.length > 0);
    const group: Group = { author: prev.author, prev, branches, explained, epochs, restored: silent ? null : last, goneOverTo: new Map(), standing: null, excused: false };
    for (const player of silent && last !== null ? this.chains.players : []) {
      const named = new Set(this.links.filter((letter) => letter.author === player).map((letter) => this.namedBranch(group, letter)));
      const over = this.lastEpoch(epochs.filter((epoch) => named.has(epoch)));
      if (over !== null) group.goneOverTo.set(player, over);
    }
    return group;
  }

  private lastEpoch(epochs: readonly Letter[]): Letter | null {
    return epochs.reduce<Letter | null>((last, epoch) => (last === null || this.isLaterEpoch(epoch, last) ? epoch : last), null);
  }

  /** office 10: whether an epoch is later than another one: it knows more of them, or else it shows a later time. */
  private isLaterEpoch(epoch: Letter, than: Letter): boolean {
    const [at, before] = [epochAt(epoch) ?? 0, epochAt(than) ?? 0];
    return (this.knownTo(epoch) - this.knownTo(than) || at - before || (epoch.id < than.id ? 1 : -1)) > 0;
  }

  private knownTo(epoch: Letter): number {
    const known = this.epochsKnown.get(epoch) ?? this.epochs.filter((one) => epoch.has(one)).length;
    this.epochsKnown.set(epoch, known);
    return known;
  }

  private explain(prev: Letter, branch: Letter, branches: readonly Letter[]): Explanation {
    // keys 7
    const { key } = branch.message;
    const alone = branches.filter((one) => one.message.key === key).length === 1;
    const admits = this.admissions
      .filter((one) => alone && one.player === branch.author && one.after === prev.id && one.key === key)
      .flatMap((one) => this.chains.letters.get(one.admit) ?? [])
      .filter((letter) => letter.placed && letter.detached === "no");
    // keys 12
    const answers = this.answers.filter((answer) => {
      if (answer.content.kind !== "resync" || answer.content.body.is !== "answer") return false;
      if (answer.content.body.value.to !== branch.author || answer.author === branch.author) return false;
      if (!branch.has(answer) || prev.has(answer) || branches.some((one) => one !== branch && one.has(answer))) return false;
      const known = answer.seen.get(branch.author) ?? null;
      return (known === null || (known.author === branch.author && prev.inBranchOf(known))) && this.knowsNothingLost(answer, branches);
    });
    // keys 5
    const rotates = this.stolen.filter((rotate) => rotate.author === branch.author && rotate.inBranchOf(branch));
    return { admits, answers, rotates };
  }

  /** keys 12: of an answer, whether it knows nothing of the branches that its author could have followed. */
  private knowsNothingLost(answer: Letter, branches: readonly Letter[]): boolean {
    const known = branches.filter((branch) => answer.has(branch));
    return known.length === 0 || !this.followable(answer).some((letter) => known.some((branch) => letter.inBranchOf(branch)));
  }

  /** The asker's letters that an answer knows, but those that its author could not follow, for another answer of his that it knows, and that knows nothing of them, nor they of it (keys 10). */
  private followable(answer: Letter): readonly Letter[] {
    const found = this.followables.get(answer);
    if (found !== undefined) return found;
    const to = answeredTo(answer);
    const lines = new Map<number, Letter[]>();
    for (const one of this.answers) if (one.author === answer.author && answeredTo(one) === to && answer.has(one)) add(lines, one.line, one);
    // On each line the first that a letter does not know knows least itself.
    const isExcused = (letter: Letter): boolean => [...lines.values()].some((line) => line[countIn(letter, line)]?.has(letter) === false);
    const made = this.links.filter((letter) => letter.author === to && answer.has(letter) && !isExcused(letter));
    this.followables.set(answer, made);
    return made;
  }

  /** The branch of a group that a letter is in, if any. What is detached is on no branch (chain 2). */
  private branchWith(group: Group, letter: Letter): Letter | null {
    if (letter === group.prev || letter.detached !== "no" || !letter.inBranchOf(group.prev)) return null;
    // The branches stand in the order in which they are entered.
    let from = 0;
    let to = group.branches.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((group.branches[middle]?.enter ?? 0) <= letter.enter) from = middle + 1;
      else to = middle;
    }
    const branch = group.branches[from - 1];
    return branch !== undefined && letter.inBranchOf(branch) ? branch : null;
  }

  /** Whether a letter may name or bind (office 10). */
  private speaks({ goneOverTo }: Group, letter: Letter): boolean {
    const over = goneOverTo.get(letter.author);
    return over === undefined || letter.has(over);
  }

  /** keys 8: whether a letter of the office's can bind against an explained branch: it opens for another, and the office did not keep that to itself when it was shown an answer. */
  private officeBinds(group: Group, letter: Letter, against: Letter, why: Explanation): boolean {
    const branch = this.openedByOffice(group, letter);
    if (branch === null || branch === against) return false;
    return !why.answers.some((answer) => !letter.has(answer) && this.firstTold(answer).some((one) => against.has(one) && !one.has(letter)));
  }

  /** What a letter names, for keys 8: a reveal as chain 12 has it also the letter by which it is for a branch. */
  private namedBy(group: Group, letter: Letter): readonly Letter[] {
    const isOffices = letter.author === this.chains.office;
    const isFor = isOffices ? this.openedByOffice(group, letter) : this.revealedFor(group, letter, (key) => key.seal.author === letter.author);
    const by = isFor === null ? null : this.isForBy(group, letter);
    return by === null ? letter.names : [...letter.names, by];
  }

  /** The letters of the office's that know an answer, each the first on its branch: that knows least. */
  private firstTold(answer: Letter): readonly Letter[] {
    const told = this.told.get(answer) ?? this.offices.filter((one) => one.has(answer) && one.prev?.has(answer) !== true);
    this.told.set(answer, told);
    return told;
  }

  // keys 8
  private binds(group: Group, letter: Letter, against: Letter, why: Explanation): boolean {
    if (letter.author === group.author || !this.speaks(group, letter)) return false;
    const named = this.namedBy(group, letter).filter((one) => {
      const branch = this.branchWith(group, one);
      return branch !== null && branch !== against;
    });
    if (named.length === 0) return false;
    if (letter.author === this.chains.office && !this.officeBinds(group, letter, against, why)) return false;
    if (![...why.admits, ...why.answers, ...why.rotates].some((one) => letter.has(one))) return true;
    // The other branch knows the answer as well.
    return named.some((one) => why.answers.some((answer) => one.has(answer)));
  }

  private bindsAgainstOthers(group: Group, letter: Letter, branch: Letter): boolean {
    for (const [other, why] of group.explained) if (other !== branch && !this.binds(group, letter, other, why)) return false;
    return true;
  }

  /** keys 8: of a reveal of the office's, whether it knew a theft, or an admission, that explains another branch. */
  private knewBetter(group: Group, letter: Letter, branch: Letter): boolean {
    return [...group.explained].some(([other, { rotates, admits }]) => {
      const rulings = admits.flatMap((admit) => this.admitting.get(admit.id) ?? []);
      return other !== branch && [...rotates, ...rulings].some((one) => letter.has(one));
    });
  }

  /** The letter with the smallest (number, id) of those that are for a branch, and bind against the others that are explained if they have to (keys 8), and that branch. */
  private first(group: Group, letters: readonly Letter[], choice: (letter: Letter) => Letter | null, mustBind: (letter: Letter, branch: Letter) => boolean = () => true): Choice | null {
    let best: Letter | null = null;
    let chosen: Choice | null = null;
    for (const letter of letters) {
      if (best !== null && byNumber(best, letter) < 0) continue;
      const branch = choice(letter);
      if (branch === null || (mustBind(letter, branch) && !this.bindsAgainstOthers(group, letter, branch))) continue;
      best = letter;
      chosen = { letter, branch };
    }
    return chosen;
  }

  // chain 12
  private choose(group: Group): Letter | null {
    const { explained, author } = group;
    const only = (by: (why: Explanation) => readonly Letter[]): Letter | null => {
      const ones = [...explained].filter(([, why]) => by(why).length > 0).map(([branch]) => branch);
      return ones.length === 1 ? (ones[0] ?? null) : null;
    };
    const others = this.links.filter((letter) => letter.author !== author && this.chains.players.includes(letter.author));
    const named = (letter: Letter): Letter | null => (this.speaks(group, letter) ? this.namedBranch(group, letter) : null);
    const ruled = (letter: Letter): Letter | null => {
      if (letter.content.kind !== "ruling" || letter.content.body.rule.is !== "branch") return null;
      const one = this.chains.letters.get(letter.content.body.rule.value);
      return one !== undefined && this.chains.players.includes(one.author) ? this.branchWith(group, one) : null;
    };
    const referees = this.links.filter((letter) => letter.author === this.chains.referee);
    const ofPlayer = this.chains.players.includes(author);
    if (group.restored !== null) return group.restored;
    const revealed = this.first(group, others, (letter) => this.revealedFor(group, letter, (key) => key.seal.author === letter.author));
    // The dice that it opens are known from then on, whatever was asked and answered (keys 8).
    const revealedByOffice = this.first(group, this.offices, (letter) => this.openedByOffice(group, letter), (letter, branch) => this.knewBetter(group, letter, branch));
    const ruledOpen = ofPlayer ? this.first(group, referees, (letter) => this.openedByRuling(group, letter)) : null;
    const opening = decide([revealed, revealedByOffice, ruledOpen]);
    if (opening !== null && opening !== "none") return opening;
    const bySeenOrKeys = (): Letter | null => only((why) => why.answers) ?? this.first(group, others, named)?.branch ?? only((why) => why.rotates);
    return only((why) => why.admits) ?? (opening === "none" ? null : bySeenOrKeys()) ?? this.first(group, referees, ruled)?.branch ?? null;
  }

  /** The branch of which a letter has one as its `seen` for its author. */
  private namedBranch(group: Group, letter: Letter): Letter | null {
    const seen = letter.seen.get(group.author) ?? null;
    return seen === null ? null : this.branchWith(group, seen);
  }

  /** chain 12: the branch that a reveal is for, if it opens what nothing in its past does. */
  private revealedFor(group: Group, letter: Letter, fits: (key: Key) => boolean): Letter | null {
    const by = this.isForBy(group, letter);
    return by !== null && this.fresh(letter).some(fits) ? this.branchWith(group, by) : null;
  }

  /** chain 12: of a reveal, the letter by which it is for a branch: the declaration, or, of orders at once, the first note by the fork's author that it knows, for the same purpose. */
  private isForBy(group: Group, letter: Letter): Letter | null {
    if (letter.content.kind !== "reveal") return null;
    const { declaration, seal } = letter.content.body;
    const named = this.chains.letters.get(declaration ?? seal);
    if (named === undefined) return null;
    const note = sealBody(named);
    const declared = named.kind === "declare" ? [named] : [];
    const ordered = note?.kind === "note" ? (this.notes.get(`${group.author} ${note.purpose}`) ?? []) : [];
    return (declaration === null ? ordered : declared).find((one) => letter.has(one) && this.branchWith(group, one) !== null) ?? null;
  }

  /** chain 12: the branch of a player's fork that a reveal of the office's is for. */
  private openedByOffice(group: Group, letter: Letter): Letter | null {
    const { players, office } = this.chains;
    if (!players.includes(group.author)) return null;
    return this.revealedFor(group, letter, ({ seal }) => seal.author !== group.author && players.includes(seal.author) && sealBody(seal)?.revealer === office);
  }

  /** The branch that a ruling `open` is an opening for (deposits 12). */
  private openedByRuling(group: Group, letter: Letter): Letter | null {
    if (letter.content.kind !== "ruling" || letter.content.body.rule.is !== "open") return null;
    const { claim, about, set } = openedByRuling(letter.content.body.rule.value.request, this.chains.letters);
    if (claim === null || about === null || set === null || claim.author !== group.author) return null;
    const branch = this.branchWith(group, claim);
    if (branch === null || this.fresh(letter).length === 0) return null;
    const there = about.content.kind === "declare" ? this.branchWith(group, about) === branch : this.hasSlotOf(group, branch, set);
    return there ? branch : null;
  }

  /** The keys of a letter that match at places which nothing in its past opens. */
  private fresh(letter: Letter): readonly Key[] {
    const isFresh = (key: Key): boolean => !(this.opened.get(placeOf(key)) ?? []).some((other) => other.row >= key.row && letter.has(other.by));
    const keys = this.freshOf.get(letter) ?? this.openings.of(letter, this.chains.letters).filter(isFresh);
    this.freshOf.set(letter, keys);
    return keys;
  }

  /** Whether a declaration of a note's slot, or a note of the player's for the same purpose, is on a branch. */
  private hasSlotOf(group: Group, branch: Letter, note: Letter): boolean {
    const purpose = note.content.kind === "seal" ? note.content.body.purpose : "";
    const slot = purpose.slice(0, purpose.lastIndexOf("/"));
    const fits = ({ content }: Letter): boolean =>
      (content.kind === "declare" && slotText(content.body.slot) === slot) || (content.kind === "seal" && content.body.kind === "note" && content.body.purpose === purpose);
    return this.links.some((letter) => letter.author === group.author && fits(letter) && this.branchWith(group, letter) === branch);
  }

  /** keys 8, for letters with one `prev`: an explanation that nobody binds against. */
  private unbound(group: Group): boolean {
    for (const [branch, why] of group.explained) {
      if (!this.links.some((letter) => this.binds(group, letter, branch, why))) return true;
    }
    return false;
  }

  private settle(): Letter[] {
    const fallen: Letter[] = [];
    const order = [...this.groups.values()].sort((a, b) => a.prev.number - b.prev.number);
    for (const group of order) {
      group.standing = this.choose(group);
      for (const branch of group.branches) if (branch !== group.standing) fallen.push(branch);
      group.excused = (group.restored === null ? this.unbound(group) : this.isLost(group)) || order.some((above) => above !== group && this.clears(above, group.prev));
    }
    return fallen;
  }

  /** office 10: whether nothing on a branch was signed after an epoch that begins another, but behind a later one. */
  private isLost(group: Group): boolean {
    const { epochs } = group;
    const isLater = (branch: Letter, epoch: Letter): boolean => epochs.includes(branch) && this.isLaterEpoch(branch, epoch);
    return !this.offices.some((letter) => {
      const branch = this.branchWith(group, letter);
      return branch !== null && epochs.some((epoch) => epoch !== branch && letter.has(epoch) && !isLater(branch, epoch));
    });
  }

  /** chain 13: the reveals of the office's on branches that fall where one that begins with an epoch stands, but for those of a thief. */
  private forgotten(): readonly Letter[] {
    const groups = [...this.groups.values()].filter(({ author }) => author === this.chains.office);
    return this.offices.filter((reveal) => {
      if (reveal.kind !== "reveal") return false;
      const fallen = groups.filter((group) => (this.branchWith(group, reveal) ?? group.standing) !== group.standing);
      return fallen.some(({ epochs, standing }) => standing !== null && epochs.includes(standing)) && !fallen.some((group) => this.mayBeThiefs(group, reveal));
    });
  }

  /** chain 13: whether rotates explain the branch that stands, and whoever else knows a reveal on another knows one of them. */
  private mayBeThiefs({ author, standing, explained }: Group, reveal: Letter): boolean {
    const rotates = (standing === null ? undefined : explained.get(standing))?.rotates ?? [];
    return rotates.length > 0 && this.links.every((letter) => letter.author === author || !letter.has(reveal) || rotates.some((rotate) => letter.has(rotate)));
  }

  /** keys 8, office 10: whether a fork behind `prev` is on a branch that fell where an explained one, or one after a restore, stands, or where two are explained and none stands. */
  private clears(above: Group, prev: Letter): boolean {
    const branch = this.branchWith(above, prev);
    if (branch === null || branch === above.standing) return false;
    return above.standing === null ? above.explained.size >= 2 : above.explained.has(above.standing) || above.restored !== null;
  }

  run(): Forks {
    const fallen = this.settle();
    for (const reveal of this.forgotten()) reveal.judgedFallen = true;
    return { found: findForks(this.chains, (letters, explainedBelow) => this.explainedFork(letters, explainedBelow)), fallen };
  }

  private explainedFork(letters: readonly Letter[], explainedBelow: () => boolean): boolean {
    // What is detached nothing explains.
    if (letters.some((letter) => letter.detached !== "no")) return false;
    const prevs = new Map<Letter | null, Letter[]>();
    for (const letter of letters) {
      const list = prevs.get(letter.prev);
      if (list === undefined) prevs.set(letter.prev, [letter]);
      else list.push(letter);
    }
    const groupExplained = (prev: Letter | null): boolean => prev !== null && (this.groups.get(prev)?.excused ?? false);
    if (prevs.size > 1 && !explainedBelow()) return false;
    for (const [prev, list] of prevs) if (list.length > 1 && !groupExplained(prev)) return false;
    return true;
  }
}

type Explained = (letters: readonly Letter[], explainedBelow: () => boolean) => boolean;

/** chain 8: one finding for the lowest number of each author, and one more for the lowest that has a culprit. */
function findForks(chains: Chains, explained: Explained): Fork[] {
  const numbers = new Map<string, Map<number, Letter[]>>();
  for (const letter of chains.letters.values()) {
    const of = numbers.get(letter.author) ?? new Map<number, Letter[]>();
    numbers.set(letter.author, of);
    const list = of.get(letter.number);
    if (list === undefined) of.set(letter.number, [letter]);
    else list.push(letter);
  }
  const forks: Fork[] = [];
  for (const author of chains.roles) {
    const byNumbers = numbers.get(author) ?? new Map<number, Letter[]>();
    const forked = [...byNumbers.keys()].filter((number) => (byNumbers.get(number)?.length ?? 0) > 1).sort((a, b) => a - b);
    const known = new Map<number, boolean>();
    let first = true;
    for (const number of forked) {
      const letters = byNumbers.get(number) ?? [];
      const placed = letters.filter((letter) => letter.placed);
      const isExplained = placed.length > 1 && explained(placed, () => known.get(number - 1) ?? false);
      known.set(number, isExplained);
      // chain 14
      const isBlamed = chains.tooManyBranches ? chains.branchy.has(author) : placed.length > 1 && !isExplained;
      const culprit = isBlamed ? author : null;
      if (first || culprit !== null) {
        forks.push({ author, number, ids: letters.map((letter) => letter.id).sort(), culprit });
        first = false;
      }
      if (culprit !== null) break;
    }
  }
  return forks;
}

export function findAndSettleForks(chains: Chains, admissions: readonly Admission[], proofs: Proofs, openings: Openings): Forks {
  // chain 14
  if (chains.tooManyBranches) return { found: findForks(chains, () => false), fallen: [] };
  const forks = new Resolver(chains, admissions, proofs, openings).run();
  for (const first of forks.fallen) first.fallen = true;
  // A detached letter is on no branch, and is judged for its link (chain 13).
  for (const letter of chains.placed) if (letter.prev?.fallen === true && letter.detached === "no") letter.fallen = true;
  return forks;
}

/** The ids that a finding of a fork has (chain 8). */
export function forkIds(ids: readonly string[]): readonly string[] {
  return ids.slice(0, LIMITS.forkIds);
}
