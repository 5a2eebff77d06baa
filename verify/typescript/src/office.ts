/** office.md: which sets the office opens, and what it holds. */
import type { Course } from "./course.js";
import type { BodyOf, Charter } from "./kinds.js";
import { sheetPhases } from "./charter.js";
import type { Letter } from "./letter.js";
import { phaseOf, readSlot, type Slot } from "./slot.js";

// office 25
export function isEpoch({ content }: Letter): boolean {
  return content.kind === "receipt" && content.body.is === "epoch";
}

/** office 34: an office that holds no keys. */
export function timeWitnessOf({ office }: Charter): Charter["office"] {
  return office?.deposit === null ? office : null;
}

/** courses 12: the name in the purpose of a standing note. */
export const STANDING = "standing";

/** A note's purpose: its slot, and the name behind it. */
export function readNotePurpose(purpose: string): { readonly slot: Slot | null; readonly name: string } {
  const cut = purpose.lastIndexOf("/");
  return { slot: cut < 0 ? null : readSlot(purpose.slice(0, cut)), name: purpose.slice(cut + 1) };
}

/** Of a note: whether it is a decision's that is not open, or a standing one. */
function isForOffice(charter: Charter, purpose: string, courseOf: (slot: Slot) => Course | null): boolean {
  const { slot, name } = readNotePurpose(purpose);
  const phase = slot === null ? null : phaseOf(charter, slot);
  if (slot === null || phase === null) return false;
  if (phase.decisions.some((decision) => decision.name === name && decision.how !== "open")) return true;
  const course = courseOf(slot);
  return name === STANDING && course !== null && course.hidden === undefined && course.takesOrders !== true;
}

/** The role that opens a set (office 5). */
export function revealerOf(charter: Charter, sealer: string, { kind, purpose }: Pick<BodyOf<"seal">, "kind" | "purpose">, courseOf: (slot: Slot) => Course | null): string {
  const { office } = charter;
  if (office === null) return sealer;
  const opens = (): boolean => {
    switch (kind) {
      case "coin":
      case "plain": {
        const slot = readSlot(purpose);
        return slot !== null && phaseOf(charter, slot)?.revealer === "office";
      }
      case "sheet":
        return sheetPhases(charter)[0]?.revealer === "office";
      case "foul-up":
        return charter.foul_up.revealer === "office";
      case "note":
        return office.deposit?.notes === true && isForOffice(charter, purpose, courseOf);
      case "contribution":
        return false;
    }
  };
  return opens() ? office.role : sealer;
}
