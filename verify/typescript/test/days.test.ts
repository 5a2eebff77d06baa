/** Whether the office's clock confirms or contradicts the days of a ruling (disputes 23). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../src/checker.js";
import type { DaysEntry, GameReport } from "../src/report.js";
import { CourseTable } from "./courses.js";
import { DAY, DaysTable, START, told } from "./days.js";
import { keyOf } from "./office.js";
import { charterBody, Player } from "./players.js";

function judged({ verdict, complete, days }: GameReport): readonly unknown[] {
  return [verdict, complete, days.map((one) => one.word)];
}

test("days are shown from the second the deadline ends", () => {
  const shown = told(10, 30 * DAY + 10);
  const ruling = shown.letters.findLast(({ author }) => author === "carol")?.id;
  assert.deepEqual(shown.report.days, [{ at_least: 30 * DAY, at_most: 30 * DAY + 10, days: 30, ruling, word: "shown" }]);
  assert.deepEqual([judged(shown.report), shown.report.findings], [["verified", false, ["shown"]], []]);

  const less = told(10, 30 * DAY + 9);
  assert.deepEqual(less.entry, { at_least: 30 * DAY - 1, at_most: 30 * DAY + 9, days: 30, word: "referee" });
  assert.equal(less.report.verdict, "verified");
});

test("days that are shown stay shown, whatever the office signs later", () => {
  const table = told(10, 31 * DAY, 32 * DAY);
  for (const at of [33 * DAY, 0]) table.time(START + at);
  table.epoch(START);
  assert.equal(table.entry.word, "shown");
});

test("days are contradicted until one second before the deadline", () => {
  assert.deepEqual(told(10, 3 * DAY, 30 * DAY).entry, { at_least: 3 * DAY - 10, at_most: 30 * DAY, days: 30, word: "referee" });
  assert.deepEqual(told(10, 3 * DAY, 30 * DAY - 1).entry, { at_least: 3 * DAY - 10, at_most: 30 * DAY - 1, days: 30, word: "contradicted" });
});

test("a game with contradicted days is undecided until it is complete", () => {
  const early = told(10, 3 * DAY);
  assert.deepEqual(early.entry, { at_least: 3 * DAY - 10, at_most: 3 * DAY, days: 30, word: "contradicted" });
  assert.deepEqual([judged(early.report), early.report.findings], [["undecided", false, ["contradicted"]], []]);
  early.close();
  assert.deepEqual([judged(early.report), early.report.findings], [["verified", true, ["contradicted"]], []]);
});

test("a game with a cheat is refuted even if days are contradicted", () => {
  const table = told(10, 3 * DAY);
  table.handsBack(table.set(1));
  assert.deepEqual(judged(table.report), ["refuted", false, ["contradicted"]]);
});

test("without an office only the referee vouches for the days", () => {
  const table = new CourseTable({}, new Player("carol"));
  const { ann, carol } = table;
  assert.ok(carol !== null);
  const claim = table.sign(ann, "claim", { stall: { letter: null, owes: "bob", step: "declare", text: "" } });
  table.read(carol, ann);
  const request = table.rule({ request: claim.id });
  const ruling = table.rule({ forfeit: { forfeit: "game", request: request.id } });
  const { days, verdict } = table.report();
  assert.deepEqual([days, verdict], [[{ at_least: null, at_most: null, days: 30, ruling: ruling.id, word: "referee" }], "verified"]);
});

test("with receipts missing on one side only the referee vouches for the days", () => {
  /** The times that the clock shows before the request, twice after it (the ruling may not know them), and after the ruling, if given. */
  const some = (before: number | null, between: readonly number[], known: boolean, behind: number | null): Omit<DaysEntry, "ruling"> => {
    const table = new DaysTable();
    if (before !== null) table.time(before);
    table.tells(table.carol);
    table.asks();
    if (between.length > 0) table.hears();
    for (const at of between) table.time(at);
    if (known) table.tells(table.carol);
    table.forfeits();
    if (behind !== null) {
      table.hears();
      table.time(behind);
    }
    return table.entry;
  };
  const word = { days: 30, word: "referee" };
  const late = START + 99 * DAY;
  assert.deepEqual(some(null, [], true, null), { at_least: null, at_most: null, ...word });
  assert.deepEqual(some(null, [START, late], false, null), { at_least: null, at_most: null, ...word });
  assert.deepEqual(some(null, [late], true, null), { at_least: 0, at_most: null, ...word });
  assert.deepEqual(some(null, [START, late], true, null), { at_least: 99 * DAY, at_most: null, days: 30, word: "shown" });
  assert.deepEqual(some(null, [], true, START), { at_least: null, at_most: null, ...word });
  assert.deepEqual(some(START, [], true, null), { at_least: null, at_most: null, ...word });
  assert.deepEqual(some(START, [], true, START + DAY), { at_least: null, at_most: DAY, days: 30, word: "contradicted" });
});

test("a time from before the request ends no days, and a clock that goes back contradicts them", () => {
  const table = new DaysTable();
  table.time(START);
  table.tells(table.carol);
  table.asks();
  table.forfeits();
  table.hears();
  const backup = table.backup(table.off);
  table.time(START + 5);
  assert.deepEqual(table.entry, { at_least: null, at_most: 5, days: 30, word: "contradicted" });
  table.restore(table.off, backup);
  table.time(START - 1);
  assert.deepEqual(table.entry, { at_least: null, at_most: 0, days: 30, word: "contradicted" });
});

test("the times of an epoch and of the branch it forgot both count", () => {
  /** The office's first letter after the request is lost, or was never signed. */
  const restored = (lost: boolean): DaysTable => {
    const table = new DaysTable();
    table.asks();
    const backup = table.backup(table.off);
    table.hears();
    if (lost) {
      table.time(START);
      // Carol has seen it through a letter by Ann.
      table.tells(table.ann);
      table.sign(table.ann, "claim", { stall: { letter: null, owes: "bob", step: "declare", text: "" } });
      table.read(table.carol, table.ann);
    }
    table.restore(table.off, backup);
    table.hears();
    table.epoch(START + 30 * DAY);
    table.tells(table.carol);
    table.forfeits();
    return table;
  };
  const lost = restored(true);
  assert.deepEqual(lost.entry, { at_least: 30 * DAY, at_most: null, days: 30, word: "shown" });
  assert.deepEqual(lost.report.findings.map(({ code, culprit }) => [code, culprit]), [["chain", null]]);
  assert.deepEqual(restored(false).entry, { at_least: 0, at_most: null, days: 30, word: "referee" });
});

test("a time counts even in breach, except of chain 2", () => {
  const table = told(10, 3 * DAY, 40 * DAY);
  const { off } = table;
  table.read(off, table.carol);
  const seen = { ...off.seen };
  const backup = table.backup(off);
  table.sign(off, "receipt", { time: { at: START + 3 * DAY } }, { number: off.number + 2 });
  assert.equal(table.entry.word, "referee");
  for (const wrong of [{ ann: null }, {}]) {
    table.restore(off, backup);
    Object.assign(off.seen, seen, wrong);
    table.time(START + 3 * DAY);
    assert.equal(table.entry.word, "contradicted");
  }
  assert.deepEqual(table.found.slice(1).map(([, , rule]) => rule).sort(), ["chain 2", "chain 3", "receipt 3"]);
});

/** Bob does not open a set whose key Carol holds. */
function opened(waited: number): DaysTable {
  const table = new DaysTable(true);
  const set = table.set(1);
  table.meet();
  table.sign(table.carol, "receipt", { deposit: { seals: [set.letter.id] } });
  table.meet();
  const { signed, reading } = table.declares(set);
  table.time(START);
  table.meet();
  table.asks({ letter: signed.id, owes: "bob", step: "reveal", text: "" });
  table.hears();
  table.time(START);
  table.time(START + waited);
  table.tells(table.carol);
  table.rulesOpen(reading.opened.map((index) => [index, keyOf(set, index)]));
  table.hears();
  table.time(START + waited);
  return table;
}

test("a ruling that opens rests on the days of its step, with any forfeit", () => {
  const shown = opened(10 * DAY);
  assert.deepEqual([shown.found, shown.report.rolls.length], [[], 1]);
  assert.deepEqual(shown.entry, { at_least: 10 * DAY, at_most: 10 * DAY, days: 10, word: "shown" });
  const early = opened(10 * DAY - 1);
  assert.deepEqual(early.entry, { at_least: 10 * DAY - 1, at_most: 10 * DAY - 1, days: 10, word: "contradicted" });
  assert.deepEqual(judged(early.report), ["undecided", false, ["contradicted"]]);
});

test("a forfeit rests on the deadlines with that forfeit", () => {
  const table = new DaysTable();
  const set = table.set(1);
  table.meet();
  const { signed } = table.declares(set);
  table.meet();
  table.asks({ letter: signed.id, owes: "bob", step: "reveal", text: "" });
  table.forfeits("declarer-names");
  assert.equal(table.entry.days, 10);
});

test("only valid rulings that stand are listed, and every report has the list", () => {
  const table = new DaysTable();
  table.asks();
  const backup = table.backup(table.carol);
  table.forfeits();
  // The claim no longer stands.
  table.forfeits();
  assert.equal(table.report.days.length, 1);
  table.restore(table.carol, backup);
  table.rules({ settle: table.game });
  assert.deepEqual(table.report.days, []);

  const [ann, bob] = [new Player("ann"), new Player("bob")];
  const unaccepted = new CourseTable();
  const charter = unaccepted.put({ author: "ann", game: null, kind: "charter", number: 1, prev: null, seen: { bob: null }, v: 1 }, charterBody(ann, bob, { title: "nobody accepts it" }), ann.seed);
  assert.deepEqual(check(charter.text).games.map((game) => game.days), [[]]);
  assert.deepEqual(check(unaccepted.letters[1]?.text ?? "").games.map((game) => game.days), [[]]);
});
