/** A game of event tables: the crossing in the first example of event-tables.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hexBytes, toHex, utf8 } from "../src/bytes.js";
import { diceRoot, rollKey, Stream } from "../src/dice.js";
import { envelopeKey, envelopeSeed } from "../src/envelope.js";
import { encodeJson, plain } from "../src/json.js";
import { messageId } from "../src/message.js";
import { CourseTable } from "./courses.js";
import { fixed, type Player, type Set as Sealed, type Signed } from "./players.js";

export type Tree = Record<string, unknown>;
export const vector = JSON.parse(readFileSync(join("../../vectors", "course", "events-first-example.json"), "utf8")) as { given: { settings: object; tables: { "event-tables": Tree } } };
export const CROSSING = vector.given.tables["event-tables"];
export const COMPANIES = ["A", "B", "C", "D"].map((name) => ({ name, post: "bridge", strength: 2 }));

export function sidePhase(name: string, impulse: number, more: object = {}): object {
  return { decisions: [], declarer: null, impulses: [impulse], name, private: false, revealer: "sealer", settings: vector.given.settings, source: "plain", system: "event-tables", ...more };
}

export class Crossing extends CourseTable {
  constructor(phases = [sidePhase("north", 1), sidePhase("south", 2)], more: object = {}) {
    super({ phases, tables: { "event-tables": CROSSING }, ...more });
  }

  place(side: "north" | "south", turn: number, number = 1): { readonly impulse: number; readonly number: number; readonly phase: string; readonly turn: number } {
    return { impulse: side === "north" ? 1 : 2, number, phase: side, turn };
  }

  sealed(side: "north" | "south", turn: number, number = 1): Sealed {
    const [sealer, declarer] = side === "north" ? [this.bob, "ann"] : [this.ann, "bob"];
    const { impulse } = this.place(side, turn);
    const set = this.seal(sealer, "plain", `${turn}/${impulse}/${side}/${number}`, declarer, 1);
    this.meet();
    return set;
  }

  /** Declares with the first contribution whose first die with these sides is as wanted. */
  roll(player: Player, set: Sealed, slot: object, input: object, sides: number, wanted: (die: number) => boolean, opens = true): Signed {
    const seen = Object.fromEntries(this.players.filter((one) => one !== player).map((one) => [one.role, player.seen[one.role] ?? null]));
    const head = { author: player.role, game: this.game, kind: "declare", number: player.number + 1, prev: player.prev, seen, v: 1 };
    const after = this.after(player, slot);
    for (let k = 0; ; k++) {
      const contribution = toHex(fixed(`events ${this.letters.length} ${k}`));
      const body = { after, contribution: { open: contribution }, input, moves: { none: null }, redo: null, seal: set.letter.id, select: { plain: { index: 0, lines: 1 } }, slot };
      const key = envelopeKey(set.context, set.master, 0);
      const root = diceRoot(set.letter.id, messageId(utf8(encodeJson(plain({ body, head })))), 0, envelopeSeed(set.context, 0, key), hexBytes(contribution));
      if (!wanted(new Stream(rollKey(root, 1)).draw(sides))) continue;
      const signed = this.sign(player, "declare", body);
      this.meet();
      if (opens) this.open(player === this.ann ? this.bob : this.ann, set, signed);
      this.meet();
      return signed;
    }
  }

  input(company: object[] = COMPANIES): object {
    return { facts: { river: 8 }, roster: { company } };
  }

  pending(): unknown {
    return (this.state() as { pending: unknown }).pending;
  }
}

/** The input of a declaration of `more`. */
export const NOTHING = { facts: {}, roster: { company: [] } };
