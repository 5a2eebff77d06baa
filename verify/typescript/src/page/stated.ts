/** Describes what a declaration of NATO Division Commander states, in the words of that game’s rules. */
import { field, isList, isObject, type Json, type JsonObject } from "../json.js";
import { say, type Line } from "./dom.js";
import { entriesOf, listOf, objectsOf, said } from "./read.js";

function many(items: readonly Json[], none: string): string {
  return items.length === 0 ? none : items.map(String).join(", ");
}

function points(n: string): string {
  return n === "1" ? "1 point" : `${n} points`;
}

const CHEMICALS: Readonly<Record<string, string>> = { used: ", with chemicals", persistent: ", with persistent chemicals" };

function support(name: string, one: JsonObject, amount: string): string[] {
  const [ew, used] = [said(one, "ew_attacks"), CHEMICALS[said(one, "chemical")] ?? ""];
  return [
    said(one, amount) === "0" ? `no ${name}` : `${name} of ${points(said(one, amount))}${used}`,
    ...(ew === "0" || ew === "" ? [] : [`${ew} EW ${ew === "1" ? "attack" : "attacks"}`]),
  ];
}

function contactLine(name: string, shown: Json): Line {
  if (!isObject(shown)) return [name];
  const more = [said(shown, "kind"), said(shown, "designation"), said(shown, "mode"), said(shown, "to") === "" ? "" : `T/O ${said(shown, "to")}`].filter((one) => one !== "");
  return say`Contact ${name} is on ${many(listOf(shown, "hexes"), "")}${[more.length === 0 ? "" : ` (${more.join(", ")})`]}.`;
}

function combatLine(one: JsonObject, i: number): Line {
  if (said(one, "kind") === "counter-battery") return say`Combat ${i + 1}: counter-battery fire on ${said(one, "target")} with ${[points(said(one, "points"))]}.`;
  const who = said(one, "contact") === "" ? "a unit that is not shown" : said(one, "contact");
  const ew = said(one, "ew_attacks") === "0" ? "" : ` at EW superiority ${said(one, "ew_superiority")}`;
  const parts = [`total ${said(one, "total")}`, ...support("barrage", one, "barrage"), `EW level ${said(one, "ew_level")}`].join(", ");
  return say`Combat ${i + 1}: ${[who]} ${[field(one, "assault") === true ? "assaults" : "probes"]} ${said(one, "target")} from ${said(one, "from")}: ${[parts, ew]}.`;
}

const RESULTS: Readonly<Record<string, string>> = { abort: "it is aborted", cancelled: "it is cancelled, because the attacker was halted", empty: "the hex is empty", fought: "it is fought", overrun: "the defender is overrun" };

function outcomeLine(one: JsonObject, i: number): Line {
  if (field(one, "loss") !== undefined) return said(one, "loss") === "" ? say`Combat ${i + 1}: the result of counter-battery fire is not stated.` : say`Combat ${i + 1}: counter-battery fire costs T/O ${said(one, "loss")}.`;
  const result = said(one, "result");
  const none = result === "cancelled" || result === "empty";
  const defender = field(one, "defender");
  const retreat = said(one, "retreat");
  const gone = isObject(defender) ? listOf(defender, "hexes") : [];
  const parts = [
    RESULTS[result] ?? result,
    ...(none ? [] : support("final protective fire", one, "fpf")),
    ...(none ? [] : [`the attacker is at EW level ${said(one, "ew_level")}, and loses ${said(one, "attacker_loss")}`]),
    ...(retreat === "" ? [] : [`the attacker retreats to ${retreat}`]),
    ...(field(one, "advance") === true ? ["the attacker advances"] : []),
    ...(isObject(defender) ? [`the defender loses ${said(defender, "loss")}${gone.length === 0 ? "" : ` and retreats along ${many(gone, "")}`}`] : none || result === "abort" ? [] : ["the defender’s result is not stated"]),
    ...(field(one, "breakthrough") === true ? ["there is a breakthrough"] : []),
  ];
  return say`Combat ${i + 1}: ${[parts.join("; ")]}.`;
}

function move(input: JsonObject): Line[] {
  const lines: Line[] = [];
  const weather = field(input, "weather");
  if (isList(weather)) lines.push(say`The weather: ${[many(weather, "clear")]}.`);
  for (const [name, path] of entriesOf(input, "paths")) if (isList(path)) lines.push(say`Contact ${name} moves along ${many(path, "")}.`);
  const entered = listOf(input, "entries");
  if (entered.length > 0) lines.push(say`Somebody entered ${many(entered, "")}.`);
  const combats = objectsOf(input, "combats");
  const interdictions = objectsOf(input, "interdictions");
  lines.push(...combats.map(combatLine));
  for (const one of interdictions) lines.push(say`Interdiction of ${said(one, "target")} with ${[points(said(one, "points"))]}: markers ${said(one, "markers")}.`);
  if (combats.length + interdictions.length === 0) lines.push(say`There is no combat: the player turn is over.`);
  return lines;
}

/** Describes what a declaration states, one sentence for each fact. */
export function statedLines(input: JsonObject): Line[] {
  const lines: Line[] = [];
  const intelligence = field(input, "intelligence");
  if (isObject(intelligence)) lines.push(say`Operational intelligence at level ${said(intelligence, "level")}; searched: ${[many(listOf(intelligence, "sectors"), "no sector")]}.`);
  switch (said(input, "step")) {
    case "setup":
      lines.unshift(say`The units are set up.`);
      break;
    case "move":
      lines.push(...move(input));
      break;
    case "defend":
      objectsOf(input, "combats").forEach((one, i) => {
        if (Object.keys(one).length > 0) lines.push(say`Against combat ${i + 1}: ${[support("final protective fire", one, "fpf").join(", ")]}.`);
      });
      break;
    case "report":
      for (const one of objectsOf(input, "halts")) lines.push(say`Contact ${said(one, "contact")} is halted on ${said(one, "hex")}, from ${said(one, "by")}.`);
      lines.push(...objectsOf(input, "combats").map(outcomeLine));
  }
  for (const [name, shown] of entriesOf(input, "contacts")) lines.push(contactLine(name, shown));
  const rolled = said(input, "rolled");
  if (rolled !== "") lines.push(say`Intelligence look-ups: ${rolled}.`);
  return lines;
}
