/**
 * Games of players who know the rules, and have accidents and quarrels. Most letters are good, so that later rules are reached too. There are
 * forks of every kind, letters that go back or change branches, restored folders, foul-ups, voids, claims, a referee with deposits, early and late keys.
 */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { concat, toHex, utf8 } from "../src/bytes.js";
import { depositKey } from "../src/deposits.js";
import { columnKeys, contextOfEnvelope, envelopeCommit, envelopeKey, setMaster, type SetContext } from "../src/envelope.js";
import { hash } from "../src/hash.js";
import { drawRoll } from "../src/roll.js";
import { systemNamed, type Reading } from "../src/system.js";
import { hexBytes } from "../src/bytes.js";
import type { Chance } from "./mess.js";
import { charterBody, COIN, fixed, json, phase, Player, Table, type Set as Sealed, type Signed } from "./players.js";

/** A player's position: the letter that their next one follows, and what they have seen. */
interface Stand {
  readonly prev: string | null;
  readonly number: number;
  readonly seen: Readonly<Record<string, string | null>>;
}

interface Slot {
  readonly turn: number;
  readonly impulse: number;
  readonly phase: string;
  readonly number: number;
}

interface OwnSet {
  readonly set: Sealed;
  readonly slot: Slot | null;
  used: number;
}

interface Declared {
  readonly signed: Signed;
  readonly set: Sealed;
  readonly keys: readonly (readonly [number, string])[];
  readonly sheets: readonly (readonly [number, number, string])[];
  readonly slot: Slot;
  readonly input: object;
  readonly forRedo: object;
  readonly moves: object;
  readonly draws: number;
  readonly good: boolean;
  readonly note: Sealed | null;
  readonly contribution: { readonly set: Sealed; readonly index: number } | null;
  opened: boolean;
}

const REDO = (input: object): Reading => systemNamed("coin-envelopes").make(json(COIN), json({})).read(json(input), true);

export class Quarrel {
  readonly table: Table;
  readonly ann = new Player("ann");
  readonly bob = new Player("bob");
  readonly carol = new Player("carol");
  private readonly stands = new Map<string, Stand[]>();
  private readonly past = new Map<string, Stand[]>();
  private readonly numbers = new Map<string, number>();
  private readonly sets: OwnSet[] = [];
  private readonly declared: Declared[] = [];
  private readonly claims: { signed: Signed; about: Declared | null; note: Sealed | null; step: string; request: Signed | null; forfeit: Signed | null }[] = [];
  private readonly proposals: { signed: Signed; about: Declared; input: object | null; agreed: Signed | null }[] = [];
  private turn = 0;
  private fresh = 0;
  private readonly forks: number;
  private readonly slips: number;
  private readonly holds: boolean;
  private readonly notes: boolean;

  constructor(private readonly chance: Chance) {
    const { ann, bob, carol } = this;
    this.forks = chance.one([0, 3, 6, 12]);
    this.slips = chance.one([0, 3, 10]);
    this.holds = chance.often(60);
    this.notes = chance.often(60);
    this.table = new Table([ann, bob, carol], this.holds ? "carol" : "");
    const made = this.sign(
      ann,
      "charter",
      charterBody(ann, bob, {
        referee: { deposit: this.holds ? { key: toHex(depositKey(fixed("deposit"))), notes: this.notes } : null, key: carol.key, name: "Carol", role: "carol" },
        hard_core: chance.often(5),
        foul_up: { envelopes: 3, remedies: { "illegal-move": "keep", "illegal-odds": "keep", "wrong-list": "keep" }, revealer: "sealer" },
        ...(chance.often(90) ? { hard_core: false, foul_up: { envelopes: 3, remedies: { "illegal-move": "redo", "illegal-odds": "redo", "wrong-list": "keep" }, revealer: "sealer" } } : {}),
        deadlines: [
          { days: 1, forfeit: "declarer-names", step: "reveal" },
          { days: 1, forfeit: "game", step: "answer" },
        ],
        phases: [
          phase("ann-first", "ann", 1, "coin-envelopes"),
          phase("ann-second", "ann", 2, "icrk"),
          phase("bob-first", "bob", 1, "coin-envelopes", { decisions: [{ by: "ann", how: "sealed", name: "hide" }] }),
          phase("ann-private", "ann", 3, "coin-envelopes", { private: true }),
          phase("ann-orders", "ann", 4, "coin-envelopes", { decisions: [{ by: "bob", how: "open", name: "pick" }, { by: null, how: "simultaneous", name: "orders" }] }),
        ],
      }),
    );
    this.see(carol, made);
    this.see(bob, made);
    this.see(bob, this.sign(carol, "accept", { charter: made.id, compared: true, nonce: toHex(fixed("c")) }));
    const accept = this.sign(bob, "accept", { charter: made.id, compared: true, nonce: toHex(fixed("b")) });
    this.table.game = accept.id;
    this.see(ann, accept);
    this.see(carol, accept);
    ann.seen["carol"] = carol.prev;
    for (const player of this.table.players) this.keep(player, true);
  }

  private keep(player: Player, first = false): void {
    const stand: Stand = { prev: player.prev, number: player.number, seen: { ...player.seen } };
    const past = this.past.get(player.role) ?? [];
    this.past.set(player.role, past);
    past.push(stand);
    const stands = this.stands.get(player.role) ?? [];
    this.stands.set(player.role, stands);
    if (!first) stands.pop();
    stands.push(stand);
  }

  private sign(player: Player, kind: string, body: object): Signed {
    const { chance } = this;
    const head = this.table.game !== "" && chance.often(this.slips) && chance.often(12) ? chance.one<object>([{ number: player.number + 2 }, { prev: this.table.letters.at(-1)?.id ?? "" }, { seen: { ann: null, bob: null } }]) : {};
    const signed = this.table.sign(player, kind, body, head);
    return this.signed(player, signed);
  }

  private signed(player: Player, signed: Signed): Signed {
    this.numbers.set(signed.id, player.number);
    if (this.table.game !== "") this.keep(player);
    return signed;
  }

  /** Continues after another letter, unless the player is already further on. */
  private see(player: Player, signed: Signed): void {
    const now = player.seen[signed.author] ?? null;
    if ((now === null ? 0 : (this.numbers.get(now) ?? 0)) <= (this.numbers.get(signed.id) ?? 0) || this.chance.often(this.slips)) player.seen[signed.author] = signed.id;
  }

  /** Continues as a player, mostly at their last position, sometimes on another of their branches or at an earlier letter. */
  private sit(role: string): Player {
    const { chance } = this;
    const player = this.table.player(role);
    const stands = this.stands.get(role) ?? [];
    const past = this.past.get(role) ?? [];
    if (chance.often(this.forks)) stands.push(chance.one(past.slice(-6)));
    else if (stands.length > 1 && chance.often(20)) stands.push(...stands.splice(chance.below(stands.length), 1));
    Object.assign(player, stands.at(-1), { seen: { ...stands.at(-1)?.seen } });
    for (const other of this.table.players) {
      if (other === player || chance.often(10)) continue;
      const theirs = chance.often(this.forks * 3) ? chance.one((this.past.get(other.role) ?? []).slice(-6)) : this.stands.get(other.role)?.at(-1);
      const now = player.seen[other.role] ?? null;
      if (theirs !== undefined && (theirs.number >= (now === null ? 0 : (this.numbers.get(now) ?? 0)) || chance.often(this.slips))) player.seen[other.role] = theirs.prev;
    }
    // A letter of a fork, whatever they have seen of it before.
    const { forked } = this.table;
    const one = forked.length > 0 && chance.often(15) ? chance.one(forked) : null;
    if (one !== null && one.author !== role) player.seen[one.author] = one.id;
    return player;
  }

  private bytes(what: string): Uint8Array {
    return fixed(`${what} ${this.fresh++}`);
  }

  private note(sealer: Player, purpose: string): Sealed {
    const context: SetContext = { game: this.table.game, purpose, kind: "note", sealer: sealer.role, declarer: sealer.role, revealer: sealer.role, fallback: this.holds && this.notes ? "carol" : "", n: 1 };
    const salt = sealer.salt();
    const master = setMaster(context, sealer.vault, hexBytes(salt));
    const key = envelopeKey(context, master, 0);
    const a = contextOfEnvelope(context, 0);
    const text = concat(utf8("to the hill"), new Uint8Array([0x80]), new Uint8Array(256 - 12));
    const cipher = toHex(chacha20poly1305(hash("note-key", a, key), new Uint8Array(12), a).encrypt(text));
    const letter = this.sign(sealer, "seal", {
      commits: [toHex(envelopeCommit(context, 0, key))],
      declarer: sealer.role,
      kind: "note",
      n: 1,
      notes: [this.chance.often(this.slips) ? `00${cipher.slice(2)}` : cipher],
      purpose,
      revealer: sealer.role,
      salt,
    });
    const set = { letter, context, master };
    this.sets.push({ set, slot: null, used: 0 });
    return set;
  }

  private set(sealer: Player, kind: string, slot: Slot | null, purpose: string, declarer: string, n: number): Sealed {
    const set = this.table.seal(sealer, kind, purpose, declarer, n);
    this.signed(sealer, set.letter);
    this.sets.push({ set, slot, used: 0 });
    return set;
  }

  private seal(player: Player): void {
    const { chance } = this;
    const other = player.role === "ann" ? "bob" : "ann";
    const k = 1 + chance.below(2);
    switch (chance.one(["coin", "coin", "coin", "coin", "foul-up", "sheet", "contribution"])) {
      case "coin": {
        const [name, impulse] = chance.one<[string, number]>(other === "ann" ? [["ann-first", 1], ["ann-first", 1], ["ann-private", 3], ["ann-orders", 4]] : [["bob-first", 1]]);
        const slot = { turn: ++this.turn, impulse, phase: name, number: 1 };
        this.set(player, "coin", slot, `${slot.turn}/${impulse}/${name}/1`, other, 5);
        break;
      }
      case "foul-up":
        this.set(player, "foul-up", null, `foul-up/${k}`, other, 3);
        break;
      case "sheet":
        this.set(player, "sheet", null, `sheet/${k}`, other, 400);
        break;
      default:
        this.set(player, "contribution", null, `contribution/${k}`, player.role, 4);
    }
  }

  private find(kind: string, role: string): OwnSet | null {
    const all = this.sets.filter(({ set }) => set.context.kind === kind && set.context.declarer === role);
    const fresh = kind === "coin" ? all.filter((one) => one.used === 0) : all;
    if (this.chance.often(this.slips) && all.length > 0) return this.chance.one(all);
    return fresh[0] ?? null;
  }

  /** What a phase requires before its declaration. */
  private decisions(player: Player, slot: Slot): void {
    const { chance } = this;
    const name = `${slot.turn}/${slot.impulse}/${slot.phase}/${slot.number}`;
    const skip = (): boolean => chance.often(this.slips);
    if (slot.phase === "bob-first" && !skip()) this.see(player, this.note(this.sit("ann"), `${name}/hide`).letter);
    if (slot.phase !== "ann-orders") return;
    const bob = this.sit("bob");
    if (!skip()) this.sign(bob, "decide", { after: null, name: "pick", slot, value: 1 });
    const theirs = this.note(bob, `${name}/orders`);
    const ann = this.sit("ann");
    this.see(ann, theirs.letter);
    const own = this.note(ann, `${name}/orders`);
    if (!skip()) this.sign(ann, "reveal", { declaration: null, keys: [[0, toHex(envelopeKey(own.context, own.master, 0))]], seal: own.letter.id, sheets: [] });
    this.see(bob, { id: ann.prev ?? "", author: "ann", number: ann.number, text: "" });
    if (!skip()) this.sign(bob, "reveal", { declaration: null, keys: [[0, toHex(envelopeKey(theirs.context, theirs.master, 0))]], seal: theirs.letter.id, sheets: [] });
    Object.assign(player, this.stands.get(player.role)?.at(-1));
    this.see(player, { id: bob.prev ?? "", author: "bob", number: bob.number, text: "" });
  }

  private share(player: Player, name: string): { body: object; used: { set: Sealed; index: number } | null } | null {
    if (name !== "ann-private") return { body: { open: toHex(this.bytes("share")) }, used: null };
    const own = this.find("contribution", player.role);
    if (own === null) return null;
    const index = own.used++;
    return { body: { sealed: { index, seal: own.set.letter.id } }, used: { set: own.set, index } };
  }

  private declare(player: Player): void {
    const { chance } = this;
    const sheet = player.role === "ann" && chance.often(20);
    const own = this.find(sheet ? "sheet" : "coin", player.role);
    if (own === null) return;
    const slot = own.slot ?? { turn: ++this.turn, impulse: 2, phase: "ann-second", number: 1 };
    this.decisions(player, slot);
    this.see(player, own.set.letter);
    const share = this.share(player, slot.phase);
    if (share === null) return;
    const name = `${slot.turn}/${slot.impulse}/${slot.phase}/${slot.number}`;
    const note = chance.often(25) ? this.note(player, `${name}/moves`) : null;
    const moves = note === null ? { text: "m" } : { note: { index: 0, seal: note.letter.id } };
    const column = chance.below(3);
    const input = sheet
      ? { rolls: [{ cell: `${"ABC"[column]}${Math.min(10, ++own.used)}`, why: "w" }] }
      : { attacks: ["F12", "G13", "I11"].slice(0, 1 + chance.below(3)).map((hex) => ({ hexes: [hex], odds: chance.one(["3-1", "1-2", "5-1"]) })) };
    if (!sheet) own.used++;
    const wrong = chance.often(8) ? { select: sheet ? { cells: [[0, 7]] } : { worksheet: { index: 0, rows: [[0, 1]], total: 1 } } } : {};
    const { signed, reading } = this.table.declare(player, slot, own.set, input, { contribution: share.body, moves, ...wrong });
    this.signed(player, signed);
    const depths = new Map<number, number>();
    for (const [at, row] of reading.cells) depths.set(at, Math.max(row, depths.get(at) ?? 0));
    const { context, master } = own.set;
    this.declared.push({
      signed,
      set: own.set,
      keys: sheet ? [] : reading.opened.map((index) => [index, toHex(envelopeKey(context, master, index))] as const),
      sheets: [...depths].sort(([a], [b]) => a - b).map(([at, row]) => [at, row, toHex(columnKeys(context, master, at)[10 - row] ?? new Uint8Array(0))] as const),
      slot,
      input: reading.canonical,
      forRedo: reading.forRedo,
      moves,
      draws: reading.rolls.flatMap((roll) => drawRoll(roll, () => 1)).length,
      good: !("select" in wrong),
      note,
      contribution: share.used,
      opened: false,
    });
  }

  /** A redo from the foul-up set, of a breach or as agreed. */
  private redo(player: Player): void {
    const { chance } = this;
    const agreed = this.proposals.filter((one) => one.agreed !== null && one.input !== null && one.about.signed.author === player.role).at(-1);
    const breach = this.declared.filter((one) => !one.good && one.signed.author === player.role).at(-1);
    const opened = this.sets.filter(({ set, slot, used }) => set.context.kind === "coin" && set.context.declarer === player.role && slot !== null && used === 0).at(-1);
    const how = chance.one(["breach", "breach", "agreed", "agreed", "opened"]);
    const own = this.find("foul-up", player.role);
    const old = how === "agreed" ? agreed?.about : breach;
    if (own === null) return;
    let [slot, input, moves, redo]: [Slot | null, object, object, object] = [null, {}, { text: "m" }, {}];
    if (how === "opened" && opened?.slot) {
      const [index] = [chance.below(5)];
      const owner = this.sit(opened.set.letter.author);
      const key = this.sign(owner, "reveal", { declaration: this.declared.at(-1)?.signed.id ?? null, keys: [[index, toHex(envelopeKey(opened.set.context, opened.set.master, index))]], seal: opened.set.letter.id, sheets: [] });
      this.see(player, key);
      [slot, input, redo] = [opened.slot, REDO({ attacks: ["F12", "G13", "I11", "F13"].slice(0, 1 + chance.below(4)).map((hex, i) => ({ hexes: [hex], id: `a${i + 1}`, odds: "3-1", order: null })) }).canonical, { opened: key.id }];
    } else if (how === "agreed" && agreed?.agreed && agreed.input !== null) {
      [slot, input, moves, redo] = [agreed.about.slot, agreed.input, agreed.about.moves, { agreed: agreed.agreed.id }];
      this.see(player, agreed.agreed);
    } else if (breach !== undefined) {
      [slot, input, moves, redo] = [breach.slot, breach.forRedo, breach.moves, { breach: breach.signed.id }];
    }
    if (slot === null) return;
    const share = this.share(player, slot.phase);
    if (share === null) return;
    this.see(player, own.set.letter);
    const lines = ((input as { attacks?: unknown[]; rolls?: unknown[] }).attacks ?? (input as { rolls?: unknown[] }).rolls ?? []).length;
    const index = chance.often(this.slips * 2) ? chance.below(4) : own.used++;
    const signed = this.sign(player, "declare", { after: null, contribution: share.body, input, moves, redo, seal: own.set.letter.id, select: { foul_up: { index, lines } }, slot });
    this.declared.push({
      signed,
      set: own.set,
      keys: [[index, toHex(envelopeKey(own.set.context, own.set.master, index))]],
      sheets: [],
      slot,
      input,
      forRedo: input,
      moves,
      draws: lines,
      good: chance.often(80),
      note: old?.note ?? null,
      contribution: share.used,
      opened: false,
    });
  }

  private pick(): Declared | null {
    const { chance } = this;
    const owed = this.declared.filter((one) => !one.opened && (one.good || chance.often(this.slips)));
    return owed.length === 0 || chance.often(this.slips) ? (this.declared.at(-1) ?? null) : chance.one(owed.slice(-3));
  }

  private reveal(): void {
    const { chance } = this;
    const one = this.pick();
    if (one === null) return;
    const owner = this.sit(one.set.letter.author);
    this.see(owner, one.signed);
    const keys = chance.often(this.slips) ? [[chance.below(5), toHex(this.bytes("no key"))]] : one.keys;
    this.sign(owner, "reveal", { declaration: one.signed.id, keys, seal: one.set.letter.id, sheets: one.sheets });
    one.opened = true;
    const declarer = this.sit(one.signed.author);
    if (one.note !== null && chance.often(60)) this.sign(declarer, "reveal", { declaration: one.signed.id, keys: [[0, toHex(envelopeKey(one.note.context, one.note.master, 0))]], seal: one.note.letter.id, sheets: [] });
    if (one.contribution !== null && chance.often(60)) {
      const { set, index } = one.contribution;
      this.sign(declarer, "reveal", { declaration: one.signed.id, keys: [[index, toHex(envelopeKey(set.context, set.master, index))]], seal: set.letter.id, sheets: [] });
    }
    const hidden = this.sets.find(({ set }) => set.context.purpose === `${one.slot.turn}/${one.slot.impulse}/${one.slot.phase}/${one.slot.number}/hide`);
    if (hidden === undefined || !chance.often(60)) return;
    const ann = this.sit("ann");
    this.see(ann, one.signed);
    this.sign(ann, "reveal", { declaration: one.signed.id, keys: [[0, toHex(envelopeKey(hidden.set.context, hidden.set.master, 0))]], seal: hidden.set.letter.id, sheets: [] });
  }

  private scope(): object | null {
    const one = this.declared.filter((declared) => declared.opened).at(-1) ?? this.declared.at(-1);
    if (one === undefined) return null;
    const { turn, impulse } = one.slot;
    const id = this.chance.often(this.slips) ? (this.table.letters.at(-3)?.id ?? one.signed.id) : one.signed.id;
    return this.chance.one([{ declaration: id }, { rolls: { declaration: id, lines: [1] } }, { impulse: { declarations: [id], impulse, turn } }]);
  }

  private correct(player: Player): void {
    const { chance } = this;
    const asked = this.proposals.filter((one) => one.agreed === null && one.signed.author !== player.role).at(-1);
    if (asked !== undefined && chance.often(75)) {
      this.see(player, asked.signed);
      const accept = chance.often(80);
      const signed = this.sign(player, "correct", accept ? { accept: asked.signed.id } : { refuse: asked.signed.id });
      asked.agreed = signed;
      return;
    }
    if (chance.often(35)) {
      const scope = this.scope();
      const about = this.declared.at(-1);
      if (scope === null || about === undefined) return;
      this.proposals.push({ signed: this.sign(player, "correct", { void: { reason: "r", scope } }), about, input: null, agreed: null });
      return;
    }
    const one = this.declared.filter((declared) => declared.opened).at(-1);
    if (one === undefined) return;
    const input = chance.often(70) ? one.forRedo : null;
    const signed = this.sign(player, "correct", { propose: { at_fault: one.signed.author, class: chance.one(["illegal-odds", "illegal-move", "wrong-list"]), declaration: one.signed.id, input, reason: "r" } });
    this.proposals.push({ signed, about: one, input, agreed: null });
  }

  private claim(player: Player): void {
    const { chance } = this;
    const other = player.role === "ann" ? "bob" : "ann";
    const claim = this.claims.at(-1);
    switch (chance.one(["stall", "stall", "stall", "note", "answer", "dispute", "withdraw", "yield", "names", "names"])) {
      case "stall": {
        const one = this.declared.filter((declared) => declared.signed.author === player.role && !declared.opened).at(-1);
        if (one === undefined) return;
        const signed = this.sign(player, "claim", { stall: { letter: one.signed.id, owes: other, step: "reveal", text: "" } });
        this.claims.push({ signed, about: one, note: null, step: "reveal", request: null, forfeit: null });
        return;
      }
      case "note": {
        const hidden = this.sets.filter(({ set }) => set.context.kind === "note" && set.letter.author === other).at(-1);
        if (hidden === undefined) return;
        const signed = this.sign(player, "claim", { stall: { letter: hidden.set.letter.id, owes: other, step: "reveal", text: "" } });
        this.claims.push({ signed, about: null, note: hidden.set, step: "reveal", request: null, forfeit: null });
        return;
      }
      case "answer": {
        const step = chance.one(["answer", "declare"]);
        this.claims.push({ signed: this.sign(player, "claim", { stall: { letter: null, owes: other, step, text: "" } }), about: null, note: null, step, request: null, forfeit: null });
        return;
      }
      case "dispute":
        this.claims.push({ signed: this.sign(player, "claim", { dispute: { letters: [this.table.letters.at(-2)?.id ?? ""], text: "t" } }), about: null, note: null, step: "", request: null, forfeit: null });
        return;
      case "withdraw":
        if (claim !== undefined) this.sign(player, "claim", { withdraw: claim.signed.id });
        return;
      case "yield": {
        const one = this.declared.filter((declared) => declared.set.letter.author === player.role && !declared.opened).at(-1);
        if (one === undefined) return;
        this.see(player, one.signed);
        const forfeit = this.sign(player, "claim", { yield: { declaration: one.signed.id, forfeit: "declarer-names", text: "" } });
        this.claims.push({ signed: forfeit, about: one, note: null, step: "", request: null, forfeit });
        return;
      }
      default: {
        const by = this.claims.filter((one) => one.forfeit !== null && one.about?.signed.author === player.role).at(-1);
        if (!by?.forfeit || !by.about) return;
        this.see(player, by.forfeit);
        this.sign(player, "claim", { names: { declaration: by.about.signed.id, dice: Array.from({ length: by.about.draws }, () => 1 + chance.below(6)), forfeit: by.forfeit.id } });
      }
    }
  }

  private rule(rule: object): Signed {
    return this.sign(this.carol, "ruling", { rule, text: "" });
  }

  private referee(): void {
    const { chance, carol } = this;
    this.sit("carol");
    const claim = this.claims.filter((one) => one.step !== "").at(-1);
    switch (chance.one(["receipt", "receipt", "request", "request", "request", "forfeit", "open", "open", "open", "void", "kill", "settle", "dismiss", "agree"])) {
      case "receipt": {
        const seals = this.sets.filter(({ set, used }) => used === 0 && ["coin", "sheet", "foul-up", "note"].includes(set.context.kind)).slice(-3).map(({ set }) => set.letter.id);
        if (seals.length > 0) this.sign(carol, "receipt", { deposit: { seals: [...new Set(seals)].sort() } });
        return;
      }
      case "request":
        if (claim === undefined) return;
        this.see(carol, claim.signed);
        claim.request = this.rule({ request: claim.signed.id });
        return;
      case "forfeit":
        if (!claim?.request) return;
        claim.forfeit = this.rule({ forfeit: { forfeit: claim.step === "reveal" ? "declarer-names" : "game", request: claim.request.id } });
        return;
      case "open": {
        if (!claim?.request || claim.step !== "reveal") return;
        const keys = claim.note !== null ? [[0, toHex(envelopeKey(claim.note.context, claim.note.master, 0))]] : (claim.about?.keys ?? []);
        this.rule({ open: { keys, request: claim.request.id, sheets: claim.about?.sheets ?? [] } });
        return;
      }
      case "void": {
        const scope = this.scope();
        if (scope !== null) this.rule({ void: scope });
        return;
      }
      case "kill":
        if (this.sets.length > 0) this.rule({ kill: chance.one(this.sets.slice(-4)).set.letter.id });
        return;
      case "settle": {
        const { forked, letters } = this.table;
        const one = chance.one(forked.length > 0 && chance.often(80) ? forked : letters.slice(-8));
        if (one.author !== carol.role) this.see(carol, one);
        this.rule({ settle: one.id });
        return;
      }
      case "dismiss": {
        const one = this.claims.at(-1);
        if (one !== undefined) this.rule({ dismiss: one.signed.id });
        return;
      }
      case "agree": {
        const one = this.proposals.at(-1);
        if (one !== undefined) one.agreed = this.rule({ agree: one.signed.id });
        return;
      }
    }
  }

  private close(player: Player): void {
    const own = this.sets.filter(({ set }) => set.letter.author === player.role).map(({ set }) => ({ master: toHex(this.chance.often(this.slips) ? this.bytes("no master") : set.master), seal: set.letter.id }));
    this.sign(player, "close", { masters: this.chance.often(50) ? null : own, result: null });
  }

  step(): void {
    const { chance } = this;
    const role = chance.one(["ann", "bob"]);
    switch (chance.one(["seal", "seal", "seal", "seal", "declare", "declare", "declare", "declare", "reveal", "reveal", "reveal", "redo", "redo", "correct", "correct", "claim", "claim", "referee", "referee", "referee", "rare"])) {
      case "seal":
        return this.seal(this.sit(role));
      case "declare":
        return this.declare(this.sit(role));
      case "reveal":
        return this.reveal();
      case "redo":
        return this.redo(this.sit(role));
      case "correct":
        return this.correct(this.sit(role));
      case "claim":
        return this.claim(this.sit(role));
      case "referee":
        return this.referee();
      default: {
        const player = this.sit(role);
        switch (chance.one(["asks", "stranger", "close"])) {
          case "asks":
            return this.table.resync(player, ...this.table.players.filter((one) => one !== player && chance.often(70)));
          case "stranger":
            return void this.table.stranger(player, "claim", { dispute: { letters: [this.table.letters.at(-1)?.id ?? ""], text: "t" } });
          case "close":
            return chance.often(50) ? this.close(player) : undefined;
        }
      }
    }
  }
}
