/** disputes 9: what the office's clock says to the days of the rulings that rest on them. */
import type { Charter, Step } from "./kinds.js";
import type { Letter } from "./letter.js";
import type { Replay } from "./replay.js";
import type { DaysEntry } from "./report.js";
import type { OfficeTime } from "./state.js";

const DAY = 86_400;

/** The days of the charter's deadline; those of a ruling `open` with whatever forfeit. There is one (ruling 2; charter 4, of who holds deposits). */
function daysOfStep({ deadlines }: Charter, step: Step, forfeit: string | null): number {
  return deadlines.reduce((most, one) => (one.step === step && (forfeit === null || one.forfeit === forfeit) ? Math.max(most, one.days) : most), 0);
}

/** Between which times a letter was signed: the greatest in its past, and the least behind it. */
function signedBetween(letter: Letter, times: readonly OfficeTime[]): { readonly after: number | null; readonly before: number | null } {
  let after: number | null = null;
  let before: number | null = null;
  for (const { by, at } of times) {
    if (letter.has(by)) after = Math.max(at, after ?? at);
    if (by.has(letter)) before = Math.min(at, before ?? at);
  }
  return { after, before };
}

function seconds(from: number | null, to: number | null): number | null {
  return from === null || to === null || to < from ? null : to - from;
}

/** audit 4: in order of replay. */
export function daysOf({ state, order }: Replay): DaysEntry[] {
  return order.flatMap((ruling): DaysEntry[] => {
    if (!ruling.valid || ruling.content.kind !== "ruling") return [];
    const { rule } = ruling.content.body;
    if (rule.is !== "forfeit" && rule.is !== "open") return [];
    const request = state.letter(rule.value.request);
    const stall = state.requests.get(rule.value.request)?.stall ?? null;
    if (request === null || stall === null) return [];
    const days = daysOfStep(state.chains.charter, stall.step, rule.is === "forfeit" ? rule.value.forfeit : null);
    const asked = signedBetween(request, state.times);
    const ruled = signedBetween(ruling, state.times);
    const at_least = seconds(asked.before, ruled.after);
    const at_most = seconds(asked.after, ruled.before);
    const least = days * DAY;
    const word = at_least !== null && at_least >= least ? "shown" : at_most !== null && at_most < least ? "contradicted" : "referee";
    return [{ at_least, at_most, days, ruling: ruling.id, word }];
  });
}
