/** keys.md: which keys are in force, and so which of the messages that name a game are letters of it. */
import { fromHex, utf8 } from "./bytes.js";
import { partiesOf, type Charter } from "./charter.js";
import type { BodyOf } from "./kinds.js";
import { signedBytes, type Message } from "./message.js";
import { namedInBody } from "./names.js";
import { KeyRing, verifies } from "./signature.js";
import { topological } from "./topology.js";

/** keys 6: a key that is in force from a letter on which has `after` as its `prev`. */
export interface Admission {
  readonly player: string;
  readonly after: string;
  readonly key: string;
  readonly admit: string;
  readonly ruling: string;
}

export interface KeysInForce {
  /** The letters, by id. */
  readonly letters: ReadonlyMap<string, Message>;
  /** Class `game`: by somebody who is no role, or under a key that is not in force. */
  readonly refused: readonly Message[];
  readonly admissions: readonly Admission[];
}

type Rotate = Extract<BodyOf<"key">, { readonly is: "rotate" }>["value"];
type Admit = Extract<BodyOf<"key">, { readonly is: "admit" }>["value"];

export function rotateOf(message: Message): Rotate | null {
  return message.content.kind === "key" && message.content.body.is === "rotate" ? message.content.body.value : null;
}

export function admitOf(message: Message): Admit | null {
  return message.content.kind === "key" && message.content.body.is === "admit" ? message.content.body.value : null;
}

/** Proofs of new keys (keys 3), each looked at once: it depends on the payload alone. */
export class Proofs {
  private readonly known = new Map<string, boolean>();
  constructor(private readonly keys: KeyRing) {}

  private good(game: string, role: string, follows: string, key: string, proof: string): boolean {
    const found = this.keys.find(key);
    const signature = fromHex(proof);
    if (found === null || signature === null) return false;
    return verifies(found, signedBytes("sealed-dice/v1/new-key", utf8([game, role, follows, key].join("\n"))), signature);
  }

  /** key 1, and what key 2 takes from it. */
  of(message: Message): boolean {
    const known = this.known.get(message.id);
    if (known !== undefined) return known;
    const rotate = rotateOf(message);
    const admit = admitOf(message);
    const { game, prev, author } = message.head;
    let good = false;
    if (game !== null && rotate !== null && prev !== null) good = this.good(game, author, prev, rotate.key, rotate.proof);
    if (game !== null && admit !== null) good = this.good(game, admit.player, admit.after, admit.key, admit.proof);
    this.known.set(message.id, good);
    return good;
  }
}

/** A payload that names the game, under all keys by which it is signed. */
interface Candidate {
  readonly id: string;
  readonly role: string;
  readonly prev: string | null;
  /** By key, so that the order in which mails come does not matter. */
  readonly copies: readonly Message[];
  /** The copy that is the letter, or null while there is none. */
  letter: Message | null;
  /** The key in force after it. */
  after: string;
}

/** A first letter, which is there without asking for keys. */
export interface Root {
  readonly message: Message;
}

class Resolution {
  readonly candidates = new Map<string, Candidate>();
  /** keys 2: the keys that a role has, and of all messages the new keys that rotates name, by the role and key that sign them. */
  private readonly known = new Map<string, Set<string>>();
  private readonly rotated = new Map<string, string[]>();
  readonly admissions: Admission[] = [];
  private readonly admitted = new Map<string, Set<string>>();
  /** The admits that have admitted their keys. */
  private readonly heeded = new Set<string>();
  private readonly children = new Map<string, string[]>();
  private readonly byKey = new Map<string, string[]>();
  private readonly roots = new Map<string, { readonly role: string; readonly key: string; readonly message: Message }>();
  private queue: string[] = [];

  constructor(
    private readonly charter: Charter,
    roots: readonly Root[],
    groups: ReadonlyMap<string, readonly Message[]>,
    private readonly proofs: Proofs,
    givenUp: ReadonlySet<string>,
  ) {
    for (const copies of groups.values()) {
      for (const copy of copies) {
        const rotate = rotateOf(copy);
        if (rotate !== null && proofs.of(copy)) push(this.rotated, `${copy.head.author} ${copy.key}`, rotate.key);
      }
    }
    for (const party of partiesOf(charter)) this.know(party.role, party.key);
    for (const { message } of roots) this.roots.set(message.id, { role: message.head.author, key: message.key, message });
    for (const [id, copies] of groups) {
      const [first] = copies;
      if (first === undefined || givenUp.has(id)) continue;
      this.candidates.set(id, { id, role: first.head.author, prev: first.head.prev, copies, letter: null, after: "" });
      if (first.head.prev !== null) push(this.children, first.head.prev, id);
      for (const copy of copies) push(this.byKey, `${first.head.author} ${copy.key}`, id);
    }
    this.queue = [...this.candidates.values()].sort((a, b) => this.number(a) - this.number(b)).map((one) => one.id);
    for (;;) {
      this.settle();
      if (!this.admit()) return;
    }
  }

  private number(candidate: Candidate): number {
    return candidate.copies[0]?.head.number ?? 0;
  }

  /** Whether the id is a letter of the role, and the key in force after it. */
  private keyAfter(id: string | null, role: string): string | null {
    if (id === null) return null;
    const root = this.roots.get(id);
    if (root !== undefined) return root.role === role ? root.key : null;
    const candidate = this.candidates.get(id);
    return candidate !== undefined && candidate.letter !== null && candidate.role === role ? candidate.after : null;
  }

  private isAdmitted(role: string, key: string, after: string | null): boolean {
    return after !== null && (this.admitted.get(`${role} ${after}`)?.has(key) ?? false);
  }

  // keys 1, 2
  private choose(candidate: Candidate): Message | null {
    const { role, prev, copies } = candidate;
    const inForce = this.keyAfter(prev, role);
    const admitted = copies.find((copy) => this.isAdmitted(role, copy.key, prev));
    if (inForce !== null) return admitted ?? copies.find((copy) => copy.key === inForce) ?? null;
    const known = this.known.get(role);
    return admitted ?? copies.find((copy) => known?.has(copy.key) ?? false) ?? null;
  }

  /** Whether a copy that is not the letter would be in force, were it not for the one that is. */
  alsoInForce(candidate: Candidate, copy: Message): boolean {
    const inForce = this.keyAfter(candidate.prev, candidate.role);
    return inForce !== null ? copy.key === inForce : (this.known.get(candidate.role)?.has(copy.key) ?? false);
  }

  private know(role: string, key: string): void {
    const known = this.known.get(role) ?? new Set<string>();
    this.known.set(role, known);
    const found = [key];
    for (let one = found.pop(); one !== undefined; one = found.pop()) {
      if (known.has(one)) continue;
      known.add(one);
      for (const next of this.rotated.get(`${role} ${one}`) ?? []) found.push(next);
      for (const id of this.byKey.get(`${role} ${one}`) ?? []) this.queue.push(id);
    }
  }

  private settle(): void {
    for (let i = 0; i < this.queue.length; i++) {
      const candidate = this.candidates.get(this.queue[i] ?? "");
      if (candidate === undefined) continue;
      const letter = this.choose(candidate);
      let after = "";
      if (letter !== null) {
        const rotate = rotateOf(letter);
        after = rotate !== null && this.proofs.of(letter) ? rotate.key : letter.key;
      }
      if (letter === candidate.letter && after === candidate.after) continue;
      candidate.letter = letter;
      candidate.after = after;
      for (const id of this.children.get(candidate.id) ?? []) this.queue.push(id);
    }
    this.queue = [];
  }

  /** Whether a letter of a role is another one, or comes before it in its chain. */
  private upTo(id: string, last: string, role: string): boolean {
    for (let at: string | null = last; at !== null; ) {
      if (at === id) return true;
      if (this.keyAfter(at, role) === null) return false;
      at = (this.candidates.get(at)?.prev ?? null);
    }
    return false;
  }

  // keys 6
  private admit(): boolean {
    const referee = this.charter.referee?.role;
    if (referee === undefined) return false;
    const players = this.charter.parties.map((party) => party.role);
    const rulings = new Map<string, Message[]>();
    const admits: Message[] = [];
    for (const { letter } of this.candidates.values()) {
      if (letter === null) continue;
      if (admitOf(letter) !== null) admits.push(letter);
      if (letter.content.kind !== "ruling" || letter.head.author !== referee) continue;
      const { rule } = letter.content.body;
      if (rule.is === "admit") push(rulings, rule.value, letter);
    }
    let more = false;
    for (const letter of admits) {
      const admit = admitOf(letter);
      if (admit === null || this.heeded.has(letter.id)) continue;
      const { author, seen } = letter.head;
      if (!players.includes(author) || !players.includes(admit.player) || author === admit.player) continue;
      if (seen.get(admit.player) !== admit.after) continue;
      const ruling = (rulings.get(letter.id) ?? []).find((one) => {
        const known = one.head.seen.get(admit.player);
        return known !== undefined && (known === null || this.upTo(known, admit.after, admit.player));
      });
      if (ruling === undefined || !this.proofs.of(letter)) continue;
      this.heeded.add(letter.id);
      this.admissions.push({ player: admit.player, after: admit.after, key: admit.key, admit: letter.id, ruling: ruling.id });
      const place = `${admit.player} ${admit.after}`;
      this.admitted.set(place, (this.admitted.get(place) ?? new Set()).add(admit.key));
      this.know(admit.player, admit.key);
      for (const id of this.children.get(admit.after) ?? []) this.queue.push(id);
      more = true;
    }
    return more;
  }

  private isLetter(id: string): boolean {
    return this.roots.has(id) || (this.candidates.get(id)?.letter ?? null) !== null;
  }

  private named(message: Message): string[] {
    const { prev, seen } = message.head;
    return [prev, ...seen.values(), ...namedInBody(message.content)].filter((id) => id !== null);
  }

  /** chain 2 and 3, as far as the links themselves go. */
  private linksWhole(message: Message): boolean {
    const { prev, author, number, seen } = message.head;
    const at = (id: string): Message | null => this.roots.get(id)?.message ?? this.candidates.get(id)?.letter ?? null;
    const before = prev === null ? null : at(prev);
    if (before === null || before.head.author !== author || before.head.number !== number - 1) return false;
    const others = partiesOf(this.charter).map((party) => party.role).filter((role) => role !== author);
    if (seen.size !== others.length) return false;
    return others.every((role) => {
      const id = seen.get(role);
      if (id === undefined) return false;
      const now = id === null ? null : at(id);
      if (id !== null && now?.head.author !== role) return false;
      const last = before.head.seen.get(role) ?? null;
      return (now?.head.number ?? 0) >= (last === null ? 0 : (at(last)?.head.number ?? 0));
    });
  }

  /** keys 2: letters under keys that have been given up, and that nobody else knows. */
  givenUp(): string[] {
    const letters = [...this.candidates.values()].filter((one) => one.letter !== null);
    const related = new Set<string>();
    const older = new Map<string, Set<string>>();
    for (const one of letters) {
      const letter = one.letter;
      if (letter === null) continue;
      const stolen = rotateOf(letter)?.stolen === true && one.after !== letter.key && this.linksWhole(letter) && this.named(letter).every((id) => this.isLetter(id));
      const first = this.isAdmitted(one.role, letter.key, one.prev);
      if (!stolen && !first) continue;
      const keys = older.get(one.role) ?? new Set<string>();
      older.set(one.role, keys);
      if (stolen) keys.add(letter.key);
      else if (one.prev !== null) keys.add(this.keyAfter(one.prev, one.role) ?? letter.key);
      this.relate(one, related, keys);
    }
    if (older.size === 0) return [];
    // A letter is kept by letters of other roles that know it, unless these are given up themselves: those that name come first.
    const order = topological(letters, (one) => (one.letter === null ? [] : this.named(one.letter)).flatMap((id) => this.candidates.get(id) ?? [])).reverse();
    const knownBy = new Map<string, Set<string>>();
    const gone: string[] = [];
    for (const one of order) {
      const letter = one.letter;
      if (letter === null) continue;
      const by = knownBy.get(one.id) ?? new Set<string>();
      const elsewhere = [...by].some((role) => role !== one.role);
      if ((older.get(one.role)?.has(letter.key) ?? false) && !related.has(one.id) && !elsewhere) {
        gone.push(one.id);
        continue;
      }
      for (const id of this.named(letter)) {
        const set = knownBy.get(id) ?? new Set<string>();
        knownBy.set(id, set);
        set.add(one.role);
        for (const role of by) set.add(role);
      }
    }
    return gone;
  }

  /** What leads up to a letter by `prev`, what follows it, and the letter itself. */
  private relate(one: Candidate, related: Set<string>, keys: Set<string>): void {
    let at = one.prev;
    while (at !== null) {
      const before = this.candidates.get(at);
      if (before === undefined || before.letter === null || before.role !== one.role || related.has(`up ${at}`)) break;
      related.add(at).add(`up ${at}`);
      keys.add(before.letter.key);
      at = before.prev;
    }
    // The charter's key was in force before, if the chain is at hand up to its beginning.
    const root = at === null ? undefined : this.roots.get(at);
    if (root !== undefined && root.role === one.role) keys.add(root.key);
    const below = [one.id];
    for (let id = below.pop(); id !== undefined; id = below.pop()) {
      if (related.has(`down ${id}`)) continue;
      const follower = this.candidates.get(id);
      // What is no letter does not exist for the game, and nothing follows through it.
      if (follower === undefined || follower.letter === null || follower.role !== one.role) continue;
      related.add(id).add(`down ${id}`);
      for (const child of this.children.get(id) ?? []) below.push(child);
    }
  }
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Rounds of giving up keys: what is given up in one can matter to the next only through an admission. */
const ROUNDS = 16;

export function keysInForce(charter: Charter, roots: readonly Root[], messages: readonly Message[], proofs: Proofs): KeysInForce {
  const parties = partiesOf(charter);
  const charterKeys = new Map(parties.map((party) => [party.role, party.key]));
  const refused: Message[] = [];
  const ours = messages.filter((message) => {
    const known = charterKeys.has(message.head.author);
    if (!known) refused.push(message);
    return known;
  });
  const letters = new Map<string, Message>();
  // Where no key changes hands the charter's key is looked up, and nothing else.
  if (!ours.some((message) => message.content.kind === "key")) {
    for (const message of ours) {
      if (charterKeys.get(message.head.author) === message.key) letters.set(message.id, message);
      else refused.push(message);
    }
    return { letters, refused, admissions: [] };
  }
  const groups = new Map<string, Message[]>();
  for (const message of ours) push(groups, message.id, message);
  for (const copies of groups.values()) copies.sort((a, b) => (a.key < b.key ? -1 : 1));
  const givenUp = new Set<string>();
  let resolution = new Resolution(charter, roots, groups, proofs, givenUp);
  for (let round = 0; round < ROUNDS; round++) {
    const gone = resolution.givenUp();
    if (gone.length === 0) break;
    for (const id of gone) givenUp.add(id);
    resolution = new Resolution(charter, roots, groups, proofs, givenUp);
  }
  for (const [id, copies] of groups) {
    const candidate = resolution.candidates.get(id);
    const letter = candidate?.letter ?? null;
    if (letter !== null) letters.set(id, letter);
    for (const copy of copies) {
      if (copy === letter) continue;
      // The other copy of a first letter under an admitted key is in force too, and it is the same letter.
      const superseded = letter !== null && candidate !== undefined && resolution.alsoInForce(candidate, copy);
      if (!superseded) refused.push(copy);
    }
  }
  return { letters, refused, admissions: resolution.admissions };
}
