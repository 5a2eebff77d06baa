import { hexBytes } from "./bytes.js";
import { agree } from "./deposits.js";
import { type Charter, type Phase } from "./kinds.js";
import type { Message } from "./message.js";
import { ORDERS, type Course } from "./course.js";
import { plain, sameJson } from "./json.js";
import { attempt } from "./refusal.js";
import { systemNamed, systemOf } from "./system.js";

export type { Charter, Phase };
export type Party = Charter["parties"][number];
export type CharterMessage = Message & { readonly content: { readonly kind: "charter"; readonly body: Charter } };
export type AcceptMessage = Message & { readonly content: { readonly kind: "accept" } };

export function isCharter(message: Message): message is CharterMessage {
  return message.content.kind === "charter";
}

export function isAccept(message: Message): message is AcceptMessage {
  return message.content.kind === "accept";
}

/** All parties: the two players, then the referee, then the office (chain 7). */
export function partiesOf({ parties, referee, office }: Charter): readonly Party[] {
  return [...parties, referee, office].filter((party) => party !== null);
}

/** A charter's author is one of its two parties, and signs with that party's key (message 13). */
export function signedByItsAuthor(message: CharterMessage): boolean {
  return message.content.body.parties.some((party) => party.role === message.head.author && party.key === message.key);
}

function twice(items: readonly string[]): boolean {
  return new Set(items).size !== items.length;
}

/** Returns what is wrong with a phase of a course, or null (courses 17). */
function courseBreach(charter: Charter, phase: Phase, course: Course): string | null {
  if (phase.private !== (course.hidden !== undefined)) return course.hidden === undefined ? "a phase of a course is open to both" : "a phase of a hidden course is private";
  const orders = course.takesOrders === true ? [{ by: null, how: "simultaneous", name: ORDERS }] : [];
  if (!sameJson(plain(phase.decisions), plain(orders))) return orders.length > 0 ? "both players order at once, and nothing else is decided" : "a phase of a course has no decisions of its own";
  if ((phase.declarer !== null) !== (course.declaredBy === "charter")) return course.declaredBy === "charter" ? "the charter says who declares" : "the state says who declares";
  const all = charter.phases.filter((one) => one.system === phase.system);
  if (phase.impulses.length > 1 || all.length !== course.places) return `there is one phase for each of ${course.places} places a turn`;
  if (!all.every((one) => sameJson(one.settings, phase.settings))) return "the phases of a course have the same settings";
  if (!course.players.every((role) => charter.parties.some((party) => party.role === role))) return "the sides are the players";
  return null;
}

/** Returns what is wrong with the initial states of courses, or null (charter 26). */
function stateBreach({ continues, phases, tables }: Charter): string | null {
  for (const [system, state] of continues?.states ?? []) {
    const phase = phases.find((one) => one.system === system);
    const course = phase === undefined ? null : (systemOf(phase, tables)?.course ?? null);
    if (course === null || course.hidden !== undefined) return `${system} is no course of these terms that begins with a state`;
    const made = attempt(() => course.awaits(course.checkState(state)));
    if (!made.ok) return `the state of ${system}: ${made.text}`;
    if (made.value.is !== "turn") return `the state of ${system} awaits no turn`;
  }
  return null;
}

export function sheetPhases({ phases }: Charter): readonly Phase[] {
  return phases.filter((phase) => phase.source === "sheet");
}

/** Returns the rule that a charter breaks and how, or null. */
export function charterBreach(message: CharterMessage): string | null {
  const wrong = termsBreach(message);
  if (wrong !== null) return `charter 6: ${wrong}`;
  const wrongState = stateBreach(message.content.body);
  return wrongState === null ? null : `charter 26: ${wrongState}`;
}

// charter 6
function termsBreach(message: CharterMessage): string | null {
  const charter = message.content.body;
  const parties = partiesOf(charter);
  const players = charter.parties.map((party) => party.role);
  if (twice(parties.map((party) => party.role))) return "roles differ";
  if (twice(parties.map((party) => party.key))) return "keys differ";
  if (twice(charter.phases.map((phase) => phase.name))) return "names of phases differ";
  for (const phase of charter.phases) {
    if (twice(phase.decisions.map((decision) => decision.name))) return `names of decisions differ within the phase ${phase.name}`;
    if (phase.declarer !== null && !players.includes(phase.declarer)) return `the declarer of the phase ${phase.name} is no player`;
    for (const decision of phase.decisions) {
      if ((decision.by === null) !== (decision.how === "simultaneous")) return `the decision ${decision.name} is simultaneous exactly if it is by nobody`;
      if (decision.by !== null && !players.includes(decision.by)) return `the decision ${decision.name} is by somebody who is no player`;
    }
    const made = attempt(() => {
      const maker = systemNamed(phase.system);
      return { source: maker.source, course: maker.make(phase.settings, charter.tables).course ?? null };
    });
    if (!made.ok) return `the phase ${phase.name}: ${made.text}`;
    if (made.value.source !== phase.source) return `the phase ${phase.name}: the system has another source`;
    const wrong = made.value.course === null ? (phase.declarer === null ? "nothing says who declares" : null) : courseBreach(charter, phase, made.value.course);
    if (wrong !== null) return `the phase ${phase.name}: ${wrong}`;
  }
  if (charter.hard_core && Object.values(charter.foul_up.remedies).includes("redo")) return "under hard core no remedy is a redo";
  const { referee, office } = charter;
  if (referee !== null && referee.deposit !== null && !charter.deadlines.some((deadline) => deadline.step === "reveal")) return "a referee who holds deposits needs a deadline for the reveal";
  for (const holder of [referee, office]) {
    if (holder !== null && holder.deposit !== null && agree(new Uint8Array(32), hexBytes(holder.deposit.key)) === null) return `the deposit key of ${holder.role} is of small order`;
  }
  if ((office === null || office.deposit === null) && [charter.foul_up, ...charter.phases].some((one) => one.revealer === "office")) return "a revealer is the office, and there is none that could open";
  if (new Set(sheetPhases(charter).map((phase) => phase.revealer)).size > 1) return "all phases with sheets have the same revealer";
  const others = parties.map((party) => party.role).filter((role) => role !== message.head.author);
  const { seen } = message.head;
  if (seen.size !== others.length || !others.every((role) => seen.get(role) === null)) return "seen has exactly the other roles, each null";
  return null;
}

/** The roles that accept a charter (message 13). */
export type Acceptor = "opponent" | "referee" | "office";

/** An accept is by the other party, the referee or the office, under its key (message 13). */
export function acceptedBy(charter: CharterMessage, accept: AcceptMessage): Acceptor | null {
  const { parties, referee, office } = charter.content.body;
  const { author } = accept.head;
  const signedBy = (party: Party | null): boolean => party !== null && party.role === author && party.key === accept.key;
  if (author === charter.head.author) return null;
  if (signedBy(referee)) return "referee";
  if (signedBy(office)) return "office";
  return parties.some(signedBy) ? "opponent" : null;
}

/** Returns what is wrong with an accept of a valid charter, or null (charter 12, 16). */
export function acceptBreach(charter: CharterMessage, accept: AcceptMessage, by: Acceptor): string | null {
  const { body } = accept.content;
  const { seen } = accept.head;
  if (body.charter !== accept.head.game) return "the charter in the body is not that of the head";
  const others = partiesOf(charter.content.body).map((party) => party.role).filter((role) => role !== accept.head.author);
  if (seen.size !== others.length || !others.every((role) => seen.has(role))) return "seen has exactly the other roles";
  for (const role of others) {
    const id = seen.get(role) ?? null;
    if (role === charter.head.author) {
      if (id !== charter.id) return "seen is the charter for its author";
    } else if (by !== "opponent") {
      if (id !== null) return `${accept.head.author} accepts before the other player, and knows no other accept`;
    } else if (id === null || id === charter.id) {
      return `seen is the accept of ${role} for that role`;
    }
  }
  return null;
}
