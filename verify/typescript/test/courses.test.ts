import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/bytes.js";
import { check, Checker } from "../src/checker.js";
import { END } from "../src/state.js";
import { CourseTable, initiative, TERMS } from "./courses.js";
import { Chance } from "./mess.js";
import { charterBody, fixed, phase, Player, Table } from "./players.js";
import { Sequels } from "./sequels.js";
import { standsIn } from "./stands.js";
import { Turns } from "./turns.js";

const BEGINS = { bar: [], first: "ann", flux: false, holder: "ann", markers: [], pending: null, returning: [], turn: 1 };

test("a report lists each course, and an empty list without courses", () => {
  const table = new CourseTable();
  assert.deepEqual(table.state(), BEGINS);
  assert.equal(table.report().courses[0]?.system, "ocs-initiative");
  const other = new Table([new Player("ann"), new Player("bob")]);
  other.begin();
  assert.deepEqual(check(other.text).games[0]?.courses, []);
});

test("a losing holder pops, and the state awaits nothing else", () => {
  const table = new CourseTable();
  const { ann, bob } = table;
  const set = table.plain(bob, 2);
  table.meet();
  const declared = table.initiative(ann, set, table.slot(2), (by) => by === -2, { markers: ["m1", "m2", "m3"] });
  table.meet();
  assert.equal(table.state(), null);
  assert.deepEqual(table.report().rolls, []);
  table.open(bob, set, declared);
  table.meet();
  assert.deepEqual(table.report().rolls.map((roll) => roll.why), ["initiative, ann", "initiative, ann", "initiative, bob", "initiative, bob"]);
  assert.deepEqual((table.state() as typeof BEGINS).pending, { awaits: "pop", by: "ann", deficit: 2, order: null, popped: [] });
  table.decide(bob, 2, "pop", ["m1", "m2"]);
  table.decide(ann, 2, "order", "first");
  table.decide(ann, 2, "pop", ["m1"]);
  table.decide(ann, 2, "pop", ["m3", "m1"]);
  assert.deepEqual(table.findings(), ["ann: decide 4", "ann: decide 5", "bob: decide 4"]);
  assert.deepEqual(table.state(), { ...BEGINS, bar: ["m1", "m3"], markers: ["m2"], turn: 2 });
});

test("a standing note is found, is due when its author is asked, and decides when it is opened", () => {
  const table = new CourseTable();
  const { ann, bob } = table;
  const set = table.plain(bob, 2);
  const note = table.note(bob, "2/1/initiative/1/standing", '{"order":"second"}');
  table.meet();
  const declared = table.initiative(ann, set, table.slot(2), (by) => by < 0);
  table.meet();
  table.open(bob, set, declared);
  assert.equal((table.state() as unknown as { pending: { by: string } }).pending.by, "bob");
  assert.equal(table.report().rolls.length, 4);
  assert.ok(table.report().open.some((one) => one.what === "note" && one.who === "bob"));
  table.open(bob, note, declared);
  assert.deepEqual(table.findings(), []);
  assert.deepEqual(table.state(), { ...BEGINS, first: "ann", turn: 2 });
  assert.equal(table.report().rolls.length, 4);
});

test("a note sealed after a declaration is not found", () => {
  const table = new CourseTable();
  const { ann, bob } = table;
  const set = table.plain(bob, 2);
  const late = table.note(bob, "2/1/initiative/1/standing", '{"order":"second"}');
  table.read(ann, bob);
  ann.seen["bob"] = set.letter.id;
  const declared = table.initiative(ann, set, table.slot(2), (by) => by < 0);
  table.meet();
  table.open(bob, set, declared);
  table.open(bob, late, declared);
  assert.deepEqual(table.findings(), ["bob: reveal 2"]);
  assert.deepEqual((table.state() as typeof BEGINS).pending, { awaits: "order", by: "bob", deficit: (table.state() as { pending: { deficit: number } }).pending.deficit, order: null, popped: [] });
});

test("declarations that the state does not await are refused, and those it does not allow are declared again", () => {
  const table = new CourseTable();
  const { ann, bob } = table;
  const far = table.plain(bob, 3);
  const set = table.plain(bob, 2);
  const spare = table.seal(bob, "foul-up", "foul-up/1", "ann", 3);
  const his = table.plain(ann, 2);
  table.meet();
  table.initiative(bob, his, table.slot(2), () => true);
  const popped = table.initiative(ann, set, table.slot(2), (by) => by === -1, { markers: ["m1"], pop: { at_most: 1, from: ["m1"] } });
  table.meet();
  table.open(bob, set, popped);
  table.read(ann, bob);
  table.initiative(ann, far, table.slot(3), () => true, { markers: ["m1"] });
  assert.deepEqual(table.findings(), ["bob: declare 14", "ann: declare 15"]);
  const redo = table.initiative(ann, spare, table.slot(3), (by) => by >= 0, { order: "first" }, { redo: { breach: table.letters.at(-1)?.id }, select: { foul_up: { index: 0, lines: 1 } } });
  table.read(bob, ann);
  table.open(bob, spare, redo);
  assert.deepEqual(table.report().findings.map((one) => one.settled_by), [null, redo.id]);
  assert.deepEqual(table.state(), { ...BEGINS, bar: ["m1"], turn: 3 });
});

test("a void returns the course to the turn before, unless the course has gone on", () => {
  const table = new CourseTable();
  const { ann, bob } = table;
  const first = table.won(ann, 2);
  const asked = table.sign(ann, "correct", { void: { reason: "the wrong box", scope: { declaration: first.id } } });
  table.meet();
  table.sign(bob, "correct", { accept: asked.id });
  table.meet();
  assert.deepEqual(table.state(), BEGINS);
  const set = table.plain(bob, 2, 2);
  table.meet();
  const again = table.initiative(ann, set, table.slot(2, 2), (by) => by >= 0, { order: "second" });
  table.meet();
  table.open(bob, set, again);
  table.meet();
  table.won(bob, 3);
  assert.deepEqual(table.findings(), []);
  assert.deepEqual(table.state(), { ...BEGINS, first: "bob", holder: "bob", turn: 3 });
  table.sign(ann, "correct", { void: { reason: "too late", scope: { declaration: again.id } } });
  assert.deepEqual(table.findings(), ["ann: correct 5"]);
});

test("an agreed redo replaces the declaration and the decisions on it", () => {
  const table = new CourseTable();
  const { ann, bob } = table;
  const set = table.plain(bob, 2);
  const spare = table.seal(bob, "foul-up", "foul-up/1", "ann", 3);
  table.meet();
  const declared = table.initiative(ann, set, table.slot(2), (by) => by < 0);
  table.meet();
  table.open(bob, set, declared);
  table.decide(bob, 2, "order", "first");
  const input = { markers: ["m1"], order: "first", pop: null };
  const asked = table.sign(bob, "correct", { propose: { at_fault: "ann", class: "illegal-odds", declaration: declared.id, input, reason: "" } });
  table.meet();
  assert.equal((table.state() as typeof BEGINS).flux, true);
  const accepted = table.sign(ann, "correct", { accept: asked.id });
  const redo = table.initiative(ann, spare, table.slot(2), (by) => by >= 0, input, { redo: { agreed: accepted.id }, select: { foul_up: { index: 0, lines: 1 } } });
  table.meet();
  assert.equal(table.state(), null);
  table.open(bob, spare, redo);
  assert.deepEqual(table.findings(), []);
  assert.deepEqual(table.state(), { ...BEGINS, markers: ["m1"], turn: 2 });
});

test("as many dice are named as the course asks for", () => {
  const table = new CourseTable({ phases: [initiative({ ...TERMS, first_player: null })] });
  const { ann, bob } = table;
  const set = table.plain(bob, 1);
  table.meet();
  const declared = table.initiative(ann, set, table.slot(1), () => true, { order: "second" });
  table.meet();
  const forfeit = table.sign(bob, "claim", { yield: { declaration: declared.id, forfeit: "declarer-names", text: "" } });
  table.meet();
  const names = (dice: number[]): unknown => table.sign(ann, "claim", { names: { declaration: declared.id, dice, forfeit: forfeit.id } });
  names([1, 1, 1, 1]);
  names([6, 6, 1, 1, 1, 1, 1, 1]);
  names([3, 1, 2, 2, 6, 6, 1, 1]);
  assert.deepEqual(table.findings(), ["ann: claim 4", "ann: claim 4"]);
  assert.deepEqual(table.report().rolls.map((roll) => roll.value), [3, 1, 2, 2, 6, 6, 1, 1]);
  assert.deepEqual(table.state(), { ...BEGINS, first: "bob", holder: "bob" });
});

/** Checks that the place of a course in a past is the same when it is computed from the beginning. */
function standsAlike(text: string): void {
  const checker = new Checker();
  checker.add(text);
  for (const { replay } of checker.examine().games) {
    if (replay === null) continue;
    for (const course of replay.state.courses.values()) {
      for (const view of [...replay.order.filter((letter) => letter.counts), END]) {
        const { at, last } = course.spotIn(view);
        assert.deepEqual({ at: at?.id ?? null, last: last?.letter.id ?? null }, standsIn(replay, course, view));
      }
    }
  }
}

test("games with courses do not depend on the order of the mails", () => {
  let settled = 0;
  for (let seed = 1; seed <= 4; seed++) {
    const chance = new Chance(seed);
    const game = seed % 2 === 0 ? new Sequels(chance) : new Turns(chance);
    for (let i = 0; i < 14; i++) game.step();
    const letters = game.table.letters.map((letter) => letter.text);
    const report = check(letters.join("\n"));
    standsAlike(letters.join("\n"));
    assert.deepEqual(check(letters.sort(() => chance.below(3) - 1).join("\n")), report, `seed ${seed}`);
    settled += report.games[0]?.rolls.length ?? 0;
  }
  assert.ok(settled > 0);
});

test("a charter with an invalid course starts no game", () => {
  for (const phases of [
    [initiative({ ...TERMS, sides: ["ann", "carol"], first_player: null })],
    [initiative(TERMS, { declarer: "ann" })],
    [initiative(TERMS, { private: true })],
    [initiative(TERMS, { impulses: [1, 2] })],
    [initiative(TERMS, { source: "coin" })],
    [initiative(TERMS, { decisions: [{ by: "ann", how: "open", name: "x" }] })],
    [initiative(), initiative({ ...TERMS, pop_then_second: true }, { name: "again" })],
    [phase("attack", "ann", 1, "icrk", { declarer: null })],
  ]) {
    const table = new Table([new Player("ann"), new Player("bob")]);
    const [ann, bob] = table.pair();
    table.begin(charterBody(ann, bob, { nonce: toHex(fixed("course")), phases }));
    assert.deepEqual(check(table.text).games.map((game) => [game.verdict, game.courses]), [["refuted", []]]);
  }
});
