/** A game with a course, whose players get the dice that a test asks for. */
import { hexBytes, toHex, utf8 } from "../src/bytes.js";
import { check, Checker } from "../src/checker.js";
import { diceRoot, rollKey, Stream } from "../src/dice.js";
import { envelopeKey, envelopeSeed } from "../src/envelope.js";
import { encodeJson, plain } from "../src/json.js";
import { messageId } from "../src/message.js";
import type { GameReport } from "../src/report.js";
import type { Slot } from "../src/slot.js";
import { nextAfter } from "./stands.js";
import { charterBody, fixed, json, phase, Player, Table, type Set as Sealed, type Signed } from "./players.js";

export const TERMS = { first_player: "ann", flux_holder: "first_mover", pop_then_second: false, sides: ["ann", "bob"] };

export function initiative(settings: object = TERMS, more: object = {}): object {
  return { decisions: [], declarer: null, impulses: [1], name: "initiative", private: false, revealer: "sealer", settings, source: "plain", system: "ocs-initiative", ...more };
}

export class CourseTable extends Table {
  readonly ann: Player;
  readonly bob: Player;

  constructor(
    charter: object = {},
    /** The referee, if there is one. */
    readonly carol: Player | null = null,
  ) {
    super([new Player("ann"), new Player("bob"), ...(carol === null ? [] : [carol])]);
    const [ann, bob] = this.pair();
    this.ann = ann;
    this.bob = bob;
    const referee = carol === null ? null : { deposit: null, key: carol.key, name: "Carol", role: "carol" };
    const deadlines = [{ days: 30, forfeit: "declarer-names", step: "reveal" }, { days: 30, forfeit: "game", step: "declare" }];
    this.begin(charterBody(ann, bob, { phases: [initiative(), phase("attack", "ann", 2, "coin-envelopes")], referee, deadlines, ...charter }));
  }

  override begin(charter: object): void {
    const { ann, bob, carol } = this;
    if (carol === null) return super.begin(charter);
    this.sign(ann, "charter", charter);
    for (const other of [bob, carol]) this.read(other, ann);
    this.sign(carol, "accept", { charter: ann.prev, compared: true, nonce: toHex(fixed("nonce of the referee")) });
    this.read(bob, carol);
    this.game = this.sign(bob, "accept", { charter: ann.prev, compared: true, nonce: toHex(fixed("nonce of the accept")) }).id;
    this.meet();
  }

  other(player: Player): Player {
    return player === this.ann ? this.bob : this.ann;
  }

  slot(turn: number, number = 1): { readonly impulse: number; readonly number: number; readonly phase: string; readonly turn: number } {
    return { impulse: 1, number, phase: "initiative", turn };
  }

  plain(sealer: Player, turn: number, number = 1): Sealed {
    return this.seal(sealer, "plain", `${turn}/1/initiative/${number}`, this.other(sealer).role, 1);
  }

  /** The four dice of a first round, from a set and a declaration's bytes. */
  private dice(set: Sealed, id: string, contribution: string, index: number, line: number): number[] {
    const key = envelopeKey(set.context, set.master, index);
    const root = diceRoot(set.letter.id, id, index, envelopeSeed(set.context, index, key), hexBytes(contribution));
    const stream = new Stream(rollKey(root, line));
    return [6, 6, 6, 6].map((sides) => stream.draw(sides));
  }

  /** Declares with the first contribution that gives the declarer the wanted lead in points. */
  initiative(player: Player, set: Sealed, slot: object, ahead: (by: number) => boolean, input: object = {}, more: { readonly redo?: object; readonly select?: object } = {}): Signed {
    const { redo = null, select = { plain: { index: 0, lines: 1 } } } = more;
    const index = "foul_up" in select ? (select.foul_up as { index: number }).index : 0;
    const seen = Object.fromEntries(this.players.filter((one) => one !== player).map((one) => [one.role, player.seen[one.role] ?? null]));
    const head = { author: player.role, game: this.game, kind: "declare", number: player.number + 1, prev: player.prev, seen, v: 1 };
    const after = this.after(player, slot, redo);
    for (let k = 0; ; k++) {
      const contribution = toHex(fixed(`contribution ${this.letters.length} ${k}`));
      const body = { after, contribution: { open: contribution }, input: { markers: [], order: null, pop: null, ...input }, moves: { none: null }, redo, seal: set.letter.id, select, slot };
      const dice = this.dice(set, messageId(utf8(encodeJson(plain({ body, head })))), contribution, index, 1);
      if (ahead((dice[0] ?? 0) + (dice[1] ?? 0) - (dice[2] ?? 0) - (dice[3] ?? 0))) return this.sign(player, "declare", body);
    }
  }

  open(player: Player, set: Sealed, declaration: Signed | null, index = 0): Signed {
    return this.sign(player, "reveal", { declaration: declaration?.id ?? null, keys: [[index, toHex(envelopeKey(set.context, set.master, index))]], seal: set.letter.id, sheets: [] });
  }

  /** Ann attacks in the second impulse of a turn. */
  attack(turn: number, number = 1, more: object = {}): Signed {
    const set = this.seal(this.bob, "coin", `${turn}/2/attack/${number}`, "ann", 5);
    this.read(this.ann, this.bob);
    const input = json({ attacks: [{ hexes: ["F12"], odds: "3-1" }] });
    return this.declare(this.ann, { turn, impulse: 2, phase: "attack", number }, set, input, more).signed;
  }

  decide(player: Player, turn: number, name: string, value: unknown, number = 1): Signed {
    return this.decides(player, this.slot(turn, number), name, value);
  }

  decides(player: Player, slot: object, name: string, value: unknown): Signed {
    return this.sign(player, "decide", { after: this.after(player, slot), name, slot, value });
  }

  /** Lets a test replace the right `after`. */
  slip = (right: string | null): string | null => right;

  /** The `after` of a player's next letter for a slot. */
  after(player: Player, slot: object, redo: object | null = null): string | null {
    const checker = new Checker(this.keys);
    checker.add(this.text);
    const replay = checker.examine().games.find(({ report }) => report.game === this.game)?.replay ?? null;
    const known = [player.prev, ...Object.values(player.seen)];
    return this.slip(replay === null ? null : nextAfter(replay, slot as Slot, known, redo));
  }

  /** Bob opens in a detached letter that Ann has, so that his own chain does not know it. */
  shownBeside(declared: Signed, set: Sealed): void {
    const { ann, bob } = this;
    this.read(bob, ann);
    const head = { author: "bob", game: this.game, kind: "reveal", number: bob.number + 2, prev: bob.prev, seen: { ...bob.seen }, v: 1 };
    const keys = [[0, toHex(envelopeKey(set.context, set.master, 0))]];
    ann.seen["bob"] = this.put(head, { declaration: declared.id, keys, seal: set.letter.id, sheets: [] }, bob.seed).id;
  }

  yields(of: Signed): Signed {
    return this.sign(this.bob, "claim", { yield: { declaration: of.id, forfeit: "declarer-names", text: "" } });
  }

  /** Everybody reads all letters of the others. */
  meet(): void {
    for (const reader of this.players) for (const of of this.players) if (of !== reader) this.read(reader, of);
  }

  rule(rule: object): Signed {
    if (this.carol === null) throw new Error("no referee");
    return this.sign(this.carol, "ruling", { rule, text: "" });
  }

  /** A turn in which the declarer wins and goes first. */
  won(player: Player, turn: number): Signed {
    const set = this.plain(this.other(player), turn);
    this.meet();
    const declared = this.initiative(player, set, this.slot(turn), (by) => by >= 0, { order: "first" });
    this.meet();
    this.open(this.other(player), set, declared);
    this.meet();
    return declared;
  }

  report(): GameReport {
    const [game] = check(this.text, this.keys).games;
    if (game === undefined) throw new Error("no game");
    return game;
  }

  /** Whether each roll of a course stands. */
  standing(): (boolean | string)[] {
    return this.report().rolls.filter((roll, i, all) => all[i - 1]?.declaration !== roll.declaration).map((roll) => roll.standing);
  }

  /** The letter and the broken rule of each finding. */
  findings(): string[] {
    return this.report().findings.map((one) => `${one.culprit ?? "nobody"}: ${one.text.split(": ")[0] ?? ""}`);
  }

  state(): unknown {
    const state = this.report().courses[0]?.state ?? null;
    return state === null ? null : JSON.parse(encodeJson(state));
  }
}
