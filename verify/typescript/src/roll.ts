/** Rolls and their draws. */
/** One requested draw. */
export interface Ask {
  readonly sides: number;
  readonly why: string;
}

/** A roll that an input asks for: its purpose, its draws, and its line. */
export interface Roll {
  readonly why: string;
  /** The next draw after these draws, or null if there is none. */
  next(drawn: readonly number[]): Ask | null;
  /** The envelope of the coin set, or the column of the sheet. In a redo, the foul-up set decides instead. */
  readonly index: number;
  readonly line: number;
  readonly cell: string | null;
}

/** The draws of a roll that always takes the same dice. */
export function fixed(sides: readonly number[], why: string): Roll["next"] {
  return (drawn) => {
    const die = sides[drawn.length];
    return die === undefined ? null : { sides: die, why };
  };
}

export interface Drawn extends Ask {
  readonly value: number;
}

/** All draws of a roll, taken one by one. */
export function drawRoll(roll: Roll, draw: (ask: Ask) => number): Drawn[] {
  const drawn: Drawn[] = [];
  const values: number[] = [];
  for (let ask = roll.next(values); ask !== null; ask = roll.next(values)) {
    const value = draw(ask);
    values.push(value);
    drawn.push({ ...ask, value });
  }
  return drawn;
}
