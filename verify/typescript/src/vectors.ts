/** Runs the test vectors of the protocol, each from its file's text. It reads no files itself. */
import { findBlobs } from "./armour.js";
import type { GameAudit } from "./audit.js";
import { hexBytes, toHex, utf8, type Bytes } from "./bytes.js";
import { Checker } from "./checker.js";
import { readWorksheet, readWorksheetSettings } from "./coin-envelopes.js";
import { depositInfo, depositKey, openDeposit } from "./deposits.js";
import { diceRoot, rollKey, Stream } from "./dice.js";
import {
  cellKey, cellSeed, columnKeys, contextOfCell, contextOfEnvelope, contextOfSet, decrypt, envelopeCommit, envelopeKey, envelopeSeed, openNote, opensCell,
  opensEnvelope, setMaster, type SetContext,
} from "./envelope.js";
import { hash, preimage, TAGS } from "./hash.js";
import { checkCells, readRolls, readSheetValues, readState, writeState } from "./icrk.js";
import { encodeJson, field, isList, isObject, makeObject, plain, readPayload, type Json, type JsonObject } from "./json.js";
import { cipherKey, keysOfRoot, openKeyFile, readBackup, readKeyFile, writeBackup } from "./key-file.js";
import { LIMITS } from "./limits.js";
import { inMemory, readFile } from "./mail.js";
import { checkMessage } from "./message.js";
import { attempt, refuse } from "./refusal.js";
import { checkKey, fingerprint, KeyRing, verifies } from "./signature.js";
import { systemNamed } from "./system.js";
import { outcomeOf, refuseHidden, takeStep, whatIf } from "./what-if.js";

class Given {
  constructor(private readonly fields: JsonObject) {}

  private get(name: string): Json {
    const value = field(this.fields, name);
    if (value === undefined) throw new Error(`the vector has no ${name}`);
    return value;
  }
  has(name: string): boolean {
    return field(this.fields, name) !== undefined;
  }
  json(name: string): Json {
    return this.get(name);
  }
  text(name: string): string {
    const value = this.get(name);
    if (typeof value !== "string") throw new Error(`${name} is no text`);
    return value;
  }
  number(name: string): number {
    const value = this.get(name);
    if (typeof value !== "number") throw new Error(`${name} is no number`);
    return value;
  }
  bytes(name: string): Bytes {
    return hexBytes(this.text(name));
  }
  object(name: string): JsonObject {
    const value = this.get(name);
    if (!isObject(value)) throw new Error(`${name} is no object`);
    return value;
  }
  list(name: string): readonly Json[] {
    const value = this.get(name);
    if (!isList(value)) throw new Error(`${name} is no list`);
    return value;
  }
  lines(): string {
    return this.list("lines").map(String).join("\n");
  }
  /** A text made of lines, or of repeated texts. */
  content(): string {
    if (!this.has("filled")) return this.lines();
    return this.list("filled")
      .map((part) => (isList(part) ? String(part[0]).repeat(Number(part[1])) : ""))
      .join("");
  }
  context(): SetContext {
    const inner = new Given(this.object("context"));
    return {
      game: inner.text("game"),
      purpose: inner.text("purpose"),
      kind: inner.text("kind"),
      sealer: inner.text("sealer"),
      declarer: inner.text("declarer"),
      revealer: inner.text("revealer"),
      fallback: inner.text("fallback"),
      n: inner.number("n"),
    };
  }
}

function hexWord(word: number): string {
  return word.toString(16).padStart(8, "0");
}

const LAYERS: Readonly<Record<string, (given: Given) => unknown>> = {
  hash(given) {
    const tag = TAGS.find((one) => one === given.text("tag"));
    if (tag === undefined) throw new Error("no such tag");
    const items = given.list("items").map((item) => hexBytes(String(item)));
    return { pae: toHex(preimage(tag, items)), hash: toHex(hash(tag, ...items)) };
  },
  key(given) {
    return { fingerprint: fingerprint(checkKey(given.bytes("key")).bytes) };
  },
  signature(given) {
    const key = checkKey(given.bytes("key"));
    if (!verifies(key, given.bytes("message"), given.bytes("signature"))) refuse("signature", "not good");
    return { valid: true };
  },
  json(given) {
    return { value: readPayload(given.bytes("bytes")).value };
  },
  message(given) {
    const frame = given.has("filled") ? new Uint8Array(given.number("filled")) : utf8(given.list("frame_lines").map(String).join("\n"));
    const checked = checkMessage(frame, new KeyRing());
    if (!checked.ok) return refuse(checked.class, checked.text);
    return { id: checked.message.id, kind: checked.message.content.kind };
  },
  armour(given) {
    const keys = new KeyRing();
    return {
      blobs: findBlobs(given.content()).map((blob) => {
        if (!blob.ok) return { class: blob.class };
        const checked = checkMessage(blob.frame, keys);
        return checked.ok ? { id: checked.message.id } : { class: checked.class };
      }),
    };
  },
  mail(given) {
    const keys = new KeyRing();
    const bytes = given.has("bytes") ? given.bytes("bytes") : utf8(given.content());
    const letters = new Set<string>();
    for (const { blobs } of readFile(inMemory(bytes))) {
      for (const blob of blobs) {
        const checked = blob.ok ? checkMessage(blob.frame, keys) : null;
        if (checked?.ok === true) letters.add(checked.message.id);
      }
    }
    return { letters: [...letters].sort() };
  },
  envelope(given) {
    const context = given.context();
    const master = given.bytes("master");
    if (given.has("index")) {
      const index = given.number("index");
      const key = envelopeKey(context, master, index);
      return {
        a: toHex(contextOfEnvelope(context, index)),
        key: toHex(key),
        commit: toHex(envelopeCommit(context, index, key)),
        seed: toHex(envelopeSeed(context, index, key)),
      };
    }
    const column = given.number("column");
    const row = given.number("row");
    const keys = columnKeys(context, master, column);
    const key = keys[LIMITS.cells - row] ?? new Uint8Array(0);
    return {
      a: toHex(contextOfCell(context, column, row)),
      key: toHex(key),
      commit: toHex(keys[LIMITS.cells] ?? new Uint8Array(0)),
      seed: toHex(cellSeed(context, column, row, key)),
    };
  },
  opening(given) {
    const context = given.context();
    const key = given.bytes("key");
    if (given.has("index")) {
      const index = given.number("index");
      if (!opensEnvelope(context, index, key, given.text("commit"))) refuse("rule", "does not match");
      return { seed: toHex(envelopeSeed(context, index, key)) };
    }
    const column = given.number("column");
    const row = given.number("row");
    if (!opensCell(context, column, row, key, given.text("commit"))) refuse("rule", "does not match");
    return { seed: toHex(cellSeed(context, column, row, cellKey(context, column, row, key, row))) };
  },
  cipher(given) {
    return { plain: toHex(decrypt(given.bytes("key"), given.bytes("associated"), given.bytes("ciphertext"))) };
  },
  note(given) {
    return { text: openNote(given.context(), given.bytes("key"), given.text("commit"), given.bytes("ciphertext")) };
  },
  master(given) {
    const context = given.context();
    return { a: toHex(contextOfSet(context)), master: toHex(setMaster(context, given.bytes("vault"), given.bytes("salt"))) };
  },
  deposit(given) {
    const context = given.context();
    const secret = given.bytes("key");
    const info = depositInfo(context, given.text("seal"));
    return { info: toHex(info), master: toHex(openDeposit(secret, given.bytes("wrapped"), info)), public: toHex(depositKey(secret)) };
  },
  dice(given) {
    const root = diceRoot(given.text("seal"), given.text("declaration"), given.number("index"), given.bytes("seed"), given.bytes("contribution"));
    const key = rollKey(root, given.number("line"));
    const stream = new Stream(key);
    return { root: toHex(root), key: toHex(key), values: given.list("sides").map((sides) => stream.draw(Number(sides))) };
  },
  stream(given) {
    const stream = new Stream(given.bytes("key"));
    const values = given.list("sides").map((sides) => stream.draw(Number(sides)));
    return { words: stream.words.map(hexWord), values };
  },
  worksheet(given) {
    const settings = readWorksheetSettings(given.object("settings"));
    const sheet = readWorksheet(makeObject([["attacks", given.json("attacks")]]), settings, given.object("tables"));
    return {
      total: sheet.total,
      index: sheet.index,
      attacks: sheet.attacks.map((attack) => ({
        id: attack.id,
        hexes: attack.hexes.map((hex) => hex.written),
        value: attack.value,
        odds: attack.odds.written,
        multiplier: attack.odds.multiplier,
        product: attack.product,
        envelope: attack.envelope,
        row: attack.row,
        rank: attack.rank,
      })),
      opened: sheet.opened,
      returned: sheet.returned,
    };
  },
  icrk(given) {
    readSheetValues(given.object("settings"));
    const state = readState(given.json("state"));
    const rolls = readRolls(makeObject([["rolls", given.json("rolls")]]), false);
    const depths = checkCells(rolls, (column) => state.get(column) ?? 0);
    return {
      cells: rolls.map(({ cell }) => [cell?.column ?? null, cell?.row ?? null]),
      state: writeState(new Map([...state, ...depths])),
    };
  },
  course(given) {
    const made = systemNamed(given.text("system")).make(given.object("settings"), given.has("tables") ? given.object("tables") : makeObject([]));
    refuseHidden(made);
    const { course } = made;
    if (course === undefined) return refuse("rule", "the system has no course");
    let state = given.has("state") ? given.object("state") : course.begins;
    const steps = given.list("steps").map((one): Json => {
      const taken = attempt(() => {
        if (!isObject(one)) return refuse("rule", "a step is an object");
        const { draws = [], ...input } = one;
        return takeStep(course, course.checkState(state), makeObject(Object.entries(input)), isList(draws) ? draws : []);
      });
      if (!taken.ok) return makeObject([["class", taken.class]]);
      const { step, needs } = taken.value;
      state = step.state;
      return makeObject([["needs", needs], ["outcome", outcomeOf(needs)], ["public", step.public], ["state", state]]);
    });
    const first = course.awaits(course.begins);
    return { begins: course.begins, first_turn: first.is === "turn" ? first.turn : null, steps };
  },
  /** The part that follows from the inputs alone. */
  hidden(given) {
    const { course } = systemNamed(given.text("system")).make(given.object("settings"), given.has("tables") ? given.object("tables") : makeObject([]));
    if (course?.hidden === undefined) return refuse("rule", "the system has no hidden course");
    let state = course.begins;
    const states = given.list("steps").map((one): Json => {
      const taken = attempt(() => {
        const [by, input] = isObject(one) ? [field(one, "by"), field(one, "input")] : [];
        if (by !== course.awaits(state).by || !isObject(input)) return refuse("rule", "this is not the step that is awaited");
        return course.turn(state, input).after([], new Map()).state;
      });
      if (taken.ok) state = taken.value;
      return taken.ok ? state : makeObject([["class", taken.class]]);
    });
    return { states };
  },
  "what-if"(given) {
    return { answer: whatIf(given.json("case")) };
  },
  "key-root"(given) {
    const root = given.bytes("root");
    const keys = keysOfRoot(root);
    return { signing: toHex(keys.signing), vault: toHex(keys.vault), deposit: toHex(keys.deposit), public: toHex(keys.public), fingerprint: keys.fingerprint, backup: writeBackup(root) };
  },
  "key-file"(given) {
    const file = readKeyFile(given.lines());
    const stretched = given.has("stretched") ? given.bytes("stretched") : null;
    const root = openKeyFile(file, stretched);
    return { public: toHex(file.public), root: toHex(root), ...(stretched === null ? {} : { key: toHex(cipherKey(stretched)) }) };
  },
  "key-backup"(given) {
    return { root: toHex(readBackup(given.lines())) };
  },
};

/** The part of a hidden course that this checker follows, without the results of runs (hidden.md). */
function withoutRuns(value: Json): Json {
  if (!isObject(value)) return value;
  const { runs: _, ...rest } = value;
  return makeObject(Object.entries(rest));
}

/**
 * A game as a vector expects it, without the results of runs of hidden courses: `runs`, findings on valid declarations, and rolls. If a sheet
 * is open, the expected verdict is that of a checker without runs (hidden 9).
 */
function expectedWithoutRuns(expected: Json, { replay }: GameAudit): Json {
  const sheets = [...(replay?.state.courses.values() ?? [])].flatMap((course) => course.sheetsAtEnd());
  if (!isObject(expected) || replay === null || ![...replay.state.courses.values()].some((course) => course.isHidden)) return expected;
  const taken = new Set<Json>(sheets.filter(({ open }) => open).map(({ declaration }) => declaration.letter.id));
  const listOf = (name: string): readonly Json[] => {
    const value = field(expected, name);
    return isList(value) ? value : [];
  };
  const get = (entry: Json, name: string): Json => (isObject(entry) ? (field(entry, name) ?? null) : null);
  const findings = listOf("findings").filter((one) => {
    const ids = get(one, "message_ids");
    return !(isList(ids) && ids.length === 1 && taken.has(ids[0] ?? null) && get(one, "code") === "rule");
  });
  const refuted = findings.some((one) => get(one, "culprit") !== null && get(one, "settled_by") === null);
  return makeObject([
    ...Object.entries(expected),
    ["courses", listOf("courses").map(withoutRuns)],
    ["findings", findings],
    ["rolls", listOf("rolls").filter((one) => !taken.has(get(one, "declaration")))],
    ...(taken.size > 0 && !refuted ? [["verdict", "undecided"] as const] : []),
  ]);
}

/** The audit of a transcript, as far as the vectors compare it. */
function transcript(games: readonly GameAudit[]): unknown {
  return {
    games: games.map(({ report: game }) => ({
      verdict: game.verdict,
      game: game.game,
      complete: game.complete,
      heads: game.heads,
      missing: game.missing,
      findings: game.findings.map((finding) => ({
        code: finding.code,
        culprit: finding.culprit,
        message_ids: finding.message_ids,
        rule: finding.code === "chain" || finding.code === "rule" ? (finding.text.split(":")[0] ?? null) : null,
        settled_by: finding.settled_by,
      })),
      rolls: game.rolls,
      ...(game.courses.length === 0 ? {} : { courses: game.courses.map((course) => withoutRuns(plain(course))) }),
      ...(game.continues === null ? {} : { continues: game.continues }),
      ...(game.days.length === 0 ? {} : { days: game.days }),
    })),
  };
}

function examine(text: string): { readonly games: readonly GameAudit[] } {
  const checker = new Checker();
  checker.add(text);
  return checker.examine();
}

/** Parses a vector. Unlike a payload, it need not be canonical, may have blanks, and may be nested more deeply. */
function parseVector(text: string): JsonObject {
  const value = plain(JSON.parse(text));
  if (!isObject(value)) throw new Error("a vector is an object");
  return value;
}

/** Runs a vector. Returns what is wrong, or null. */
export function runVector(fileText: string): string | null {
  const gap = fileText.startsWith("{") ? fileText.indexOf("\n\n") : -1;
  try {
    const vector = parseVector(gap >= 0 ? fileText.slice(0, gap) : fileText);
    const layer = String(field(vector, "layer"));
    let expect = field(vector, "expect") ?? null;
    const given = field(vector, "given");
    let got: Json;
    if (layer === "transcript") {
      const { games } = examine(fileText);
      const expected = isObject(expect) ? field(expect, "games") : null;
      got = plain(transcript(games));
      if (isList(expected) && expected.length === games.length) {
        expect = plain({ games: games.map((game, i) => expectedWithoutRuns(expected[i] ?? null, game)) });
      }
    } else {
      const run = Object.hasOwn(LAYERS, layer) ? LAYERS[layer] : undefined;
      if (run === undefined || !isObject(given)) return `a layer that is not known: ${layer}`;
      const outcome = attempt(() => plain(run(new Given(given))));
      got = outcome.ok ? outcome.value : makeObject([["class", outcome.class]]);
      if (layer === "hidden") expect = withoutRuns(expect);
    }
    const [wanted, found] = [encodeJson(expect), encodeJson(got)];
    return wanted === found ? null : `expected ${wanted}\n     found ${found}`;
  } catch (error) {
    return `failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}


