/** Games in which an office tells the time, and a referee makes rulings that rest on days. */
import assert from "node:assert/strict";
import { toHex } from "../src/bytes.js";
import { depositKey } from "../src/deposits.js";
import type { DaysEntry } from "../src/report.js";
import { OfficeTable } from "./office.js";
import { fixed, Player, type Signed } from "./players.js";

export const DAY = 86_400;
/** The clock at the beginning of a game. */
export const START = 1_800_000_000;
const DEADLINES = [
  { days: 60, forfeit: "none", step: "answer" },
  { days: 50, forfeit: "game", step: "answer" },
  { days: 30, forfeit: "game", step: "answer" },
  { days: 40, forfeit: "game", step: "reveal" },
  { days: 10, forfeit: "declarer-names", step: "reveal" },
];

/** Bob falls silent. Carol demands his answer, and rules that he forfeits the game. */
export class DaysTable extends OfficeTable {
  private request = "";

  constructor(holds = false) {
    super({ deadlines: DEADLINES, ...(holds ? { referee: { deposit: { key: toHex(depositKey(fixed("deposit"))), notes: false }, key: new Player("carol").key, name: "Carol", role: "carol" } } : {}) }, true, holds ? "carol" : "");
  }

  time(at: number): Signed {
    return this.receipt({ time: { at } });
  }

  asks(stall: object = { letter: null, owes: "bob", step: "answer", text: "" }): void {
    const claim = this.sign(this.ann, "claim", { stall });
    this.read(this.carol, this.ann);
    this.request = this.rules({ request: claim.id }).id;
  }

  forfeits(forfeit = "game"): Signed {
    return this.rules({ forfeit: { forfeit, request: this.request } });
  }

  rulesOpen(keys: readonly (readonly [number, string])[]): Signed {
    return this.rules({ open: { keys, request: this.request, sheets: [] } });
  }

  tells(...readers: readonly Player[]): void {
    for (const one of readers) this.read(one, this.off);
  }

  hears(): void {
    this.read(this.off, this.carol);
  }

  /** Both players close with the keys of all sets, of which there are none. */
  close(): void {
    for (const [player, masters] of [[this.ann, null], [this.bob, []], [this.ann, []]] as const) {
      this.meet();
      this.sign(player, "close", { masters, result: null });
    }
  }

  get entry(): Omit<DaysEntry, "ruling"> {
    const { days } = this.report;
    assert.equal(days.length, 1);
    const { at_least, at_most, days: asked, word } = days[0] as DaysEntry;
    return { at_least, at_most, days: asked, word };
  }
}

/** A forfeit with full evidence from the clock: a time before the request, one after it, one before the ruling and one after that. */
export function told(asked: number, ruled: number, behind = ruled): DaysTable {
  const table = new DaysTable();
  table.time(START);
  table.tells(table.carol);
  table.asks();
  table.hears();
  table.time(START + asked);
  table.time(START + ruled);
  table.tells(table.carol);
  table.forfeits();
  table.hears();
  table.time(START + behind);
  return table;
}
