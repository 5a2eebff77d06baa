import type { BodyOf, Kind } from "../kinds.js";
import type { Letter } from "../letter.js";
import type { State } from "../state.js";

/** What a rule throws that a letter breaks; replay catches it. */
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

/** A kind of letter: the rules of its section in order, and what a letter does. */
export interface Rules<K extends Kind> {
  /** letters 5: the ids in the body whose kind its table says. */
  kinds(body: BodyOf<K>): readonly (readonly [id: string, ...kinds: readonly Kind[]])[];
  /** Throws {@link Broken} for the first rule that is broken. */
  check(state: State, letter: Letter, body: BodyOf<K>): void;
  /** What the letter does. `letter.breach` says whether it is in breach: even so it can use something up. */
  apply(state: State, letter: Letter, body: BodyOf<K>): void;
}
