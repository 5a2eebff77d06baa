/**
 * Checks games that were played with sealed-dice, from their letters alone.
 *
 * {@link check} is all that most need. {@link Checker} takes texts in piece by piece and tells how far it is; its `examine` gives the
 * letters with what came of them, from which {@link recompute} shows one roll with every value on the way to it.
 */
export { check, Checker, type Progress, type Source } from "./checker.js";
export { recompute, type HashItem, type HashStep, type Recomputed, type StreamWord } from "./recompute.js";
export type { ContinuesEntry, CourseEntry, DaysEntry, Finding, GameReport, Head, MissingLetter, OpenMatter, Report, RollEntry, RunEntry, Verdict } from "./report.js";
export type { GameAudit } from "./audit.js";
export type { Replay } from "./replay.js";
export type { Letter, Breach } from "./letter.js";
export type { Message } from "./message.js";
export type { BodyOf, Charter, Content, Kind, Phase } from "./kinds.js";
export type { Attack, Hex, Worksheet } from "./coin-envelopes.js";
export { CLASSES, type RefusalClass } from "./refusal.js";
export { fingerprint } from "./signature.js";
