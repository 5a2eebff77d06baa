/**
 * Games that consist almost entirely of forks, by players, referee and office, often nested. Everybody continues after any branch, or after
 * several at once, with letters that choose a branch or do not: idle letters, openings by sealer, office and referee, declarations, named
 * dice, and closes with good and false masters. Many letters break rules, which does not
 * matter to a fork.
 */
import { toHex } from "../src/bytes.js";
import type { Chance } from "./mess.js";
import { OfficeTable, type Declared } from "./office.js";
import { fixed, phase, type Backup, type Player, type Set, type Signed } from "./players.js";

/** A letter after which a role can continue. */
interface Stand extends Backup {
  readonly prev: string;
}

export class Branches {
  readonly table: OfficeTable;
  private readonly stands = new Map<string, Stand[]>();
  private readonly sets: Set[] = [];
  private readonly declared: Declared[] = [];
  private readonly claims: Signed[] = [];
  private readonly requests: { readonly signed: Signed; readonly about: Declared }[] = [];
  /** Percentage of letters that follow their author's last letter. */
  private readonly care: number;
  /** Percentage of times that they do not read each other's letters. */
  private readonly quiet: number;
  private fresh = 0;

  constructor(private readonly chance: Chance) {
    this.care = chance.one([60, 80, 90, 97]);
    this.quiet = chance.one([20, 50, 80]);
    const phases = [phase("ann-first", "ann", 1, "coin-envelopes", { revealer: "office" }), phase("ann-own", "ann", 2, "coin-envelopes"), phase("bob-first", "bob", 1, "coin-envelopes")];
    this.table = new OfficeTable({ phases }, true, "carol");
    for (const player of this.table.players) this.keep(player);
    for (let i = 0; i < 3; i++) this.seals(this.sit(this.table.bob));
    this.seals(this.sit(this.table.ann));
    this.table.meet();
    if (chance.often(80)) this.holds(this.sit(this.table.off));
    if (chance.often(60)) this.holds(this.sit(this.table.carol));
  }

  private keep(player: Player): void {
    const { prev } = player;
    const stands = this.stands.get(player.role) ?? [];
    this.stands.set(player.role, stands);
    if (prev !== null && stands.at(-1)?.prev !== prev) stands.push({ ...this.table.backup(player), prev });
  }

  private any(role: string): Stand | undefined {
    const stands = this.stands.get(role) ?? [];
    return this.chance.often(this.care) ? stands.at(-1) : stands[stands.length - 1 - this.chance.below(Math.min(6, stands.length))];
  }

  /** A role continues, mostly after its last letter, with what it has read before or with something else. */
  private sit(player: Player): Player {
    const { chance, table } = this;
    for (const one of table.players) this.keep(one);
    const stand = this.any(player.role);
    if (stand !== undefined) table.restore(player, stand);
    for (const other of table.players) {
      if (other === player || chance.often(this.quiet)) continue;
      player.seen[other.role] = chance.often(2) ? null : (this.any(other.role)?.prev ?? null);
    }
    return player;
  }

  private seals(player: Player): void {
    const { chance, table } = this;
    const [name, revealer] = player === table.ann ? ["1/bob-first", "ann"] : chance.one([["1/ann-first", "off"], ["2/ann-own", "bob"]]);
    this.sets.push(table.seal(player, "coin", `${1 + chance.below(5)}/${name}/1`, player === table.ann ? "bob" : "ann", 5, revealer));
  }

  private declares(player: Player): void {
    const { chance, table } = this;
    const sets = this.sets.filter(({ context }) => context.declarer === player.role);
    if (sets.length === 0) return void this.talks(player);
    const set = chance.one(sets);
    const [turn, impulse, name] = set.context.purpose.split("/");
    const slot = { turn: Number(turn), impulse: Number(impulse), phase: name ?? "", number: 1 };
    this.declared.push({ set, ...table.declare(player, slot, set, { attacks: [{ hexes: [`F${10 + chance.below(9)}`], odds: "3-1" }] }) });
  }

  private talks(player: Player): Signed {
    if (player === this.table.carol) return this.table.rules({ settle: this.chance.one(this.table.letters).id });
    if (player === this.table.off) return this.table.receipt({ time: { at: this.fresh++ } });
    return this.table.talks(player, `${this.fresh++}`);
  }

  private holds(player: Player): void {
    const seals = this.sets.filter(() => this.chance.often(70)).map(({ letter }) => letter.id);
    if (seals.length > 0) this.table.sign(player, "receipt", { deposit: { seals: seals.sort() } });
  }

  private opens(player: Player): void {
    const { chance, table } = this;
    const one = this.declared[this.declared.length - 1 - chance.below(Math.min(4, this.declared.length))];
    if (one === undefined) return void this.talks(player);
    if (player !== table.carol) return void table.opens(player, one);
    // Opening something that nobody asked for has no effect.
    const asked = this.requests.at(-1);
    if (asked === undefined) return this.asks(one);
    const { keys, sheets } = table.keysFor(asked.about.set, asked.about.reading);
    table.rules({ open: { keys, request: asked.signed.id, sheets } });
  }

  /** A stall on a declaration, and the referee's request for it. */
  private asks(about: Declared): void {
    const { table, chance } = this;
    const declarer = this.sit(table.player(about.signed.author));
    const claim = table.sign(declarer, "claim", { stall: { letter: about.signed.id, owes: about.set.letter.author, step: "reveal", text: "" } });
    this.keep(declarer);
    this.sit(table.carol);
    if (chance.often(80)) table.read(table.carol, declarer);
    this.requests.push({ signed: table.rules({ request: claim.id }), about });
  }

  private names(player: Player): void {
    const { table, chance } = this;
    const [one, claim] = [this.declared.at(-1), this.claims.at(-1)];
    if (one === undefined) return void this.talks(player);
    if (claim === undefined || chance.often(40)) {
      this.claims.push(table.sign(player, "claim", { yield: { declaration: one.signed.id, forfeit: "declarer-names", text: "" } }));
    } else {
      table.sign(player, "claim", { names: { declaration: one.signed.id, dice: [1], forfeit: claim.id } });
    }
  }

  private closes(player: Player): void {
    const { chance, table } = this;
    const other = player === table.ann ? table.bob : table.ann;
    if (chance.often(60)) table.sign(this.sit(other), "close", { masters: null, result: null });
    this.sit(player);
    if (chance.often(80)) table.read(player, other);
    const own = this.sets.filter(({ letter }) => letter.author === player.role && letter.number <= player.number && chance.often(95));
    const masters = own.map(({ letter, master }) => ({ master: toHex(chance.often(85) ? master : fixed("no master")), seal: letter.id }));
    table.sign(player, "close", { masters: chance.often(25) ? null : masters, result: null });
  }

  private offices(player: Player): void {
    const { chance, table } = this;
    switch (chance.one(["open", "open", "open", "hold", "epoch", "back", "talk"])) {
      case "open":
        return this.opens(player);
      case "hold":
        return this.holds(player);
      case "epoch":
        return void table.epoch(chance.below(20));
      case "back":
        return void table.handsBack(chance.one(this.sets));
      case "talk":
        return void this.talks(player);
    }
  }

  private players(player: Player): void {
    switch (this.chance.one(["talk", "talk", "talk", "seal", "declare", "declare", "open", "open", "names", "close"])) {
      case "talk":
        return void this.talks(player);
      case "seal":
        return this.seals(player);
      case "declare":
        return this.declares(player);
      case "open":
        return this.opens(player);
      case "names":
        return this.names(player);
      case "close":
        return this.chance.often(40) ? this.closes(player) : undefined;
    }
  }

  /** A role's next letters on a branch. */
  private acts(player: Player): void {
    const { chance, table } = this;
    if (player === table.off) this.offices(player);
    else if (player !== table.carol) this.players(player);
    else if (chance.often(60)) this.opens(player);
    else if (chance.often(40)) this.holds(player);
    else this.talks(player);
    this.keep(player);
  }

  /** Two or three branches, of which each other role chooses any, and a ruling by a referee who may not know them all. */
  private contradicts(): void {
    const { chance, table } = this;
    const { ann, bob, carol, off } = table;
    const author = this.sit(chance.one([ann, ann, bob, bob, carol, off]));
    const backup = table.backup(author);
    const branches = Array.from({ length: chance.one([2, 2, 3]) }, () => {
      table.restore(author, backup);
      this.acts(author);
      return author.prev ?? table.game;
    });
    for (const other of [bob, ann, off, carol, bob, ann]) {
      if (other === author || chance.often(40)) continue;
      this.sit(other);
      other.seen[author.role] = chance.one(branches);
      this.acts(other);
    }
    if (author === carol || chance.often(40)) return;
    this.sit(carol);
    for (const other of table.players) if (other !== carol && chance.often(80)) table.read(carol, other);
    carol.seen[author.role] = chance.one(branches);
    table.rules({ settle: chance.one(branches) });
  }

  step(): void {
    const { chance, table } = this;
    const { ann, bob, carol, off } = table;
    if (chance.often(12)) return this.contradicts();
    const player = this.sit(chance.one([ann, ann, ann, bob, bob, bob, carol, off, off]));
    if (chance.often(4)) table.stranger(player, "claim", { dispute: { letters: [table.game], text: `${this.fresh++}` } });
    else if (chance.often(4)) table.resync(player, ...table.players.filter((one) => one !== player && chance.often(60)));
    else if (chance.often(3)) table.sign(player, "claim", { dispute: { letters: [table.game], text: `${this.fresh++}` } }, chance.one<object>([{ number: player.number + 2 }, { prev: chance.one(table.letters).id }]));
    else this.acts(player);
  }
}
