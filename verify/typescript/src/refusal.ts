/** The classes of refusals, in the order in which a reader checks (message 11). */
export const CLASSES = [
  "size", "armour", "frame", "key", "json", "canonical", "fields", "signature", "game", "chain", "rule",
] as const;

export type RefusalClass = (typeof CLASSES)[number];

/**
 * Thrown inside the checker if an input breaks a rule. {@link attempt} catches it and returns it as a value. Anything else that is thrown is
 * an error of this program.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  constructor(
    readonly class_: RefusalClass,
    message: string,
  ) {
    super(message);
  }
}

export function refuse(class_: RefusalClass, message: string): never {
  throw new Refusal(class_, message);
}

/** A result, or the class of the rule that was broken and a sentence that says how. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly class: RefusalClass; readonly text: string };

export function attempt<T>(work: () => T): Outcome<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, class: error.class_, text: error.message };
    throw error;
  }
}
