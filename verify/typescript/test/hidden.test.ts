import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/bytes.js";
import { encodeJson, plain } from "../src/json.js";
import { DivisionCommander } from "../src/ndc.js";
import { attempt } from "../src/refusal.js";
import { runVector } from "../src/vectors.js";
import { ATTACK, ATTACKS, CONTACT, DEFEND, FOUGHT, HiddenTable, LEVEL, LINES, MOVE, REPORT, SETUP, TERMS } from "./hidden.js";
import { fixed, json, Player } from "./players.js";

test("a game is followed without its sheets, and the report says what rests on them", () => {
  const table = new HiddenTable();
  const { ann, bob } = table;
  table.setUp();
  assert.deepEqual(table.now()["awaits"], { by: "ann", step: "move" });
  table.played(ann, 1, 2, ATTACKS);
  assert.deepEqual(table.now()["awaits"], { by: "bob", step: "defend" });
  table.played(bob, 1, 2, DEFEND);
  table.played(bob, 1, 3, REPORT);
  const state = table.now();
  assert.deepEqual([state["awaits"], state["segment"], state["chemicals"]], [{ by: "ann", step: "move" }, 2, { ann: 1, bob: 0 }]);
  assert.deepEqual(state["spent"], { ann: { fire: 0, support: 3 }, bob: { fire: 0, support: 2 } });
  assert.deepEqual(state["markers"], { breakthrough: ["0823"], gas: [] });
  table.played(ann, 1, 3, { ...MOVE, intelligence: null, weather: null });
  assert.deepEqual([table.now()["awaits"], table.now()["segment"], table.now()["turn"]], [{ by: "bob", step: "move" }, 1, 1]);
  table.played(bob, 1, 4, { ...MOVE, weather: null });
  table.played(ann, 2, 1, MOVE);
  assert.deepEqual(table.findings(), []);
  const before = table.report();
  assert.equal(before.verdict, "verified");
  assert.deepEqual(before.rolls, []);
  assert.deepEqual(before.courses[0]?.runs, { ann: { declared: 4, hand: null, run: 0, stopped: "not run here" }, bob: { declared: 4, hand: null, run: 0, stopped: "not run here" } });
  assert.deepEqual([...new Set(before.open.map((one) => one.what))], ["next", "unproved"]);
  table.close();
  const after = table.report();
  assert.deepEqual(table.findings(), []);
  assert.deepEqual([after.complete, after.verdict], [true, "undecided"]);
  assert.deepEqual(after.open.filter((one) => one.what === "sheet").map((one) => one.id), before.open.filter((one) => one.what === "unproved").map((one) => one.id));
  assert.deepEqual(after.rolls, []);
});

test("a sheet has a fixed length, name and place", () => {
  const table = new HiddenTable();
  const { ann } = table;
  table.sheet(ann, 1, 1, 700);
  const other = table.note(ann, `${table.at(1)}/notes`, JSON.stringify("x".repeat(800)));
  table.states(ann, 1, 1, SETUP, { moves: { none: null } });
  assert.deepEqual(table.findings(), ["ann: seal 2", "ann: declare 3"]);
  const spare = table.seal(table.bob, "foul-up", "foul-up/1", "ann", 3);
  table.meet();
  const [breach] = table.report().findings.slice(-1);
  const redo = { redo: { breach: breach?.message_ids[0] ?? "" }, seal: spare.letter.id, select: { foul_up: { index: 0, lines: LINES } } };
  table.states(ann, 1, 1, SETUP, { ...redo, moves: { note: { index: 0, seal: other.letter.id } } });
  assert.deepEqual(table.findings().slice(-1), ["ann: declare 3"]);
  const [again] = table.report().findings.slice(-1);
  const sheet = table.sheet(ann, 1, 1);
  const { signed } = table.states(ann, 1, 1, SETUP, { ...redo, redo: { breach: again?.message_ids[0] ?? "" }, select: { foul_up: { index: 1, lines: LINES } }, moves: { note: { index: 0, seal: sheet.letter.id } } });
  table.open(table.bob, spare, signed, 1);
  // Bob seals for the slot each time.
  assert.deepEqual(table.report().findings.filter((one) => one.settled_by === null && one.culprit === "ann").map((one) => one.text.slice(0, 6)), ["seal 2"]);
  assert.deepEqual(table.now()["awaits"], { by: "bob", step: "setup" });
});

test("the dice are the declarer's secret: there are no results, named dice or new inputs", () => {
  const table = new HiddenTable();
  const { ann, bob } = table;
  const standing = table.note(bob, `${table.at(1)}/standing`, "{}");
  const { signed, set } = table.states(ann, 1, 1, SETUP);
  table.open(bob, standing, signed);
  assert.deepEqual(table.findings(), ["bob: reveal 2"]);
  assert.equal(table.state(), null);
  const forfeit = table.sign(bob, "claim", { yield: { declaration: signed.id, forfeit: "declarer-names", text: "" } });
  table.meet();
  assert.deepEqual(table.now()["awaits"], { by: "bob", step: "setup" });
  table.sign(ann, "claim", { names: { declaration: signed.id, dice: [1], forfeit: forfeit.id } });
  table.meet();
  table.sign(bob, "correct", { propose: { at_fault: "ann", class: "illegal-odds", declaration: signed.id, input: SETUP, reason: "" } });
  table.sign(bob, "correct", { propose: { at_fault: "ann", class: "illegal-odds", declaration: signed.id, input: null, reason: "" } });
  assert.deepEqual(table.findings().sort(), ["ann: claim 4", "bob: correct 2", "bob: reveal 2"]);
  table.open(bob, set, signed);
  assert.equal(table.findings().length, 3);
});

test("both players void a mistake, and it is declared again with a new sheet", () => {
  const table = new HiddenTable();
  const { ann, bob } = table;
  const wrong = table.played(ann, 1, 1, { ...SETUP, contacts: { c1: CONTACT } });
  const asked = table.sign(ann, "correct", { void: { reason: "a contact too many", scope: { declaration: wrong.id } } });
  table.meet();
  table.sign(bob, "correct", { accept: asked.id });
  table.meet();
  assert.deepEqual([table.findings(), table.now()["awaits"], table.now()["contacts"]], [[], { by: "ann", step: "setup" }, { ann: {}, bob: {} }]);
  table.played(ann, 1, 2, SETUP);
  assert.deepEqual([table.findings(), table.now()["awaits"]], [[], { by: "bob", step: "setup" }]);
  assert.equal(table.report().courses[0]?.runs?.["ann"]?.declared, 1);
});

test("a wrong form breaks declare 4, and an input against the state breaks declare 15", () => {
  const table = new HiddenTable();
  table.setUp();
  table.played(table.ann, 1, 2, ATTACKS);
  const fought = (change: object): object => ({ ...REPORT, combats: [{ ...FOUGHT, ...change }] });
  const read = (input: object): string => {
    const { course } = DivisionCommander.make(json(TERMS), json({}));
    const system = DivisionCommander.make(json(TERMS), json({}));
    try {
      system.read(json(input), false);
    } catch {
      return "declare 4";
    }
    try {
      let state = course?.begins ?? json({});
      for (const one of [SETUP, { ...SETUP, intelligence: LEVEL }, ATTACKS, DEFEND]) state = course?.turn(state, json(one)).after([], new Map()).state ?? json({});
      course?.turn(state, json(input));
    } catch {
      return "declare 15";
    }
    return "good";
  };
  assert.equal(read(REPORT), "good");
  const form: object[] = [
    { ...REPORT, rolled: 0 },
    { ...REPORT, entries: ["0101"] },
    { ...REPORT, halts: [{ by: "0923", contact: "c1", hex: "0821" }] },
    { ...REPORT, contacts: { c0: CONTACT } },
    { ...REPORT, contacts: { c1: { ...CONTACT, hexes: ["0822", "0822"] } } },
    fought({ result: "abort" }),
    fought({ result: "overrun", attacker_loss: 0 }),
    fought({ result: "empty", attacker_loss: 0, breakthrough: false }),
    fought({ fpf: 0, chemical: "used" }),
    fought({ retreat: { candidates: ["0821"], hex: "0821" } }),
    fought({ ew_attacks: 1 }),
    fought({ ew_level: 4 }),
    { ...ATTACKS, combats: [ATTACK, ATTACK] },
    { ...ATTACKS, combats: [{ ...ATTACK, from: "0820" }] },
    { ...ATTACKS, combats: [{ ...ATTACK, contact: "c2" }] },
    { ...ATTACKS, combats: [{ ...ATTACK, barrage: 0 }] },
    { ...ATTACKS, paths: { c1: ["0820", "0822"] } },
    { ...ATTACKS, paths: { c1: ["0821"] } },
    { ...ATTACKS, intelligence: { level: 1, sectors: ["south"] } },
    { ...MOVE, weather: ["night", "fog"] },
    { ...MOVE, step: "wait" },
  ];
  for (const one of form) assert.equal(read(one), "declare 4", JSON.stringify(one));
  const forbidden: object[] = [
    DEFEND,
    { ...REPORT, combats: [] },
    { ...REPORT, combats: [{ loss: null }] },
    fought({ fpf: 1 }),
    fought({ result: "cancelled", attacker_loss: 0, breakthrough: false, fpf: 0, ew_level: 0 }),
    fought({ result: "empty", attacker_loss: 0, breakthrough: false, fpf: 0 }),
    fought({ result: "fought", retreat: "0821" }),
    fought({ result: "abort", attacker_loss: 2, breakthrough: false, retreat: "0921" }),
    { ...REPORT, contacts: { c1: { ...CONTACT, hexes: ["0921"] } }, halts: [{ by: "0921", contact: "c1", hex: "0822" }] },
  ];
  for (const one of forbidden) assert.equal(read(one), "declare 15", JSON.stringify(one));
  const halted = { ...REPORT, combats: [{ ...FOUGHT, result: "cancelled", attacker_loss: 0, breakthrough: false, fpf: 0, ew_level: 0 }], contacts: { c1: { ...CONTACT, hexes: ["0721"] } }, halts: [{ by: "0721", contact: "c1", hex: "0821" }] };
  assert.equal(read(halted), "good");
  assert.equal(read(fought({ result: "abort", attacker_loss: 2, breakthrough: false, retreat: "0821" })), "good");
  assert.equal(encodeJson(plain(table.now()["paths"])), '{"c1":["0821","0822"]}');
});

test("a vector of a whole game is compared without the results of runs", () => {
  const table = new HiddenTable();
  table.setUp();
  const stated = table.played(table.ann, 1, 2, ATTACKS);
  const open = table.report();
  const vector = (game: object): string | null => {
    const { game: id, complete, courses, heads } = table.report();
    const expect = { games: [{ complete, courses: courses.map(({ state, system }) => ({ state, system, runs: {} })), findings: [], game: id, heads, missing: [], rolls: [], verdict: "verified", ...game }] };
    return runVector(`${JSON.stringify({ about: "", expect, layer: "transcript", spec: "" })}\n\n${table.text}\n`);
  };
  const found = { code: "rule", culprit: "ann", message_ids: [stated.id], rule: "hidden 6", settled_by: null };
  const roll = { cell: null, declaration: stated.id, index: 0, line: 1, named_by: null, seal: stated.id, sides: 6, slot: "1/1/battle/2", standing: true, value: 1, why: "ndc-tactical a" };
  assert.equal(open.verdict, "verified");
  assert.equal(vector({}), null);
  // While the sheet is sealed, no run can have found anything.
  assert.notEqual(vector({ findings: [found], verdict: "refuted" }), null);
  table.close();
  assert.equal(vector({}), null);
  assert.equal(vector({ verdict: "undecided" }), null);
  assert.equal(vector({ findings: [found], rolls: [roll], verdict: "refuted" }), null);
  assert.notEqual(vector({ complete: false }), null);
  assert.notEqual(vector({ findings: [{ ...found, message_ids: [table.game] }], verdict: "refuted" }), null);
  assert.notEqual(vector({ findings: [{ ...found, code: "chain" }], verdict: "refuted" }), null);
});

/** A value changed at each of its positions. */
function* altered(value: unknown, junk: readonly unknown[]): Generator<unknown> {
  yield* junk;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const { [key]: _, ...without } = value as Record<string, unknown>;
    if (!Array.isArray(value)) yield without;
    for (const other of altered(inner, junk)) yield Array.isArray(value) ? value.map((one, i) => (i === Number(key) ? other : one)) : { ...value, [key]: other };
  }
}

test("inputs, settings and tables changed at any position are accepted or refused", () => {
  const junk: unknown[] = [null, true, -1, 1_000_000, "", "0822", "c1", "__proto__", [], {}, [null], ["0822", "0822"], { toString: 1 }];
  const { course } = DivisionCommander.make(json(TERMS), json({}));
  assert.ok(course !== undefined);
  let [taken, refused] = [0, 0];
  const tries = (work: () => unknown): void => {
    if (attempt(work).ok) taken++;
    else refused++;
  };
  let state = course.begins;
  for (const input of [SETUP, { ...SETUP, intelligence: LEVEL }, { ...ATTACKS, interdictions: [{ markers: 1, points: 2, target: "0910" }] }, DEFEND, { ...REPORT, halts: [{ by: "0921", contact: "c1", hex: "0821" }] }]) {
    const before = state;
    for (const other of altered(input, junk)) {
      tries(() => {
        const after = course.turn(before, json(other)).after([], new Map()).state;
        assert.equal(encodeJson(plain(JSON.parse(encodeJson(after)))), encodeJson(after));
      });
    }
    if (input !== undefined && !("halts" in input)) state = course.turn(before, json(input)).after([], new Map()).state;
  }
  for (const other of altered(TERMS, junk)) tries(() => DivisionCommander.make(json(other), json({})));
  const table = { columns: ["..-1", "0.."], dice: "1d6", rows: { "1-6": ["0", "1"] }, source: "test" };
  for (const other of altered(table, junk)) tries(() => DivisionCommander.make(json(TERMS), json({ "ndc-ew": other, "ndc-terrain": { rows: { a: other }, source: "test" } })));
  assert.ok(taken > 20 && refused > 1_000, `${taken} ${refused}`);
});

test("a charter has the settings and tables of the page, and the phase is private", () => {
  const make = (settings: object, tables: object = {}): boolean => {
    try {
      DivisionCommander.make(json({ ...TERMS, ...settings }), json(tables));
      return true;
    } catch {
      return false;
    }
  };
  assert.ok(make({}));
  for (const one of [{ letters: "office" }, { sheet_bytes: 1_000 }, { sectors: {} }, { sectors: { north: ["0202", "0101"] } }, { sides: ["ann", "ann"] }, { doctrine: { ann: "us" } }, { units: 65 }, { more: 1 }]) assert.ok(!make(one), JSON.stringify(one));
  const table = { columns: ["..-1", "0..0", "1.."], dice: "1d6", rows: { "1-5": ["0", "1", "2"], "6": ["1", "2", "3"] }, source: "test" };
  assert.ok(make({}, { "ndc-ew": table }));
  assert.ok(make({}, { "ndc-ew": { fingerprint: toHex(fixed("a table")) }, "ndc-other": 1, "ndc-terrain": { rows: { hill: [-1, 2] }, source: "house" } }));
  const wrong: object[] = [
    { ...table, columns: ["..-1", "1..", "2.."] },
    { ...table, columns: ["..-1", "1..2", "3.."] },
    { ...table, columns: ["..-1", "0..00", "1.."] },
    { ...table, dice: "none" },
    { ...table, dice: "1d8" },
    { ...table, rows: { "1-5": ["0", "1", "2"] } },
    { ...table, rows: { "1-5": ["0", "1", "2"], "6": ["1", "2", "4"] } },
    { ...table, rows: { "1-5": ["0", "1", "2"], "6": ["1", "2"] } },
    { ...table, fingerprint: toHex(fixed("a table")) },
  ];
  for (const one of wrong) assert.ok(!make({}, { "ndc-ew": one }), JSON.stringify(one));
  assert.match(new HiddenTable(null, { private: false }).report().findings[0]?.text ?? "", /^charter 6: .*private/);
});

test("a declaration is settled once more after its sheet is opened, and then never again", () => {
  const table = new HiddenTable(new Player("carol"));
  const declared = table.played(table.ann, 1, 1, SETUP);
  const settle = (): void => void table.rule({ settle: declared.id });
  settle();
  settle();
  table.close();
  settle();
  settle();
  assert.deepEqual(table.findings(), ["carol: ruling 5", "carol: ruling 5"]);
  const late = new HiddenTable(new Player("carol"));
  const shown = late.played(late.ann, 1, 1, SETUP);
  late.close();
  for (let k = 0; k < 2; k++) late.rule({ settle: shown.id });
  assert.deepEqual(late.findings(), ["carol: ruling 5"]);
});

test("a player turn has 64 segments", () => {
  const { course } = DivisionCommander.make(json(TERMS), json({}));
  if (course === undefined) throw new Error("no course");
  const taken = (segment: number, input: object): boolean => {
    const state = plain({ ...course.begins, awaits: { by: "ann", step: "move" }, segment }) as never;
    return attempt(() => course.turn(state, json({ ...input, intelligence: null, weather: null }))).ok;
  };
  assert.deepEqual([taken(63, ATTACKS), taken(64, ATTACKS), taken(64, MOVE)], [true, false, true]);
});
