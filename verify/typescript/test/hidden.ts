/** A game of a hidden course. */
import { toHex } from "../src/bytes.js";
import { CourseTable } from "./courses.js";
import { type Player, type Set as Sealed, type Signed } from "./players.js";

export const TERMS = {
  adjacent: "all",
  ammo: false,
  combats: 2,
  defender_to_sign: "minus",
  doctrine: { ann: "us", bob: "soviet" },
  ew: 1,
  letters: "wait",
  low_columns: "odd",
  roll_count_public: false,
  sectors: { north: ["0101", "2020"] },
  sheet_bytes: 1_024,
  sides: ["ann", "bob"],
  units: 2,
};
export const LINES = 5 * 2 + 1 + 2 * (2 * 1 + 4);
export const SHOWN = { contacts: {}, entries: [], paths: {}, rolled: null };
export const LEVEL = { level: 4, sectors: ["north"] };
export const SETUP = { ...SHOWN, intelligence: null, step: "setup" };
export const MOVE = { ...SHOWN, combats: [], intelligence: LEVEL, interdictions: [], step: "move", weather: [] };
export const CONTACT = { designation: null, hexes: ["0822"], kind: null, mode: null, to: null };
export const ATTACK = {
  assault: true, barrage: 3, chemical: "used", contact: "c1", ew_attacks: 0, ew_level: 0, ew_superiority: 0, from: "0822", kind: "attack",
  retreats: { any: ["0821"], away: [], road: ["0821"] }, target: "0823", total: 12,
};
export const ATTACKS = { ...MOVE, combats: [ATTACK], contacts: { c1: CONTACT }, paths: { c1: ["0821", "0822"] } };
export const DEFEND = { ...SHOWN, combats: [{ chemical: "none", fpf: 2 }], step: "defend" };
export const FOUGHT = { advance: false, attacker_loss: 1, breakthrough: true, chemical: "none", defender: null, ew_level: 1, fpf: 2, result: "fought", retreat: null };
export const REPORT = { ...SHOWN, combats: [FOUGHT], halts: [], step: "report" };

export class HiddenTable extends CourseTable {
  readonly shares = new Map<Player, Sealed>();
  readonly sealed = new Map<Player, Sealed[]>();
  private readonly used = new Map<Player, number>();

  constructor(carol: Player | null = null, more: object = {}) {
    super({ phases: [{ decisions: [], declarer: null, impulses: [1], name: "battle", private: true, revealer: "sealer", settings: TERMS, source: "plain", system: "ndc", ...more }] }, carol);
    for (const player of [this.ann, this.bob]) this.shares.set(player, this.seal(player, "contribution", "contribution/1", player.role, 20));
  }

  override seal(sealer: Player, kind: string, purpose: string, declarer: string, n: number): Sealed {
    return this.kept(sealer, super.seal(sealer, kind, purpose, declarer, n));
  }

  override note(sealer: Player, purpose: string, text: string): Sealed {
    return this.kept(sealer, super.note(sealer, purpose, text));
  }

  private kept(sealer: Player, set: Sealed): Sealed {
    this.sealed.set(sealer, [...(this.sealed.get(sealer) ?? []), set]);
    return set;
  }

  at(turn: number, number = 1): string {
    return `${turn}/1/battle/${number}`;
  }

  sheet(player: Player, turn: number, number = 1, length = 800): Sealed {
    return this.note(player, `${this.at(turn, number)}/sheet`, JSON.stringify("x".repeat(length - 2)));
  }

  /** A declaration with its sheet and its own sealed share. */
  states(player: Player, turn: number, number: number, input: object, more: { readonly moves?: object; readonly contribution?: object; readonly redo?: object | null; readonly seal?: string; readonly select?: object } = {}): { readonly signed: Signed; readonly set: Sealed } {
    const set = this.seal(this.other(player), "plain", this.at(turn, number), player.role, 1);
    const sheet = more.moves === undefined ? this.sheet(player, turn, number) : null;
    this.meet();
    const share = this.shares.get(player);
    const index = this.used.get(player) ?? 0;
    this.used.set(player, index + 1);
    const slot = { impulse: 1, number, phase: "battle", turn };
    const signed = this.sign(player, "declare", {
      after: this.after(player, slot, more.redo ?? null),
      contribution: { sealed: { index, seal: share?.letter.id ?? "" } },
      input,
      moves: { note: { index: 0, seal: sheet?.letter.id ?? "" } },
      redo: null,
      seal: set.letter.id,
      select: { plain: { index: 0, lines: LINES } },
      slot,
      ...more,
    });
    this.meet();
    return { signed, set };
  }

  played(player: Player, turn: number, number: number, input: object): Signed {
    const { signed, set } = this.states(player, turn, number, input);
    this.open(this.other(player), set, signed);
    this.meet();
    return signed;
  }

  setUp(): void {
    this.played(this.ann, 1, 1, SETUP);
    this.played(this.bob, 1, 1, { ...SETUP, intelligence: LEVEL });
  }

  close(): void {
    const { ann, bob } = this;
    this.sign(ann, "close", { masters: null, result: null });
    this.meet();
    for (const player of [bob, ann]) {
      this.sign(player, "close", { masters: (this.sealed.get(player) ?? []).map((set) => ({ master: toHex(set.master), seal: set.letter.id })), result: null });
      this.meet();
    }
  }

  now(): Record<string, unknown> {
    return this.state() as Record<string, unknown>;
  }
}
