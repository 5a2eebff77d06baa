/** keys.md: which keys are in force, and so which of the messages that name a game are letters of it. */
import { fromHex, utf8 } from "./bytes.js";
import { partiesOf, type Charter } from "./charter.js";
import type { BodyOf } from "./kinds.js";
import { add } from "./lists.js";
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

/** A payload of the game, under all keys by which it is signed. */
class Payload {
  readonly id: string;
  readonly role: string;
  readonly number: number;
  readonly prev: string | null;
  /** chain 1 */
  readonly names: readonly string[];
  /** The copy that is the letter, or null while there is none. */
  letter: Message | null = null;
  /** The copies whose keys will do and that have not ceased to exist, the best first; settled before the first round. */
  left: Message[] | null = null;
  /** The key in force after it. */
  after = "";
  /** chain 4, of a letter. */
  placed = false;
  /** chain 2: neither it nor what it reaches by `prev` is detached. */
  attached = false;

  constructor(
    readonly first: Message,
    /** By key, so that the order in which mails come does not matter. */
    readonly copies: readonly Message[],
    /** The charter and the accepts are there without asking for keys. */
    readonly root: boolean,
  ) {
    const { author, number, prev, seen } = first.head;
    this.id = first.id;
    this.role = author;
    this.number = number;
    this.prev = prev;
    this.names = [prev, ...seen.values(), ...namedInBody(first.content)].filter((id) => id !== null);
  }
}

type Payloads = ReadonlyMap<string, Payload>;

/** keys 2, 6: the keys that each role has, and those that are admitted, by what is at hand, letters or not. */
class KnownKeys {
  private readonly known = new Map<string, Set<string>>();
  /** The new keys that rotates with a good proof name, by the role and key that sign them. */
  private readonly rotated = new Map<string, string[]>();
  private readonly admitted = new Set<string>();
  readonly admissions: Admission[] = [];

  constructor(
    private readonly charter: Charter,
    private readonly payloads: Payloads,
    private readonly proofs: Proofs,
  ) {
    for (const { copies, role } of payloads.values()) {
      for (const copy of copies) {
        const rotate = rotateOf(copy);
        if (rotate !== null && proofs.of(copy)) add(this.rotated, `${role} ${copy.key}`, rotate.key);
      }
    }
    for (const party of partiesOf(charter)) this.learn(party.role, party.key);
    this.admit();
  }

  has(role: string, key: string): boolean {
    return this.known.get(role)?.has(key) ?? false;
  }

  /** Whether a key is admitted, after a letter or after any. */
  isAdmitted(role: string, key: string, after?: string | null): boolean {
    return this.admitted.has(after === undefined ? `${role} ${key}` : `${role} ${after} ${key}`);
  }

  private learn(role: string, key: string): void {
    const known = this.known.get(role) ?? new Set<string>();
    this.known.set(role, known);
    const found = [key];
    for (let one = found.pop(); one !== undefined; one = found.pop()) {
      if (known.has(one)) continue;
      known.add(one);
      found.push(...(this.rotated.get(`${role} ${one}`) ?? []));
    }
  }

  private signedByRole({ role, copies }: Payload): boolean {
    return copies.some((copy) => this.has(role, copy.key));
  }

  /** What a payload reaches by `prev`, itself too. */
  private upFrom(id: string): Set<string> {
    const found = new Set<string>();
    for (let at: string | null = id; at !== null; at = this.payloads.get(at)?.prev ?? null) found.add(at);
    return found;
  }

  /** What is admitted once the admit and the ruling are signed with keys that their roles have. */
  private proposed(): { readonly admit: Payload; readonly ruling: Payload; readonly admission: Admission }[] {
    const players = this.charter.parties.map((party) => party.role);
    const reached = new Map<string, Set<string>>();
    return [...this.payloads.values()].flatMap((ruling) => {
      const { content, head } = ruling.first;
      if (content.kind !== "ruling" || content.body.rule.is !== "admit" || ruling.role !== this.charter.referee?.role) return [];
      const admit = this.payloads.get(content.body.rule.value);
      const body = admit === undefined ? null : admitOf(admit.first);
      if (admit === undefined || body === null) return [];
      const { player, after, key } = body;
      const last = head.seen.get(player);
      if (!players.includes(admit.role) || !players.includes(player) || admit.role === player) return [];
      if (admit.first.head.seen.get(player) !== after || this.payloads.get(after)?.role !== player || last === undefined) return [];
      const up = reached.get(after) ?? this.upFrom(after);
      reached.set(after, up);
      if ((last !== null && !up.has(last)) || !this.proofs.of(admit.first)) return [];
      return [{ admit, ruling, admission: { player, after, key, admit: admit.id, ruling: ruling.id } }];
    });
  }

  // keys 6
  private admit(): void {
    let waiting = this.proposed();
    for (let more = true; more; ) {
      more = false;
      waiting = waiting.filter(({ admit, ruling, admission }) => {
        if (!this.signedByRole(admit) || !this.signedByRole(ruling)) return true;
        if (this.admissions.some((one) => one.admit === admission.admit)) return false;
        this.admissions.push(admission);
        this.admitted.add(`${admission.player} ${admission.key}`).add(`${admission.player} ${admission.after} ${admission.key}`);
        this.learn(admission.player, admission.key);
        more = true;
        return false;
      });
    }
  }
}

/** Which copy of each payload is a letter, if any. */
class Existence {
  /** All payloads, each behind those that it names. */
  private readonly order: readonly Payload[];
  private readonly givers = new Set<Payload>();
  /** The keys that each role gave up. */
  private readonly given = new Map<string, Set<string>>();
  /** Of letters that give up keys by their place, whether a key is among these. */
  private readonly asked = new Map<Payload, Map<string, boolean>>();
  /** What letters that give up keys by their place follow. */
  private readonly walked = new Set<Payload>();
  /** Whether a letter has another copy, which may follow it. */
  private readonly several: boolean;

  constructor(
    private readonly payloads: Payloads,
    private readonly keys: KnownKeys,
    private readonly proofs: Proofs,
  ) {
    this.order = topological([...payloads.values()], (one) => this.named(one));
    this.several = this.order.some((one) => one.copies.length > 1);
  }

  // keys 2
  find(): void {
    for (let more = true; more; ) {
      for (const one of this.order) this.settle(one);
      if (this.givers.size === 0) return;
      this.giveNamed();
      more = this.loseLetters();
    }
  }

  private named(one: Payload): readonly Payload[] {
    return one.names.flatMap((id) => this.payloads.get(id) ?? []);
  }

  /** What a payload follows by `prev`, if that is a letter of its role. */
  private before(one: Payload): Payload | null {
    const before = one.prev === null ? undefined : this.payloads.get(one.prev);
    return before !== undefined && before.letter !== null && before.role === one.role ? before : null;
  }

  // keys 1, 2
  private thatWillDo(one: Payload): Message[] {
    const { role, prev, copies } = one;
    if (one.root) return [one.first];
    const before = this.before(one);
    const admittedHere = (copy: Message): boolean => this.keys.isAdmitted(role, copy.key, prev);
    const willDo = (copy: Message): boolean => (before === null ? this.keys.has(role, copy.key) : copy.key === before.after || admittedHere(copy));
    const rank = (copy: Message): number => (admittedHere(copy) ? 0 : this.keys.isAdmitted(role, copy.key) ? 1 : 2);
    return copies.filter(willDo).sort((a, b) => rank(a) - rank(b));
  }

  private settle(one: Payload): void {
    one.left ??= this.thatWillDo(one);
    one.letter = one.left[0] ?? null;
    if (one.letter === null) return;
    one.after = this.isGoodRotate(one.letter)?.key ?? one.letter.key;
    one.placed = one.names.every((id) => this.payloads.get(id)?.placed ?? false);
    const before = this.before(one);
    one.attached = one.root || (before !== null && before.attached && before.number === one.number - 1);
    if (one.root || !one.placed || !one.attached || this.givers.has(one)) return;
    const { key } = one.letter;
    const stolen = this.isGoodRotate(one.letter)?.stolen === true;
    if (stolen || (this.keys.isAdmitted(one.role, key, one.prev) && !this.inForceBefore(one, key))) {
      this.givers.add(one);
      this.giveByPlace(one);
    }
  }

  private isGoodRotate(message: Message): Rotate | null {
    const rotate = rotateOf(message);
    return rotate !== null && this.proofs.of(message) ? rotate : null;
  }

  private inForceBefore(one: Payload, key: string): boolean {
    for (let at = this.before(one); at !== null; at = this.before(at)) if (at.after === key || at.letter?.key === key) return true;
    return false;
  }

  private give(role: string, key: string): void {
    const given = this.given.get(role) ?? new Set<string>();
    this.given.set(role, given);
    given.add(key);
  }

  private giveByPlace(giver: Payload): void {
    if (giver.letter !== null && this.isGoodRotate(giver.letter)?.stolen === true) this.give(giver.role, giver.letter.key);
    for (let at = this.before(giver); at !== null && !this.walked.has(at); at = this.before(at)) {
      this.walked.add(at);
      this.give(at.role, at.after);
      if (at.letter !== null) this.give(at.role, at.letter.key);
    }
  }

  /** Whether a letter gives up a key by its place. */
  private gives(giver: Payload, key: string): boolean {
    const asked = this.asked.get(giver) ?? new Map<string, boolean>();
    this.asked.set(giver, asked);
    const known = asked.get(key);
    if (known !== undefined) return known;
    const own = giver.letter !== null && giver.letter.key === key && this.isGoodRotate(giver.letter)?.stolen === true;
    const answer = own || this.inForceBefore(giver, key);
    asked.set(key, answer);
    return answer;
  }

  /** For each letter the last one that gives up keys by its place which it follows, by `prev` and through letters of its role: that one gives up most. */
  private followed(): Map<Payload, Payload> {
    const followed = new Map<Payload, Payload>();
    for (const one of this.order) {
      const before = one.letter === null ? null : this.before(one);
      const giver = before === null ? undefined : this.givers.has(before) ? before : followed.get(before);
      if (giver !== undefined) followed.set(one, giver);
    }
    return followed;
  }

  /**
   * Letters under keys that were given up, which nothing keeps. Those that name come first: without
   * other copies a round only takes letters away, so that it does not matter how much is done at once, and what is lost keeps nothing.
   */
  private loseLetters(): boolean {
    const kept = reach(this.givers, (one) => this.named(one));
    const followed = this.followed();
    const knownBy = new Map<Payload, Set<string>>();
    let more = false;
    for (const one of [...this.order].reverse()) {
      if (one.letter === null) continue;
      const by = knownBy.get(one) ?? new Set<string>();
      const giver = followed.get(one);
      const { key } = one.letter;
      const isGiven = !one.root && this.given.get(one.role)?.has(key) === true;
      if (isGiven && !kept.has(one) && (giver === undefined || !this.gives(giver, key)) && ![...by].some((role) => role !== one.role)) {
        one.left?.shift();
        one.letter = null;
        one.placed = false;
        more = true;
        if (!this.several) continue;
      }
      for (const named of this.named(one)) {
        const set = knownBy.get(named) ?? new Set<string>();
        knownBy.set(named, set);
        set.add(one.role);
        for (const role of by) set.add(role);
      }
    }
    return more;
  }

  /** The keys that rotates name which do not exist, under keys that were given up. */
  private giveNamed(): void {
    const exist = new Set<string>();
    const named = new Map<string, string[]>();
    for (const one of this.order) {
      const rotate = this.isGoodRotate(one.first);
      if (rotate === null) continue;
      if (one.letter !== null) exist.add(`${one.role} ${rotate.key}`);
      else for (const copy of one.copies) add(named, `${one.role} ${copy.key}`, rotate.key);
    }
    for (const [role, given] of this.given) {
      // What is added to a set while it is walked is walked, too.
      for (const by of given) {
        for (const key of named.get(`${role} ${by}`) ?? []) if (!exist.has(`${role} ${key}`) && !this.keys.isAdmitted(role, key)) this.give(role, key);
      }
    }
  }
}

/** All that is reached from some, these too. */
function reach(from: Iterable<Payload>, next: (one: Payload) => readonly Payload[]): Set<Payload> {
  const found = new Set(from);
  for (const one of found) for (const other of next(one)) found.add(other);
  return found;
}

export function keysInForce(charter: Charter, roots: readonly Message[], messages: readonly Message[], proofs: Proofs): KeysInForce {
  const charterKeys = new Map(partiesOf(charter).map((party) => [party.role, party.key]));
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
  for (const message of ours) add(groups, message.id, message);
  const payloads = new Map<string, Payload>();
  for (const root of roots) payloads.set(root.id, new Payload(root, [root], true));
  for (const [id, copies] of groups) {
    copies.sort((a, b) => (a.key < b.key ? -1 : 1));
    if (copies[0] !== undefined) payloads.set(id, new Payload(copies[0], copies, false));
  }
  const keys = new KnownKeys(charter, payloads, proofs);
  new Existence(payloads, keys, proofs).find();
  for (const one of payloads.values()) {
    if (one.root) continue;
    if (one.letter !== null) letters.set(one.id, one.letter);
    for (const copy of one.copies) if (copy !== one.letter) refused.push(copy);
  }
  return { letters, refused, admissions: keys.admissions };
}
