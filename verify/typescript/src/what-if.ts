import { exactly } from "./coin-envelopes.js";
import { checkCells, readRolls, readState, writeState } from "./icrk.js";
import { field, isList, isObject, makeObject, plain, type Json, type JsonObject } from "./json.js";
import { refuse } from "./refusal.js";
import { systemNamed } from "./system.js";

/** A resolver on stated draws: what an input would give if these were the dice. Refuses with class `rule`. */
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
  const settings = makeObject([...Object.entries(system.prefill), ...Object.entries(object("settings"))]);
  const reading = system.make(settings, object("tables")).read(object("input"), false);
  const draws = field(whole, "draws");
  if (!isList(draws)) return refuse("rule", "the draws are no list");

  let state: Json = empty;
  if (system.source === "sheet") {
    const given = object("state");
    const depths = readState(Object.keys(given).length === 0 ? makeObject([["spent", empty]]) : given);
    const after = checkCells(readRolls(object("input"), false), (column) => depths.get(column) ?? 0);
    state = writeState(new Map([...depths, ...after]));
  } else if (Object.keys(object("state")).length > 0) {
    refuse("rule", "this system has no state");
  }

  const trail: Json[] = [];
  const drawn: number[][] = [];
  for (const roll of reading.rolls) {
    const values: number[] = [];
    for (const sides of roll.sides) {
      const value = draws[trail.length];
      if (typeof value !== "number" || value < 1 || value > sides) return refuse("rule", `draw ${trail.length + 1} is not 1 to ${sides}`);
      values.push(value);
      trail.push(plain({ for: "all", n: trail.length + 1, sides, value, why: roll.why }));
    }
    drawn.push(values);
  }
  if (draws.length !== trail.length) refuse("rule", "draws are left over");
  return makeObject([
    ["draws_used", trail.length],
    ["needs", empty],
    ["outcome", "done"],
    ["private", empty],
    ["public", reading.outcome(drawn, null)],
    ["state", state],
    ["trail", trail],
  ]);
}
