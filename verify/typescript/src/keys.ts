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
  /** The key in force after it. */
  after = "";
  /** chain 4 */
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
        if (rotate !== null && proofs.of(copy)) push(this.rotated, `${role} ${copy.key}`, rotate.key);
      }
    }
    for (const party of partiesOf(charter)) this.learn(party.role, party.key);
    this.admit();
  }

  has(role: string, key: string): boolean {
    return this.known.get(role)?.has(key) ?? false;
  }

  isAdmitted(role: string, key: string, after: string | null): boolean {
    return this.admitted.has(`${role} ${after} ${key}`);
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
        this.admitted.add(`${admission.player} ${admission.after} ${admission.key}`);
        this.learn(admission.player, admission.key);
        more = true;
        return false;
      });
    }
  }
}

/** Which copy of each payload is a letter, if any. */
class Existence {
  private readonly children = new Map<string, Payload[]>();
  /** All payloads, each behind those that it names. */
  private readonly order: readonly Payload[];
  /** The keys that each role gave up. */
  private readonly given = new Map<string, Set<string>>();
  /** Copies under such keys that do not exist. */
  private readonly gone = new Set<Message>();

  constructor(
    private readonly payloads: Payloads,
    private readonly keys: KnownKeys,
    private readonly proofs: Proofs,
  ) {
    this.order = topological([...payloads.values()], (one) => one.names.flatMap((id) => payloads.get(id) ?? []));
    for (const one of this.order) if (one.prev !== null) push(this.children, one.prev, one);
  }

  find(): void {
    do this.settle();
    while (this.giveUp());
  }

  /** What a payload follows by `prev`, if that is a letter of its role. */
  private before(one: Payload): Payload | null {
    const before = one.prev === null ? undefined : this.payloads.get(one.prev);
    return before !== undefined && before.letter !== null && before.role === one.role ? before : null;
  }

  private inForce(one: Payload, key: string): boolean {
    const before = this.before(one);
    return before === null ? this.keys.has(one.role, key) : key === before.after;
  }

  // keys 1, 2
  private choose(one: Payload): Message | null {
    const copies = one.copies.filter((copy) => !this.gone.has(copy));
    if (one.root) return copies[0] ?? null;
    return copies.find((copy) => this.keys.isAdmitted(one.role, copy.key, one.prev)) ?? copies.find((copy) => this.inForce(one, copy.key)) ?? null;
  }

  private settle(): void {
    for (const one of this.order) {
      one.letter = this.choose(one);
      if (one.letter === null) {
        one.placed = one.attached = false;
        continue;
      }
      const rotate = rotateOf(one.letter);
      one.after = rotate !== null && this.proofs.of(one.letter) ? rotate.key : one.letter.key;
      one.placed = one.names.every((id) => this.payloads.get(id)?.placed ?? false);
      const before = this.before(one);
      one.attached = one.root || (before !== null && before.attached && before.number === one.number - 1);
    }
  }

  /** keys 2: whether more is given up, with the letters that there are so far. */
  private giveUp(): boolean {
    const kept = this.keepAndGive();
    if (this.given.size === 0) return false;
    const gone = this.loseLetters(kept);
    return this.giveNamed() || gone;
  }

  private give(role: string, key: string): boolean {
    const given = this.given.get(role) ?? new Set<string>();
    this.given.set(role, given);
    if (given.has(key)) return false;
    given.add(key);
    return true;
  }

  private isGiven(role: string, key: string): boolean {
    return this.given.get(role)?.has(key) ?? false;
  }

  /** The letters that give up keys by their place, what is in the past of one, and what follows one of its role. */
  private keepAndGive(): Set<Payload> {
    const givers = this.order.filter((one) => one.letter !== null && one.placed && one.attached && this.givesByPlace(one, one.letter));
    const walked = new Set<Payload>();
    for (const giver of givers) {
      if (giver.letter !== null && rotateOf(giver.letter)?.stolen === true) this.give(giver.role, giver.letter.key);
      for (let at = this.before(giver); at !== null && !walked.has(at); at = this.before(at)) {
        walked.add(at);
        this.give(at.role, at.after);
        if (at.letter !== null) this.give(at.role, at.letter.key);
      }
    }
    const past = reach(givers, (one) => one.names.flatMap((id) => this.payloads.get(id) ?? []));
    const behind = reach(givers, (one) => (this.children.get(one.id) ?? []).filter((child) => child.letter !== null && child.role === one.role));
    return new Set([...past, ...behind]);
  }

  private givesByPlace(one: Payload, letter: Message): boolean {
    if (one.root) return false;
    return this.keys.isAdmitted(one.role, letter.key, one.prev) || (rotateOf(letter)?.stolen === true && this.proofs.of(letter));
  }

  /** Letters under keys that were given up, which no letter of another role keeps. Those that name come first. */
  private loseLetters(kept: ReadonlySet<Payload>): boolean {
    const knownBy = new Map<string, Set<string>>();
    let more = false;
    for (let i = this.order.length - 1; i >= 0; i--) {
      const one = this.order[i];
      if (one === undefined || one.letter === null) continue;
      const by = knownBy.get(one.id) ?? new Set<string>();
      if (!one.root && !kept.has(one) && ![...by].some((role) => role !== one.role)) {
        for (const copy of one.copies) {
          if (this.gone.has(copy) || !this.isGiven(one.role, copy.key)) continue;
          this.gone.add(copy);
          more = true;
        }
        one.letter = this.choose(one);
        if (one.letter === null) continue;
      }
      for (const id of one.names) {
        const set = knownBy.get(id) ?? new Set<string>();
        knownBy.set(id, set);
        set.add(one.role);
        for (const role of by) set.add(role);
      }
    }
    return more;
  }

  /** The keys that rotates name which do not exist, under keys that were given up. */
  private giveNamed(): boolean {
    const exist = new Set<string>();
    const named = new Map<string, string[]>();
    for (const one of this.order) {
      const rotate = rotateOf(one.first);
      if (rotate === null || !this.proofs.of(one.first)) continue;
      if (one.letter !== null) exist.add(`${one.role} ${rotate.key}`);
      else for (const copy of one.copies) push(named, `${one.role} ${copy.key}`, rotate.key);
    }
    let more = false;
    for (const [role, given] of this.given) {
      // What is added to a set while it is walked is walked, too.
      for (const by of given) for (const key of named.get(`${role} ${by}`) ?? []) if (!exist.has(`${role} ${key}`)) more = this.give(role, key) || more;
    }
    return more;
  }
}

/** All that is reached from some, these too. */
function reach(from: readonly Payload[], next: (one: Payload) => readonly Payload[]): Set<Payload> {
  const found = new Set(from);
  for (const one of found) for (const other of next(one)) found.add(other);
  return found;
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
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
  for (const message of ours) push(groups, message.id, message);
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
