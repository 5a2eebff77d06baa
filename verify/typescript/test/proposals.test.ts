/** Proposals to roll again outside courses: what may be rolled meanwhile, and how long they can be agreed to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../src/checker.js";
import { envelopeKey } from "../src/envelope.js";
import { toHex } from "../src/bytes.js";
import { charterBody, fixed, Player, Table, type Set as Sealed, type Signed } from "./players.js";

const INPUT = { attacks: [{ hexes: ["F12"], odds: "3-1" }] };

/** Ann's declaration of turn 1 is open. Her sets for turns 2 and 3 and a foul-up set are sealed. */
class Proposals extends Table {
  readonly ann: Player;
  readonly bob: Player;
  readonly carol: Player;
  readonly first: Signed;
  private readonly sets: ReadonlyMap<number, Sealed>;
  private readonly spare: Sealed;
  private readonly forRedo: object;

  /** A breach in turn 2, while turn 1 is still unopened. */
  readonly slip: Signed | null;

  constructor(slips = false) {
    const three = [new Player("ann"), new Player("bob"), new Player("carol")] as const;
    super(three);
    const [ann, bob, carol] = ([this.ann, this.bob, this.carol] = three);
    const charter = this.sign(ann, "charter", charterBody(ann, bob, { referee: { deposit: null, key: carol.key, name: "Carol", role: "carol" } }));
    for (const other of [bob, carol]) this.read(other, ann);
    this.sign(carol, "accept", { charter: charter.id, compared: true, nonce: toHex(fixed("c")) });
    this.read(bob, carol);
    this.game = this.sign(bob, "accept", { charter: charter.id, compared: true, nonce: toHex(fixed("b")) }).id;
    this.sets = new Map([1, 2, 3].map((turn) => [turn, this.seal(bob, "coin", `${turn}/1/ann-first/1`, "ann", 5)]));
    this.spare = this.seal(bob, "foul-up", "foul-up/1", "ann", 3);
    this.meet();
    const { signed, reading } = this.declare(ann, this.slot(1), this.set(1), INPUT);
    this.slip = slips ? this.rolls(2, { select: { worksheet: { index: 0, rows: [], total: 0 } } }) : null;
    this.meet();
    this.reveal(bob, this.set(1), signed.id, reading);
    this.meet();
    this.first = signed;
    this.forRedo = reading.forRedo;
  }

  meet(): void {
    for (const one of this.players) for (const other of this.players) if (one !== other) this.read(one, other);
  }

  private slot(turn: number): { turn: number; impulse: number; phase: string; number: number } {
    return { turn, impulse: 1, phase: "ann-first", number: 1 };
  }

  private set(turn: number): Sealed {
    const set = this.sets.get(turn);
    if (set === undefined) throw new Error("no set");
    return set;
  }

  proposes(by: Player, input: object | null = this.forRedo): Signed {
    return this.sign(by, "correct", { propose: { at_fault: "ann", class: "illegal-odds", declaration: this.first.id, input, reason: "" } });
  }

  rolls(turn: number, more: object = {}): Signed {
    return this.declare(this.ann, this.slot(turn), this.set(turn), INPUT, more).signed;
  }

  again(turn: number, redo: object, index: number): Signed {
    return this.rolls(turn, { redo, input: this.forRedo, seal: this.spare.letter.id, select: { foul_up: { index, lines: 1 } } });
  }

  /** Bob opens a redo. */
  opens(redo: Signed, index: number): void {
    this.read(this.bob, this.ann);
    const { context, master, letter } = this.spare;
    this.sign(this.bob, "reveal", { declaration: redo.id, keys: [[index, toHex(envelopeKey(context, master, index))]], seal: letter.id, sheets: [] });
  }

  agrees(to: Signed): Signed {
    return this.sign(this.carol, "ruling", { rule: { agree: to.id }, text: "" });
  }

  findings(): (string | undefined)[] {
    const [game] = check(this.text).games;
    return (game?.findings ?? []).map(({ culprit, text }) => `${culprit}: ${text.split(":")[0] ?? ""}`);
  }
}

test("a player who proposes a redo rolls nothing before the answer", () => {
  const answers: readonly [string, (table: Proposals) => void, boolean][] = [
    ["nobody", () => undefined, false],
    ["the other knows nothing of it", (table) => table.sign(table.bob, "claim", { dispute: { letters: [table.first.id], text: "so" } }), false],
    ["any letter of the other", (table) => (table.meet(), table.sign(table.bob, "claim", { dispute: { letters: [table.first.id], text: "so" } })), true],
    ["another letter of the referee", (table) => (table.meet(), table.sign(table.carol, "ruling", { rule: { settle: table.first.id }, text: "" })), false],
  ];
  for (const [who, answer, answered] of answers) {
    const table = new Proposals();
    table.proposes(table.ann);
    answer(table);
    table.meet();
    table.rolls(2);
    assert.deepEqual(table.findings(), answered ? [] : ["ann: declare 19"], who);
  }
});

test("records and the other player's proposals do not stop anybody", () => {
  const table = new Proposals();
  table.proposes(table.ann, null);
  table.rolls(2);
  table.proposes(table.bob);
  assert.deepEqual(table.findings(), []);
});

test("a ruling that agrees is an answer, and its redo comes first", () => {
  const table = new Proposals();
  const asked = table.proposes(table.ann);
  table.meet();
  const ruling = table.agrees(asked);
  table.meet();
  table.opens(table.again(1, { agreed: ruling.id }, 0), 0);
  table.meet();
  table.rolls(2);
  assert.deepEqual(table.findings(), []);
});

test("a breach can be corrected while a proposal is open", () => {
  const table = new Proposals(true);
  table.proposes(table.ann);
  table.again(2, { breach: table.slip?.id }, 0);
  assert.deepEqual(table.findings(), ["ann: declare 9"]);
});

test("a ruling cannot agree to a redo of dice that a later declaration knew", () => {
  for (const late of [false, true]) {
    const table = new Proposals();
    const asked = table.proposes(table.bob);
    // Her next turn crosses it.
    table.rolls(2);
    table.read(table.carol, table.bob);
    if (late) table.read(table.carol, table.ann);
    table.agrees(asked);
    // The referee agrees without having seen her answer.
    assert.deepEqual(table.findings(), late ? ["carol: ruling 13"] : []);
  }
});
