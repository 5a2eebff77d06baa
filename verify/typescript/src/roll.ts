/** Rolls, and the draws that they ask for. */
/** A draw that is asked for. */
export interface Ask {
  readonly sides: number;
  readonly why: string;
}

/** One roll that an input asks for: what is drawn for it, and where its line stands. */
export interface Roll {
  readonly why: string;
  /** What is drawn next, after these draws, or null where that is all. */
  next(drawn: readonly number[]): Ask | null;
  /** The envelope of the coin set, or the column of the sheet; in a redo it is that of the foul-up set, and not said here. */
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

/** All draws of a roll, each taken as it is asked for. */
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
