/** Looks up names of people and letters within one game. */
import { foreign, h, say, type Child, type Line } from "./dom.js";
import type { DeclarationView, GameView, LetterView, SourceView } from "./model.js";
import type { DaysEntry } from "../report.js";
import { slotText } from "../slot.js";
import { TEXTS } from "./texts.js";

/** Most sources shown for a letter. */
const SOURCES = 2;

export class Names {
  private readonly people: ReadonlyMap<string, string>;
  private readonly letters: ReadonlyMap<string, LetterView>;
  readonly declarations: ReadonlyMap<string, DeclarationView>;
  /** Deadlines by the ruling that rests on them. */
  readonly days: ReadonlyMap<string, DaysEntry>;

  constructor(
    readonly game: GameView,
    /** Prefix for the ids of this game's elements, which keeps them apart from other games'. */
    readonly prefix: string,
  ) {
    this.people = new Map(game.people.map((person) => [person.role, person.name]));
    this.letters = new Map(game.letters.map((letter) => [letter.id, letter]));
    this.declarations = new Map(game.declarations.map((one) => [one.id, one]));
    this.days = new Map(game.days.map((one) => [one.ruling, one]));
  }

  /** The name of the person who signs as a role, or the role itself if there is none. */
  readonly person = (role: string): string => this.people.get(role) ?? role;

  letter(id: string): LetterView | null {
    return this.letters.get(id) ?? null;
  }

  /** Names a letter by its author and number, and a declaration by its slot too. */
  readonly called = (id: string): Line => {
    const letter = this.letters.get(id);
    if (letter === undefined) return [`${this.short(id)}…`];
    const name = TEXTS.timeline.letterOf(this.person(letter.author), letter.number);
    const slot = letter.content.kind === "declare" ? say` (${slotText(letter.content.body.slot)})` : [];
    return [...name, ...slot];
  };

  /** The first eight digits of an id, or more where another letter of the game shares them. */
  short(id: string): string {
    let digits = 8;
    for (const other of this.letters.keys()) {
      while (other !== id && other.startsWith(id.slice(0, digits))) digits += 1;
    }
    return id.slice(0, digits);
  }

  anchor(id: string): string {
    return `${this.prefix}-${id}`;
  }

  /** A letter's name, as a link to the letter if it is on the page. */
  link(id: string): Child {
    const name = this.called(id);
    return this.letters.has(id) ? h("a", { href: `#${this.anchor(id)}` }, name) : name;
  }
}

/** Says where a letter was found, with the date that its mail claims. */
export function sourcesLine(sources: readonly SourceView[]): Line {
  const line: (Line[number])[] = [];
  sources.slice(0, SOURCES).forEach(({ file, line: at, date, from }, i) => {
    if (i > 0) line.push("; ");
    line.push(...(date === null ? TEXTS.timeline.source(file, at) : [...TEXTS.timeline.claimed(shortDate(date), from), ", ", foreign(file)]));
  });
  if (sources.length > SOURCES) line.push(...TEXTS.timeline.times(sources.length - SOURCES));
  return line;
}

/** A mail's date without its seconds. Anything that is not a date is returned unchanged. */
function shortDate(date: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(date) ? date.slice(0, 16).replace("T", " ") + " UTC" : date;
}
