/** Games in which hardly anything but keys changes hands: by rotation, theft and admission, on every branch, with copies under other keys. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { toHex, utf8 } from "../src/bytes.js";
import { signedBytes } from "../src/message.js";
import type { Chance } from "./mess.js";
import { charterBody, fixed, Player, Table, type Signed } from "./players.js";

interface Written extends Signed {
  readonly head: object;
  readonly body: object;
  readonly prev: Written | null;
  readonly seen: Readonly<Record<string, Written | null>>;
  /** With which the next letter of this branch is signed. */
  readonly seed: Uint8Array;
}

const ROLES = ["ann", "bob", "carol"] as const;

export class Thefts {
  readonly table: Table;
  private readonly written = new Map<string, Written[]>();
  private readonly seeds = new Map<string, Uint8Array[]>();
  private readonly admits: Written[] = [];
  private readonly care: number;
  private fresh = 0;

  constructor(private readonly chance: Chance) {
    this.care = chance.one([60, 80, 95]);
    const [ann, bob, carol] = [new Player("ann"), new Player("bob"), new Player("carol")];
    this.table = new Table([ann, bob, carol]);
    const referee = { deposit: null, key: carol.key, name: "Carol", role: "carol" };
    const charter = this.table.sign(ann, "charter", charterBody(ann, bob, { referee }));
    for (const other of [bob, carol]) this.table.read(other, ann);
    const theirs = this.table.sign(carol, "accept", { charter: charter.id, compared: true, nonce: toHex(fixed("c")) });
    this.table.read(bob, carol);
    const accept = this.table.sign(bob, "accept", { charter: charter.id, compared: true, nonce: toHex(fixed("b")) });
    this.table.game = accept.id;
    const first = (player: Player, signed: Signed, seen: Record<string, Written | null>): Written => {
      const written = { ...signed, head: {}, body: {}, prev: null, seen, seed: player.seed };
      this.written.set(player.role, [written]);
      this.seeds.set(player.role, [player.seed]);
      return written;
    };
    const terms = first(ann, charter, { bob: null, carol: null });
    first(bob, accept, { ann: terms, carol: first(carol, theirs, { ann: terms, bob: null }) });
  }

  private of(role: string): Written[] {
    return this.written.get(role) ?? [];
  }

  /** Mostly his last letter. */
  private last(role: string): Written {
    return this.chance.often(this.care) ? this.chance.one(this.of(role).slice(-2)) : this.chance.one(this.of(role));
  }

  private seed(role: string): Uint8Array {
    const made = fixed(`key ${this.fresh++}`);
    this.seeds.get(role)?.push(made);
    return made;
  }

  private proof(role: string, follows: string, seed: Uint8Array): { readonly key: string; readonly proof: string } {
    const key = toHex(ed25519.getPublicKey(seed));
    return { key, proof: toHex(ed25519.sign(signedBytes("sealed-dice/v1/new-key", utf8([this.table.game, role, follows, key].join("\n"))), seed)) };
  }

  private write(role: string, prev: Written, seen: Record<string, Written | null>, kind: string, body: object, next: Uint8Array | null = null): Written {
    const { chance, table } = this;
    const seed = chance.often(this.care) ? prev.seed : chance.one(this.seeds.get(role) ?? []);
    const ids = Object.fromEntries(Object.entries(seen).map(([other, letter]) => [other, letter?.id ?? null]));
    const number = prev.number + (chance.often(97) ? 1 : 2);
    const head = { author: role, game: table.game, kind, number, prev: prev.id, seen: ids, v: 1 };
    const written = { ...table.put(head, body, seed), head, body, prev, seen, seed: next ?? seed };
    this.of(role).push(written);
    return written;
  }

  /** What he has seen: mostly what he had, or what is newer. */
  private look(role: string, prev: Written): Record<string, Written | null> {
    const seen: Record<string, Written | null> = {};
    for (const other of ROLES) {
      if (other === role) continue;
      const before = prev.seen[other] ?? null;
      const now = this.chance.often(50) ? before : this.last(other);
      seen[other] = (now?.number ?? 0) < (before?.number ?? 0) && this.chance.often(this.care) ? before : now;
    }
    return seen;
  }

  private rotate(role: string, prev: Written, seen: Record<string, Written | null>): void {
    const seed = this.chance.often(90) ? this.seed(role) : this.chance.one(this.seeds.get(role) ?? []);
    const follows = this.chance.often(95) ? prev.id : this.last(role).id;
    const next = this.chance.often(80) ? seed : null;
    this.write(role, prev, seen, "key", { rotate: { ...this.proof(role, follows, seed), stolen: this.chance.often(60) } }, next);
  }

  private admit(role: string, prev: Written, seen: Record<string, Written | null>): void {
    const { chance } = this;
    const player = role === "ann" ? "bob" : "ann";
    const after = this.last(player);
    const seed = chance.often(85) ? this.seed(player) : chance.one(this.seeds.get(player) ?? []);
    const admit = this.write(role, prev, { ...seen, [player]: after }, "key", { admit: { after: after.id, player, ...this.proof(player, after.id, seed) } });
    this.admits.push(admit);
    if (chance.often(60)) this.rule(admit);
    // The first letter under the new key.
    if (chance.often(70)) this.write(player, { ...after, seed }, this.look(player, after), "claim", this.dispute());
  }

  private rule(letter: Written): void {
    const prev = this.last("carol");
    this.write("carol", prev, { ...this.look("carol", prev), ...(this.chance.often(80) ? { [letter.author]: letter } : {}) }, "ruling", { rule: { admit: letter.id }, text: "" });
  }

  private dispute(): object {
    return { dispute: { letters: [this.chance.one(this.table.letters).id], text: `${this.fresh++}` } };
  }

  /** The same payload under another of his keys. */
  private copy(role: string): void {
    const letter = this.chance.one(this.of(role).slice(-6));
    if (letter.prev !== null) this.table.put(letter.head, letter.body, this.chance.one(this.seeds.get(role) ?? []));
  }

  step(): void {
    const { chance } = this;
    const role = chance.one(["ann", "ann", "bob", "bob", "carol"]);
    const prev = this.last(role);
    const seen = this.look(role, prev);
    switch (chance.one(["rotate", "rotate", "rotate", "admit", "admit", "rule", "branch", "answer", "copy", "talk", "talk", "talk", "talk"])) {
      case "rotate":
        return this.rotate(role, prev, seen);
      case "admit":
        return role === "carol" && chance.often(90) ? undefined : this.admit(role, prev, seen);
      case "rule":
        return this.admits.length === 0 ? undefined : this.rule(chance.one(this.admits));
      case "branch":
        return void this.write("carol", this.last("carol"), this.look("carol", this.last("carol")), "ruling", { rule: { branch: this.last(chance.one(["ann", "bob"])).id }, text: "" });
      case "answer":
        return void this.write(role, prev, seen, "resync", { answer: { ask: toHex(fixed("ask")), to: chance.one(ROLES) } });
      case "copy":
        return this.copy(role);
      default:
        this.write(role, prev, seen, role === "carol" ? "ruling" : "claim", role === "carol" ? { rule: { settle: chance.one(this.table.letters).id }, text: "" } : this.dispute());
    }
  }
}
