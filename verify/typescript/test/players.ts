/** Players who sign good and bad letters, as a program of the protocol would. */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { armour } from "../src/armour.js";
import { concat, hexBytes, toHex, utf8 } from "../src/bytes.js";
import { columnKeys, contextOfEnvelope, envelopeCommit, envelopeKey, setMaster, type SetContext } from "../src/envelope.js";
import { hash, sha3 } from "../src/hash.js";
import { encodeJson, makeObject, plain, type JsonObject } from "../src/json.js";
import { add } from "../src/lists.js";
import { messageId, signedBytes, TYPE } from "../src/message.js";
import { KeyRing } from "../src/signature.js";
import { systemNamed, type Reading } from "../src/system.js";

export interface Signed {
  readonly id: string;
  readonly text: string;
  readonly author: string;
  readonly number: number;
}

/** Bytes derived from a name, so that every run of a test is the same. */
export function fixed(name: string): Uint8Array {
  return sha3(utf8(`test ${name}`));
}

/** A state that a player can return to. */
export interface Backup {
  readonly number: number;
  readonly prev: string | null;
  readonly seen: Readonly<Record<string, string | null>>;
}

export class Player {
  /** The secret key that they sign with. */
  readonly seed: Uint8Array;
  readonly key: string;
  readonly vault: Uint8Array;
  number = 0;
  prev: string | null = null;
  readonly seen: Record<string, string | null> = {};
  private salts = 0;
  constructor(
    readonly role: string,
    name = role,
  ) {
    this.seed = fixed(`seed of ${name}`);
    this.key = toHex(ed25519.getPublicKey(this.seed));
    this.vault = fixed(`vault of ${name}`);
  }

  salt(): string {
    return toHex(fixed(`salt ${this.role} ${this.salts++}`));
  }
}

/** A frame with its key and signature, padded as message 1 says. */
export function frameOf(payload: string, seed: Uint8Array): Uint8Array {
  const bytes = utf8(payload);
  const signature = ed25519.sign(signedBytes(TYPE, bytes), seed);
  const lines = concat(utf8(`${TYPE}\n`), bytes, utf8(`\n${toHex(ed25519.getPublicKey(seed))}\n${toHex(signature)}\n`));
  return concat(lines, utf8("\n".repeat((3 - (lines.length % 3)) % 3)));
}

export function signPayload(payload: string, seed: Uint8Array): string {
  return armour(frameOf(payload, seed));
}

export const COIN = { chart: "house", double_letters: "doubled", envelopes: 5, grammar: "letters", list_automatic: true, values: "1-6" };
export const SHEET = { values: "1-6" };

export function phase(name: string, declarer: string, impulse: number, system: "coin-envelopes" | "icrk", more: object = {}): object {
  return {
    decisions: [],
    declarer,
    impulses: [impulse],
    name,
    private: false,
    revealer: "sealer",
    settings: system === "icrk" ? SHEET : COIN,
    source: system === "icrk" ? "sheet" : "coin",
    system,
    ...more,
  };
}

export function charterBody(a: Player, b: Player, more: object = {}): object {
  return {
    compared: true,
    continues: null,
    deadlines: [{ days: 30, forfeit: "declarer-names", step: "reveal" }],
    foul_up: { envelopes: 3, remedies: { "illegal-move": "keep", "illegal-odds": "redo", "wrong-list": "keep" }, revealer: "sealer" },
    hard_core: false,
    nonce: toHex(fixed("nonce of the charter")),
    office: null,
    parties: [
      { key: a.key, name: "Ann", role: a.role },
      { key: b.key, name: "Bob", role: b.role },
    ],
    penalties: [],
    phases: [phase("ann-first", a.role, 1, "coin-envelopes"), phase("ann-second", a.role, 2, "icrk"), phase("bob-first", b.role, 1, "coin-envelopes")],
    referee: null,
    sets_at_start: { "foul-up": 0, sheet: 0 },
    tables: {},
    title: "a test",
    ...more,
  };
}

export interface Set {
  readonly letter: Signed;
  readonly context: SetContext;
  readonly master: Uint8Array;
}

/** A game in play: the letters of all players, in the order of signing. */
export class Table {
  readonly letters: Signed[] = [];
  /** Checks the growing game, each signature once. */
  readonly keys = new KeyRing(true);
  game = "";
  /** The letters after each letter. More than one are a fork. */
  private readonly behind = new Map<string, Signed[]>();
  private readonly byRole: Map<string, Player>;

  constructor(
    readonly players: readonly Player[],
    /** The referee, if they hold deposits. */
    readonly holder = "",
  ) {
    this.byRole = new Map(players.map((player) => [player.role, player]));
  }

  /** Signs a letter exactly as given, including its links. */
  put(head: object, body: object, seed: Uint8Array): Signed {
    const payload = encodeJson(plain({ body, head }));
    const read = head as { author: string; number: number; prev: string | null };
    const signed = { id: messageId(utf8(payload)), text: signPayload(payload, seed), author: read.author, number: read.number };
    this.letters.push(signed);
    if (read.prev !== null) add(this.behind, read.prev, signed);
    return signed;
  }

  /** The letters of all forks. */
  get forked(): readonly Signed[] {
    return [...this.behind.values()].filter((branches) => branches.length > 1).flat();
  }

  /** The next letter of a player, who has seen what they were told of. */
  sign(player: Player, kind: string, body: object, head: object = {}): Signed {
    const others = this.players.filter((one) => one !== player);
    const seen = Object.fromEntries(others.map((one) => [one.role, player.seen[one.role] ?? null]));
    const game = kind === "charter" ? null : kind === "accept" ? (player.seen[this.players[0]?.role ?? ""] ?? null) : this.game;
    const signed = this.put({ author: player.role, game, kind, number: player.number + 1, prev: player.prev, seen, v: 1, ...head }, body, player.seed);
    player.number++;
    player.prev = signed.id;
    return signed;
  }

  /** A letter outside every chain (message 9). */
  unnumbered(player: Player, kind: string, body: object): Signed {
    const seen = Object.fromEntries(this.players.filter((one) => one !== player).map((one) => [one.role, null]));
    return this.put({ author: player.role, game: this.game, kind, number: 0, prev: null, seen, v: 1 }, body, player.seed);
  }

  /** A player with a restored folder asks the others, who answer (keys 4). */
  resync(player: Player, ...others: readonly Player[]): void {
    const ask = this.unnumbered(player, "resync", { ask: toHex(fixed(`ask ${this.letters.length}`)) });
    for (const other of others) this.unnumbered(other, "resync", { answer: { ask: ask.id, last: other.seen[player.role] ?? null } });
  }

  backup({ number, prev, seen }: Player): Backup {
    return { number, prev, seen: { ...seen } };
  }

  restore(player: Player, { number, prev, seen }: Backup): void {
    player.number = number;
    player.prev = prev;
    Object.assign(player.seen, seen);
  }

  /** A letter that somebody signs in a player's name with another key, without the player's knowledge. */
  stranger(player: Player, kind: string, body: object): Signed {
    const { number, prev, seen } = player;
    return this.put({ author: player.role, game: this.game, kind, number: number + 1, prev, seen, v: 1 }, body, fixed(`a stranger's key ${this.letters.length}`));
  }

  /** A claim without any effect. */
  talks(player: Player, text = "so"): Signed {
    return this.sign(player, "claim", { dispute: { letters: [this.game], text } });
  }

  /** A player reads all letters of another so far. */
  read(reader: Player, of: Player): void {
    reader.seen[of.role] = of.prev;
  }

  begin(charter?: object): void {
    const [a, b] = this.pair();
    const made = this.sign(a, "charter", charter ?? charterBody(a, b));
    this.read(b, a);
    this.game = this.sign(b, "accept", { charter: made.id, compared: true, nonce: toHex(fixed("nonce of the accept")) }).id;
    this.read(a, b);
  }

  pair(): [Player, Player] {
    const [a, b] = this.players;
    if (a === undefined || b === undefined) throw new Error("two players");
    return [a, b];
  }

  seal(sealer: Player, kind: string, purpose: string, declarer: string, n: number, revealer = sealer.role): Set {
    const context: SetContext = { game: this.game, purpose, kind, sealer: sealer.role, declarer, revealer, fallback: ["coin", "sheet", "foul-up"].includes(kind) ? this.holder : "", n };
    const salt = sealer.salt();
    const master = setMaster(context, sealer.vault, hexBytes(salt));
    const commits =
      kind === "sheet"
        ? Array.from({ length: 40 }, (_, column) => toHex(columnKeys(context, master, column)[10] ?? new Uint8Array(0)))
        : Array.from({ length: n }, (_, i) => toHex(envelopeCommit(context, i, envelopeKey(context, master, i))));
    const letter = this.sign(sealer, "seal", { commits, declarer, kind, n, notes: null, purpose, revealer, salt });
    return { letter, context, master };
  }

  note(sealer: Player, purpose: string, text: string, revealer = sealer.role): Set {
    const context: SetContext = { game: this.game, purpose, kind: "note", sealer: sealer.role, declarer: sealer.role, revealer, fallback: "", n: 1 };
    const salt = sealer.salt();
    const master = setMaster(context, sealer.vault, hexBytes(salt));
    const key = envelopeKey(context, master, 0);
    const a = contextOfEnvelope(context, 0);
    const bytes = utf8(text);
    const padded = concat(bytes, new Uint8Array([0x80]), new Uint8Array(255 - (bytes.length % 256)));
    const cipher = toHex(chacha20poly1305(hash("note-key", a, key), new Uint8Array(12), a).encrypt(padded));
    const letter = this.sign(sealer, "seal", { commits: [toHex(envelopeCommit(context, 0, key))], declarer: sealer.role, kind: "note", n: 1, notes: [cipher], purpose, revealer, salt });
    return { letter, context, master };
  }

  declare(player: Player, slot: { turn: number; impulse: number; phase: string; number: number }, set: Set, input: object, more: object = {}): { signed: Signed; reading: Reading } {
    const system = set.context.kind === "sheet" ? "icrk" : "coin-envelopes";
    const reading = systemNamed(system).make(json(system === "icrk" ? SHEET : COIN), json({})).read(json(input), false);
    const contribution = { open: toHex(fixed(`contribution ${this.letters.length}`)) };
    const signed = this.sign(player, "declare", {
      after: null,
      contribution,
      input: reading.canonical,
      moves: { text: "<b>moves</b> \u202e" },
      redo: null,
      seal: set.letter.id,
      select: reading.select((column) => (reading.cells.find(([one]) => one === column)?.[1] ?? 1) - 1),
      slot,
      ...more,
    });
    return { signed, reading };
  }

  /** The keys for the selection of a declaration, as a reveal or a ruling has them. */
  keysFor(set: Set, reading: Reading): { readonly keys: readonly unknown[]; readonly sheets: readonly unknown[] } {
    const keys = reading.opened.map((index) => [index, toHex(envelopeKey(set.context, set.master, index))]);
    const depths = new Map<number, number>();
    for (const [column, row] of reading.cells) depths.set(column, Math.max(row, depths.get(column) ?? 0));
    const sheets = [...depths].sort(([a], [b]) => a - b).map(([column, row]) => [column, row, toHex(columnKeys(set.context, set.master, column)[10 - row] ?? new Uint8Array(0))]);
    return { keys, sheets };
  }

  reveal(player: Player, set: Set, declaration: string, reading: Reading): Signed {
    return this.sign(player, "reveal", { declaration, seal: set.letter.id, ...this.keysFor(set, reading) });
  }

  get text(): string {
    return this.letters.map((letter) => letter.text).join("\n");
  }

  player(role: string): Player {
    const player = this.byRole.get(role);
    if (player === undefined) throw new Error("no such player");
    return player;
  }
}

export function json(value: unknown): JsonObject {
  const made = plain(value);
  return typeof made === "object" && made !== null && !Array.isArray(made) ? (made as JsonObject) : makeObject([]);
}

/** A game of about this many letters: turn after turn of a seal, a declaration and its reveal. */
export function longGame(letters: number, title = "long"): Table {
  const table = new Table([new Player("ann"), new Player("bob")]);
  const [ann, bob] = table.pair();
  table.begin(charterBody(ann, bob, { title, nonce: toHex(fixed(`nonce ${title}`)) }));
  for (let turn = 1; table.letters.length < letters; turn++) {
    for (const [mover, other] of [[ann, bob], [bob, ann]] as const) {
      const number = Math.floor((turn - 1) / 9_999);
      const slot = { turn: turn - number * 9_999, impulse: 1, phase: `${mover.role}-first`, number: 1 };
      const set = table.seal(other, "coin", `${slot.turn}/1/${slot.phase}/1`, mover.role, 5);
      table.read(mover, other);
      const { signed, reading } = table.declare(mover, slot, set, {
        attacks: [{ hexes: ["F12", "F13"], odds: "3-1" }, { hexes: [`G${turn % 100}`], odds: "1-2" }, { hexes: ["I11"], odds: "5-1" }],
      });
      table.read(other, mover);
      table.reveal(other, set, signed.id, reading);
      table.read(mover, other);
    }
  }
  return table;
}
