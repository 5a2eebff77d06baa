/** Games of a course, in which players mostly do what the state awaits. */
import { toHex } from "../src/bytes.js";
import { field, isList, isObject, type Json } from "../src/json.js";
import { CourseTable, initiative, TERMS } from "./courses.js";
import type { Chance } from "./mess.js";
import { fixed, json, phase, Player, type Set as Sealed, type Signed } from "./players.js";

interface Dealt {
  readonly set: Sealed;
  readonly sealer: Player;
  readonly turn: number;
  readonly number: number;
}

interface Declared extends Dealt {
  readonly signed: Signed;
  readonly by: Player;
  readonly foulUp: number | null;
}

const ORDERS = ["first", "second", null] as const;
const MARKERS = ["m1", "m2", "m3", "m4"] as const;

function settingsBy(chance: Chance): object {
  return {
    ...TERMS,
    first_player: chance.one(["ann", "bob", null]),
    flux_holder: chance.one(["first_mover", "winner"]),
    pop_then_second: chance.often(50),
    sides: chance.one([["ann", "bob"], ["bob", "ann"]]),
  };
}

export class Turns {
  readonly table: CourseTable;
  private readonly sets: Dealt[] = [];
  private readonly notes: Dealt[] = [];
  private readonly spare = new Map<Player, { readonly set: Sealed; used: number }>();
  private readonly declared: Declared[] = [];
  private readonly proposals: { readonly signed: Signed; readonly of: Declared; readonly input: object | null }[] = [];
  private readonly accepted: { readonly signed: Signed; readonly of: Declared; readonly input: object }[] = [];
  private readonly forfeits: { readonly signed: Signed; readonly of: Declared }[] = [];

  constructor(
    private readonly chance: Chance,
    /** The agreed settings, and the rest of the terms. */
    readonly settings: object = settingsBy(chance),
    charter: object = {},
  ) {
    const phases = [initiative(settings), phase("attack", "ann", 2, "coin-envelopes")];
    const nonce = toHex(fixed(`turns ${chance.below(1 << 30)}`));
    this.table = new CourseTable({ nonce, phases, ...charter }, chance.often(50) ? new Player("carol") : null);
    this.table.slip = (right) => (chance.often(97) ? right : chance.one([null, chance.one(this.table.letters).id]));
    for (const player of [this.table.ann, this.table.bob]) this.spare.set(player, { set: this.table.seal(player, "foul-up", "foul-up/1", this.table.other(player).role, 3), used: 0 });
    this.table.meet();
  }

  private player(role: Json | undefined): Player {
    return role === "ann" ? this.table.ann : role === "bob" ? this.table.bob : this.any();
  }

  private any(): Player {
    return this.chance.one([this.table.ann, this.table.bob]);
  }

  private seal(sealer: Player, turn: number, number: number): Dealt {
    const dealt = { set: this.table.plain(sealer, turn, number), sealer, turn, number };
    this.sets.push(dealt);
    return dealt;
  }

  private input(): object {
    const { chance } = this;
    const markers = MARKERS.filter(() => chance.often(40));
    const from = [...markers].filter(() => chance.often(60)).reverse();
    return { markers, order: chance.one(ORDERS), pop: chance.often(30) ? { at_most: chance.below(4), from } : null };
  }

  private declare(by: Player, turn: number, number: number, redo: object | null, given: object | null, reads = this.chance.often(90)): void {
    const { chance, table } = this;
    const other = table.other(by);
    const spare = this.spare.get(other);
    const foulUp = redo === null || spare === undefined ? null : spare.used++;
    const dealt = foulUp !== null && spare !== undefined ? { set: spare.set, sealer: other, turn, number } : (this.sets.find((one) => one.sealer === other && one.turn === turn && one.number === number) ?? this.seal(other, turn, number));
    if (reads) table.read(by, other);
    const near = chance.often(50);
    const more = redo === null || foulUp === null ? {} : { redo, select: { foul_up: { index: foulUp, lines: 1 } } };
    const signed = table.initiative(by, dealt.set, table.slot(turn, number), (ahead) => !near || (ahead < 0 && ahead > -4), given ?? this.input(), more);
    this.declared.push({ ...dealt, signed, by, foulUp });
  }

  private reveal(): void {
    const { chance, table } = this;
    const one = this.declared.at(-1 - (chance.often(80) ? 0 : chance.below(3)));
    if (one === undefined) return;
    const sealer = chance.often(97) ? one.sealer : one.by;
    if (chance.often(90)) table.read(sealer, table.other(sealer));
    table.open(sealer, one.set, one.signed, one.foulUp ?? 0);
    const note = this.notes.find((other) => other.turn === one.turn && other.number === one.number && other.sealer === sealer);
    if (note !== undefined && chance.often(85)) table.open(sealer, note.set, one.signed);
  }

  private referee(): void {
    const { chance, table } = this;
    const one = this.declared.at(-1 - chance.below(2));
    if (table.carol === null || one === undefined) return;
    if (chance.often(70)) for (const player of [table.ann, table.bob]) table.read(table.carol, player);
    switch (chance.below(3)) {
      case 0: {
        const claim = table.sign(one.by, "claim", { stall: { letter: one.signed.id, owes: one.sealer.role, step: "reveal", text: "" } });
        table.read(table.carol, one.by);
        const request = table.rule({ request: claim.id });
        this.forfeits.push({ signed: table.rule({ forfeit: { forfeit: "declarer-names", request: request.id } }), of: one });
        break;
      }
      case 1:
        table.rule({ void: { declaration: one.signed.id } });
        break;
      default: {
        const note = this.notes.at(-1);
        if (note !== undefined) table.rule({ kill: note.set.letter.id });
      }
    }
    if (chance.often(60)) table.meet();
  }

  /** The last turn is taken back while its declarer, who does not know that, continues. */
  private cross(turn: number): void {
    const { chance, table } = this;
    const one = this.declared.at(-1);
    if (one === undefined) return;
    const other = table.other(one.by);
    this.seal(other, turn, 1);
    table.meet();
    const notes = this.notes.filter((note) => note.turn === one.turn);
    const asked = table.sign(one.by, "correct", { void: { reason: "x", scope: { declaration: one.signed.id } } });
    if (table.carol !== null && notes.length > 0 && chance.often(50)) for (const note of notes) table.rule({ kill: note.set.letter.id });
    else if (table.carol !== null && chance.often(50)) table.rule({ void: { declaration: one.signed.id } });
    else {
      table.read(other, one.by);
      table.sign(other, "correct", { accept: asked.id });
    }
    this.declare(one.by, turn, 1, null, null, false);
    const last = this.declared.at(-1);
    if (chance.often(70) && last !== undefined) {
      table.read(other, one.by);
      table.open(other, last.set, last.signed);
    }
    table.meet();
  }

  /** Ann attacks, whether it is her turn or not. */
  private attack(turn: number): void {
    const { ann, bob } = this.table;
    const slot = { turn, impulse: 2, phase: "attack", number: 1 };
    const set = this.table.seal(bob, "coin", `${turn}/2/attack/1`, "ann", 5);
    this.table.read(ann, bob);
    this.table.declare(ann, slot, set, json({ attacks: [{ hexes: ["F12"], odds: "3-1" }] }));
  }

  private note(turn: number, number: number): void {
    const text = this.chance.one(['{"order":"first"}', '{"order":"second"}', '{"order":null}', '{"order": "first"}', "first", '{"order":"third"}', "[]"]);
    const sealer = this.any();
    this.notes.push({ set: this.table.note(sealer, `${turn}/1/initiative/${number}/standing`, text), sealer, turn, number });
    if (this.chance.often(70)) this.table.meet();
  }

  private quarrel(): void {
    const { chance, table } = this;
    const one = this.declared.at(-1 - chance.below(2));
    if (one === undefined) return;
    const [by, other] = chance.often(50) ? [one.by, one.sealer] : [one.sealer, one.by];
    const asked = this.proposals.at(-1);
    switch (chance.below(6)) {
      case 0:
        this.proposals.push({ signed: table.sign(by, "correct", { void: { reason: "x", scope: { declaration: one.signed.id } } }), of: one, input: null });
        break;
      case 1: {
        const input = this.input();
        this.proposals.push({ signed: table.sign(by, "correct", { propose: { at_fault: other.role, class: "illegal-odds", declaration: one.signed.id, input, reason: "" } }), of: one, input });
        break;
      }
      case 2:
      case 3: {
        if (asked === undefined) return;
        const answers = table.player(asked.signed.author === "ann" ? "bob" : "ann");
        table.read(answers, table.other(answers));
        const signed = table.sign(answers, "correct", { [chance.often(85) ? "accept" : "refuse"]: asked.signed.id });
        if (asked.input !== null) this.accepted.push({ signed, of: asked.of, input: asked.input });
        this.proposals.pop();
        break;
      }
      case 4: {
        this.forfeits.push({ signed: table.sign(one.sealer, "claim", { yield: { declaration: one.signed.id, forfeit: "declarer-names", text: "" } }), of: one });
        break;
      }
      case 5: {
        const forfeit = this.forfeits.at(-1);
        if (forfeit === undefined) return;
        table.read(forfeit.of.by, forfeit.of.sealer);
        const dice = Array.from({ length: chance.often(80) ? 4 : 8 }, () => 1 + chance.below(6));
        table.sign(forfeit.of.by, "claim", { names: { declaration: forfeit.of.signed.id, dice, forfeit: forfeit.signed.id } });
      }
    }
    if (chance.often(80)) table.meet();
  }

  step(): void {
    const { chance, table } = this;
    const state = table.report().courses[0]?.state ?? null;
    const did = chance.below(100);
    const turn = state === null ? 1 + chance.below(6) : Math.max(1, Number(field(state, "turn")) + (chance.often(95) ? 1 : chance.below(4)));
    const number = chance.often(90) ? 1 + this.declared.filter((one) => one.turn === turn).length : 1 + chance.below(2);
    if (did < 10) return this.note(turn, number);
    if (did < 21) return this.quarrel();
    if (did < 24) return this.referee();
    if (did === 24) return this.attack(Math.max(1, turn - chance.below(2)));
    if (did < 27) return void table.sign(this.any(), "claim", { dispute: { letters: [chance.one(table.letters).id], text: "x" } });
    if (did < 32) return void table.read(this.any(), this.any());
    const due = this.accepted.pop();
    if (due !== undefined && chance.often(80)) return this.declare(due.of.by, due.of.turn, due.of.number, { agreed: due.signed.id }, chance.often(90) ? due.input : null);
    const breach = table.report().findings.find((one) => /^declare (?:[3-9]|10|15):/.test(one.text) && one.settled_by === null && one.message_ids[0] === this.declared.at(-1)?.signed.id);
    const last = this.declared.at(-1);
    if (breach !== undefined && last !== undefined && chance.often(70)) return this.declare(last.by, last.turn, last.number, { breach: last.signed.id }, null);
    const pending = state === null ? undefined : field(state, "pending");
    if (isObject(pending)) {
      const by = chance.often(90) ? this.player(field(pending, "by")) : this.any();
      if (chance.often(80)) table.read(by, table.other(by));
      const pops = field(pending, "awaits") === "pop";
      const markers = field(state ?? {}, "markers");
      const value = chance.often(10) ? "third" : pops ? (chance.often(60) && isList(markers) ? markers.slice(0, Number(field(pending, "deficit"))) : []) : chance.one(["first", "second"]);
      table.decide(by, chance.often(95) ? Math.max(1, turn - 1) : turn, pops ? "pop" : "order", value, chance.often(95) ? Math.max(1, this.declared.filter((one) => one.turn === turn - 1).length) : 1);
      if (chance.often(70)) table.meet();
      return;
    }
    if (state === null || chance.often(10)) return this.reveal();
    const holder = field(state, "holder");
    if (chance.often(25)) return this.cross(turn);
    this.declare(chance.often(92) ? this.player(holder) : this.any(), turn, number, null, null);
    if (chance.often(80)) this.reveal();
    if (chance.often(80)) table.meet();
  }
}
