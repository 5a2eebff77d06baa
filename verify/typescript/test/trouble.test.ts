/** Games in trouble: restored folders, forks, early openings, and letters that the office forgot. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/bytes.js";
import { check } from "../src/checker.js";
import { depositKey } from "../src/deposits.js";
import { Branches } from "./branches.js";
import { Chance } from "./mess.js";
import { keyOf, OfficeTable, officeOf } from "./office.js";
import { fixed, phase, Player, type Set, type Signed } from "./players.js";
import { Quarrel } from "./quarrel.js";
import { Troubles } from "./troubles.js";

function head({ report }: OfficeTable, role: string): string | undefined {
  return report.heads[role]?.id;
}

/** A game with simultaneous orders, whose notes the office opens, and a referee. */
function orders(): OfficeTable {
  const decisions = [{ by: null, how: "simultaneous", name: "orders" }];
  const office = officeOf(new Player("off"), { deposit: { key: toHex(depositKey(fixed("d"))), notes: true } });
  return new OfficeTable({ office, phases: [phase("ann-first", "ann", 1, "coin-envelopes", { decisions, revealer: "office" })] }, true);
}

function ordered(table: OfficeTable, player: Player, text = "go"): Set {
  return table.note(player, "1/1/ann-first/1/orders", text, "off");
}

function opensNote(table: OfficeTable, player: Player, note: Set): Signed {
  return table.sign(player, "reveal", { declaration: null, keys: [[0, keyOf(note, 0)]], seal: note.letter.id, sheets: [] });
}

test("opened orders choose the branch of the orders they were opened against", () => {
  const end = (opens: boolean): readonly [string | undefined, string, string] => {
    const table = orders();
    const bobs = ordered(table, table.bob);
    table.meet();
    table.holds(bobs);
    table.meet();
    const backup = table.backup(table.ann);
    const one = ordered(table, table.ann, "one");
    table.read(table.off, table.ann);
    if (opens) opensNote(table, table.off, bobs);
    table.restore(table.ann, backup);
    const two = ordered(table, table.ann, "two");
    table.read(table.bob, table.ann);
    table.talks(table.bob);
    return [head(table, "ann"), one.letter.id, two.letter.id];
  };
  const opened = end(true);
  assert.equal(opened[0], opened[1]);
  const named = end(false);
  assert.equal(named[0], named[2]);
});

test("no ruling allows other orders, whatever the office has opened", () => {
  const table = orders();
  const [anns, bobs] = [ordered(table, table.ann), ordered(table, table.bob)];
  table.meet();
  // It was not asked to, and holds nothing.
  opensNote(table, table.off, bobs);
  table.rules({ kill: anns.letter.id });
  table.read(table.ann, table.carol);
  ordered(table, table.ann, "anew");
  assert.deepEqual(
    table.found.filter(([, culprit]) => culprit !== "off").map(([, culprit, rule]) => [culprit, rule]),
    [
      ["carol", "ruling 4"],
      ["ann", "seal 4"]
    ]
  );
});

/** The office opens something that it does not hold, or that is due, and forgets it. */
function forgets(due: boolean): OfficeTable {
  const table = new OfficeTable();
  const set = table.set(1);
  table.meet();
  if (due) table.holds(set);
  table.meet();
  const backup = table.backup(table.off);
  const declared = table.declares(set);
  table.meet();
  table.opens(table.off, declared);
  table.restore(table.off, backup);
  return table;
}

test("an opening by the office against the rules is still a finding after an epoch", () => {
  for (const due of [true, false]) {
    const found = due ? [] : [["off 2", "off", "reveal 1"]];
    const restored = forgets(due);
    restored.epoch(1);
    assert.deepEqual([restored.found[0]?.[1], restored.found.slice(1)], [null, found]);
    assert.equal(restored.report.rolls.length, 1);
    const forked = forgets(due);
    forked.receipt({ time: { at: 1 } });
    assert.deepEqual([forked.found[0]?.[1], forked.found.slice(1)], ["off", found]);
  }
});

/** Ann declares twice, and a redo of the first is proposed after the office has opened one or both. */
function proposed(opensBoth: boolean, by: "bob" | "carol"): OfficeTable {
  const table = new OfficeTable({}, true);
  const sets = [table.set(1), table.set(2)];
  table.meet();
  table.holds(...sets);
  table.meet();
  const [one, two] = sets.map((set) => table.declares(set));
  if (one === undefined || two === undefined) throw new Error("two");
  table.meet();
  if (opensBoth) table.opens(table.off, two);
  table.opens(table.off, one);
  table.meet();
  const input = one.reading.forRedo;
  const proposal = table.sign(table.bob, "correct", { propose: { at_fault: "ann", class: "illegal-odds", declaration: one.signed.id, input, reason: "" } });
  if (!opensBoth) table.opens(table.off, two);
  table.meet();
  if (by === "carol") table.rules({ agree: proposal.id });
  else table.sign(table.ann, "correct", { accept: proposal.id });
  return table;
}

test("no redo can be agreed to while another declaration was with the office", () => {
  assert.deepEqual(proposed(true, "bob").found, []);
  assert.deepEqual(proposed(true, "carol").found, []);
  assert.deepEqual(proposed(false, "bob").found, [["ann 4", "ann", "correct 7"]]);
  assert.deepEqual(proposed(false, "carol").found, [["carol 2", "carol", "ruling 13"]]);
});

test("a ruling forfeits dice only if their set is not with the office for the request", () => {
  const forfeit = (handsBack: "before" | "after" | "never"): readonly unknown[] => {
    const table = new OfficeTable({}, true);
    const declared = table.declared();
    if (handsBack === "before") table.handsBack(declared.set);
    const stall = table.stall(declared);
    table.meet();
    const request = table.rules({ request: stall.id });
    if (handsBack === "after") table.handsBack(declared.set);
    table.meet();
    table.rules({ forfeit: { forfeit: "declarer-names", request: request.id } });
    return table.found;
  };
  assert.deepEqual(forfeit("before"), []);
  assert.deepEqual(forfeit("after"), [["carol 3", "carol", "ruling 11"]]);
  assert.deepEqual(forfeit("never"), [["carol 3", "carol", "ruling 11"]]);
});

const GAMES = Number(process.env["GAMES"] ?? 16);

test("games in trouble do not depend on the order of the mails", () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= GAMES; seed++) {
    for (const Sort of [Troubles, Branches, Quarrel]) {
      const chance = new Chance(seed);
      const game = new Sort(chance);
      for (let i = 0; i < 30; i++) game.step();
      const { letters, text } = game.table;
      const report = check(text);
      const shuffled = letters.map((letter) => letter.text).sort(() => chance.below(3) - 1);
      assert.deepEqual(check(shuffled.join("\n")), report, `seed ${seed}`);
      check(shuffled.filter(() => chance.often(80)).join("\n"));
      for (const one of report.games) for (const { word } of one.days) seen.add(`days ${word}`);
      for (const one of report.games) for (const { text: said, culprit, settled_by } of one.findings) {
        const what = /^[a-z]+ \d+/.exec(said)?.[0] ?? said.slice(0, 7);
        seen.add(`${what}${culprit === null ? " without culprit" : ""}${settled_by === null ? "" : " settled"}`);
      }
    }
  }
  if (process.env["SHOW"] !== undefined) console.log([...seen].sort());
  const forks = ["chain 8", "chain 8 without culprit", "chain 8 settled"];
  const rules = ["chain 3", "seal 4", "reveal 1", "reveal 1 without culprit", "reveal 8", "claim 3"];
  for (const rule of [...rules, ...forks, "days shown", "days contradicted"]) assert.ok(seen.has(rule), rule);
});
