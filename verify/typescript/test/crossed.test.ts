/** Letters of a course that cross, and declarations that both players, but no ruling, can take back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/bytes.js";
import { CourseTable } from "./courses.js";
import { Player, type Set as Sealed, type Signed } from "./players.js";

const BEGINS = { bar: [], first: "ann", flux: false, holder: "ann", markers: [], pending: null, returning: [], turn: 1 };
const WINS = (ahead: number): boolean => ahead >= 0;
const LOSES = (ahead: number): boolean => ahead < 0;

/** A game with sets sealed for Ann in advance: two numbers for each of turns 2 to 4, and a foul-up set. */
class Crossing extends CourseTable {
  readonly sets = new Map<string, Sealed>();
  readonly spare: Sealed;

  constructor(referee = false) {
    super({}, referee ? new Player("carol") : null);
    for (const turn of [2, 3, 4]) for (const number of [1, 2]) this.sets.set(`${turn}/${number}`, this.plain(this.bob, turn, number));
    this.spare = this.seal(this.bob, "foul-up", "foul-up/1", "ann", 3);
    this.meet();
  }

  set(turn: number, number = 1): Sealed {
    const set = this.sets.get(`${turn}/${number}`);
    if (set === undefined) throw new Error("no set");
    return set;
  }

  roll(turn: number, ahead: (by: number) => boolean, input: object = {}, number = 1): Signed {
    return this.initiative(this.ann, this.set(turn, number), this.slot(turn, number), ahead, input);
  }

  again(turn: number, redo: object, ahead: (by: number) => boolean, input: object = {}, index = 0): Signed {
    return this.initiative(this.ann, this.spare, this.slot(turn), ahead, input, { redo, select: { foul_up: { index, lines: 1 } } });
  }

  /** Bob opens what Ann declared. */
  shown(declared: Signed, set: Sealed, index = 0): Signed {
    this.read(this.bob, this.ann);
    return this.open(this.bob, set, declared, index);
  }

  voids(of: Signed): Signed {
    return this.sign(this.ann, "correct", { void: { reason: "the wrong box", scope: { declaration: of.id } } });
  }

  accepts(asked: Signed): Signed {
    this.read(this.bob, this.ann);
    return this.sign(this.bob, "correct", { accept: asked.id });
  }

  /** A settled turn: Ann goes first. */
  settled(turn: number, number = 1): Signed {
    const declared = this.roll(turn, WINS, { order: "first" }, number);
    this.shown(declared, this.set(turn, number));
    this.meet();
    return declared;
  }

  redone(of: Signed, input: object): Signed {
    return this.sign(this.bob, "correct", { propose: { at_fault: "ann", class: "illegal-odds", declaration: of.id, input: { markers: [], order: null, pop: null, ...input }, reason: "" } });
  }

  names(of: Signed, forfeit: Signed, dice: number[]): Signed {
    return this.sign(this.ann, "claim", { names: { declaration: of.id, dice, forfeit: forfeit.id } });
  }
}

test("no ruling takes back a declaration of a course", () => {
  const table = new Crossing(true);
  const { ann, bob, carol } = table;
  const first = table.settled(2);
  table.rule({ void: { declaration: first.id } });
  table.rule({ void: { impulse: { declarations: [first.id], impulse: 1, turn: 2 } } });
  const asked = [table.voids(first), table.redone(first, { order: "second" })];
  if (carol !== null) for (const player of [ann, bob]) table.read(carol, player);
  for (const { id } of asked) table.rule({ agree: id });
  assert.deepEqual(table.findings(), Array.from({ length: 4 }, () => "carol: ruling 10"));
  assert.deepEqual(table.standing(), [true]);
  table.read(bob, ann);
  table.sign(bob, "correct", { refuse: asked[0]?.id });
  table.read(ann, bob);
  const next = table.roll(3, WINS);
  const claim = table.sign(ann, "claim", { stall: { letter: next.id, owes: "bob", step: "reveal", text: "" } });
  table.meet();
  const request = table.rule({ request: claim.id });
  table.rule({ forfeit: { forfeit: "declarer-names", request: request.id } });
  assert.deepEqual(table.findings(), Array.from({ length: 5 }, () => "carol: ruling 10"));
});

test("a yield that crosses the reveal takes back what was built on that reveal", () => {
  const table = new Crossing();
  const declared = table.roll(2, WINS, { order: "first" });
  table.shownBeside(declared, table.set(2));
  const next = table.roll(3, WINS, { order: "second" });
  const forfeit = table.yields(declared);
  table.shown(next, table.set(3));
  table.meet();
  assert.equal(table.state(), null);
  assert.deepEqual(table.standing(), [false]);
  table.roll(3, WINS, {}, 2);
  const names = table.names(declared, forfeit, [1, 2, 3, 4]);
  assert.deepEqual(table.findings(), ["bob: chain 2", "ann: declare 14"]);
  assert.deepEqual(table.standing(), [true, false]);
  assert.deepEqual(table.report().rolls.map((roll) => roll.named_by), [1, 2, 3, 4, 5, 6, 7, 8].map((n) => (n <= 4 ? names.id : null)));
  assert.deepEqual((table.state() as typeof BEGINS).pending, { awaits: "order", by: "bob", deficit: 4, order: null, popped: [] });
  table.meet();
  assert.equal(table.after(table.bob, table.slot(2)), names.id);
  table.decide(table.bob, 2, "order", "first");
  assert.deepEqual(table.findings(), ["bob: chain 2", "ann: declare 14"]);
  assert.equal((table.state() as typeof BEGINS).flux, true);
});

test("declarations and decisions name where the course stands", () => {
  const table = new Crossing();
  const { ann } = table;
  const first = table.settled(2);
  const body = (after: string | null, turn: number): object => {
    const open = toHex(new Uint8Array(32).fill(table.letters.length));
    const input = { markers: [], order: null, pop: null };
    const select = { plain: { index: 0, lines: 1 } };
    return { after, contribution: { open }, input, moves: { none: null }, redo: null, seal: table.set(turn).letter.id, select, slot: table.slot(turn) };
  };
  table.sign(ann, "declare", body(null, 3));
  table.sign(ann, "declare", body(table.game, 3));
  table.sign(ann, "declare", body(table.set(3).letter.id, 3));
  table.sign(ann, "declare", body("0".repeat(64), 3));
  ann.number--;
  ann.prev = table.letters.at(-2)?.id ?? null;
  assert.deepEqual(table.findings(), ["ann: declare 14", "ann: letters 5", "ann: letters 5"]);
  const declared = table.roll(3, (ahead) => ahead === -1, { markers: ["m1"] }, 2);
  table.shown(declared, table.set(3, 2));
  table.meet();
  const decide = (after: string | null, slot: object): Signed => table.sign(ann, "decide", { after, name: "pop", slot, value: ["m1"] });
  decide(first.id, table.slot(3, 2));
  decide(declared.id, table.slot(3, 2));
  assert.deepEqual(table.findings().slice(3), ["ann: decide 4"]);
  table.attack(3, 1, { after: first.id });
  assert.deepEqual(table.findings().slice(3), ["ann: decide 4", "ann: declare 14"]);
  assert.equal((table.state() as typeof BEGINS).turn, 3);
});

test("a player decides nothing before their proposal is answered", () => {
  for (const answered of [false, true]) {
    const table = new Crossing();
    const declared = table.roll(2, (ahead) => ahead === -1, { markers: ["m1"] });
    table.shown(declared, table.set(2));
    table.meet();
    const asked = table.voids(declared);
    table.read(table.bob, table.ann);
    table.sign(table.bob, "correct", { refuse: asked.id });
    if (answered) table.read(table.ann, table.bob);
    table.decide(table.ann, 2, "pop", ["m1"]);
    assert.deepEqual(table.findings(), answered ? [] : ["ann: decide 4"]);
  }
});

test("nobody rolls for a later part of the turn while the pop is awaited", () => {
  const table = new Crossing();
  const declared = table.roll(2, (ahead) => ahead === -1, { markers: ["m1"] });
  table.attack(2);
  table.shown(declared, table.set(2));
  table.meet();
  table.attack(1);
  table.attack(2, 2);
  table.decide(table.ann, 2, "pop", ["m1"]);
  const refused = Array.from({ length: 4 }, () => "ann: declare 18");
  assert.deepEqual(table.findings(), refused.slice(1));
  table.attack(2, 3);
  table.attack(3);
  assert.deepEqual(table.findings(), refused);
});

test("a voided turn is rolled again after a later part of it was played", () => {
  const table = new Crossing();
  const declared = table.settled(2);
  table.attack(2);
  table.accepts(table.voids(declared));
  table.meet();
  table.settled(2, 2);
  assert.deepEqual(table.findings(), []);
});

test("a player who proposes a void waits for the answer", () => {
  const table = new Crossing();
  const asked = table.voids(table.settled(2));
  table.roll(3, WINS);
  table.read(table.bob, table.ann);
  table.sign(table.bob, "correct", { refuse: asked.id });
  table.read(table.ann, table.bob);
  table.roll(3, WINS, {}, 2);
  assert.deepEqual(table.findings(), ["ann: declare 16"]);
});

test("a void or a redo can be accepted only while it still fits", () => {
  const table = new Crossing();
  const declared = table.settled(2);
  const asked = table.sign(table.bob, "correct", { void: { reason: "the wrong box", scope: { declaration: declared.id } } });
  // Her next turn crosses it.
  table.roll(3, WINS);
  table.read(table.ann, table.bob);
  table.sign(table.ann, "correct", { accept: asked.id });
  assert.deepEqual(table.findings(), ["ann: correct 4"]);
});

test("a breach at the same place is declared again unchanged, unless the state did not allow it", () => {
  const table = new Crossing();
  const slip = table.initiative(table.ann, table.set(2), table.slot(2), WINS, {}, { select: { plain: { index: 0, lines: 2 } } });
  table.again(2, { breach: slip.id }, WINS, { order: "second" });
  const redo = table.again(2, { breach: slip.id }, (ahead) => ahead === -1, {}, 1);
  table.shown(redo, table.spare, 1);
  assert.deepEqual(table.findings(), ["ann: declare 9", "ann: declare 11"]);
});

test("an agreed redo in breach is done again, and replaces the same declaration", () => {
  const table = new Crossing();
  const declared = table.settled(2);
  table.redone(declared, { order: "second" });
  table.read(table.ann, table.bob);
  const accepted = table.sign(table.ann, "correct", { accept: table.bob.prev });
  const slip = table.again(2, { agreed: accepted.id }, WINS, { order: "second" }, 1);
  const redo = table.again(2, { breach: slip.id }, WINS, { order: "second" }, 0);
  table.shown(redo, table.spare, 0);
  assert.deepEqual(table.findings(), ["ann: declare 9"]);
  assert.deepEqual(table.standing(), [redo.id, true]);
  assert.deepEqual(table.state(), { ...BEGINS, first: "bob", holder: "bob", turn: 2 });
});

test("a redo is not due after the course has gone on, and cannot be proposed then or with an input that the state does not allow", () => {
  const table = new Crossing();
  const declared = table.settled(2);
  table.redone(declared, { pop: { at_most: 1, from: ["m1"] } });
  table.redone(declared, { markers: ["m1"] });
  const asked = table.bob.prev;
  // Her next turn crosses the proposal.
  const next = table.roll(3, WINS, { order: "first" });
  table.read(table.ann, table.bob);
  const accepted = table.sign(table.ann, "correct", { accept: asked });
  table.again(2, { agreed: accepted.id }, WINS, { markers: ["m1"] });
  assert.deepEqual(table.findings(), ["bob: correct 2", "ann: correct 4", "ann: declare 12"]);
  table.shown(next, table.set(3));
  table.redone(declared, { markers: ["m1"] });
  table.meet();
  table.roll(4, WINS);
  assert.deepEqual(table.findings(), ["bob: correct 2", "ann: correct 4", "ann: declare 12", "bob: correct 6"]);
  assert.deepEqual(table.standing(), [true, true]);
});

test("a decision answers a stall, and a ruling that forfeits the game ends it", () => {
  const table = new Crossing(true);
  const declared = table.roll(2, LOSES);
  table.shown(declared, table.set(2));
  table.meet();
  const stall = (): void => void table.sign(table.ann, "claim", { stall: { letter: null, owes: "bob", step: "declare", text: "" } });
  stall();
  assert.equal(table.report().verdict, "undecided");
  table.meet();
  table.decide(table.bob, 2, "pop", []);
  assert.equal(table.report().verdict, "refuted");
  assert.ok(table.report().open.some((one) => one.what === "claim"));
  table.decide(table.bob, 2, "order", "second");
  assert.ok(!table.report().open.some((one) => one.what === "claim"));
  table.meet();
  stall();
  stall();
  table.meet();
  const request = table.rule({ request: table.letters.at(-1)?.id });
  assert.equal(table.report().open.filter((one) => one.what === "claim").length, 2);
  table.rule({ forfeit: { forfeit: "game", request: request.id } });
  assert.equal(table.report().open.filter((one) => one.what === "claim").length, 0);
  assert.deepEqual(table.findings(), ["bob: decide 4"]);
});

test("nobody decides while a redo is due", () => {
  const table = new Crossing();
  const declared = table.roll(2, (ahead) => ahead === -1, { markers: ["m1"] });
  table.shown(declared, table.set(2));
  const asked = table.redone(declared, {});
  table.meet();
  table.sign(table.ann, "correct", { accept: asked.id });
  table.decide(table.ann, 2, "pop", ["m1"]);
  assert.deepEqual(table.findings(), ["ann: decide 4"]);
});

test("a standing note is owed and speaks even if a crossing ruling kills it", () => {
  const table = new Crossing(true);
  const note = table.note(table.bob, "2/1/initiative/1/standing", '{"order":"second"}');
  table.meet();
  // The referee has not seen the declaration, and Ann has not seen the ruling.
  table.rule({ kill: note.letter.id });
  const declared = table.roll(2, LOSES);
  table.shown(declared, table.set(2));
  table.meet();
  const isOwed = (): boolean => table.report().open.some((one) => one.what === "note");
  assert.ok(isOwed());
  const stall = table.sign(table.ann, "claim", { stall: { letter: note.letter.id, owes: "bob", step: "reveal", text: "" } });
  table.decide(table.bob, 2, "order", "first");
  assert.deepEqual(table.findings(), ["bob: decide 4"]);
  assert.ok(table.report().open.some((one) => one.what === "claim" && one.id === stall.id));
  table.open(table.bob, note, declared);
  assert.ok(!isOwed() && !table.report().open.some((one) => one.what === "claim"));
  table.meet();
  const next = table.roll(3, WINS);
  table.shown(next, table.set(3));
  assert.deepEqual(table.findings(), ["bob: decide 4"]);
  assert.deepEqual(table.standing(), [true, true]);
});

test("a standing note that was found cannot be killed, and is not due before its author is asked", () => {
  const table = new Crossing(true);
  const note = table.note(table.bob, "2/1/initiative/1/standing", '{"order":"second"}');
  table.meet();
  const declared = table.roll(2, LOSES);
  const stall = (): void => void table.sign(table.ann, "claim", { stall: { letter: note.letter.id, owes: "bob", step: "reveal", text: "" } });
  stall();
  table.meet();
  table.rule({ kill: note.letter.id });
  table.open(table.bob, note, declared);
  table.meet();
  assert.deepEqual(table.findings(), ["ann: claim 5", "bob: reveal 6", "carol: ruling 4"]);
  // A note that was opened too early speaks once its author is asked.
  table.shown(declared, table.set(2));
  assert.deepEqual(table.state(), { ...BEGINS, first: "ann", turn: 2 });
});

test("after a yield the standing note is still due once the dice are named", () => {
  const table = new Crossing();
  const note = table.note(table.bob, "2/1/initiative/1/standing", '{"order":"second"}');
  table.meet();
  const declared = table.roll(2, WINS);
  table.read(table.bob, table.ann);
  const forfeit = table.yields(declared);
  table.meet();
  table.names(declared, forfeit, [1, 1, 1, 2]);
  table.meet();
  table.open(table.bob, note, declared);
  assert.deepEqual(table.findings(), []);
  assert.deepEqual(table.state(), { ...BEGINS, turn: 2 });
});

test("a breach is not pending while its place is not awaited, and never after another declaration was made", () => {
  const table = new Crossing();
  const first = table.settled(2);
  const slip = table.initiative(table.ann, table.set(3), table.slot(3), WINS, {}, { select: { plain: { index: 0, lines: 2 } } });
  assert.deepEqual(table.findings(), ["ann: declare 9"]);
  assert.ok(table.report().open.some((one) => one.what === "redo"));
  table.accepts(table.voids(first));
  table.meet();
  assert.ok(!table.report().open.some((one) => one.what === "redo"));
  table.again(3, { breach: slip.id }, WINS, {}, 0);
  const second = table.settled(2, 2);
  assert.deepEqual(table.findings(), ["ann: declare 9", "ann: declare 11"]);
  assert.deepEqual(table.report().findings.map((one) => one.settled_by), [second.id, null]);
  const next = table.roll(3, WINS, { order: "second" }, 2);
  table.again(3, { breach: slip.id }, WINS, { order: "second" }, 1);
  assert.deepEqual(table.findings(), ["ann: declare 9", "ann: declare 11", "ann: declare 11"]);
  table.shown(next, table.set(3, 2));
  assert.deepEqual(table.state(), { ...BEGINS, first: "bob", holder: "bob", turn: 3 });
});

test("a breach can be corrected by another declaration after the course has moved, which settles it at once", () => {
  const table = new Crossing();
  const declared = table.roll(2, WINS, { order: "first" });
  table.shownBeside(declared, table.set(2));
  const slip = table.initiative(table.ann, table.set(3), table.slot(3), WINS, {}, { select: { plain: { index: 0, lines: 2 } } });
  const forfeit = table.yields(declared);
  table.meet();
  table.names(declared, forfeit, [6, 6, 1, 1]);
  table.roll(3, WINS, {}, 2);
  assert.deepEqual(table.findings(), ["bob: chain 2", "ann: declare 9", "ann: declare 2"]);
  const redo = table.again(3, { breach: slip.id }, WINS, { order: "second" });
  assert.equal(table.report().findings.find((one) => one.message_ids[0] === slip.id)?.settled_by, redo.id);
  assert.equal(table.findings().length, 3);
});

test("a void covers everything that the course took since, or it is refused", () => {
  const table = new Crossing();
  const first = table.settled(2);
  const next = table.settled(3);
  const void_ = (scope: object): Signed => table.sign(table.ann, "correct", { void: { reason: "the wrong box", scope } });
  void_({ declaration: first.id });
  void_({ impulse: { declarations: [first.id], impulse: 1, turn: 2 } });
  const accepted = table.accepts(void_({ impulse: { declarations: [next.id], impulse: 1, turn: 3 } }));
  assert.deepEqual(table.findings(), ["ann: correct 5", "ann: correct 5"]);
  assert.deepEqual(table.standing(), [true, accepted.id]);
  assert.deepEqual(table.state(), { ...BEGINS, turn: 2 });
});
