import {
  TYPE,
  armour,
  columnKeys,
  concat,
  encodeJson,
  envelopeCommit,
  envelopeKey,
  hexBytes,
  makeObject,
  messageId,
  plain,
  setMaster,
  sha3,
  signedBytes,
  systemNamed,
  toHex,
  utf8
} from "./chunk-6GB62O2M.js";

// test/players.ts
import { ed25519 } from "@noble/curves/ed25519.js";
function fixed(name) {
  return sha3(utf8(`test ${name}`));
}
var Player = class {
  constructor(role, name = role) {
    this.role = role;
    this.seed = fixed(`seed of ${name}`);
    this.key = toHex(ed25519.getPublicKey(this.seed));
    this.vault = fixed(`vault of ${name}`);
  }
  role;
  seed;
  key;
  vault;
  number = 0;
  prev = null;
  seen = {};
  salts = 0;
  salt() {
    return toHex(fixed(`salt ${this.role} ${this.salts++}`));
  }
};
function frameOf(payload, seed) {
  const bytes = utf8(payload);
  const signature = ed25519.sign(signedBytes(TYPE, bytes), seed);
  const lines = concat(utf8(`${TYPE}
`), bytes, utf8(`
${toHex(ed25519.getPublicKey(seed))}
${toHex(signature)}
`));
  return concat(lines, utf8("\n".repeat((3 - lines.length % 3) % 3)));
}
function signPayload(payload, seed) {
  return armour(frameOf(payload, seed));
}
var COIN = { chart: "house", double_letters: "doubled", envelopes: 5, grammar: "letters", list_automatic: true, values: "1-6" };
var SHEET = { values: "1-6" };
function phase(name, declarer, impulse, system, more = {}) {
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
    ...more
  };
}
function charterBody(a, b, more = {}) {
  return {
    compared: true,
    deadlines: [{ days: 30, forfeit: "declarer-names", step: "reveal" }],
    foul_up: { envelopes: 3, remedies: { "illegal-move": "keep", "illegal-odds": "redo", "wrong-list": "keep" }, revealer: "sealer" },
    hard_core: false,
    nonce: toHex(fixed("nonce of the charter")),
    office: null,
    parties: [
      { key: a.key, name: "Ann", role: a.role },
      { key: b.key, name: "Bob", role: b.role }
    ],
    penalties: [],
    phases: [phase("ann-first", a.role, 1, "coin-envelopes"), phase("ann-second", a.role, 2, "icrk"), phase("bob-first", b.role, 1, "coin-envelopes")],
    referee: null,
    sets_at_start: { "foul-up": 0, sheet: 0 },
    tables: {},
    title: "a test",
    ...more
  };
}
var Table = class {
  constructor(players, holder = "") {
    this.players = players;
    this.holder = holder;
    this.byRole = new Map(players.map((player) => [player.role, player]));
  }
  players;
  holder;
  letters = [];
  game = "";
  byRole;
  /** Signs a letter as it is given, links and all. */
  put(head, body, seed) {
    const payload = encodeJson(plain({ body, head }));
    const read = head;
    const signed = { id: messageId(utf8(payload)), text: signPayload(payload, seed), author: read.author, number: read.number };
    this.letters.push(signed);
    return signed;
  }
  /** The next letter of a player, who has seen what he was told of. */
  sign(player, kind, body, head = {}) {
    const others = this.players.filter((one) => one !== player);
    const seen = Object.fromEntries(others.map((one) => [one.role, player.seen[one.role] ?? null]));
    const game = kind === "charter" ? null : kind === "accept" ? player.seen[this.players[0]?.role ?? ""] ?? null : this.game;
    const signed = this.put({ author: player.role, game, kind, number: player.number + 1, prev: player.prev, seen, v: 1, ...head }, body, player.seed);
    player.number++;
    player.prev = signed.id;
    return signed;
  }
  /** A player reads all letters of another so far. */
  read(reader, of) {
    reader.seen[of.role] = of.prev;
  }
  begin(charter) {
    const [a, b] = this.pair();
    const made = this.sign(a, "charter", charter ?? charterBody(a, b));
    this.read(b, a);
    this.game = this.sign(b, "accept", { charter: made.id, compared: true, nonce: toHex(fixed("nonce of the accept")) }).id;
    this.read(a, b);
  }
  pair() {
    const [a, b] = this.players;
    if (a === void 0 || b === void 0) throw new Error("two players");
    return [a, b];
  }
  seal(sealer, kind, purpose, declarer, n) {
    const context = { game: this.game, purpose, kind, sealer: sealer.role, declarer, revealer: sealer.role, fallback: ["coin", "sheet", "foul-up"].includes(kind) ? this.holder : "", n };
    const salt = sealer.salt();
    const master = setMaster(context, sealer.vault, hexBytes(salt));
    const commits = kind === "sheet" ? Array.from({ length: 40 }, (_, column) => toHex(columnKeys(context, master, column)[10] ?? new Uint8Array(0))) : Array.from({ length: n }, (_, i) => toHex(envelopeCommit(context, i, envelopeKey(context, master, i))));
    const letter = this.sign(sealer, "seal", { commits, declarer, kind, n, notes: null, purpose, revealer: sealer.role, salt });
    return { letter, context, master };
  }
  declare(player, slot, set, input, more = {}) {
    const system = set.context.kind === "sheet" ? "icrk" : "coin-envelopes";
    const reading = systemNamed(system).make(json(system === "icrk" ? SHEET : COIN), json({})).read(json(input), false);
    const contribution = { open: toHex(fixed(`contribution ${this.letters.length}`)) };
    const signed = this.sign(player, "declare", {
      contribution,
      input: reading.canonical,
      moves: { text: "<b>moves</b> \u202E" },
      redo: null,
      seal: set.letter.id,
      select: reading.select((column) => (reading.cells.find(([one]) => one === column)?.[1] ?? 1) - 1),
      slot,
      ...more
    });
    return { signed, reading };
  }
  reveal(player, set, declaration, reading) {
    const keys = reading.opened.map((index) => [index, toHex(envelopeKey(set.context, set.master, index))]);
    const depths = /* @__PURE__ */ new Map();
    for (const [column, row] of reading.cells) depths.set(column, Math.max(row, depths.get(column) ?? 0));
    const sheets = [...depths].sort(([a], [b]) => a - b).map(([column, row]) => [column, row, toHex(columnKeys(set.context, set.master, column)[10 - row] ?? new Uint8Array(0))]);
    return this.sign(player, "reveal", { declaration, keys, seal: set.letter.id, sheets });
  }
  get text() {
    return this.letters.map((letter) => letter.text).join("\n");
  }
  player(role) {
    const player = this.byRole.get(role);
    if (player === void 0) throw new Error("no such player");
    return player;
  }
};
function json(value) {
  const made = plain(value);
  return typeof made === "object" && made !== null && !Array.isArray(made) ? made : makeObject([]);
}
function longGame(letters, title = "long") {
  const table = new Table([new Player("ann"), new Player("bob")]);
  const [ann, bob] = table.pair();
  table.begin(charterBody(ann, bob, { title, nonce: toHex(fixed(`nonce ${title}`)) }));
  for (let turn = 1; table.letters.length < letters; turn++) {
    for (const [mover, other] of [[ann, bob], [bob, ann]]) {
      const number = Math.floor((turn - 1) / 9999);
      const slot = { turn: turn - number * 9999, impulse: 1, phase: `${mover.role}-first`, number: 1 };
      const set = table.seal(other, "coin", `${slot.turn}/1/${slot.phase}/1`, mover.role, 5);
      table.read(mover, other);
      const { signed, reading } = table.declare(mover, slot, set, {
        attacks: [{ hexes: ["F12", "F13"], odds: "3-1" }, { hexes: [`G${turn % 100}`], odds: "1-2" }, { hexes: ["I11"], odds: "5-1" }]
      });
      table.read(other, mover);
      table.reveal(other, set, signed.id, reading);
      table.read(mover, other);
    }
  }
  return table;
}

export {
  fixed,
  Player,
  signPayload,
  COIN,
  phase,
  charterBody,
  Table,
  json,
  longGame
};
