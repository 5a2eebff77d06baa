import { exactly } from "./coin-envelopes.js";
import type { Awaits, Course, Step } from "./course.js";
import { checkCells, readRolls, readState, writeState } from "./icrk.js";
import { field, isList, isObject, makeObject, plain, type Json, type JsonObject } from "./json.js";
import { refuse } from "./refusal.js";
import { drawRoll, type Roll } from "./roll.js";
import { systemNamed, type System } from "./system.js";

/** Resolves an input with stated draws. Refuses with class `rule`. */
export function whatIf(given: Json): JsonObject {
  if (!isObject(given)) return refuse("rule", "a case is an object");
  const empty = makeObject([]);
  const whole = exactly(
    makeObject([["settings", empty], ["tables", empty], ["state", empty], ...Object.entries(given)]),
    ["draws", "input", "settings", "state", "system", "tables"],
    "a case",
  );
  const object = (name: string): JsonObject => {
    const value = field(whole, name);
    return isObject(value) ? value : refuse("rule", `${name} is no object`);
  };
  const name = field(whole, "system");
  const system = systemNamed(typeof name === "string" ? name : "");
  const settings = makeObject([...Object.entries(system.prefill(object("tables"))), ...Object.entries(object("settings"))]);
  const draws = field(whole, "draws");
  if (!isList(draws)) return refuse("rule", "the draws are no list");
  const made = system.make(settings, object("tables"));
  refuseHidden(made);
  if (made.course !== undefined) {
    const given = object("state");
    const state = Object.keys(given).length === 0 ? made.course.begins : made.course.checkState(given);
    const { step, trail, needs } = takeStep(made.course, state, object("input"), draws);
    return answer(step.state, step.public, needs, trail);
  }
  const reading = made.read(object("input"), false);

  let state: JsonObject = empty;
  if (system.source === "sheet") {
    const given = object("state");
    const depths = readState(Object.keys(given).length === 0 ? makeObject([["spent", empty]]) : given);
    const after = checkCells(readRolls(object("input"), false), (column) => depths.get(column) ?? 0);
    state = writeState(new Map([...depths, ...after]));
  } else if (Object.keys(object("state")).length > 0) {
    refuse("rule", "this system has no state");
  }
  const { drawn, trail } = takeDraws(reading.rolls, draws);
  return answer(state, reading.outcome(drawn), empty, trail);
}

function answer(state: JsonObject, shown: JsonObject, needs: JsonObject, trail: readonly Json[]): JsonObject {
  return makeObject([
    ["draws_used", trail.length],
    ["needs", needs],
    ["outcome", outcomeOf(needs)],
    ["private", makeObject([])],
    ["public", shown],
    ["state", state],
    ["trail", trail],
  ]);
}

/** A single case cannot show the result of a hidden course (hidden 1). */
export function refuseHidden({ course }: System): void {
  if (course?.hidden !== undefined) refuse("rule", "a hidden course has no such cases");
}

/** Who must still act in a turn: with a decision, or with another roll. */
export function needsOf(awaited: Awaits): JsonObject {
  if (awaited.is === "turn") return makeObject([]);
  return makeObject([[awaited.is === "decision" ? awaited.name : "more", awaited.by]]);
}

export function outcomeOf(needs: JsonObject): "done" | "needs" {
  return Object.keys(needs).length > 0 ? "needs" : "done";
}

/** The draws of all rolls, taken from a list of values. */
function takeDraws(rolls: readonly Roll[], draws: readonly Json[]): { readonly drawn: number[][]; readonly trail: readonly Json[] } {
  const trail: Json[] = [];
  const drawn = rolls.map((roll) =>
    drawRoll(roll, ({ sides, why }) => {
      const value = draws[trail.length];
      if (typeof value !== "number" || value < 1 || value > sides) return refuse("rule", `draw ${trail.length + 1} is not 1 to ${sides}`);
      trail.push(plain({ for: "all", n: trail.length + 1, sides, value, why }));
      return value;
    }).map((one) => one.value),
  );
  if (draws.length !== trail.length) refuse("rule", "draws are left over");
  return { drawn, trail };
}

function decided(input: JsonObject, name: string): Json {
  const decide = exactly(field(exactly(input, ["by", "decide"], "a decision"), "decide"), ["name", "value"], "a decision");
  if (field(decide, "name") !== name) refuse("rule", `the decision ${name} is awaited`);
  return field(decide, "value") ?? null;
}

/** The decision of a standing note (courses 14). */
function noted(course: Course, state: JsonObject, input: JsonObject, name: string): Json {
  const note = field(exactly(input, ["by", "note"], "a note"), "note");
  const wish = isObject(note) ? field(note, name) : undefined;
  if (wish === undefined) return refuse("rule", `the note does not decide ${name}`);
  return course.wished === undefined ? wish : course.wished(state, wish);
}

/** A declaration, decision or standing note in a course, as a what-if case states it. */
export function takeStep(course: Course, state: JsonObject, input: JsonObject, draws: readonly Json[]): { readonly step: Step; readonly needs: JsonObject; readonly trail: readonly Json[] } {
  const awaited = course.awaits(state);
  const by = field(input, "by");
  if (awaited.by === null ? typeof by !== "string" || !course.players.includes(by) : by !== awaited.by) refuse("rule", `it is ${awaited.by ?? "a player"} whose step is awaited`);
  let step: Step;
  let trail: readonly Json[] = [];
  if (awaited.is === "decision") {
    if (draws.length > 0) refuse("rule", "a decision rolls nothing");
    step = course.decide(state, awaited.name, field(input, "note") === undefined ? decided(input, awaited.name) : noted(course, state, input, awaited.name));
  } else {
    const read = exactly(makeObject([["orders", makeObject([])], ...Object.entries(input)]), ["by", "declare", "orders"], "a declaration");
    const [declared, orders] = [field(read, "declare"), field(read, "orders")];
    if (!isObject(declared) || !isObject(orders)) return refuse("rule", "an input and orders are objects");
    for (const role of Object.keys(orders)) if (course.takesOrders !== true || !course.players.includes(role)) refuse("rule", `${role} gives no orders`);
    const turn = course.turn(state, declared);
    const notes = new Map(Object.entries(orders));
    const taken = takeDraws(turn.rolls(notes), draws);
    trail = taken.trail;
    step = turn.after(taken.drawn, notes);
  }
  return { step, needs: needsOf(course.awaits(step.state)), trail };
}
