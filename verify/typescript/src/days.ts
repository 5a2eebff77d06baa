/** Compares the days of rulings with the office's clock (disputes 23). */
import type { Charter, Step } from "./kinds.js";
import type { Letter } from "./letter.js";
import type { Replay } from "./replay.js";
import type { DaysEntry } from "./report.js";
import type { OfficeTime } from "./state.js";

const DAY = 86_400;

/** The days of the deadline that a ruling rests on; for a ruling `open`, with any forfeit. There always is one (ruling 2; charter 6 if somebody holds deposits). */
function daysOfStep({ deadlines }: Charter, step: Step, forfeit: string | null): number {
  return Math.min(...deadlines.filter((one) => one.step === step && (forfeit === null || one.forfeit === forfeit)).map((one) => one.days));
}

/** The earliest and the latest of some times. */
function span(times: readonly OfficeTime[], which: (by: Letter) => boolean): { readonly first: number; readonly last: number } | null {
  const at = times.filter(({ by }) => which(by)).map((one) => one.at);
  return at.length === 0 ? null : { first: at.reduce((a, b) => Math.min(a, b)), last: at.reduce((a, b) => Math.max(a, b)) };
}

/** The entries, in order of replay (audit 4). */
export function daysOf({ state, order }: Replay): DaysEntry[] {
  return order.flatMap((ruling): DaysEntry[] => {
    if (!ruling.valid || ruling.content.kind !== "ruling") return [];
    const { rule } = ruling.content.body;
    if (rule.is !== "forfeit" && rule.is !== "open") return [];
    const request = state.letter(rule.value.request);
    const stall = state.requests.get(rule.value.request)?.stall ?? null;
    if (request === null || stall === null) return [];
    const days = daysOfStep(state.chains.charter, stall.step, rule.is === "forfeit" ? rule.value.forfeit : null);
    const between = span(state.times, (by) => by.has(request) && ruling.has(by));
    const before = span(state.times, (by) => request.has(by));
    const behind = span(state.times, (by) => by.has(ruling));
    const at_least = between === null ? null : between.last - between.first;
    const at_most = before === null || behind === null ? null : Math.max(0, behind.first - before.last);
    const least = days * DAY;
    const word = at_least !== null && at_least >= least ? "shown" : at_most !== null && at_most < least ? "contradicted" : "referee";
    return [{ at_least, at_most, days, ruling: ruling.id, word }];
  });
}
