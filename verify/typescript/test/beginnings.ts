/** Charters and accepts in every combination, valid and in breach, and a few letters of the games that they begin or do not begin. */
import { toHex } from "../src/bytes.js";
import { depositKey } from "../src/deposits.js";
import type { Chance } from "./mess.js";
import { charterBody, fixed, phase, Player, Table, type Signed } from "./players.js";

export class Beginnings {
  readonly table: Table;
  private readonly ann = new Player("ann");
  private readonly bob = new Player("bob");
  private readonly carol = new Player("carol");
  private readonly dave = new Player("dave");
  private readonly charters: Signed[] = [];
  private readonly accepts: Signed[] = [];
  private readonly referees: Signed[] = [];
  private readonly last: Signed[] = [];
  private fresh = 0;

  constructor(private readonly chance: Chance) {
    this.table = new Table([this.ann, this.bob, this.carol]);
  }

  private charter(): void {
    const { chance, ann, bob, carol, dave } = this;
    const often = chance.often(60);
    const wrong = chance.one<object>([
      { phases: [phase("one", "dave", 1, "icrk")] },
      { phases: [phase("one", "ann", 1, "icrk"), phase("one", "bob", 1, "icrk")] },
      { phases: [phase("one", "ann", 1, "icrk", { source: "coin" })] },
      { phases: [phase("one", "ann", 1, "icrk", { settings: {} })] },
      { phases: [phase("one", "ann", 1, "icrk", { decisions: [{ by: null, how: "open", name: "x" }] })] },
      { hard_core: true },
      { parties: [{ key: ann.key, name: "Ann", role: "ann" }, { key: ann.key, name: "Bob", role: "bob" }] },
      { parties: [{ key: ann.key, name: "Ann", role: "ann" }, { key: bob.key, name: "Bob", role: "ann" }] },
      { referee: { deposit: { key: "00".repeat(32), notes: false }, key: carol.key, name: "C", role: "carol" } },
      { referee: { deposit: null, key: carol.key, name: "C", role: "bob" } },
    ]);
    const referee = chance.often(50) ? { deposit: chance.often(30) ? { key: toHex(depositKey(fixed("d"))), notes: true } : null, key: carol.key, name: "Carol", role: "carol" } : null;
    const body = charterBody(ann, bob, { nonce: toHex(fixed(`n ${this.fresh++}`)), referee, ...(often ? {} : wrong) });
    const author = chance.often(80) ? ann : chance.one([ann, bob, carol, dave]);
    const roles = [ann.role, bob.role, ...(referee === null ? [] : ["carol"])].filter((role) => role !== author.role);
    const seen = chance.often(90) ? Object.fromEntries(roles.map((role) => [role, null])) : chance.one([{}, { dave: null }, { bob: toHex(fixed("nothing")), carol: null }]);
    const seed = chance.often(90) ? author.seed : dave.seed;
    this.charters.push(this.table.put({ author: author.role, game: null, kind: "charter", number: 1, prev: null, seen, v: 1 }, body, seed));
  }

  private accept(): void {
    const { chance, bob, carol, dave } = this;
    const charter = this.charters.at(-1 - chance.below(2)) ?? this.charters.at(-1);
    if (charter === undefined) return;
    const referee = chance.often(35);
    const author = chance.often(90) ? (referee ? carol : chance.often(90) ? bob : this.ann) : dave;
    const named = chance.often(90) ? charter.id : chance.one(this.table.letters).id;
    const theirs = this.referees.at(-1 - chance.below(2))?.id ?? (chance.often(50) ? null : chance.one(this.table.letters).id);
    const seen: Record<string, string | null> = referee ? { ann: charter.id, bob: chance.often(90) ? null : charter.id } : { ann: chance.often(90) ? charter.id : null, ...(theirs === null || chance.often(30) ? {} : { carol: theirs }) };
    if (author.role in seen) delete seen[author.role];
    const signed = this.table.put({ author: author.role, game: charter.id, kind: "accept", number: 1, prev: null, seen, v: 1 }, { charter: named, compared: true, nonce: toHex(fixed(`n ${this.fresh++}`)) }, author.seed);
    (referee ? this.referees : this.accepts).push(signed);
    this.last.push(signed);
  }

  private letter(): void {
    const { chance, ann, bob, carol } = this;
    const games = [...this.accepts.slice(-2), ...(chance.often(20) ? this.table.letters : [])];
    if (games.length === 0) return;
    const game = chance.one(games);
    const player = chance.one([ann, bob, bob, carol]);
    const own = this.last.filter((one) => one.author === player.role);
    const prev = player === ann ? (this.last.filter((one) => one.author === "ann").at(-1) ?? this.charters.at(-1)) : chance.often(80) ? own.at(-1) : chance.one(this.table.letters);
    if (prev === undefined) return;
    const roles = ["ann", "bob", ...(this.referees.length > 0 && chance.often(90) ? ["carol"] : [])].filter((role) => role !== player.role);
    const seen = Object.fromEntries(roles.map((role) => [role, (role === "ann" ? this.charters.at(-1) : this.last.filter((one) => one.author === role).at(-1))?.id ?? null]));
    const head = { author: player.role, game: game.id, number: prev.number + 1, prev: prev.id, seen, v: 1 };
    const signed =
      player === carol
        ? this.table.put({ ...head, kind: "ruling" }, { rule: { settle: chance.one(this.table.letters).id }, text: "" }, carol.seed)
        : this.table.put({ ...head, kind: "claim" }, { dispute: { letters: [chance.one(this.table.letters).id], text: "t" } }, player.seed);
    this.last.push(signed);
  }

  step(): void {
    const { chance } = this;
    if (this.charters.length === 0 || chance.often(12)) this.charter();
    else if (this.accepts.length === 0 || chance.often(35)) this.accept();
    else this.letter();
  }
}
