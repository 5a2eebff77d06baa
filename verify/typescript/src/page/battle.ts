/** Describes the result of a round of a battle (cil.md 25). */
import { field, isObject, type Json, type JsonObject } from "../json.js";
import { say, type Line } from "./dom.js";
import { entriesOf, listOf, objectsOf, said } from "./read.js";

const REFUSED: Readonly<Record<string, string>> = {
  unknown: "none of this player’s living units has this name",
  place: "this order needs a location and has none, or has one and needs none",
  reserve: "units in the reserve do not fight",
  target: "its location cannot fire at that target",
  engagements: "too few engagements are left today",
  move: "units move only between the reserve and another location",
  overrun: "that location is OVERRUN",
  excess: "excess hits can only go to an adjacent location",
};
const FAILED: Readonly<Record<string, string>> = { attacked: "stays, because it was fired at", overrun: "stays, because that location is OVERRUN" };

function hits(n: string): string {
  return n === "1" ? "1 hit" : `${n} hits`;
}

function ofSide(one: JsonObject): string {
  return `the ${said(one, "on")}’s ${said(one, "at")}`;
}

function struck(one: Json): string {
  const [id, draw, what] = Array.isArray(one) ? one : [];
  return `${String(id)} ${String(what)}${draw === null ? "" : ` (drew ${String(draw)})`}`;
}

function hitsLine(one: JsonObject): Line {
  const from = said(one, "from");
  const those = listOf(one, "struck").map(struck);
  const more = [
    ...(said(one, "halved") === "0" ? [] : [`${said(one, "halved")} halved first`]),
    ...those,
    ...(said(one, "sent") === "0" ? [] : [`${said(one, "sent")} carried on from there`]),
    ...(said(one, "lost") === "0" ? [] : [`${said(one, "lost")} lost`]),
  ];
  return [`On ${ofSide(one)}${from === "" ? "" : `, from ${from}`}: ${hits(said(one, "hits"))}${more.length === 0 ? "" : `: ${more.join(", ")}`}.`];
}

function phaseLines(all: JsonObject, phase: string): Line[] {
  const of = (name: string): readonly JsonObject[] => objectsOf(all, name).filter((one) => said(one, "phase") === phase);
  const lines = [
    ...of("fires").map((one): Line => [`${said(one, "unit")} fires at ${said(one, "at")} with ${said(one, "value")}: ${hits(said(one, "hits"))}.`]),
    ...of("absorbs").map((one): Line => [`${said(one, "unit")} absorbs with ${said(one, "value")}: ${said(one, "points")}.`]),
    ...of("hits").map(hitsLine),
    ...of("overrun").map((one): Line => [`OVERRUN: ${ofSide(one)}.`]),
  ];
  return lines.length === 0 ? [] : [[phase === "combat" ? "The Combat Phase:" : "The Assault Combat Phase:"], ...lines];
}

export function battleLines(all: JsonObject, person: (role: string) => string): Line[] {
  const lines: Line[] = [say`Battle ${said(all, "battle")}, day ${said(all, "day")}, round ${said(all, "round")}.`];
  for (const one of objectsOf(all, "refused")) lines.push(say`${person(said(one, "author"))}’s order for ${said(one, "entry")} is refused: ${[REFUSED[said(one, "why")] ?? ""]}.`);
  lines.push(...phaseLines(all, "combat"), ...phaseLines(all, "assault"));
  for (const one of objectsOf(all, "moves")) lines.push([`${said(one, "unit")} ${FAILED[said(one, "failed")] ?? `moves to ${said(one, "to")}`}.`]);
  for (const one of listOf(all, "changed")) {
    const [id, before, after, was, is] = Array.isArray(one) ? one.map(String) : [];
    lines.push([`${id ?? ""}: strength ${before === after ? before ?? "" : `${before ?? ""} to ${after ?? ""}`}, Effectiveness ${was === is ? was ?? "" : `${was ?? ""} to ${is ?? ""}`}.`]);
  }
  const casualties = field(all, "casualties");
  if (isObject(casualties)) {
    for (const side of ["attacker", "defender"]) {
      const lost = entriesOf(casualties, side);
      if (lost.length > 0) lines.push([`Casualties of the ${side}: ${lost.map(([kind, n]) => `${String(n)} ${kind}`).join(", ")}.`]);
    }
  }
  const ended = said(all, "ended");
  if (ended !== "") lines.push([ended === "day" ? "The day is over." : "The battle is over."]);
  const back = entriesOf(all, "recovered");
  if (back.length > 0) lines.push([`Recovered: ${back.map(([id, n]) => `${String(n)} of ${id}`).join(", ")}.`]);
  return lines;
}
