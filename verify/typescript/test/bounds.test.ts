/** Files at their limits: how long a turn takes, and what a hostile charter costs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Course } from "../src/course.js";
import { plain, type JsonObject } from "../src/json.js";
import { drawRoll } from "../src/roll.js";
import { systemNamed } from "../src/system.js";

type Tree = Record<string, unknown>;
const SETTINGS = { first: "north", sides: { north: "ann", south: "bob" } };
const BASE = { title: "bounds", source: "test", sides: ["north", "south"], main: { north: "t", south: "t" } };

function courseOf(file: Tree): Course {
  const { course } = systemNamed("event-tables").make(plain(SETTINGS) as never, plain({ "event-tables": file }) as never);
  if (course === undefined) throw new Error("no course");
  return course;
}

function men(n: number): object[] {
  return Array.from({ length: n }, (_, i) => ({ n: 1, name: `m${i}` }));
}

function seconds(what: () => void): number {
  const before = performance.now();
  what();
  return (performance.now() - before) / 1000;
}

/** Declares, with the lowest dice, and returns the state afterwards. */
function played(course: Course, state: JsonObject, input: object): JsonObject {
  const turn = course.turn(state, plain(input) as never);
  const draws = turn.rolls(new Map()).map((roll) => drawRoll(roll, () => 1).map(({ value }) => value));
  return turn.after(draws, new Map()).state;
}

function inputOf(man: object[]): object {
  return { facts: {}, roster: { man } };
}

test("a turn at the limit of looks stays within the time limit", () => {
  const where = Array.from({ length: 16 }, () => "n >= e.n").join(", ");
  const file = {
    ...BASE,
    kinds: { man: { attributes: { n: { values: "0..9" } }, marks: ["m"], implies: { m: "gone" } } },
    tables: { t: { dice: "d2", rows: { "1-2": "e" } } },
    each_turn: { north: ["each"] },
    events: {
      e: { steps: [{ do: "pick", kind: "man", as: "e" }, ...Array.from({ length: 59 }, () => ({ do: "need", kind: "man", where }))] },
      each: { each: "man", steps: [{ do: "tell", say: "he" }] },
    },
  };
  const course = courseOf(file);
  const took = seconds(() => void played(course, course.begins, inputOf(men(1_023))));
  assert.ok(took < 10, `${took} s`);
});

test("a turn can draw 4,096 dice, including those of the main run, and no more", () => {
  const named = (to: string, n: number): object => Object.fromEntries(Array.from({ length: n }, (_, i) => [to + i, { dice: "3d6", rows: { "3-18": i + 1 < n ? to + (i + 1) : "e" } }]));
  const file = {
    ...BASE,
    main: { north: "one", south: "two" },
    kinds: { man: { attributes: { n: { values: "0..9" } }, marks: ["m"] } },
    tables: { one: { dice: "d6", rows: { "1-6": "nothing" } }, two: { dice: "2d6", rows: { "2-12": "nothing" } }, ...named("t", 21) },
    each_turn: { north: ["each"], south: ["each"] },
    events: { e: { steps: [{ do: "need", kind: "man", where: "n > 9" }] }, each: { each: "man", steps: [{ do: "go", to: "t0" }] } },
  };
  const course = courseOf(file);
  // 65 runs of 63 dice, and the main run.
  const next = played(course, course.begins, inputOf(men(65)));
  assert.throws(() => course.turn(next, plain(inputOf(men(65))) as never));
  played(course, next, inputOf(men(64)));
});

test("a turn with the most and longest runs is played quickly", () => {
  const way = Array.from({ length: 126 }, (_, i) => [`w${i}`, { limit: 9999, steps: [{ do: "go", to: i < 125 ? `w${i + 1}` : "late" }] }] as const);
  const file = {
    ...BASE,
    kinds: { man: { attributes: { n: { values: "0..9" } }, marks: ["m"] } },
    tables: { t: { dice: "d2", rows: { "1-2": "late" } } },
    each_turn: { north: ["each"] },
    events: { ...Object.fromEntries(way), each: { each: "man", steps: [{ do: "go", to: "w0" }] }, late: { steps: [{ do: "write", by: "owner", ask: "line", parts: "a", at_most: 1 }] } },
  };
  const course = courseOf(file);
  let state = course.begins;
  const took = seconds(() => {
    state = played(course, state, inputOf(men(1_023)));
    for (let k = 0; k < 100; k++) {
      const awaited = course.awaits(state);
      assert.ok(awaited.is === "decision");
      state = course.decide(state, awaited.name, plain([["x"]])).state;
    }
  });
  assert.ok(took < 20, `${took} s`);
});

test("a turn does not read everything that earlier turns established", () => {
  const file = {
    ...BASE,
    kinds: { man: { attributes: { n: { values: "0..9" } }, marks: ["m"], lasts: "roster" }, other: { attributes: { n: { values: "0..9" } }, marks: ["o"] } },
    tables: { t: { dice: "d2", rows: { "1-2": "nothing" } } },
    each_turn: { north: ["each"], south: ["each"] },
    events: { each: { each: "other", steps: [{ do: "mark", mark: "o", on: "other", set: 1 }] }, never: { steps: [{ do: "need", kind: "man" }] } },
    main: { north: "t", south: "never" },
  };
  const course = courseOf(file);
  let state = course.begins;
  const took = seconds(() => {
    for (let turn = 0; turn < 40; turn++) {
      const other = Array.from({ length: 1_000 }, (_, i) => ({ n: 1, name: `${turn} ${i}` }));
      state = played(course, state, { facts: {}, roster: { man: [], other } });
    }
  });
  assert.ok(took < 20, `${took} s`);
});

test("a file with many kinds and asks is read quickly", () => {
  const kinds = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, {}] as const));
  const events = Object.fromEntries(Array.from({ length: 120 }, (_, e) => [`e${e}`, { steps: Array.from({ length: 64 }, (_, s) => ({ do: "write", by: "owner", ask: `a${e}-${s}`, parts: "a", at_most: 1 })) }] as const));
  const took = seconds(() => void assert.throws(() => courseOf({ ...BASE, kinds, events, tables: { t: { dice: "d2", rows: { "1-2": "e0" } } } })));
  assert.ok(took < 10, `${took} s`);
});
