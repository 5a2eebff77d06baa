/**
 * Checks games played with sealed-dice, from their letters alone.
 *
 * Most programs only need {@link check}. {@link Checker} takes texts in pieces and reports progress. Its `examine` returns the letters with
 * their results, and {@link recompute} shows one of the rolls with every intermediate value.
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
