/** Games in which anybody signs anything: good letters, bad letters, forks, letters by strangers. */
import { toHex } from "../src/bytes.js";
import { depositKey } from "../src/deposits.js";
import { columnKeys, envelopeKey } from "../src/envelope.js";
import type { Reading } from "../src/system.js";
import { charterBody, fixed, phase, Player, Table, type Set as Sealed, type Signed } from "./players.js";

export class Chance {
  private state: number;
  constructor(seed: number) {
    this.state = seed * 2_654_435_761 + 1;
  }
  below(n: number): number {
    this.state = (Math.imul(this.state ^ (this.state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((this.state ^ (this.state >>> 13)) >>> 0) % n;
  }
  one<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  }
  often(percent: number): boolean {
    return this.below(100) < percent;
  }
}

export class Mess {
  readonly table: Table;
  readonly ann = new Player("ann");
  readonly bob = new Player("bob");
  readonly carol = new Player("carol");
  private readonly sets: Sealed[] = [];
  private readonly byKind = new Map<string, Signed[]>();
  private readonly declared: { signed: Signed; set: Sealed; reading: Reading | null }[] = [];

  /** Percentage of letters that begin a fork. */
  private readonly forks: number;
  /** Percentage of letters that are as they should be. */
  private readonly care: number;
  /** Rulings that request, by claim; stalls, by what they are about. */
  private readonly requests = new Map<string, string>();
  private readonly stalls = new Map<string, string>();
  private turn = 4;
  private readonly used = new Set<Sealed>();

  constructor(private readonly chance: Chance) {
    this.forks = chance.one([0, 0, 2, 6]);
    this.care = chance.one([0, 70, 95]);
    const { ann, bob, carol } = this;
    const holds = chance.often(50);
    this.table = new Table([ann, bob, carol], holds ? "carol" : "");
    const decisions = [
      { by: "bob", how: "open", name: "pick" },
      { by: "bob", how: "sealed", name: "hide" },
    ];
    const charter = charterBody(ann, bob, {
      referee: { deposit: holds ? { key: toHex(depositKey(fixed("deposit"))), notes: false } : null, key: carol.key, name: "Carol", role: "carol" },
      hard_core: false,
      deadlines: [
        { days: 1, forfeit: "declarer-names", step: "reveal" },
        { days: 1, forfeit: "game", step: "answer" },
      ],
      phases: [
        phase("ann-first", "ann", 1, "coin-envelopes"),
        phase("ann-second", "ann", 2, "icrk"),
        phase("bob-first", "bob", 1, "coin-envelopes", { decisions: chance.often(30) ? decisions : [] }),
        phase("ann-private", "ann", 3, "coin-envelopes", { private: true }),
      ],
    });
    const made = this.table.sign(ann, "charter", charter);
    for (const other of [bob, carol]) this.table.read(other, ann);
    this.table.sign(carol, "accept", { charter: made.id, compared: true, nonce: toHex(fixed("c")) });
    this.table.read(bob, carol);
    this.table.game = this.table.sign(bob, "accept", { charter: made.id, compared: true, nonce: toHex(fixed("b")) }).id;
    for (const player of [ann, carol]) this.table.read(player, bob);
    this.table.read(ann, carol);
    this.byKind.set("accept", [...this.table.letters]);
  }

  private any(...kinds: string[]): string {
    const known = kinds.flatMap((kind) => this.byKind.get(kind) ?? []);
    if (known.length > 0 && this.chance.often(92)) return this.chance.one(this.chance.often(70) ? known.slice(-4) : known).id;
    return this.chance.often(90) ? this.chance.one(this.table.letters).id : toHex(fixed(`nowhere ${this.chance.below(3)}`));
  }

  private slot(role: string): { turn: number; impulse: number; phase: string; number: number } {
    const [name, impulse] = this.chance.one<[string, number]>(role === "ann" ? [["ann-first", 1], ["ann-second", 2], ["ann-private", 3]] : [["bob-first", 1]]);
    return { turn: 1 + this.chance.below(4), impulse, phase: name, number: 1 + this.chance.below(2) };
  }

  private scope(): object {
    return this.chance.one([
      { declaration: this.any("declare") },
      { rolls: { declaration: this.any("declare"), lines: this.chance.one([[1], [1, 2], [2], [7]]) } },
      { impulse: { declarations: [...new Set([this.any("declare"), this.any("declare")])].sort(), impulse: 1, turn: 1 } },
    ]);
  }

  private input(phaseName: string, redo: boolean): object {
    if (phaseName === "ann-second") {
      return { rolls: Array.from({ length: this.chance.below(3) }, () => ({ cell: redo ? null : `${this.chance.one(["A", "B"])}${1 + this.chance.below(3)}`, why: "w" })) };
    }
    const hexes = ["F12", "G13", "I11"].slice(0, this.chance.below(4));
    return { attacks: hexes.map((hex, i) => ({ hexes: [hex], id: `a${i + 1}`, odds: this.chance.one(["3-1", "1-2", "5-1"]), order: null })) };
  }

  /** A ruling that opens, mostly what its request's stall is about. */
  private opening(): object {
    const { chance } = this;
    const asked = (this.byKind.get("ruling") ?? []).filter((one) => this.requests.has(one.id)).at(-1);
    const claim = asked === undefined ? undefined : this.stalls.get(this.requests.get(asked.id) ?? "");
    const found = this.declared.find((one) => one.signed.id === claim);
    const indices = found?.reading?.opened ?? [0];
    const keys = found === undefined || found.set.context.kind === "sheet" ? [] : indices.map((index) => [index, toHex(envelopeKey(found.set.context, found.set.master, index))]);
    return { open: { keys: chance.often(90) ? keys : [], request: chance.often(90) ? (asked?.id ?? this.any("ruling")) : this.any("ruling"), sheets: [] } };
  }

  private settled(): string {
    const { forked } = this.table;
    return forked.length > 0 && this.chance.often(70) ? this.chance.one(forked).id : this.any();
  }

  /** Outside courses it is null, or breaks a rule. */
  private after(): string | null {
    return this.chance.often(97) ? null : this.any();
  }

  private body(player: Player, kind: string): object {
    const { chance } = this;
    const other = player.role === "ann" ? "bob" : "ann";
    switch (kind) {
      case "decide":
        return { after: this.after(), name: chance.one(["pick", "hide"]), slot: { turn: 1, impulse: 1, phase: "bob-first", number: 1 }, value: chance.below(3) };
      case "correct":
        return chance.one([
          { propose: { at_fault: other, class: chance.one(["illegal-odds", "wrong-list"]), declaration: this.any("declare"), input: chance.often(60) ? this.input("ann-first", true) : null, reason: "r" } },
          { void: { reason: "r", scope: this.scope() } },
          { accept: this.any("correct") },
          { accept: this.any("correct") },
          { refuse: this.any("correct") },
        ]);
      case "claim":
        return chance.one([
          { stall: { letter: this.any("declare"), owes: other, step: "reveal", text: "" } },
          { stall: { letter: null, owes: other, step: chance.one(["answer", "declare"]), text: "" } },
          { dispute: { letters: [this.any()], text: "t" } },
          { withdraw: this.any("claim") },
          { yield: { declaration: this.any("declare"), forfeit: "declarer-names", text: "" } },
          { yield: { declaration: null, forfeit: "game", text: "" } },
          { names: { declaration: this.any("declare"), dice: Array.from({ length: 1 + chance.below(3) }, () => 1 + chance.below(6)), forfeit: this.any("claim", "ruling") } },
        ]);
      case "receipt":
        return { deposit: { seals: [...new Set([this.any("seal"), this.any("seal"), this.any("seal")])].sort() } };
      case "ruling":
        return {
          rule: chance.one([
            { request: this.any("claim") },
            { forfeit: { forfeit: chance.one(["declarer-names", "game"]), request: this.any("ruling") } },
            { void: this.scope() },
            { kill: this.any("seal") },
            this.opening(),
            this.opening(),
            { settle: this.settled() },
            { dismiss: this.any("claim") },
            { agree: this.any("correct") },
          ]),
          text: "",
        };
      case "close":
        return { masters: chance.often(50) ? null : this.sets.filter((set) => set.letter.author === player.role).map((set) => ({ master: toHex(set.master), seal: set.letter.id })), result: null };
      default:
        throw new Error(kind);
    }
  }

  private seal(player: Player): void {
    const { chance, table } = this;
    const other = player.role === "ann" ? "bob" : "ann";
    const slot = this.slot(other);
    if (chance.often(this.care)) {
      const impulse = chance.often(50) || other === "bob" ? `1/${other}-first` : "1/ann-first";
      const set = table.seal(player, "coin", `${++this.turn}/${impulse}/1`, other, 5);
      this.sets.push(set);
      this.keep("seal", set.letter);
      return;
    }
    const [kind, purpose, declarer, n] = chance.one<[string, string, string, number]>([
      ["coin", `${slot.turn}/${slot.impulse}/${slot.phase}/${slot.number}`, other, 5],
      ["coin", `${slot.turn}/${slot.impulse}/${slot.phase}/${slot.number}`, other, 5],
      ["sheet", "sheet/1", other, 400],
      ["foul-up", "foul-up/1", other, 3],
      ["contribution", "contribution/1", player.role, 4],
    ]);
    const set = table.seal(player, kind, purpose, declarer, n);
    this.sets.push(set);
    this.keep("seal", set.letter);
  }

  private declare(player: Player): void {
    const { chance, table } = this;
    const slot = this.slot(player.role);
    const fresh = this.sets.filter((set) => set.context.kind === "coin" && set.context.declarer === player.role && !this.used.has(set) && Number(set.context.purpose.split("/")[0]) > 4)[0];
    if (fresh !== undefined && chance.often(this.care)) {
      this.used.add(fresh);
      table.read(player, table.player(fresh.letter.author));
      const input = { attacks: ["F12", "G13", "I11"].slice(0, 1 + chance.below(3)).map((hex) => ({ hexes: [hex], odds: "3-1" })) };
      const { signed, reading } = table.declare(player, this.purposeSlot(fresh, slot), fresh, input);
      this.keep("declare", signed);
      this.declared.push({ signed, set: fresh, reading });
      if (!chance.often(70)) return;
      const owner = table.player(fresh.letter.author);
      table.read(owner, player);
      this.keep("reveal", table.reveal(owner, fresh, signed.id, reading));
      return;
    }
    if (chance.often(this.care)) return;
    const redo = chance.often(25) ? chance.one([{ breach: this.any("declare") }, { agreed: this.any("correct", "ruling") }, { opened: this.any("reveal") }]) : null;
    const mine = this.sets.filter((set) => set.context.declarer === player.role && (redo === null ? set.context.kind !== "foul-up" && set.context.kind !== "contribution" : set.context.kind === "foul-up"));
    const own = this.sets.find((set) => set.context.kind === "contribution" && set.letter.author === player.role);
    const set = mine.length === 0 ? null : chance.one(mine);
    const input = this.input(slot.phase, redo !== null);
    const rolls = "rolls" in input ? (input.rolls as { cell: string | null }[]) : [];
    const attacks = "attacks" in input ? (input.attacks as unknown[]) : [];
    const count = rolls.length + attacks.length;
    const cells = rolls.map((roll): [number, number] => [(roll.cell ?? "A1").charCodeAt(0) - 65, Number((roll.cell ?? "A1").slice(1))]);
    const index = chance.below(5);
    const select = redo !== null ? { foul_up: { index: chance.below(3), lines: count } } : slot.phase === "ann-second" ? { cells } : { worksheet: { index, rows: [], total: 0 } };
    const none = count === 0 || set === null;
    const contribution = slot.phase === "ann-private" && own !== undefined ? { sealed: { index: chance.below(3), seal: own.letter.id } } : { open: toHex(fixed(`share ${chance.below(500)}`)) };
    const coin = set !== null && set.context.kind === "coin" && redo === null && chance.often(85);
    const good = coin
      ? table.declare(player, chance.often(70) ? this.purposeSlot(set, slot) : slot, set, attacks.length === 0 ? { attacks: [{ hexes: ["F12"], odds: "3-1" }] } : input, { contribution })
      : null;
    const signed =
      good?.signed ??
      table.sign(player, "declare", { after: this.after(), contribution: none ? null : contribution, input, moves: { none: null }, redo, seal: none ? null : (set?.letter.id ?? null), select: none ? null : select, slot });
    this.keep("declare", signed);
    if (set !== null) this.declared.push({ signed, set, reading: good?.reading ?? null });
  }

  private purposeSlot(set: Sealed, otherwise: object): { turn: number; impulse: number; phase: string; number: number } {
    const [turn, impulse, name, number] = set.context.purpose.split("/");
    return { turn: 1, impulse: 1, phase: "", number: 1, ...otherwise, ...(number === undefined ? {} : { turn: Number(turn), impulse: Number(impulse), phase: name ?? "", number: Number(number) }) };
  }

  private reveal(player: Player): void {
    const { chance, table } = this;
    if (this.declared.length === 0) return;
    const { signed, set, reading } = chance.one(this.declared.slice(-4));
    if (reading !== null && chance.often(85)) {
      const owner = table.player(set.letter.author);
      table.read(owner, table.player(signed.author));
      this.keep("reveal", table.reveal(owner, set, signed.id, reading));
      return;
    }
    const sheet = set.context.kind === "sheet";
    const keys = sheet ? [] : Array.from({ length: set.context.n }, (_, i) => i).filter(() => chance.often(60)).map((i) => [i, toHex(envelopeKey(set.context, set.master, i))]);
    const sheets = sheet ? [0, 1].map((column) => [column, 3, toHex(columnKeys(set.context, set.master, column)[7] ?? new Uint8Array(32))]) : [];
    this.keep("reveal", table.sign(player, "reveal", { declaration: signed.id, keys, seal: set.letter.id, sheets }));
  }

  private keep(kind: string, signed: Signed): void {
    const list = this.byKind.get(kind) ?? [];
    list.push(signed);
    this.byKind.set(kind, list);
  }

  step(): void {
    const { chance, table } = this;
    const player = chance.one([this.ann, this.ann, this.bob, this.bob, this.carol]);
    for (const other of table.players) if (other !== player && chance.often(80)) table.read(player, other);
    const before = { prev: player.prev, number: player.number };
    if (chance.often(this.forks)) {
      const own = table.letters.filter((letter) => letter.author === player.role);
      const back = own[Math.max(0, own.length - 1 - chance.below(4))];
      if (back !== undefined) {
        player.prev = back.id;
        player.number = back.number + (chance.often(10) ? 1 : 0);
      }
    }
    if (chance.often(2)) table.stranger(player, "claim", { dispute: { letters: [this.any()], text: "s" } });
    if (chance.often(2)) table.resync(player, ...table.players.filter((one) => one !== player && chance.often(70)));
    const kind = player === this.carol ? chance.one(["ruling", "ruling", "ruling", "receipt", "receipt", chance.often(30) ? "claim" : "ruling"]) : chance.one(["seal", "seal", "seal", "declare", "declare", "declare", "reveal", "reveal", "decide", "correct", "correct", "claim", "reveal", chance.often(15) ? "close" : "seal"]);
    if (kind === "seal") this.seal(player);
    else if (kind === "declare") this.declare(player);
    else if (kind === "reveal") this.reveal(player);
    else {
      const body = this.body(player, kind);
      const signed = table.sign(player, kind, body);
      this.keep(kind, signed);
      const { rule, stall } = body as { rule?: { request?: string }; stall?: { letter: string | null } };
      if (rule?.request !== undefined) this.requests.set(signed.id, rule.request);
      if (stall !== undefined) this.stalls.set(signed.id, stall.letter ?? "");
    }
    if (chance.often(3)) Object.assign(player, before);
  }
}
