/** Games with an office in trouble: restored folders, lost and stolen keys, what was opened before, and what the office forgot. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/bytes.js";
import { check } from "../src/checker.js";
import { depositKey } from "../src/deposits.js";
import { Chance } from "./mess.js";
import { keyOf, OfficeTable, officeOf, type Declared } from "./office.js";
import { fixed, phase, Player, type Set, type Signed } from "./players.js";
import { Troubles } from "./troubles.js";

function culprits({ report }: OfficeTable): readonly (readonly [string, string | null])[] {
  return report.findings.map(({ code, culprit }) => [code, culprit]);
}

function head({ report }: OfficeTable, role: string): string | undefined {
  return report.heads[role]?.id;
}

/** The office has seen three letters of Ann's; she was restored, and signs behind the first of them. */
function restored(knows: "an answer" | "nothing" | "an old answer"): OfficeTable {
  const table = new OfficeTable();
  if (knows === "an old answer") {
    table.answer();
    table.read(table.ann, table.bob);
  }
  table.talks(table.ann);
  const backup = table.backup(table.ann);
  table.talks(table.ann, "two");
  table.talks(table.ann, "three");
  table.read(table.off, table.ann);
  table.receipt({ time: { at: 1 } });
  table.restore(table.ann, backup);
  if (knows === "an answer") {
    table.answer();
    table.read(table.ann, table.bob);
  }
  table.talks(table.ann, "anew");
  table.read(table.off, table.ann);
  table.receipt({ time: { at: 2 } });
  return table;
}

test("the office goes back to a branch that an answer begins, and to no other", () => {
  assert.deepEqual(culprits(restored("an answer")), [["chain", null]]);
  assert.deepEqual(restored("nothing").found.slice(1), [["off 3", "off", "chain 3"]]);
  assert.deepEqual(restored("an old answer").found.slice(1), [["off 3", "off", "chain 3"]]);
});

/** A game with orders at once, whose notes the office opens, and a referee. */
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

test("orders that were opened choose the branch of those that they were opened against", () => {
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

test("orders that were opened bind for the branch of the note, though the letter names another", () => {
  const end = (opens: boolean): readonly unknown[] => {
    const table = orders();
    const bobs = ordered(table, table.bob);
    table.meet();
    const backup = table.backup(table.ann);
    const one = ordered(table, table.ann, "one");
    // Bob knows it by the referee alone.
    table.read(table.carol, table.ann);
    table.rules({ branch: one.letter.id });
    table.read(table.bob, table.carol);
    if (opens) opensNote(table, table.bob, bobs);
    else table.talks(table.bob);
    table.restore(table.ann, backup);
    const rotate = table.stolen("new key of ann", table.ann);
    return [head(table, "ann") === one.letter.id, head(table, "ann") === rotate.id, culprits(table)];
  };
  // The ruling binds, too.
  assert.deepEqual(end(true), [true, false, [["chain", "ann"]]]);
  assert.deepEqual(end(false), [false, true, [["chain", "ann"]]]);
});

test("nobody orders anew when the office has opened the other's orders, whatever was wrong with that", () => {
  const anew = (reads: boolean, kills = false): readonly unknown[] => {
    const table = orders();
    const [anns, bobs] = [ordered(table, table.ann), ordered(table, table.bob)];
    table.meet();
    // It was not asked to, and holds nothing.
    opensNote(table, table.off, bobs);
    table.rules({ kill: anns.letter.id });
    if (kills) table.rules({ kill: bobs.letter.id });
    table.read(table.ann, table.carol);
    if (reads) table.read(table.ann, table.off);
    ordered(table, table.ann, "anew");
    return table.found.filter(([, culprit]) => culprit === "ann");
  };
  assert.deepEqual(anew(true), [["ann 3", "ann", "seal 4"]]);
  assert.deepEqual(anew(false), []);
  assert.deepEqual(anew(true, true), []);
});

/** Ann loses her key, and what she declared is opened by the office, which has heard of the new one or not. */
function lost(knows: "nothing" | "the admission" | "no opening"): { readonly table: OfficeTable; readonly first: Signed; readonly second: Signed } {
  const table = new OfficeTable({}, true);
  const set = table.set(1);
  table.meet();
  table.holds(set);
  table.meet();
  const backup = table.backup(table.ann);
  const first = table.declares(set);
  table.read(table.off, table.ann);
  if (knows === "nothing") table.opens(table.off, first);
  if (knows === "no opening") table.talks(table.ann, "more");
  table.read(table.off, table.ann);
  table.restore(table.ann, backup);
  table.admits(table.bob, table.ann);
  table.read(table.off, table.carol);
  if (knows === "the admission") table.opens(table.off, first);
  table.read(table.ann, table.bob);
  return { table, first: first.signed, second: table.talks(table.ann, "under the new key") };
}

test("what was opened goes before an admission that it did not know", () => {
  const crossing = lost("nothing");
  assert.equal(head(crossing.table, "ann"), crossing.first.id);
  assert.deepEqual(culprits(crossing.table), [["chain", "ann"]]);
  const knowing = lost("the admission");
  assert.equal(head(knowing.table, "ann"), knowing.second.id);
  assert.deepEqual(culprits(knowing.table), [["chain", null]]);
});

test("the office follows a player to the branch under his new key", () => {
  const { table, second } = lost("no opening");
  table.receipt({ time: { at: 1 } });
  table.off.seen["ann"] = second.id;
  table.receipt({ time: { at: 2 } });
  assert.deepEqual(culprits(table), [["chain", null]]);
});

/** The office opens for Ann, is restored, is shown an answer to her, who was restored too, and what it says then she knows or not. */
function kept(reads: boolean): OfficeTable {
  const table = new OfficeTable();
  const set = table.set(1);
  table.meet();
  table.holds(set);
  table.meet();
  const [anns, offices] = [table.backup(table.ann), table.backup(table.off)];
  const declared = table.declares(set);
  table.read(table.off, table.ann);
  table.opens(table.off, declared);
  table.restore(table.off, offices);
  table.epoch(1);
  table.answer();
  table.read(table.off, table.bob);
  table.receipt({ time: { at: 2 } });
  table.restore(table.ann, anns);
  table.read(table.ann, table.bob);
  if (reads) table.read(table.ann, table.off);
  table.talks(table.ann, "anew");
  return table;
}

test("what the office did not tell when it was shown an answer blames nobody", () => {
  assert.deepEqual(culprits(kept(true)), [["chain", null], ["chain", null]]);
  assert.deepEqual(culprits(kept(false)), [["chain", "ann"], ["chain", null]]);
});

test("a letter of the office's that opens nothing blames nobody for what it had seen", () => {
  const table = new OfficeTable();
  const backup = table.backup(table.ann);
  table.talks(table.ann);
  table.read(table.off, table.ann);
  table.receipt({ time: { at: 1 } });
  table.restore(table.ann, backup);
  table.answer();
  table.read(table.ann, table.bob);
  table.talks(table.ann, "anew");
  assert.deepEqual(culprits(table), [["chain", null]]);
});

test("an answer by somebody whose past holds what was lost explains nothing, unless he had answered before he knew", () => {
  const fork = (before: boolean): OfficeTable => {
    const table = new OfficeTable();
    const backup = table.backup(table.ann);
    table.talks(table.ann, "lost");
    table.read(table.off, table.ann);
    table.receipt({ time: { at: 1 } });
    table.restore(table.ann, backup);
    if (before) {
      table.answer("ann", "first ask");
      table.read(table.ann, table.bob);
      // Two of her letters know it, so that it explains neither.
      table.talks(table.ann, "another");
      table.restore(table.ann, backup);
    }
    table.read(table.bob, table.off);
    table.answer("ann", "second ask");
    table.read(table.ann, table.bob);
    table.talks(table.ann, "anew");
    return table;
  };
  assert.deepEqual(culprits(fork(false)), [["chain", "ann"]]);
  assert.deepEqual(culprits(fork(true)), [["chain", null]]);
});

test("the epoch that knows the other is the later one, whatever the clocks show", () => {
  const table = new OfficeTable();
  const backup = table.backup(table.off);
  const first = table.epoch(253_402_300_799);
  table.read(table.bob, table.off);
  table.talks(table.bob);
  table.restore(table.off, backup);
  table.read(table.off, table.bob);
  const second = table.epoch(5);
  assert.equal(head(table, "off"), second.id);
  assert.deepEqual(culprits(table), [["chain", null]]);
  table.restore(table.off, backup);
  table.epoch(253_402_300_799 - 1);
  assert.equal(head(table, "off"), second.id);
  assert.notEqual(first.id, second.id);
});

test("who has named an epoch's branch names no other behind it that he named before", () => {
  const table = new OfficeTable();
  const backup = table.backup(table.off);
  table.receipt({ time: { at: 1 } });
  const lost = table.backup(table.off);
  table.read(table.bob, table.off);
  table.talks(table.bob, "on the lost branch");
  table.restore(table.off, backup);
  const epoch = table.epoch(2);
  // A thief says on the lost branch that the key was stolen, and office 10 is silent.
  table.restore(table.off, lost);
  const rotate = table.stolen();
  assert.equal(head(table, "off"), rotate.id);
  table.bob.seen["off"] = epoch.id;
  table.talks(table.bob, "on the epoch's");
  assert.equal(head(table, "off"), epoch.id);
});

/** The office opens what it does not hold, or what is due, and begins an epoch from the letter before. */
function forgets(due: boolean): { readonly table: OfficeTable; readonly declared: Declared } {
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
  return { table, declared };
}

test("what the office opened against the rules is a finding on the branch that falls to its epoch, too", () => {
  const bad = forgets(false);
  bad.table.epoch(1);
  assert.deepEqual(bad.table.found.slice(1), [["off 2", "off", "reveal 1"]]);
  assert.equal(bad.table.report.rolls.length, 1);
  const good = forgets(true);
  good.table.epoch(1);
  assert.deepEqual(good.table.found.slice(1), []);
  const other = forgets(false);
  other.table.receipt({ time: { at: 1 } });
  assert.deepEqual(other.table.found.slice(1), []);
});

test("what a thief may have opened on the branch that falls is no finding, unless somebody believed it", () => {
  const stolen = (believes: boolean): OfficeTable => {
    const { table } = forgets(false);
    const opened = table.letters.at(-1)?.id ?? null;
    table.epoch(1);
    const own = table.backup(table.off);
    table.stolen();
    if (!believes) table.read(table.bob, table.off);
    // What nobody names of it does not exist: he does.
    table.bob.seen[believes ? "off" : "ann"] = believes ? opened : table.ann.prev;
    if (believes) table.talks(table.bob);
    table.restore(table.off, own);
    return table;
  };
  assert.ok(stolen(true).found.some(([letter, culprit, rule]) => letter === "off 2" && culprit === "off" && rule === "reveal 1"));
  assert.ok(!stolen(false).found.some(([, , rule]) => rule === "reveal 1"));
});

/** Behind a letter of the office's a reveal and an epoch, and beside that letter another, that Bob names, or behind which it says that its key was stolen. */
function nested(stolen: boolean): OfficeTable {
  const table = new OfficeTable();
  const set = table.set(1);
  table.meet();
  const declared = table.declares(set);
  const outer = table.backup(table.off);
  table.receipt({ time: { at: 1 } });
  const inner = table.backup(table.off);
  table.read(table.off, table.ann);
  table.opens(table.off, declared);
  table.read(table.ann, table.off);
  table.restore(table.off, inner);
  table.epoch(2);
  table.restore(table.off, outer);
  table.receipt({ time: { at: 3 } });
  if (stolen) table.stolen();
  table.read(table.bob, table.off);
  table.talks(table.bob);
  // Who knows the reveal knows this branch.
  table.read(table.ann, table.bob);
  table.talks(table.ann);
  return table;
}

test("a reveal is judged wherever an epoch stands beside it, on a branch that fell too, unless a theft explains what stands at any fork", () => {
  assert.deepEqual(nested(false).found.slice(1), [["off 3", "off", "reveal 1"]]);
  assert.deepEqual(nested(true).found.slice(1).filter(([, , rule]) => rule === "reveal 1"), []);
});

test("in a game with too many branches who has many is blamed for his forks, and the others are not", () => {
  const table = new OfficeTable();
  const many = (player: Player, count: number): void => {
    const backup = table.backup(player);
    for (let i = 0; i < count; i++) {
      if (player === table.off) table.epoch(table.letters.length);
      else table.talks(player, `${i}`);
      table.restore(player, backup);
    }
  };
  many(table.bob, 2);
  many(table.off, 64);
  many(table.ann, 191);
  assert.deepEqual(culprits(table).filter(([, culprit]) => culprit !== null), [["chain", "ann"]]);
  many(table.off, 1);
  assert.deepEqual([table.report.verdict, culprits(table)], ["refuted", [["chain", "ann"], ["chain", null], ["chain", "off"]]]);
});

/** Ann declares twice, and to do the first one again is proposed when the office has opened both, or one. */
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

test("no redo is agreed to while another declaration was with the office", () => {
  assert.deepEqual(proposed(true, "bob").found, []);
  assert.deepEqual(proposed(true, "carol").found, []);
  assert.deepEqual(proposed(false, "bob").found, [["ann 4", "ann", "correct 4"]]);
  assert.deepEqual(proposed(false, "carol").found, [["carol 2", "carol", "ruling 7"]]);
});

test("dice are forfeited by ruling if their set is not with the office for the request", () => {
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
  assert.deepEqual(forfeit("after"), [["carol 3", "carol", "ruling 2"]]);
  assert.deepEqual(forfeit("never"), [["carol 3", "carol", "ruling 2"]]);
});

const GAMES = Number(process.env["GAMES"] ?? 16);

test("games with an office in trouble do not depend on the order of the mails", () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= GAMES; seed++) {
    const chance = new Chance(seed);
    const game = new Troubles(chance);
    for (let i = 0; i < 30; i++) game.step();
    const { letters, text } = game.table;
    const report = check(text);
    const shuffled = letters.map((letter) => letter.text).sort(() => chance.below(3) - 1);
    assert.deepEqual(check(shuffled.join("\n")), report, `seed ${seed}`);
    check(shuffled.filter(() => chance.often(80)).join("\n"));
    for (const one of report.games) for (const { word } of one.days) seen.add(`days ${word}`);
    for (const one of report.games) for (const { text: said, culprit } of one.findings) seen.add(`${/^[a-z]+ \d+/.exec(said)?.[0] ?? said.slice(0, 10)} ${culprit === null ? "without culprit" : ""}`);
  }
  if (process.env["SHOW"] !== undefined) console.log([...seen].sort());
  for (const rule of ["chain 3 ", "seal 4 ", "reveal 1 ", "reveal 1 without culprit", "claim 3 ", "two letter ", "two letter without culprit", "days shown", "days contradicted"]) assert.ok(seen.has(rule), rule);
});
