/** Games that continue another: the initial states of their courses, and the report on the old game. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../src/checker.js";
import type { ContinuesEntry, GameReport } from "../src/report.js";
import { CourseTable, initiative, TERMS } from "./courses.js";
import { Crossing } from "./crossing.js";
import { charterBody, fixed, phase, Player, Table, type Signed } from "./players.js";
import { toHex } from "../src/bytes.js";

/** Turn 2 is settled, turn 3 is declared and open, and Bob has sealed something after that. */
class Old extends CourseTable {
  readonly settled: Signed;
  readonly heads: Record<string, string | null>;
  readonly waiting: Signed;
  readonly states: Record<string, unknown>;
  readonly later: readonly string[];

  constructor(carol: Player | null = null) {
    super({}, carol);
    const { ann, bob } = this;
    this.settled = this.won(ann, 2);
    this.states = { "ocs-initiative": this.state() };
    const [before, set] = [this.letters.length, this.plain(bob, 3)];
    this.meet();
    this.heads = { ann: ann.prev, bob: bob.prev, ...(carol === null ? {} : { carol: null }) };
    this.waiting = this.initiative(ann, set, this.slot(3), () => true);
    this.read(bob, ann);
    this.plain(bob, 4);
    this.later = this.letters.slice(before + 1).map(({ id }) => id);
  }
}

function continued(old: CourseTable, more: object, charter: object = {}, carol: Player | null = null): CourseTable {
  return new CourseTable({ continues: { game: old.game, ...more }, title: "goes on", ...charter }, carol);
}

function reportOf(table: CourseTable, ...tables: readonly CourseTable[]): GameReport {
  const texts = [table, ...tables].map(({ text }) => text);
  const report = check(texts.join("\n")).games.find(({ game }) => game === table.game);
  if (report === undefined) throw new Error("no game");
  return report;
}

function entryOf(table: CourseTable, ...tables: readonly CourseTable[]): ContinuesEntry | null {
  return reportOf(table, ...tables).continues;
}

test("a game begins with the states at the heads, and the report lists the letters after them", () => {
  const old = new Old();
  const next = continued(old, { heads: old.heads, states: old.states });
  const { game, later: behind, states } = old;
  assert.deepEqual(old.report().continues, null);
  assert.deepEqual(entryOf(next, old), { at_hand: true, behind, game, open: [], others: [], same_keys: ["ann", "bob"], same_states: true });
  assert.deepEqual(next.state(), states["ocs-initiative"]);
  const { ann } = next;
  const early = next.plain(next.bob, 2);
  next.meet();
  next.initiative(ann, early, next.slot(2), () => true);
  next.won(ann, 3);
  assert.deepEqual(next.findings(), ["ann: declare 14"]);
  assert.equal((next.state() as { turn: number }).turn, 3);
});

test("declarations open at the heads are listed, and without a state none is compared", () => {
  const old = new Old();
  const heads = { ...old.heads, ann: old.waiting.id };
  const next = continued(old, { heads, states: old.states });
  const entry = entryOf(next, old);
  assert.deepEqual([entry?.behind, entry?.open, entry?.same_states], [old.later.slice(1), [old.waiting.id], false]);
});

test("a course without a stated state begins as its page says", () => {
  const old = new Old();
  const next = continued(old, { heads: old.heads, states: {} });
  assert.equal((next.state() as { turn: number }).turn, 1);
  assert.equal(entryOf(next, old)?.same_states, true);
});

test("the report says whether a state or a key changed", () => {
  const old = new Old(new Player("carol"));
  const states = { "ocs-initiative": { ...(old.states["ocs-initiative"] as object), bar: ["m1"] } };
  const next = continued(old, { heads: old.heads, states }, {}, new Player("carol", "another"));
  assert.deepEqual(next.findings(), []);
  const { at_hand, same_keys, same_states } = entryOf(next, old) ?? {};
  assert.deepEqual([at_hand, same_keys, same_states], [true, ["ann", "bob"], false]);
});

test("nothing is compared if heads are wrong or missing", () => {
  const old = new Old();
  const { game, heads, states } = old;
  const nothing = { at_hand: false, behind: [], game, open: [], others: [], same_keys: [], same_states: false };
  for (const wrong of [
    { ann: heads["ann"] },
    { ...heads, carol: null },
    { ...heads, ann: heads["bob"] },
    { ...heads, ann: "0".repeat(64) },
  ]) {
    assert.deepEqual(entryOf(continued(old, { heads: wrong, states }), old), nothing);
  }
  assert.deepEqual(entryOf(continued(old, { heads, states })), nothing);
  const none = entryOf(continued(old, { heads: { ann: null, bob: null }, states }), old);
  assert.deepEqual([none?.at_hand, none?.behind.length, none?.same_states], [true, old.letters.length - 2, false]);
});

test("games that continue the same game list each other, except games that did not begin", () => {
  const old = new Old();
  const { heads, states } = old;
  const tables = [{ heads, states }, { heads, states: {} }, { heads: { ann: null }, states }].map((more) => continued(old, more));
  const wrong = continued(old, { heads, states: { cil: {} } });
  for (const table of tables) {
    const others = tables.filter((other) => other !== table);
    const ids = others.map(({ game }) => game).sort();
    assert.deepEqual(entryOf(table, old, wrong, ...others)?.others, ids);
    assert.deepEqual(entryOf(table, wrong, ...others)?.others, ids);
  }
  assert.equal(entryOf(wrong, old, ...tables), null);
});

test("an invalid initial state starts no game", () => {
  const old = new Old();
  const state = old.states["ocs-initiative"] as object;
  const pending = { awaits: "order", by: "bob", deficit: 1, order: null, popped: [] };
  for (const states of [
    { cil: {} },
    { nothing: {} },
    { "ocs-initiative": {} },
    { "ocs-initiative": { ...state, turn: 0 } },
    { "ocs-initiative": { ...state, first: null, pending } },
  ]) {
    const { findings, verdict } = continued(old, { heads: old.heads, states }).report();
    assert.deepEqual([verdict, findings.map(({ code, culprit, text }) => [code, culprit, text.split(":")[0]])], ["refuted", [["rule", "ann", "charter 26"]]]);
  }
});

test("continues has exactly one form in a charter", () => {
  const old = new Old();
  const { game, heads, states } = old;
  const id = "0".repeat(64);
  const roles = (n: number): object => Object.fromEntries(Array.from({ length: n }, (_, i) => [`role-${i}`, id]));
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`system-${i}`, {}]));
  const [ann, bob] = [new Player("ann"), new Player("bob")];
  const codes = (continues: unknown): string[] => {
    const table = new Table([new Player("ann"), new Player("bob")]);
    table.begin(charterBody(ann, bob, { continues, nonce: toHex(fixed("form")), phases: [initiative(TERMS), phase("attack", "ann", 2, "coin-envelopes")] }));
    return check(table.text).games.flatMap(({ findings }) => findings.map(({ code }) => code));
  };
  assert.deepEqual(codes({ game, heads, states }), []);
  for (const wrong of [
    {},
    { game, heads },
    { game, heads, states, more: null },
    { game: null, heads, states },
    { game, heads: {}, states },
    { game, heads: roles(5), states },
    { game, heads: { Ann: null }, states },
    { game, heads: { ann: "x" }, states },
    { game, heads, states: { "ocs-initiative": null } },
    { game, heads, states: many },
  ]) {
    assert.ok(codes(wrong).includes("fields"), JSON.stringify(wrong));
  }
  assert.deepEqual(codes({ game, heads: roles(4), states: {} }), []);
});

test("the first turn after a state of event tables belongs to the other side", () => {
  const state = { entries: {}, marks: {}, pending: null, side: "north", turn: 3, used: {} };
  const old = new Crossing();
  const continues = { game: old.game, heads: { ann: null, bob: null }, states: { "event-tables": state } };
  const next = new Crossing(undefined, { continues });
  assert.deepEqual(next.state(), state);
  next.roll(next.ann, next.sealed("north", 4), next.place("north", 4), next.input(), 6, () => true, false);
  next.roll(next.bob, next.sealed("south", 3), next.place("south", 3), next.input(), 6, () => true);
  assert.deepEqual(next.findings(), ["ann: declare 14"]);
  assert.deepEqual(next.report().courses[0]?.state?.["side"], "south");
});
