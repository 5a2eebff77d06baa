/** Games with an office that opens Ann's dice. */
import { toHex } from "../src/bytes.js";
import { check } from "../src/checker.js";
import { depositKey } from "../src/deposits.js";
import { envelopeKey } from "../src/envelope.js";
import type { GameReport } from "../src/report.js";
import type { Reading } from "../src/system.js";
import { charterBody, fixed, phase, Player, Table, type Set, type Signed } from "./players.js";

export interface Declared {
  readonly set: Set;
  readonly signed: Signed;
  readonly reading: Reading;
}

export class OfficeTable extends Table {
  readonly ann: Player;
  readonly bob: Player;
  readonly off: Player;
  /** The referee, if there is one. */
  readonly carol: Player;
  private readonly turns = new Map<string, number>();

  constructor(
    more: object = {},
    referee = false,
    /** The referee, if they hold deposits. */
    holder = "",
  ) {
    const [ann, bob, carol, off] = [new Player("ann"), new Player("bob"), new Player("carol"), new Player("off")];
    const third = referee ? [carol] : [];
    super([ann, bob, ...third, off], holder);
    [this.ann, this.bob, this.carol, this.off] = [ann, bob, carol, off];
    const named = referee ? { referee: { deposit: holder === "" ? null : { key: toHex(depositKey(fixed("deposits of carol"))), notes: false }, key: carol.key, name: "Carol", role: "carol" } } : {};
    this.sign(ann, "charter", charterBody(ann, bob, { office: officeOf(off), phases: [phase("ann-first", "ann", 1, "coin-envelopes", { revealer: "office" })], ...named, ...more }));
    for (const one of [...third, off]) this.accept(one, ann);
    this.game = this.accept(bob, ann, ...third, off).id;
    this.meet();
  }

  rules(rule: object): Signed {
    return this.sign(this.carol, "ruling", { rule, text: "" });
  }

  accept(player: Player, ...seen: readonly Player[]): Signed {
    for (const other of seen) this.read(player, other);
    return this.sign(player, "accept", { charter: this.letters[0]?.id ?? "", compared: true, nonce: toHex(fixed(`accept ${player.role}`)) });
  }

  /** Everybody reads everything. */
  meet(): void {
    for (const reader of this.players) for (const of of this.players) if (of !== reader) this.read(reader, of);
  }

  /** A set by Bob for Ann's next turn. */
  set(turn: number): Set {
    return this.seal(this.bob, "coin", `${turn}/1/ann-first/1`, "ann", 5, "off");
  }

  receipt(body: object): Signed {
    return this.sign(this.off, "receipt", body);
  }

  holds(...sets: readonly Set[]): Signed {
    return this.receipt({ deposit: { seals: sets.map((set) => set.letter.id).sort() } });
  }

  handsBack(set: Set): Signed {
    return this.receipt({ hand_back: { seals: [set.letter.id] } });
  }

  epoch(at: number): Signed {
    return this.receipt({ epoch: { at } });
  }

  /** Ann declares on a set. A second declaration of the same turn is another letter. */
  declares(set: Set): Declared {
    const turn = Number(set.context.purpose.split("/")[0]);
    const again = this.turns.get(set.context.purpose) ?? 0;
    this.turns.set(set.context.purpose, again + 1);
    const attacks = [{ hexes: [`F${10 + again}`], odds: "3-1" }];
    return { set, ...this.declare(this.ann, { turn, impulse: 1, phase: "ann-first", number: 1 }, set, { attacks }) };
  }

  opens(player: Player, { set, signed, reading }: Declared): Signed {
    return this.reveal(player, set, signed.id, reading);
  }

  stall({ signed }: Declared): Signed {
    return this.sign(this.ann, "claim", { stall: { letter: signed.id, owes: "bob", step: "reveal", text: "" } });
  }

  yields({ signed }: Declared): Signed {
    return this.sign(this.bob, "claim", { yield: { declaration: signed.id, forfeit: "declarer-names", text: "" } });
  }

  /** A set that the office holds, and a declaration on it that everybody knows. */
  declared(turn = 1): Declared {
    const set = this.set(turn);
    this.meet();
    this.holds(set);
    this.meet();
    const declared = this.declares(set);
    this.meet();
    return declared;
  }

  get report(): GameReport {
    const game = check(this.text, this.keys).games[0];
    if (game === undefined) throw new Error("no game");
    return game;
  }

  /** The culprit, letter and rule of each finding. */
  get found(): readonly (readonly [string, string | null, string])[] {
    const by = new Map(this.letters.map((letter) => [letter.id, `${letter.author} ${letter.number}`]));
    return this.report.findings.map(({ culprit, message_ids, text }) => [by.get(message_ids[0] ?? "") ?? "", culprit, text.split(":")[0] ?? ""]);
  }
}

export function officeOf(player: Player, more: object = {}): object {
  return { deposit: { key: toHex(depositKey(fixed("deposits of the office"))), notes: false }, key: player.key, name: "The office", role: player.role, ...more };
}

export function keyOf(set: Set, index: number): string {
  return toHex(envelopeKey(set.context, set.master, index));
}
