/** office.md: what the office holds and opens, what takes a set back, epochs and forks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Chance } from "./mess.js";
import { keyOf, OfficeTable, officeOf, type Declared } from "./office.js";
import { charterBody, fixed, phase, Player, Table, type Set } from "./players.js";
import { toHex } from "../src/bytes.js";
import { check } from "../src/checker.js";
import { depositKey } from "../src/deposits.js";

test("an office opens the sets it holds, and the report has its head", () => {
  const table = new OfficeTable();
  const declared = table.declared();
  const opened = table.opens(table.off, declared);
  const { verdict, rolls, heads } = table.report;
  assert.deepEqual([verdict, rolls.length], ["verified", 1]);
  assert.deepEqual(heads["off"], { id: opened.id, number: 3 });
});

test("the sealer may not open or yield dice that are with the office", () => {
  const table = new OfficeTable();
  const declared = table.declared();
  table.opens(table.bob, declared);
  assert.deepEqual(table.found, [["bob 3", "bob", "reveal 8"]]);
  assert.equal(table.report.rolls.length, 1);

  const yielding = new OfficeTable();
  yielding.yields(yielding.declared());
  assert.deepEqual(yielding.found, [["bob 3", "bob", "claim 3"]]);
});

test("a set that was handed back is opened by its sealer, not by the office", () => {
  const table = new OfficeTable();
  const declared = table.declared();
  table.handsBack(declared.set);
  table.opens(table.off, declared);
  table.bob.seen["off"] = table.letters.at(-2)?.id ?? null;
  table.opens(table.bob, declared);
  assert.deepEqual(table.found, [["off 4", "off", "reveal 1"]]);

  const yielding = new OfficeTable();
  const given = yielding.declared();
  yielding.handsBack(given.set);
  // He has not seen it yet.
  yielding.yields(given);
  yielding.meet();
  yielding.yields(given);
  assert.deepEqual(yielding.found, [["bob 3", "bob", "claim 3"]]);
});

test("a stall on the sealer lets them open", () => {
  const table = new OfficeTable();
  const declared = table.declared();
  table.stall(declared);
  const crossing = table.backup(table.bob);
  table.meet();
  table.opens(table.bob, declared);
  assert.deepEqual(table.found, []);
  table.restore(table.bob, crossing);

  const other = new OfficeTable();
  const early = other.declared();
  other.stall(early);
  other.opens(other.bob, early);
  assert.deepEqual(other.found, [["bob 3", "bob", "reveal 8"]]);
});

test("both may open a set whose receipt the declaration does not know", () => {
  const table = new OfficeTable();
  const set = table.set(1);
  table.meet();
  table.holds(set);
  const declared = table.declares(set);
  table.meet();
  table.opens(table.off, declared);
  table.opens(table.bob, declared);
  assert.deepEqual(table.found, []);
});

test("receipts", () => {
  const table = new OfficeTable();
  const [one, two] = [table.set(1), table.set(2)];
  const own = table.seal(table.bob, "contribution", "contribution/1", "bob", 1);
  table.meet();
  table.receipt({ hand_back: { seals: [own.letter.id] } });
  table.holds(one, own);
  table.holds(one);
  table.handsBack(one);
  table.handsBack(one);
  table.holds(one);
  table.holds(two);
  table.receipt({ time: { at: 10 } });
  table.receipt({ time: { at: 10 } });
  table.receipt({ time: { at: 9 } });
  table.receipt({ epoch: { at: 8 } });
  const three = table.set(3);
  table.meet();
  table.holds(three);
  table.sign(table.ann, "receipt", { epoch: { at: 20 } });
  const wanted = [["off 2", "receipt 2"], ["off 3", "receipt 5"], ["off 4", "receipt 1"], ["off 6", "receipt 2"], ["off 7", "receipt 1"], ["off 11", "receipt 3"], ["off 12", "receipt 3"], ["off 13", "receipt 5"], ["ann 2", "letters 4"]];
  assert.deepEqual(table.found.map(([letter, , rule]) => [letter, rule]).sort(), wanted.sort());
});

test("an epoch signed by a player takes nothing back", () => {
  const table = new OfficeTable();
  const set = table.set(1);
  table.meet();
  table.holds(set);
  table.meet();
  table.sign(table.bob, "receipt", { epoch: { at: 1 } });
  table.meet();
  const declared = table.declares(set);
  table.meet();
  table.opens(table.off, declared);
  assert.deepEqual(table.found.map(([letter, , rule]) => [letter, rule]), [["bob 3", "letters 4"]]);
});

test("an epoch kills sets sealed without it, held or not, and the sealer opens what was declared before", () => {
  const table = new OfficeTable();
  const declared = table.declared();
  const [held, free] = [table.set(2), table.set(3)];
  table.meet();
  table.holds(held);
  table.epoch(1);
  table.meet();
  table.opens(table.bob, declared);
  table.meet();
  table.declares(free);
  assert.deepEqual(table.found, [["ann 3", "ann", "declare 6"]]);

  const again = new OfficeTable();
  again.set(1);
  again.epoch(1);
  again.meet();
  const set = again.set(1);
  again.meet();
  again.holds(set);
  again.meet();
  const next = again.declares(set);
  again.meet();
  again.opens(again.off, next);
  assert.deepEqual([again.found, again.report.rolls.length], [[], 1]);
});

test("after a restore players continue after the epoch, and nobody is blamed", () => {
  const table = new OfficeTable();
  const backup = table.backup(table.off);
  const declared = table.declared();
  table.opens(table.off, declared);
  table.meet();
  table.set(2);
  table.restore(table.off, backup);
  const epoch = table.epoch(5);
  table.meet();
  const set = table.set(2);
  table.meet();
  table.holds(set);
  table.meet();
  const next = table.declares(set);
  table.meet();
  table.opens(table.off, next);
  const { findings, heads } = table.report;
  assert.deepEqual(findings.map(({ code, culprit }) => [code, culprit]), [["chain", null]]);
  assert.ok(findings[0]?.message_ids.includes(epoch.id));
  assert.equal(heads["off"]?.number, 4);
});

test("letters that the office forgot still count", () => {
  const table = new OfficeTable();
  const backup = table.backup(table.off);
  const declared = table.declared();
  table.handsBack(declared.set);
  table.meet();
  table.restore(table.off, backup);
  table.epoch(5);
  // He has not seen it.
  table.opens(table.bob, declared);
  assert.deepEqual(table.report.findings.map(({ code, culprit }) => [code, culprit]), [["chain", null]]);
  assert.equal(table.report.rolls.length, 1);

  const held = new OfficeTable();
  const before = held.backup(held.off);
  const early = held.declared();
  held.restore(held.off, before);
  held.epoch(5);
  held.opens(held.bob, early);
  assert.deepEqual(held.found.map(([letter, culprit, rule]) => [letter, culprit, rule]).slice(1), [["bob 3", "bob", "reveal 8"]]);
});

test("a charter's office has a valid form", () => {
  const [ann, bob, off] = [new Player("ann"), new Player("bob"), new Player("off")];
  const breach = (more: object, seen: object = { bob: null, off: null }): string | undefined => {
    const table = new Table([ann, bob, off]);
    table.put({ author: "ann", game: null, kind: "charter", number: 1, prev: null, seen, v: 1 }, charterBody(ann, bob, { office: officeOf(off), ...more }), ann.seed);
    return check(table.text).games[0]?.findings[0]?.code;
  };
  const sheets = (revealer: string): object[] => [phase("one", "ann", 1, "icrk"), phase("two", "bob", 1, "icrk", { revealer })];
  assert.equal(breach({}), undefined);
  assert.equal(breach({ phases: sheets("office") }), "rule");
  assert.equal(breach({ phases: sheets("sealer") }), undefined);
  assert.equal(breach({ office: officeOf(off, { deposit: { key: "00".repeat(32), notes: false } }) }), "rule");
  assert.equal(breach({ office: officeOf(off, { key: bob.key }) }), "rule");
  assert.equal(breach({ office: officeOf(off, { role: "bob" }) }), "rule");
  assert.equal(breach({ office: officeOf(off, { deposit: null }) }), undefined); // a time witness
  assert.equal(breach({ office: officeOf(off, { deposit: null }), phases: sheets("office") }), "rule");
  assert.equal(breach({ office: officeOf(off, { deposit: 5 }) }), "fields");
  assert.equal(breach({ office: null, phases: [phase("one", "ann", 1, "icrk", { revealer: "office" })] }, { bob: null }), "rule");
  assert.equal(breach({ office: null, foul_up: { envelopes: 3, remedies: { "illegal-move": "keep", "illegal-odds": "redo", "wrong-list": "keep" }, revealer: "office" } }, { bob: null }), "rule");
});

test("a set names the revealer that the terms give", () => {
  const table = new OfficeTable();
  table.seal(table.bob, "coin", "1/1/ann-first/1", "ann", 5);
  table.seal(table.bob, "foul-up", "foul-up/1", "ann", 3, "off");
  table.seal(table.bob, "foul-up", "foul-up/2", "ann", 3);
  assert.deepEqual(table.found, [["bob 2", "bob", "seal 1"], ["bob 3", "bob", "seal 1"]]);
});

test("the office opens sealed notes too, if the terms say so", () => {
  const off = new Player("off");
  const decisions = [{ by: null, how: "simultaneous", name: "orders" }, { by: "bob", how: "open", name: "pick" }];
  const phases = [phase("ann-first", "ann", 1, "coin-envelopes", { decisions, revealer: "office" })];
  const table = new OfficeTable({ office: officeOf(off, { deposit: { key: toHex(depositKey(fixed("d"))), notes: true } }), phases });
  const { ann, bob } = table;
  const opens = (player: Player, note: Set): void => {
    table.sign(player, "reveal", { declaration: null, keys: [[0, keyOf(note, 0)]], seal: note.letter.id, sheets: [] });
    table.meet();
  };
  const anns = table.note(ann, "1/1/ann-first/1/orders", "go", "off");
  table.note(ann, "1/1/ann-first/1/moves", "to E11", "ann");
  table.note(ann, "1/1/ann-first/1/pick", "a", "off");
  table.note(ann, "1/1/ann-first/2/orders", "go", "ann");
  table.meet();
  opens(table.off, anns);
  table.holds(anns);
  opens(table.off, anns);
  const bobs = table.note(bob, "1/1/ann-first/1/orders", "stay", "off");
  table.meet();
  table.holds(bobs);
  opens(table.off, bobs);
  opens(table.off, anns);
  opens(ann, anns);
  assert.deepEqual(table.found, [["ann 4", "ann", "seal 1"], ["ann 5", "ann", "seal 1"], ["off 2", "off", "reveal 1"], ["off 4", "off", "reveal 7"]]);
});

test("the office signs no other letters", () => {
  const table = new OfficeTable();
  table.sign(table.off, "claim", { dispute: { letters: [table.game], text: "so" } });
  assert.deepEqual(table.found, [["off 2", "off", "letters 4"]]);
});

test("an accept by the office does not count as the referee's", () => {
  const [ann, bob, carol, off] = [new Player("ann"), new Player("bob"), new Player("carol"), new Player("off")];
  const table = new Table([ann, bob, carol, off]);
  const referee = { deposit: null, key: carol.key, name: "Carol", role: "carol" };
  const charter = table.sign(ann, "charter", charterBody(ann, bob, { office: officeOf(off), referee }));
  const body = { charter: charter.id, compared: true, nonce: toHex(fixed("accept")) };
  const accepts = [carol, off].map((one) => {
    table.read(one, ann);
    return table.sign(one, "accept", body);
  });
  for (const one of [ann, carol, off]) table.read(bob, one);
  const good = table.sign(bob, "accept", body).id;
  const head = { author: "bob", game: charter.id, kind: "accept", number: 1, prev: null, v: 1 };
  const [carols, offs] = accepts.map((one) => one.id);
  const wrong = table.put({ ...head, seen: { ann: charter.id, carol: offs, off: offs } }, body, bob.seed).id;
  const without = table.put({ ...head, seen: { ann: charter.id, carol: carols, off: null } }, body, bob.seed).id;
  const games = new Map(check(table.text).games.map((game) => [game.game, game]));
  assert.deepEqual(games.get(good)?.missing, []);
  assert.deepEqual(games.get(wrong)?.missing, [{ id: offs, named_by: [wrong], author: "carol", number: null }]);
  assert.deepEqual(games.get(without)?.findings.map(({ code, culprit }) => [code, culprit]), [["rule", "bob"]]);
});

/** Anybody signs letters about an office, sometimes after a step back. */
function mess(chance: Chance): OfficeTable {
  const table = new OfficeTable();
  const { ann, bob, off } = table;
  const sets = [table.set(1)];
  const declared: Declared[] = [];
  const backups = table.players.map((player) => [player, table.backup(player)] as const);
  let turn = 1;
  const steps: readonly (() => unknown)[] = [
    () => sets.push(table.set(chance.often(70) ? ++turn : turn)),
    () => table.holds(chance.one(sets)),
    () => table.holds(...sets.slice(-2)),
    () => table.handsBack(chance.one(sets.slice(-3))),
    () => table.receipt({ [chance.one(["epoch", "time"])]: { at: chance.below(9) } }),
    () => declared.push(table.declares(chance.one(sets.slice(-3)))),
    () => declared.push(table.declares(chance.one(sets.slice(-2)))),
    () => declared.length > 0 && table.opens(chance.one([off, off, bob]), chance.one(declared.slice(-2))),
    () => declared.length > 0 && table.opens(chance.one([off, off, bob]), chance.one(declared.slice(-2))),
    () => declared.length > 0 && table.stall(chance.one(declared.slice(-2))),
    () => declared.length > 0 && chance.often(30) && table.yields(chance.one(declared)),
    () => backups.push(...[chance.one([ann, bob, off])].map((player) => [player, table.backup(player)] as const)),
    () => chance.often(25) && table.restore(...chance.one(backups.slice(-6))),
    () => chance.often(10) && table.stranger(off, "receipt", { epoch: { at: chance.below(9) } }),
  ];
  for (let i = 0; i < 50; i++) {
    for (const reader of table.players) for (const of of table.players) if (of !== reader && chance.often(60)) table.read(reader, of);
    chance.one(steps)();
  }
  return table;
}

test("random games with an office do not depend on the order of the mails", () => {
  const rules = new Set<string>();
  for (let seed = 1; seed <= 40; seed++) {
    const chance = new Chance(seed);
    const { text, letters } = mess(chance);
    const report = check(text);
    const shuffled = letters.map((letter) => letter.text).sort(() => chance.below(3) - 1);
    assert.deepEqual(check(shuffled.join("\n")), report, `seed ${seed}`);
    check(shuffled.filter(() => chance.often(80)).join("\n"));
    for (const game of report.games) for (const finding of game.findings) rules.add(/^[a-z]+ \d+/.exec(finding.text)?.[0] ?? finding.code);
  }
  for (const rule of ["reveal 1", "reveal 8", "receipt 1", "receipt 2", "receipt 3", "receipt 5", "claim 3", "declare 6", "chain 8"]) assert.ok(rules.has(rule), rule);
});
