/** Games of a course, and games that continue them, mostly from where they stand. */
import type { Json } from "../src/json.js";
import { check } from "../src/checker.js";
import type { Chance } from "./mess.js";
import { Player, type Signed } from "./players.js";
import { Turns } from "./turns.js";

/** The most games that continue one game. */
const MOST = 3;

export class Sequels {
  private readonly old: Turns;
  private readonly games: Turns[] = [];

  constructor(private readonly chance: Chance) {
    this.old = new Turns(chance);
  }

  get table(): { readonly letters: readonly Signed[] } {
    return { letters: [this.old, ...this.games].flatMap((game) => game.table.letters) };
  }

  private head({ role, prev }: Player): string | null {
    const { chance } = this;
    const { letters } = this.old.table;
    if (chance.often(60)) return prev;
    const own = letters.filter(({ author }) => author === role);
    return chance.one([null, prev, chance.one(own).id, chance.one(letters).id]);
  }

  /** The state after so many letters of the old game, or one that no game began with. */
  private states(): Record<string, Json> {
    const { chance } = this;
    const { letters, keys } = this.old.table;
    const known = chance.often(50) ? letters : letters.slice(0, 1 + chance.below(letters.length));
    const state = check(known.map(({ text }) => text).join("\n"), keys).games[0]?.courses[0]?.state ?? null;
    if (chance.often(5)) return { "ocs-initiative": {} };
    if (state === null || chance.often(10)) return {};
    const system = chance.often(97) ? "ocs-initiative" : "cil";
    return { [system]: chance.often(85) ? state : { ...state, turn: Number(state["turn"]) + chance.below(9) } };
  }

  private begin(): void {
    const { chance, old } = this;
    const players = old.table.players.filter(() => chance.often(97));
    const heads = Object.fromEntries(players.map((player) => [player.role, this.head(player)]));
    const game = chance.often(95) ? old.table.game : chance.one(old.table.letters).id;
    const states = this.states();
    const continues = { game, heads: Object.keys(heads).length === 0 ? { ann: null } : heads, states };
    // A state is one of its settings.
    const isFree = Object.keys(states).length === 0 && chance.often(50);
    this.games.push(new Turns(chance, isFree ? undefined : old.settings, { continues }));
  }

  step(): void {
    const { chance, games } = this;
    if (games.length < MOST && chance.often(7)) return this.begin();
    const game = chance.often(60) ? games.at(-1) : undefined;
    (game ?? this.old).step();
  }
}
