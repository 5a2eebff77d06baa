/** office.md: which sets the office opens, and which it holds. */
import type { Course } from "./course.js";
import type { BodyOf, Charter } from "./kinds.js";
import { sheetPhases } from "./charter.js";
import type { Letter } from "./letter.js";
import { phaseOf, readSlot, type Slot } from "./slot.js";

// office 25
export function isEpoch({ content }: Letter): boolean {
  return content.kind === "receipt" && content.body.is === "epoch";
}

/** The office of a charter if it is a time witness, which holds no keys (office 34). */
export function timeWitnessOf({ office }: Charter): Charter["office"] {
  return office?.deposit === null ? office : null;
}

/** The name in the purpose of a standing note (courses 12). */
export const STANDING = "standing";

/** Splits a note's purpose into its slot and its name. */
export function readNotePurpose(purpose: string): { readonly slot: Slot | null; readonly name: string } {
  const cut = purpose.lastIndexOf("/");
  return { slot: cut < 0 ? null : readSlot(purpose.slice(0, cut)), name: purpose.slice(cut + 1) };
}

/** Whether a note is a standing note, or is for a decision that is not `open`. */
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
