/** Battles: properties of every round, with any orders and dice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CastIronLife } from "../src/cil.js";
import { LOCATIONS } from "../src/cil-terms.js";
import type { Course, Step } from "../src/course.js";
import type { Json, JsonObject } from "../src/json.js";
import { drawRoll } from "../src/roll.js";
import { Chance } from "./mess.js";
import { json } from "./players.js";

interface Unit {
  readonly id: string;
  readonly strength: number;
  readonly effectiveness: number;
  readonly at: string;
}
interface Seen {
  readonly units: { readonly attacker: readonly Unit[]; readonly defender: readonly Unit[] };
  readonly overrun: { readonly attacker: readonly string[]; readonly defender: readonly string[] };
  readonly pending: { readonly awaits: string } | null;
}
interface Hits {
  readonly halved: number;
  readonly hits: number;
  readonly lost: number;
  readonly sent: number;
  readonly struck: readonly (readonly [string, number | null, string])[];
}

function force(chance: Chance, prefix: string, most: number): object[] {
  return Array.from({ length: 1 + chance.below(most) }, (_, i) => ({
    at: chance.one(LOCATIONS),
    attack: chance.below(41),
    defense: chance.often(40) ? 0 : chance.below(41),
    effectiveness: chance.below(101),
    id: `${prefix}${i}`,
    kind: chance.one(["infantry", "armor"]),
    strength: 1 + chance.below(chance.often(50) ? 4 : 60),
  }));
}

function settings(chance: Chance, most: number, more: object = {}): object {
  return {
    assault_cost: 1 + chance.below(2),
    attacker: "ann",
    chain: chance.often(50),
    defender: "bob",
    effectiveness: chance.one(["points", "relative"]),
    facing: chance.one(["any", "mirror", "same"]),
    forces: { attacker: force(chance, "a", most), defender: force(chance, "b", most) },
    mixed: chance.one(["off", "table"]),
    overrun: chance.one(["any", "targeted"]),
    probe: chance.one(["alternate", "hits_floor"]),
    recover_pct: chance.below(101),
    scale_values: chance.often(50),
    season: chance.one(["fall", "spring", "summer", "winter"]),
    spill_absorbs: chance.often(50),
    ...more,
  };
}

const TABLES = { "cil-mixed": { infantry: { infantry: 3, armor: 0 }, armor: { infantry: 1, armor: 2 } } };

function orders(chance: Chance, units: readonly Unit[]): Json {
  const fights = units.flatMap(({ id }) => {
    const order = chance.one(["attack", "assault", "assault", "probe", "dig-in", "move", "hold"]);
    const needs = order !== "dig-in" && order !== "hold";
    return chance.often(90) ? [[id, { order, at: needs !== chance.often(5) ? chance.one(LOCATIONS) : null }] as const] : [];
  });
  const excess = LOCATIONS.filter(() => chance.often(70)).map((at) => [at, chance.one([...LOCATIONS, "none"])] as const);
  return json({ excess: Object.fromEntries(excess), orders: Object.fromEntries(fights) });
}

function round(course: Course, state: JsonObject, notes: ReadonlyMap<string, Json>, die: (sides: number) => number): { readonly step: Step; readonly drawn: readonly (readonly number[])[] } {
  const turn = course.turn(state, json({}));
  const drawn = turn.rolls(notes).map((roll) => drawRoll(roll, ({ sides }) => die(sides)).map(({ value }) => value));
  return { step: turn.after(drawn, notes), drawn };
}

function checkRound(before: Seen, after: Seen, shown: { readonly hits: readonly Hits[]; readonly ended: string | null; readonly recovered: Record<string, number> }): void {
  const strength = (units: readonly Unit[]): number => units.reduce((sum, one) => sum + one.strength, 0);
  let casualties = 0;
  for (const { halved, hits, lost, sent, struck } of shown.hits) {
    assert.equal(hits, halved + lost + sent + struck.length);
    casualties += struck.filter(([, , what]) => what === "casualty").length;
  }
  for (const [i, { sent }] of shown.hits.entries()) if (sent > 0) assert.equal(shown.hits[i + 1]?.hits, sent);
  const back = Object.values(shown.recovered).reduce((sum, n) => sum + n, 0);
  assert.equal(strength(before.units.attacker) + strength(before.units.defender), strength(after.units.attacker) + strength(after.units.defender) + casualties - back);
  for (const side of ["attacker", "defender"] as const) {
    assert.deepEqual(after.units[side].map(({ id }) => id), before.units[side].map(({ id }) => id));
    for (const one of after.units[side]) {
      assert.ok(one.strength >= 0 && one.effectiveness >= 0 && one.effectiveness <= 100);
      assert.ok(one.strength === 0 || !after.overrun[side].includes(one.at));
    }
    if (shown.ended !== "battle") for (const at of before.overrun[side]) assert.ok(after.overrun[side].includes(at));
  }
}

test("hits add up, nothing is negative, and every state is valid", () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 150; seed++) {
    const chance = new Chance(seed);
    const { course } = CastIronLife.make(json(settings(chance, 6)), json(TABLES));
    assert.ok(course !== undefined);
    let state = course.begins;
    for (let i = 0; i < 12; i++) {
      const now = state as unknown as Seen;
      assert.deepEqual(course.checkState(state), state);
      const awaited = course.awaits(state);
      if (awaited.is === "decision") {
        seen.add(awaited.name);
        const proposal = { attacker: chance.one(["ann", "bob"]), forces: { attacker: force(chance, "c", 3), defender: force(chance, "d", 3) }, season: "summer" };
        const value = awaited.name === "night" ? chance.one(["on", "end"]) : awaited.name === "agree" ? chance.often(70) : json(proposal);
        state = course.decide(state, awaited.name, value).state;
        continue;
      }
      const notes = new Map<string, Json>([["ann", orders(chance, [...now.units.attacker, ...now.units.defender])], ["bob", orders(chance, now.units.defender)]]);
      const { step, drawn } = round(course, state, notes, (sides) => 1 + chance.below(sides));
      const shown = step.public as unknown as Parameters<typeof checkRound>[2] & { readonly overrun: readonly { readonly phase: string }[] };
      checkRound(now, step.state as unknown as Seen, shown);
      if ((drawn[1]?.length ?? 0) > 0) seen.add("assault");
      if (shown.overrun.length > 0) seen.add("overrun");
      if (shown.hits.some(({ sent }) => sent > 0)) seen.add("excess");
      for (const { struck } of shown.hits) for (const [, , what] of struck) seen.add(what);
      for (const violation of step.violations ?? []) seen.add(violation.text.split(": ").at(-1) ?? "");
      state = step.state;
    }
  }
  for (const what of ["night", "battle", "agree", "assault", "overrun", "excess", "absorbed", "halved", "casualty", "unknown", "place", "reserve", "target", "engagements", "move", "excess"]) assert.ok(seen.has(what), what);
});

test("a line is asked for die by die, and can be restarted", () => {
  const chance = new Chance(7);
  const { course } = CastIronLife.make(json(settings(chance, 5, { season: "summer", mixed: "off" })), json({}));
  assert.ok(course !== undefined);
  const { units } = course.begins as unknown as Seen;
  const notes = new Map<string, Json>([["ann", json({ excess: {}, orders: Object.fromEntries(units.attacker.filter(({ at }) => at !== "reserve").map(({ id }) => [id, { at: "main", order: "assault" }])) })]]);
  const rolls = course.turn(course.begins, json({})).rolls(notes);
  const once = rolls.map((roll) => drawRoll(roll, () => 1).map(({ why }) => why));
  assert.ok((once[0]?.length ?? 0) > 0);
  assert.deepEqual(rolls.map((roll) => drawRoll(roll, () => 1).map(({ why }) => why)), once);
  // The second line asks for nothing before the first is drawn.
  assert.equal(course.turn(course.begins, json({})).rolls(notes)[1]?.next([]), null);
});

test("a round with four hundred units is fast", () => {
  const side = (prefix: string): object[] => Array.from({ length: 200 }, (_, i) => ({ at: "main", attack: 40, defense: 40, effectiveness: 100, id: `${prefix}${i}`, kind: "infantry", strength: 9_999 }));
  const { course } = CastIronLife.make(json(settings(new Chance(1), 1, { facing: "any", mixed: "table", scale_values: false, season: "summer", forces: { attacker: side("a"), defender: side("b") } })), json(TABLES));
  assert.ok(course !== undefined);
  const all = (prefix: string): Json => json({ excess: {}, orders: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${prefix}${i}`, { at: "main", order: "assault" }])) });
  const began = performance.now();
  const { drawn } = round(course, course.begins, new Map([["ann", all("a")], ["bob", all("b")]]), () => 1);
  assert.ok((drawn[0]?.length ?? 0) > 30_000 && (drawn[0]?.length ?? 0) <= 48_000);
  assert.ok(performance.now() - began < 10_000);
});
