/** Games of event tables, and invalid table files. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeJson, plain } from "../src/json.js";
import { EventFile } from "../src/event-file.js";
import { attempt } from "../src/refusal.js";
import { systemNamed } from "../src/system.js";
import { initiative } from "./courses.js";
import { COMPANIES, CROSSING, Crossing, NOTHING, sidePhase, vector, type Tree } from "./crossing.js";

test("the enemy names two, the owner one, and more dice pick one of them", () => {
  const table = new Crossing();
  const { ann, bob } = table;
  const first = table.roll(ann, table.sealed("north", 1), table.place("north", 1), table.input(), 100, (die) => die > 90);
  assert.deepEqual((table.pending() as { runs: { event: string }[] }).runs.map((one) => one.event), ["ambuscade"]);
  table.decides(bob, table.place("north", 1), "ambuscade-enemy", ["B", "A"]);
  table.meet();
  table.roll(ann, table.sealed("north", 1, 2), table.place("north", 1, 2), NOTHING, 3, () => true, false);
  assert.deepEqual(table.findings(), ["ann: declare 14"]);
  table.decides(ann, table.place("north", 1), "ambuscade-owner", ["D"]);
  table.meet();
  assert.ok(table.report().open.some((one) => one.what === "more" && one.id === first.id));
  table.roll(bob, table.sealed("south", 1), table.place("south", 1), table.input(), 100, () => true, false);
  table.roll(ann, table.sealed("north", 1, 3), table.place("north", 1, 3), NOTHING, 3, (die) => die === 3);
  assert.deepEqual(table.findings(), ["ann: declare 14", "bob: declare 14"]);
  assert.deepEqual((table.state() as { entries: unknown }).entries, { "north/company/D": { tired: 2 } });
  assert.deepEqual(table.report().rolls.map((one) => [one.slot, one.sides, one.why]), [["1/1/north/1", 100, "fortunes (house)"], ["1/1/north/3", 3, "company"]]);
  assert.equal(table.pending(), null);
});

test("a standing note decides when its author is asked", () => {
  const table = new Crossing();
  const set = table.sealed("north", 1);
  const note = table.note(table.bob, "1/1/north/1/standing", '{"ambuscade-enemy":["C","X","B"]}');
  table.meet();
  const declared = table.roll(table.ann, set, table.place("north", 1), table.input(COMPANIES), 100, (die) => die > 90);
  const awaited = (): readonly (string | null)[] => table.report().open.map(({ what, who }) => `${what} ${who ?? ""}`).filter((one) => /^(note|decide|more)/u.test(one));
  assert.deepEqual(awaited(), ["note bob"]);
  table.open(table.bob, note, declared);
  assert.deepEqual(awaited(), ["decide ann"]);
  assert.deepEqual(table.report().rolls.map((one) => [one.sides, one.why]), [[100, "fortunes (house)"]]);
  assert.deepEqual(table.findings(), []);
});

test("a charter has two phases of event tables, with the same settings", () => {
  const other = { settings: { ...vector.given.settings, fog: false } };
  for (const phases of [[sidePhase("north", 1)], [sidePhase("north", 1), sidePhase("south", 2, other)], [sidePhase("north", 1), sidePhase("south", 2, { impulses: [2, 3] })]]) {
    const [game] = (() => {
      const table = new Crossing(phases);
      return [table.report()];
    })();
    assert.equal(game?.verdict, "refuted");
  }
});

/** All positions in a file. */
function* placesIn(value: unknown, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* placesIn(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

test("a file changed at any position is refused with class rule, or is still valid", () => {
  const wrong: unknown[] = [null, 0, -1, 10_000, true, "", "x", "nothing", "constructor", "__proto__", "d1", "1-2", "a.b", "not x", [], ["x"], [null], {}, { x: 1 }];
  let refused = 0;
  let all = 0;
  for (const path of placesIn(CROSSING)) {
    for (const value of wrong) {
      const file = structuredClone(CROSSING);
      let at: Tree = { file };
      const keys = ["file", ...path];
      for (const key of keys.slice(0, -1)) at = at[key] as Tree;
      at[keys.at(-1) ?? ""] = value;
      const made = attempt(() => new EventFile(plain((at["file"] ?? null) === null ? value : file)));
      all++;
      if (made.ok) continue;
      refused++;
      assert.equal(made.class, "rule");
    }
  }
  assert.ok(refused > all * 0.8 && refused < all);
});

test("a state changed at any position is refused, or can be played on", () => {
  const { course } = systemNamed("event-tables").make(plain(vector.given.settings) as never, plain({ "event-tables": CROSSING }) as never);
  if (course === undefined) throw new Error("no course");
  const input = plain({ facts: { river: 8 }, roster: { company: COMPANIES } });
  const drawn = [[95]];
  const state = course.turn(course.begins, input as never).after(drawn, new Map()).state;
  for (const path of placesIn(state)) {
    for (const value of [null, 0, 1, 3, 10_000, true, "x", "A", "ambuscade", "__proto__", [], ["A"], {}, { A: 1 }]) {
      const changed = { state: JSON.parse(encodeJson(state)) as Tree };
      let at: Tree = changed;
      const keys = ["state", ...path];
      for (const key of keys.slice(0, -1)) at = at[key] as Tree;
      at[keys.at(-1) ?? ""] = value;
      const made = attempt(() => course.checkState(plain(changed.state)));
      if (!made.ok) continue;
      const awaited = course.awaits(made.value);
      if (awaited.is === "decision") attempt(() => course.decide(made.value, awaited.name, ["A", "B"]));
      else attempt(() => course.turn(made.value, input as never).after([[95, 1, 1, 1]], new Map()));
    }
  }
});

test("names of decisions differ, and the ask of a pool counts as two", () => {
  const withAsk = (event: string, step: number, ask: string): boolean => {
    const file = structuredClone(CROSSING) as { events: Record<string, { steps: { ask?: string }[] }> };
    const at = file.events[event]?.steps[step];
    if (at !== undefined) at.ask = ask;
    return attempt(() => new EventFile(plain(file))).ok;
  };
  assert.ok(withAsk("scouts", 1, "other"));
  for (const ask of ["more", "ambuscade", "ambuscade-enemy", "ambuscade-owner", "fogbound", "tired"]) assert.ok(!withAsk("scouts", 1, ask), ask);
  assert.ok(!withAsk("ambuscade", 0, "a".repeat(27)));
});

test("a fact that a letter leaves out is not stated, and a redo may state it", () => {
  const table = new Crossing();
  const set = table.sealed("north", 1);
  table.roll(table.ann, set, table.place("north", 1), { facts: {}, roster: { company: [] } }, 100, () => true, false);
  assert.deepEqual(table.findings(), ["ann: declare 15"]);
  const other = new Crossing();
  other.roll(other.ann, other.sealed("north", 1), other.place("north", 1), { facts: { river: 13 }, roster: { company: [] } }, 100, () => true, false);
  assert.deepEqual(other.findings(), ["ann: declare 4"]);
});

/** Two turns of events, then the initiative of the second turn, for which Ann has moved. */
class TwoCourses extends Crossing {
  readonly events: string[] = [];

  constructor() {
    super([sidePhase("north", 1), sidePhase("south", 2), initiative(undefined, { impulses: [3] })]);
    for (const turn of [1, 2]) for (const side of ["north", "south"] as const) this.events.push(this.quiet(side, turn));
  }

  /** A turn without an event. */
  quiet(side: "north" | "south", turn: number, number = 1): string {
    return this.roll(side === "north" ? this.ann : this.bob, this.sealed(side, turn, number), this.place(side, turn, number), this.input(), 100, (die) => die <= 25).id;
  }

  leads(number = 1): string {
    const set = this.seal(this.bob, "plain", `2/3/initiative/${number}`, "ann", 1);
    this.meet();
    const declared = this.initiative(this.ann, set, { ...this.slot(2, number), impulse: 3 }, (by) => by >= 0, { order: "first" });
    this.meet();
    this.open(this.bob, set, declared);
    this.meet();
    return declared.id;
  }

  voids(declaration: string): string {
    const asked = this.sign(this.ann, "correct", { void: { reason: "r", scope: { declaration } } }).id;
    this.meet();
    return asked;
  }

  answers(answer: object): void {
    this.sign(this.bob, "correct", answer);
    this.meet();
  }
}

test("later dice in another course are voided first", () => {
  const table = new TwoCourses();
  const south = table.events[3] ?? "";
  const led = table.leads();
  assert.deepEqual(table.findings(), []);
  table.voids(south);
  assert.deepEqual(table.findings(), ["ann: correct 5"]);
  table.answers({ accept: table.voids(led) });
  table.answers({ accept: table.voids(south) });
  assert.deepEqual(table.findings(), ["ann: correct 5"]);
  // Earlier dice stand.
  table.quiet("south", 2, 2);
  table.leads(2);
  assert.deepEqual(table.findings(), ["ann: correct 5"]);
});

test("a player with a proposal in one course declares in no course before it is answered", () => {
  for (const answered of [false, true]) {
    const table = new TwoCourses();
    const set = table.seal(table.bob, "plain", "2/3/initiative/1", "ann", 1);
    table.meet();
    // A record does not ask for anything.
    table.sign(table.ann, "correct", { propose: { at_fault: "bob", class: "illegal-odds", declaration: table.events[2] ?? "", input: null, reason: "" } });
    const asked = table.voids(table.events[3] ?? "");
    if (answered) table.answers({ refuse: asked });
    table.initiative(table.ann, set, { ...table.slot(2), impulse: 3 }, (by) => by >= 0);
    assert.deepEqual(table.findings(), answered ? [] : ["ann: declare 16"]);
  }
});

/** A file with a chain of events, the given number of steps in each, and a roster kind. */
function chain(events: number, steps: readonly object[], modifiers = 0): Tree {
  const those = Object.fromEntries(Array.from({ length: events }, (_, i) => [`e${i}`, { steps: [...steps, i + 1 < events ? { do: "go", to: `e${i + 1}` } : { do: "tell", say: "the end" }] }]));
  return {
    title: "a chain", source: "test", sides: ["north", "south"], main: { north: "t", south: "t" },
    tables: { t: { dice: "d2", rows: { "1": "e0", "2": "nothing" }, ...(modifiers === 0 ? {} : { modifiers: Array.from({ length: modifiers }, () => "1 if turn = 1") }) } },
    events: those, kinds: { man: { attributes: { n: { values: "0..9" } }, marks: ["m"] } },
  };
}

test("a run takes at most 256 steps", () => {
  const need = { do: "need", kind: "man" };
  const made = (events: number, steps: number, modifiers: number): boolean => attempt(() => new EventFile(plain(chain(events, Array.from({ length: steps }, () => need), modifiers)))).ok;
  // The table, its modifiers, and for each event its steps and the transition.
  assert.ok(made(15, 16, 0));
  assert.ok(!made(15, 17, 0));
  assert.ok(made(3, 63, 63));
  assert.ok(!made(3, 63, 64));
});

test("a turn looks at entries at most 1,048,576 times", () => {
  const terms = Array.from({ length: 15 }, () => "n >= 0").join(", ");
  const settings = { first: "north", sides: { north: "ann", south: "bob" } };
  const turn = (steps: number, men: number, where: string): boolean => {
    const file = chain(1, Array.from({ length: steps }, () => ({ do: "pick", kind: "man", where, optional: true })));
    const { course } = systemNamed("event-tables").make(plain(settings) as never, plain({ "event-tables": { ...file, each_turn: { north: ["each"] }, events: { ...(file["events"] as object), each: { each: "man", steps: [{ do: "need", kind: "man", where }] } } } }) as never);
    const man = Array.from({ length: men }, (_, i) => ({ name: `m${i}`, n: 1 }));
    return course !== undefined && attempt(() => course.turn(course.begins, plain({ facts: {}, roster: { man } }) as never)).ok;
  };
  // 248 men with 248 runs of 17 looks, and one more run of 17 looks: 248 * 249 * 17 = 1,049,784.
  assert.ok(!turn(1, 248, `${terms}, n <= 9`));
  assert.ok(turn(1, 247, `${terms}, n <= 9`));
  // 256 men with 256 runs of 16 looks, and no looks in the main run.
  assert.ok(!turn(1, 256, terms));
  assert.ok(turn(1, 255, terms));
});

test("written texts have no blanks at their ends", () => {
  for (const [hex, ok] of [["0101", true], [" 0101", false], ["0101 ", false], ["01 01", true]] as const) {
    const table = new Crossing();
    table.roll(table.ann, table.sealed("north", 1), table.place("north", 1), table.input(), 100, (die) => die > 75 && die <= 90);
    table.decides(table.ann, table.place("north", 1), "question", [[hex]]);
    assert.deepEqual(table.findings(), ok ? [] : ["ann: decide 5"]);
  }
});
