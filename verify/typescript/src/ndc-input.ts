/** ndc.md 6 to 11: the form of declarations (declare 4). Every refusal has class `rule`. */
import { field, type JsonObject } from "./json.js";
import { hex, unitName, type Settings } from "./ndc-settings.js";
import { form, no, shaped } from "./rule-shape.js";
import { ascending, bool, integer, list, mapOf, nothing, nullable, record, word, type Read, type Shape } from "./shape.js";

export const KINDS = ["setup", "move", "defend", "report"] as const;

const POINTS = integer(0, 999);
const contactName = form(/^c[1-9][0-9]{0,4}$/, "name of a contact");
export const chemical = word("none", "persistent", "used");

export function contactNumber(name: string): number {
  return Number(name.slice(1));
}

function different(shape: Shape<readonly string[]>): Shape<readonly string[]> {
  return (value, path) => {
    const items = shape(value, path);
    return new Set(items).size === items.length ? items : no(`${path}: a hex stands twice`);
  };
}

function setOf(item: Shape<string>, least: number, most: number): Shape<readonly string[]> {
  return ascending(list(item, least, most));
}

const contact = record({
  designation: nullable(unitName),
  hexes: different(list(hex, 1, 3)),
  kind: nullable(word("armor", "hq", "infantry", "recon")),
  mode: nullable(unitName),
  to: nullable(integer(0, 9)),
});
const counterBattery = record({ kind: word("counter-battery"), points: integer(1, 999), target: hex });
const interdiction = record({ markers: integer(0, 9), points: integer(1, 999), target: hex });
const retreats = record({ any: setOf(hex, 0, 6), away: setOf(hex, 0, 6), road: setOf(hex, 0, 6) });
const halt = record({ by: hex, contact: contactName, hex });
const loss = record({ loss: nullable(integer(0, 9)) });
const weather = setOf(word("fog", "night", "precipitation"), 0, 3);

/** Values that depend on the settings. */
function shapes(settings: Settings) {
  const sector: Shape<string> = (value, path) => (typeof value === "string" && settings.isSector(value) ? value : no(`${path} is no sector`));
  const attack = record({
    assault: bool,
    barrage: POINTS,
    chemical,
    contact: nullable(contactName),
    ew_attacks: integer(0, settings.ew),
    ew_level: integer(0, 3),
    ew_superiority: integer(0, 9),
    from: hex,
    kind: word("attack"),
    retreats,
    target: hex,
    total: integer(-999, 999),
  });
  const fire = record({ chemical, fpf: POINTS });
  const fought = record({
    advance: bool,
    attacker_loss: integer(0, 9),
    breakthrough: bool,
    chemical,
    defender: nullable(record({ hexes: list(hex, 0, 9), loss: integer(0, 9) })),
    ew_level: integer(0, 3),
    fpf: POINTS,
    result: word("abort", "cancelled", "empty", "fought", "overrun"),
    retreat: nullable(hex),
  });
  const combat: Shape<Attack | Read<typeof counterBattery>> = (value, path) => {
    const is = typeof value === "object" && value !== null && !Array.isArray(value) ? field(value as JsonObject, "kind") : null;
    return is === "counter-battery" ? counterBattery(value, path) : attack(value, path);
  };
  const outcome: Shape<Fought | Read<typeof loss>> = (value, path) => {
    const is = typeof value === "object" && value !== null && !Array.isArray(value) ? field(value as JsonObject, "loss") : undefined;
    return is === undefined ? fought(value, path) : loss(value, path);
  };
  const intelligence = nullable(record({ level: integer(0, 9), sectors: setOf(sector, 0, 64) }));
  const shared = {
    contacts: mapOf(contactName, contact, 192),
    entries: different(list(hex, 0, 999)),
    paths: mapOf(contactName, list(hex, 1, 99), 192),
    rolled: settings.counted ? POINTS : nothing,
  };
  const combats = settings.combats;
  return {
    setup: record({ ...shared, intelligence, step: word("setup") }),
    move: record({ ...shared, combats: list(combat, 0, combats), intelligence, interdictions: list(interdiction, 0, 16), step: word("move"), weather: nullable(weather) }),
    defend: record({ ...shared, combats: list(nullable(fire), 0, combats), step: word("defend") }),
    report: record({ ...shared, combats: list(outcome, 0, combats), halts: list(halt, 0, 192), step: word("report") }),
  };
}

type Shapes = ReturnType<typeof shapes>;
export type Setup = Read<Shapes["setup"]>;
export type Move = Read<Shapes["move"]>;
export type Defend = Read<Shapes["defend"]>;
export type Report = Read<Shapes["report"]>;
export type Input = Setup | Move | Defend | Report;
export interface Attack {
  readonly assault: boolean;
  readonly barrage: number;
  readonly chemical: "none" | "persistent" | "used";
  readonly contact: string | null;
  readonly ew_attacks: number;
  readonly ew_level: number;
  readonly ew_superiority: number;
  readonly from: string;
  readonly kind: "attack";
  readonly retreats: Read<typeof retreats>;
  readonly target: string;
  readonly total: number;
}
export type CounterBattery = Read<typeof counterBattery>;
export type Interdiction = Read<typeof interdiction>;
export interface Fire {
  readonly chemical: "none" | "persistent" | "used";
  readonly fpf: number;
}
export interface Fought extends Fire {
  readonly advance: boolean;
  readonly attacker_loss: number;
  readonly breakthrough: boolean;
  readonly defender: { readonly hexes: readonly string[]; readonly loss: number } | null;
  readonly ew_level: number;
  readonly result: "abort" | "cancelled" | "empty" | "fought" | "overrun";
  readonly retreat: string | null;
}

/** Reads inputs under given settings. */
export class Inputs {
  private readonly shapes: Shapes;

  constructor(private readonly settings: Settings) {
    this.shapes = shapes(settings);
  }

  read(value: JsonObject): Input {
    const step = KINDS.find((one) => one === field(value, "step")) ?? no("this is no step");
    const input: Input = shaped<Input>(this.shapes[step], value, "the input");
    this.checkPaths(input);
    if (input.step === "move") this.checkMove(input);
    if (input.step === "defend") for (const one of input.combats) if (one !== null) checkChemical(one.chemical, one.fpf);
    if (input.step === "report") this.checkReport(input);
    return input;
  }

  // ndc 6
  private checkPaths({ contacts, entries, paths, step }: Input): void {
    if (step !== "move" && (entries.length > 0 || paths.size > 0)) no(`nobody moves in a ${step}`);
    for (const [name, path] of paths) {
      const shown = contacts.get(name) ?? no(`${name} is not shown`);
      path.forEach((at, i) => {
        if (i > 0 && !this.settings.areNeighbours(path[i - 1] ?? "", at)) no(`the path of ${name} leaps to ${at}`);
      });
      if (!shown.hexes.includes(path.at(-1) ?? "")) no(`the path of ${name} ends where it is not`);
    }
  }

  // ndc 8
  private checkMove({ combats, contacts }: Move): void {
    const attacking = new Set<string>();
    for (const one of combats) {
      if (one.kind !== "attack") continue;
      const { any, away, road } = one.retreats;
      if (!this.settings.areNeighbours(one.from, one.target)) no(`${one.from} is no neighbour of ${one.target}`);
      if (!any.every((at) => this.settings.areNeighbours(one.from, at))) no(`one goes back to neighbours of ${one.from}`);
      if (![...away, ...road].every((at) => any.includes(at))) no("roads, and what leads away, are some of all retreats");
      checkChemical(one.chemical, one.barrage);
      if (one.contact === null) continue;
      if (!contacts.has(one.contact)) no(`${one.contact} is not shown`);
      if (attacking.has(one.contact)) no(`${one.contact} attacks twice`);
      attacking.add(one.contact);
    }
  }

  // ndc 11
  private checkReport({ combats, halts }: Report): void {
    let before = 0;
    for (const { by, contact: name, hex: at } of halts) {
      if (contactNumber(name) <= before) no("halts stand by the numbers of the contacts, each once");
      before = contactNumber(name);
      // The contact on that hex may have gone in combat.
      if (!this.settings.areNeighbours(by, at)) no(`${by} is no neighbour of ${at}`);
    }
    for (const one of combats) if ("result" in one) checkFought(one);
  }
}

function checkChemical(used: string, points: number): void {
  if (used !== "none" && points === 0) no("without points there are no chemicals");
}

/** The fields of each result. */
function checkFought(one: Fought): void {
  const { result } = one;
  checkChemical(one.chemical, one.fpf);
  const loss = { abort: 2, cancelled: 0, empty: 0, overrun: 0, fought: null }[result];
  if (loss !== null && one.attacker_loss !== loss) no(`in ${result} the attacker loses ${loss}`);
  if (result !== "fought" && (one.advance || one.breakthrough)) no(`in ${result} nobody advances or breaks through`);
  if (one.retreat !== null && result !== "abort" && result !== "fought") no("the attacker goes back in an abort, or a Probe that was fought");
  if (one.defender !== null && result !== "fought" && result !== "overrun") no(`in ${result} the defender has nothing to tell`);
  if ((result === "cancelled" || result === "empty") && (one.chemical !== "none" || one.fpf > 0)) no(`in ${result} nothing is used`);
}
