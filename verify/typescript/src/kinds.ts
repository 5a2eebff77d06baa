/**
 * The fields of each kind of letter. A new kind needs a line in {@link BODIES} here, a line in `names.ts` for the ids in its body,
 * and a file in `rules/`.
 */
import { LIMITS } from "./limits.js";
import {
  ascending, bool, hex32, hex80, integer, json, letter, list, mapOf, name, nothing, nullable, object, objectOf, oneOf, pair, record, role, text, triple, word,
  type Read, type Shape,
} from "./shape.js";
import { slotShape } from "./slot.js";
import { refuse } from "./refusal.js";
import type { Json } from "./json.js";

export const STEPS = ["answer", "declare", "reveal"] as const;
const forfeit = word("declarer-names", "game");

// charter 1 to 4
const party = record({ key: hex32, name: text(1, 80), role });
// deposits 1, office 1
const deposits = record({ key: hex32, notes: bool });
const referee = record({ deposit: nullable(deposits), key: hex32, name: text(1, 80), role });
const office = record({ deposit: nullable(deposits), key: hex32, name: text(1, 80), role });
const revealer = word("sealer", "office");
const decision = record({ by: nullable(role), how: word("open", "sealed", "simultaneous"), name });
const phase = record({
  decisions: list(decision, 0, LIMITS.list),
  declarer: nullable(role),
  impulses: ascending(list(integer(1, 99), 1, 99)),
  name,
  private: bool,
  revealer,
  settings: object,
  source: word("coin", "sheet", "plain"),
  system: text(),
});
const remedy = word("keep", "redo");
// charter 25
const continues = record({ game: hex32, heads: mapOf(role, nullable(hex32), 4, 1), states: mapOf(text(), object, 8) });
const charter = record({
  compared: bool,
  continues: nullable(continues),
  deadlines: list(record({ days: integer(1, 3_650), forfeit: word("none", "declarer-names", "game"), step: word(...STEPS) }), 0, LIMITS.list),
  foul_up: record({
    envelopes: integer(1, LIMITS.places),
    remedies: record({ "illegal-move": remedy, "illegal-odds": remedy, "wrong-list": remedy }),
    revealer,
  }),
  hard_core: bool,
  nonce: hex32,
  office: nullable(office),
  parties: list(party, 2, 2),
  penalties: list(text(1, 1_000), 0, LIMITS.list),
  phases: list(phase, 1, LIMITS.phases),
  referee: nullable(referee),
  sets_at_start: record({ "foul-up": integer(0, 8), sheet: integer(0, 8) }),
  tables: objectOf(LIMITS.list),
  title: text(1, 200),
});

// charter 13
const accept = record({ charter: letter, compared: bool, nonce: hex32 });

// letters, seal
const ciphertext: Shape<string> = (value, path) => {
  if (typeof value !== "string" || !/^[0-9a-f]*$/.test(value)) return refuse("fields", `${path} is no hexadecimal text`);
  if (value.length <= 32 || (value.length - 32) % 512 !== 0) refuse("fields", `${path} is not a multiple of 256 bytes and 16 more`);
  return value;
};
const sealFields = record({
  commits: list(hex32, 0, LIMITS.places),
  declarer: role,
  kind: word("coin", "sheet", "plain", "foul-up", "note", "contribution"),
  n: integer(1, LIMITS.columns * LIMITS.cells),
  notes: nullable(list(ciphertext, 0, LIMITS.places)),
  purpose: text(),
  revealer: role,
  salt: hex32,
});
const seal: Shape<Read<typeof sealFields>> = (value, path) => {
  const body = sealFields(value, path);
  const sheet = body.kind === "sheet";
  if (sheet ? body.n !== LIMITS.columns * LIMITS.cells : body.n > LIMITS.places) refuse("fields", `${path}.n is not the number of places of such a set`);
  if (body.commits.length !== (sheet ? LIMITS.columns : body.n)) refuse("fields", `${path}.commits are not one for each place`);
  if ((body.kind === "note") !== (body.notes !== null)) refuse("fields", `${path}.notes do not go with the kind`);
  if (body.notes !== null && body.notes.length !== body.n) refuse("fields", `${path}.notes are not one for each place`);
  return body;
};

// letters, declare
const cell = pair(integer(), integer());
const declare = record({
  after: nullable(letter),
  contribution: nullable(oneOf({ open: hex32, sealed: record({ index: integer(), seal: letter }) })),
  input: object,
  moves: oneOf({
    files: list(record({ length: integer(), name: text(1, 255), sha3_256: hex32 }), 1, LIMITS.list),
    none: nothing,
    note: record({ index: integer(0, 0), seal: letter }),
    text: text(),
  }),
  redo: nullable(oneOf({ agreed: letter, breach: letter, opened: letter })),
  seal: nullable(letter),
  select: nullable(
    oneOf({
      cells: list(cell, 0, Number.MAX_SAFE_INTEGER),
      foul_up: record({ index: integer(), lines: integer() }),
      plain: record({ index: integer(), lines: integer() }),
      worksheet: record({ index: integer(), rows: list(cell, 0, Number.MAX_SAFE_INTEGER), total: integer() }),
    }),
  ),
  slot: slotShape,
});

// letters, reveal
const keys = list(pair(integer(), hex32), 0, LIMITS.places);
const sheets = list(triple(integer(), integer(), hex32), 0, LIMITS.columns);
const reveal = record({ declaration: nullable(letter), keys, seal: letter, sheets });

// letters, decide
const decide = record({ after: nullable(letter), name, slot: slotShape, value: json });

// disputes 1
export const scopeShape = oneOf({
  declaration: letter,
  impulse: record({ declarations: ascending(list(letter, 1, LIMITS.list)), impulse: integer(1, 99), turn: integer(1, 9_999) }),
  rolls: record({ declaration: letter, lines: ascending(list(integer(1), 1, LIMITS.scopeLines)) }),
});
export type Scope = Read<typeof scopeShape>;

// letters, correct
const correct = oneOf({
  accept: letter,
  propose: record({
    at_fault: role,
    class: word("illegal-move", "illegal-odds", "wrong-list"),
    declaration: letter,
    input: nullable(object),
    reason: text(0, 1_000),
  }),
  refuse: letter,
  void: record({ reason: text(1, 1_000), scope: scopeShape }),
});

// letters, close
const masters = list(record({ master: hex32, seal: letter }), 0, Number.MAX_SAFE_INTEGER);
const closeFields = record({ masters: nullable(masters), result: nullable(text(0, 1_000)) });
const close: Shape<Read<typeof closeFields>> = (value, path) => {
  const body = closeFields(value, path);
  if (body.masters !== null && new Set(body.masters.map((entry) => entry.seal)).size !== body.masters.length) {
    refuse("fields", `${path}.masters has a seal twice`);
  }
  return body;
};

// disputes, claims
const claim = oneOf({
  dispute: record({ letters: ascending(list(letter, 1, LIMITS.disputeLetters)), text: text(1, 1_000) }),
  names: record({ declaration: letter, dice: list(integer(1, 0x1_0000_0000), 0, LIMITS.namedDice), forfeit: letter }),
  stall: record({ letter: nullable(letter), owes: role, step: word(...STEPS), text: text(0, 1_000) }),
  withdraw: letter,
  yield: record({ declaration: nullable(letter), forfeit, text: text(0, 1_000) }),
});

// disputes, the referee
const ruling = record({
  rule: oneOf({
    agree: letter,
    dismiss: letter,
    forfeit: record({ forfeit, request: letter }),
    kill: letter,
    open: record({ keys, request: letter, sheets }),
    request: letter,
    settle: letter,
    void: scopeShape,
  }),
  text: text(0, 1_000),
});

// deposits 4
const deposit = record({ key: hex32, seal: hex32, wrapped: hex80 });

// office 33
const seals = record({ seals: ascending(list(letter, 1, LIMITS.receiptSeals)) });
const clock = record({ at: integer(0, LIMITS.lastSecond) });
const receipt = oneOf({ deposit: seals, epoch: clock, hand_back: seals, time: clock });

// charter 21
const withdraw = record({});

// keys 4
const resync = oneOf({ answer: record({ ask: hex32, last: nullable(letter) }), ask: hex32 });

export const BODIES = { charter, accept, seal, declare, reveal, decide, correct, claim, ruling, receipt, resync, deposit, withdraw, close } as const;

export type Kind = keyof typeof BODIES;
export type BodyOf<K extends Kind> = Read<(typeof BODIES)[K]>;
export type Charter = BodyOf<"charter">;
export type Phase = Charter["phases"][number];
export type Step = (typeof STEPS)[number];

/** A body with its kind. A rule looks at the kind to know the body's type. */
export type Content = { [K in Kind]: { readonly kind: K; readonly body: BodyOf<K> } }[Kind];

export const KINDS = Object.keys(BODIES) as readonly Kind[];

// message 9
/** Whether a message is in no chain. Such a message names nothing, changes nothing, and is not a letter of the game. */
export function isUnnumbered(content: Content): boolean {
  return content.kind === "resync" || content.kind === "deposit" || content.kind === "withdraw";
}

export function readContent(kind: Kind, value: Json): Content {
  return { kind, body: BODIES[kind](value, "body") } as Content;
}
