import type { BodyOf, Kind } from "../kinds.js";
import type { Letter } from "../letter.js";
import type { State } from "../state.js";

/** Thrown when a letter breaks a rule. The replay catches it. */
export class Broken extends Error {
  override readonly name = "Broken";
  constructor(
    readonly rule: string,
    text: string,
  ) {
    super(text);
  }
}

export function broken(rule: string, text: string): never {
  throw new Broken(rule, text);
}

export function must(condition: boolean, rule: string, text: string): asserts condition {
  if (!condition) broken(rule, text);
}

/** A kind of letter: the rules of its section in order, and its effect. */
export interface Rules<K extends Kind> {
  /** The ids in the body whose kind the body's table gives (letters 5). */
  kinds(body: BodyOf<K>): readonly (readonly [id: string, ...kinds: readonly Kind[]])[];
  /** Throws {@link Broken} for the first broken rule. */
  check(state: State, letter: Letter, body: BodyOf<K>): void;
  /** Applies the letter. `letter.breach` says whether it is in breach: a breach can still use something up. */
  apply(state: State, letter: Letter, body: BodyOf<K>): void;
}
