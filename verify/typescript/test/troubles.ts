/** Games with an office and a referee. Folders are restored, players and the referee fork, and the office forgets. Most letters are plausible, a few are not. */
import { toHex } from "../src/bytes.js";
import { depositKey } from "../src/deposits.js";
import type { Chance } from "./mess.js";
import { keyOf, OfficeTable, officeOf, type Declared } from "./office.js";
import { fixed, phase, Player, type Backup, type Set, type Signed } from "./players.js";

export class Troubles {
  readonly table: OfficeTable;
  private readonly sets: Set[] = [];
  private readonly notes: Set[] = [];
  private readonly declared: Declared[] = [];
  private readonly claims: Signed[] = [];
  private readonly requests: Signed[] = [];
  private readonly proposals: Signed[] = [];
  private readonly backups: (readonly [Player, Backup])[] = [];
  private readonly care: number;
  private readonly opensNotes: boolean;
  private turn = 0;
  private fresh = 0;

  constructor(private readonly chance: Chance) {
    this.care = chance.one([50, 80, 95]);
    this.opensNotes = chance.often(80);
    const decisions = [{ by: null, how: "simultaneous", name: "orders" }];
    const office = officeOf(new Player("off"), { deposit: { key: toHex(depositKey(fixed("d"))), notes: this.opensNotes } });
    const phases = [phase("ann-first", "ann", 1, "coin-envelopes", { revealer: "office" }), phase("ann-orders", "ann", 2, "coin-envelopes", { decisions, revealer: "office" })];
    const deadlines = [{ days: 1, forfeit: "declarer-names", step: "reveal" }, { days: 2, forfeit: "game", step: "answer" }];
    this.table = new OfficeTable({ office, phases, deadlines }, true);
    for (let i = 0; i < 2; i++) this.seals();
    this.table.meet();
    if (chance.often(this.care)) this.table.holds(...this.sets);
    this.table.meet();
  }

  /** The time by the office's clock. Sometimes enough days have passed for a deadline. */
  private clock(): number {
    return this.chance.below(9) * 43_200;
  }

  private player(): Player {
    const { ann, bob, off } = this.table;
    return this.chance.one([ann, ann, bob, off]);
  }

  private other(player: Player): Player {
    return player === this.table.ann ? this.table.bob : this.table.ann;
  }

  private last<T>(list: readonly T[], to: (one: T) => unknown): void {
    if (list.length > 0) to(this.chance.one(list.slice(this.chance.often(70) ? -2 : 0)));
  }

  private read(percent: number): void {
    const { table, chance } = this;
    for (const reader of table.players) for (const of of table.players) if (of !== reader && chance.often(percent)) table.read(reader, of);
  }

  private seals(): void {
    this.sets.push(this.table.set(this.chance.often(80) || this.turn === 0 ? ++this.turn : this.turn));
  }

  private orders(player: Player): void {
    const revealer = this.opensNotes === this.chance.often(this.care) ? "off" : player.role;
    this.notes.push(this.table.note(player, `${this.chance.often(85) ? 1 : 2}/2/ann-orders/1/orders`, `${this.fresh++}`, revealer));
  }

  private declares(): void {
    this.last(this.sets, (set) => this.declared.push(this.table.declares(set)));
  }

  private opensNote(by: Player): void {
    this.last(this.notes, (note) => this.table.sign(by, "reveal", { declaration: null, keys: [[0, keyOf(note, 0)]], seal: note.letter.id, sheets: [] }));
  }

  /** A player's letters on a branch, and the office's possible reaction. */
  private moves(player: Player): void {
    const { table, chance } = this;
    const { ann, off } = table;
    if (player === off) this.serves();
    else if (player === table.carol) table.rules({ settle: chance.one(table.letters).id });
    else if (player === ann && chance.often(50)) this.declares();
    else if (chance.often(60)) this.orders(player);
    else table.talks(player, `${this.fresh++}`);
    if (chance.often(60)) table.read(off, player);
    if (chance.often(30)) table.read(this.other(player), player);
    if (player !== off && chance.often(50)) this.serves();
  }

  /** The office's letters. */
  private serves(): void {
    const { table, chance } = this;
    switch (chance.one(["open", "open", "open", "note", "note", "hold", "hold", "hold notes", "time", "back"])) {
      case "open":
        return this.last(this.declared, (one) => table.opens(table.off, one));
      case "note":
        return this.opensNote(table.off);
      case "hold":
        return this.last(this.sets, (set) => table.holds(set));
      case "hold notes":
        return this.last(this.notes, (note) => table.holds(note));
      case "time":
        return void table.receipt({ time: { at: this.clock() } });
      case "back":
        return chance.often(this.care) ? undefined : this.last(this.sets, (set) => table.handsBack(set));
    }
  }

  /** A folder is lost, and its owner signs other letters instead. The office mostly begins with an epoch. */
  private restores(): void {
    const { table, chance } = this;
    const player = this.player();
    const backup = table.backup(player);
    for (let i = chance.below(3); i >= 0; i--) this.moves(player);
    this.read(20);
    table.restore(player, backup);
    if (player === table.off) {
      if (chance.often(40)) this.read(50);
      if (chance.often(this.care)) table.epoch(this.clock());
    } else {
      if (chance.often(this.care)) table.resync(player, ...table.players.filter((one) => one !== player && chance.often(80)));
      if (chance.often(50)) table.read(player, this.other(player));
    }
    this.moves(player);
  }

  /** Two continue after one letter, and the others after one of these, the other, or both. */
  private forks(): void {
    const { table, chance } = this;
    const player = chance.one([table.ann, table.ann, table.bob, table.carol, table.off]);
    const backup = table.backup(player);
    const branch = (): Backup => {
      if (player === table.carol) this.disputes();
      this.moves(player);
      return table.backup(player);
    };
    const first = branch();
    this.read(20);
    if (chance.often(40)) this.serves();
    table.restore(player, chance.often(80) ? backup : first);
    if (player === table.off && chance.often(30)) table.epoch(this.clock());
    const second = branch();
    if (chance.often(50)) this.contradicts(player, [first.prev, second.prev]);
    this.read(30);
    if (chance.often(50)) table.restore(player, chance.one([first, second]));
  }

  /** The others continue after one branch each, and the referee settles the fork, perhaps without knowing all of it. */
  private contradicts(author: Player, branches: readonly (string | null)[]): void {
    const { table, chance } = this;
    const { ann, bob, carol, off } = table;
    for (const other of [ann, bob, off]) {
      if (other === author || chance.often(20)) continue;
      other.seen[author.role] = chance.one(branches);
      this.moves(other);
    }
    if (author === carol || chance.often(30)) return;
    for (const other of table.players) if (other !== carol && chance.often(80)) table.read(carol, other);
    carol.seen[author.role] = chance.one(branches);
    table.rules({ settle: chance.one(branches) ?? table.game });
  }

  private disputes(): void {
    const { table, chance } = this;
    const { ann, bob, carol } = table;
    switch (chance.one(["stall", "request", "forfeit", "silence", "silence", "yield", "kill set", "kill note", "propose", "propose", "accept", "agree"])) {
      case "stall":
        return this.last(this.declared, (one) => this.claims.push(table.stall(one)));
      case "request":
        return this.last(this.claims, (one) => this.requests.push(table.rules({ request: one.id })));
      case "forfeit":
        return this.last(this.requests, (one) => table.rules({ forfeit: { forfeit: "declarer-names", request: one.id } }));
      case "silence":
        return this.silence();
      case "yield":
        return this.last(this.declared, (one) => table.yields(one));
      case "kill set":
        return this.last(this.sets, (set) => table.rules({ kill: set.letter.id }));
      case "kill note":
        return this.last(this.notes, (note) => table.rules({ kill: note.letter.id }));
      case "propose":
        return this.last(this.declared, ({ signed, reading }) => {
          const propose = { at_fault: "ann", class: "illegal-odds", declaration: signed.id, input: reading.forRedo, reason: `${this.fresh++}` };
          this.proposals.push(table.sign(chance.one([ann, bob]), "correct", { propose }));
        });
      case "accept":
        return this.last(this.proposals, (one) => table.sign(one.author === "ann" ? bob : ann, "correct", { accept: one.id }));
      case "agree":
        return this.last(this.proposals, (one) => {
          if (chance.often(this.care)) table.read(carol, one.author === "ann" ? ann : bob);
          table.rules({ agree: one.id });
        });
    }
  }

  /** Bob owes an answer, and the office may be asked for the time, until he forfeits the game. */
  private silence(): void {
    const { table, chance } = this;
    const { ann, carol, off } = table;
    const tells = (): void => {
      if (chance.often(70)) table.read(off, carol);
      if (chance.often(70)) table.receipt({ time: { at: this.clock() } });
      if (chance.often(70)) table.read(carol, off);
    };
    const claim = table.sign(ann, "claim", { stall: { letter: null, owes: "bob", step: "answer", text: "" } });
    table.read(carol, ann);
    tells();
    const request = table.rules({ request: claim.id });
    for (let i = chance.below(5); i > 0; i--) tells();
    table.rules({ forfeit: { forfeit: "game", request: request.id } });
    tells();
  }

  step(): void {
    const { chance, table, backups } = this;
    this.read(chance.one([10, 40, 80]));
    switch (chance.one(["move", "move", "move", "move", "move", "seal", "serve", "serve", "serve", "dispute", "dispute", "dispute", "restore", "restore", "fork", "fork", "stranger", "backup", "back"])) {
      case "move":
        return this.moves(this.player());
      case "seal":
        return this.seals();
      case "serve":
        return this.serves();
      case "dispute":
        return this.disputes();
      case "restore":
        return this.restores();
      case "fork":
        return this.forks();
      case "stranger":
        return void table.stranger(this.player(), "receipt", { epoch: { at: this.clock() } });
      case "backup": {
        const player = chance.one(table.players);
        backups.push([player, table.backup(player)]);
        return;
      }
      case "back":
        return chance.often(this.care) ? undefined : this.last(backups, ([player, backup]) => table.restore(player, backup));
    }
  }
}
