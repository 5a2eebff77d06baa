/** chain 8 to 10, keys 5 to 8, 12: forks, which branch stands, and who is to blame. */
import { isAnswered, type Chains } from "./chain.js";
import type { Admission } from "./keys.js";
import { rotateOf, type Proofs } from "./keys.js";
import { byNumber, type Letter } from "./letter.js";
import { LIMITS } from "./limits.js";
import { openedByRuling } from "./deposits.js";
import { epochAt } from "./office.js";
import { sealBody, type Key, type Openings } from "./openings.js";
import { slotText } from "./slot.js";

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
  /** office 10: of branches of which some begin with an epoch, the one that stands. */
  readonly restored: { readonly branch: Letter; readonly epochs: readonly Letter[] } | null;
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

/** chain 9: the branch for which one is that all know which are for another; or that none of them chooses; or null where there is none. */
function decide(choices: readonly (Choice | null)[]): Letter | "none" | null {
  const made = choices.filter((choice) => choice !== null);
  if (made.length === 0) return null;
  return made.find(({ letter, branch }) => made.every((other) => other.branch === branch || other.letter.has(letter)))?.branch ?? "none";
}

/** Whether a letter is an epoch later than another one (office 10). */
function isLaterEpoch(letter: Letter, than: Letter): boolean {
  const [at, before] = [epochAt(letter) ?? -1, epochAt(than) ?? -1];
  return at > before || (at === before && letter.id < than.id);
}

class Resolver {
  private readonly groups = new Map<Letter, Group>();
  private readonly links: readonly Letter[];
  private readonly stolen: readonly Letter[];
  private readonly answers: readonly Letter[];
  /** By place, the letters that open it (letters 5). */
  private readonly opened = new Map<string, { readonly by: Letter; readonly row: number }[]>();

  constructor(
    private readonly chains: Chains,
    private readonly admissions: readonly Admission[],
    proofs: Proofs,
    private readonly openings: Openings,
  ) {
    const children = new Map<Letter, Letter[]>();
    this.links = chains.placed.filter((letter) => letter.detached === "no");
    for (const letter of this.links) {
      if (letter.prev === null) continue;
      const list = children.get(letter.prev);
      if (list === undefined) children.set(letter.prev, [letter]);
      else list.push(letter);
    }
    this.stolen = this.links.filter((letter) => rotateOf(letter.message)?.stolen === true && proofs.of(letter.message));
    // keys 12
    this.answers = this.links.filter(({ badSeen, content, author }) => badSeen === null && content.kind === "resync" && content.body.is === "answer" && isAnswered(chains, author, content.body.value.to));
    const forked = [...children.values()].some((branches) => branches.length > 1);
    for (const by of forked ? chains.placed : []) {
      for (const key of openings.of(by, chains.letters)) {
        const list = this.opened.get(placeOf(key));
        if (list === undefined) this.opened.set(placeOf(key), [{ by, row: key.row }]);
        else list.push({ by, row: key.row });
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
      this.groups.set(prev, { author: prev.author, prev, branches, explained, restored: this.afterRestore(branches, explained), standing: null, excused: false });
    }
  }

  /** office 10: the branch that begins with the last epoch; none where a rotate explains another. */
  private afterRestore(branches: readonly Letter[], explained: ReadonlyMap<Letter, Explanation>): Group["restored"] {
    const epochs = branches.filter((branch) => branch.author === this.chains.office && epochAt(branch) !== null);
    const [first, ...others] = epochs;
    if (first === undefined) return null;
    const last = others.reduce((latest, epoch) => (isLaterEpoch(epoch, latest) ? epoch : latest), first);
    const isDoubted = [...explained].some(([branch, why]) => branch !== last && why.rotates.length > 0);
    return isDoubted ? null : { branch: last, epochs };
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
      return known === null || (known.author === branch.author && prev.inBranchOf(known));
    });
    // keys 5
    const rotates = this.stolen.filter((rotate) => rotate.author === branch.author && rotate.inBranchOf(branch));
    return { admits, answers, rotates };
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

  // keys 8
  private binds(group: Group, letter: Letter, against: Letter, why: Explanation): boolean {
    if (letter.author === group.author) return false;
    const named = letter.names.filter((one) => {
      const branch = this.branchWith(group, one);
      return branch !== null && branch !== against;
    });
    if (named.length === 0) return false;
    if (![...why.admits, ...why.answers, ...why.rotates].some((one) => letter.has(one))) return true;
    // The other branch knows the answer as well.
    return named.some((one) => why.answers.some((answer) => one.has(answer)));
  }

  private bindsAgainstOthers(group: Group, letter: Letter, branch: Letter): boolean {
    for (const [other, why] of group.explained) if (other !== branch && !this.binds(group, letter, other, why)) return false;
    return true;
  }

  /** The letter with the smallest (number, id) of those that are for a branch, and bind against the others that are explained if they have to (keys 8), and that branch. */
  private first(group: Group, letters: readonly Letter[], choice: (letter: Letter) => Letter | null, mustBind = true): Choice | null {
    let best: Letter | null = null;
    let chosen: Choice | null = null;
    for (const letter of letters) {
      if (best !== null && byNumber(best, letter) < 0) continue;
      const branch = choice(letter);
      if (branch === null || (mustBind && !this.bindsAgainstOthers(group, letter, branch))) continue;
      best = letter;
      chosen = { letter, branch };
    }
    return chosen;
  }

  // chain 9
  private choose(group: Group): Letter | null {
    const { explained, author } = group;
    const only = (by: (why: Explanation) => readonly Letter[]): Letter | null => {
      const ones = [...explained].filter(([, why]) => by(why).length > 0).map(([branch]) => branch);
      return ones.length === 1 ? (ones[0] ?? null) : null;
    };
    const others = this.links.filter((letter) => letter.author !== author && this.chains.players.includes(letter.author));
    const opened = (letter: Letter, fits: (key: Key) => boolean): Letter | null => {
      if (letter.content.kind !== "reveal" || letter.content.body.declaration === null) return null;
      const declaration = this.chains.letters.get(letter.content.body.declaration);
      if (declaration === undefined || declaration.kind !== "declare") return null;
      const branch = this.branchWith(group, declaration);
      return branch !== null && this.fresh(letter).some(fits) ? branch : null;
    };
    const named = (letter: Letter): Letter | null => {
      const seen = letter.seen.get(author) ?? null;
      return seen === null ? null : this.branchWith(group, seen);
    };
    const ruled = (letter: Letter): Letter | null => {
      if (letter.content.kind !== "ruling" || letter.content.body.rule.is !== "branch") return null;
      const one = this.chains.letters.get(letter.content.body.rule.value);
      return one !== undefined && this.chains.players.includes(one.author) ? this.branchWith(group, one) : null;
    };
    const referees = this.links.filter((letter) => letter.author === this.chains.referee);
    const ofPlayer = this.chains.players.includes(author);
    const offices = this.links.filter((letter) => ofPlayer && letter.author === this.chains.office);
    const revealed = this.first(group, others, (letter) => opened(letter, (key) => key.seal.author === letter.author));
    const isOpenedByOffice = ({ seal }: Key): boolean => seal.author !== author && this.chains.players.includes(seal.author) && sealBody(seal)?.revealer === this.chains.office;
    // The dice that it opens are known from then on, whatever was asked and answered (keys 8).
    const revealedByOffice = this.first(group, offices, (letter) => opened(letter, isOpenedByOffice), false);
    const ruledOpen = ofPlayer ? this.first(group, referees, (letter) => this.openedByRuling(group, letter)) : null;
    const before = group.restored?.branch ?? only((why) => why.admits);
    if (before !== null) return before;
    const opening = decide([revealed, revealedByOffice, ruledOpen]);
    const bySeenOrKeys = (): Letter | null => only((why) => why.answers) ?? this.first(group, others, named)?.branch ?? only((why) => why.rotates);
    return (opening === "none" ? null : (opening ?? bySeenOrKeys())) ?? this.first(group, referees, ruled)?.branch ?? null;
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
    return this.openings.of(letter, this.chains.letters).filter((key) => !(this.opened.get(placeOf(key)) ?? []).some((other) => other.row >= key.row && letter.has(other.by)));
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
      const { restored } = group;
      group.excused = (restored === null ? this.unbound(group) : this.isLost(group, restored.epochs)) || order.some((above) => above !== group && this.clears(above, group.prev));
    }
    return fallen;
  }

  /** office 10: whether nothing on a branch was signed after an epoch that begins another, but behind a later one. */
  private isLost(group: Group, epochs: readonly Letter[]): boolean {
    return !this.links.some((letter) => {
      const branch = letter.author === group.author ? this.branchWith(group, letter) : null;
      return branch !== null && epochs.some((epoch) => epoch !== branch && letter.has(epoch) && !isLaterEpoch(branch, epoch));
    });
  }

  /** keys 8, office 10: whether a fork behind `prev` is on a branch that fell where an explained one, or one after a restore, stands, or where two are explained and none stands. */
  private clears(above: Group, prev: Letter): boolean {
    const branch = this.branchWith(above, prev);
    if (branch === null || branch === above.standing) return false;
    return above.standing === null ? above.explained.size >= 2 : above.explained.has(above.standing) || above.restored !== null;
  }

  run(): Forks {
    const fallen = this.settle();
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
      // chain 11
      const culprit = !chains.tooManyBranches && (placed.length < 2 || isExplained) ? null : author;
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
  // chain 11
  if (chains.tooManyBranches) return { found: findForks(chains, () => false), fallen: [] };
  const forks = new Resolver(chains, admissions, proofs, openings).run();
  for (const first of forks.fallen) first.fallen = true;
  // A detached letter is on no branch, and is judged for its link (chain 10).
  for (const letter of chains.placed) if (letter.prev?.fallen === true && letter.detached === "no") letter.fallen = true;
  return forks;
}

/** The ids that a finding of a fork has (chain 8). */
export function forkIds(ids: readonly string[]): readonly string[] {
  return ids.slice(0, LIMITS.forkIds);
}
