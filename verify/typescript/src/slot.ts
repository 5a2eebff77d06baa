import { integer, name, record, type Read } from "./shape.js";
import type { Charter, Phase } from "./charter.js";

/** charter 19 */
export const slotShape = record({ impulse: integer(1, 99), number: integer(1, 9_999), phase: name, turn: integer(1, 9_999) });
export type Slot = Read<typeof slotShape>;

export function slotText(slot: Slot): string {
  return `${slot.turn}/${slot.impulse}/${slot.phase}/${slot.number}`;
}

/** The place of a slot: everything except its number. */
export function placeText(slot: Slot): string {
  return `${slot.turn}/${slot.impulse}/${slot.phase}`;
}

/** The phase of a slot, if that phase exists and has the slot's impulse. */
export function phaseOf(charter: Charter, slot: Slot): Phase | null {
  const phase = charter.phases.find((one) => one.name === slot.phase);
  return phase !== undefined && phase.impulses.includes(slot.impulse) ? phase : null;
}

/** Writes a slot in its only form, without leading zeros (seal 3). */
export function readSlot(written: string): Slot | null {
  const parts = /^([1-9][0-9]{0,3})\/([1-9][0-9]?)\/([a-z][a-z0-9-]{0,31})\/([1-9][0-9]{0,3})$/.exec(written);
  if (parts === null) return null;
  return { turn: Number(parts[1]), impulse: Number(parts[2]), phase: parts[3] ?? "", number: Number(parts[4]) };
}

/** The places of some phases in each turn, in slot order. */
export function placesOf(charter: Charter, phases: readonly Phase[]): Omit<Slot, "turn" | "number">[] {
  const slots = phases.flatMap((phase) => phase.impulses.map((impulse) => ({ turn: 1, impulse, phase: phase.name, number: 1 })));
  return slots.sort((a, b) => compareSlots(charter, a, b)).map(({ impulse, phase }) => ({ impulse, phase }));
}

// charter 20
export function compareSlots(charter: Charter, a: Slot, b: Slot): number {
  const place = (slot: Slot): number => charter.phases.findIndex((phase) => phase.name === slot.phase);
  return a.turn - b.turn || a.impulse - b.impulse || place(a) - place(b) || a.number - b.number;
}
