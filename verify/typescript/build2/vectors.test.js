import {
  KeyRing,
  LIMITS,
  Stream,
  TAGS,
  attempt,
  cellKey,
  cellSeed,
  check,
  checkCells,
  checkKey,
  checkMessage,
  columnKeys,
  concat,
  contextOfCell,
  contextOfEnvelope,
  contextOfSet,
  decrypt,
  depositInfo,
  depositKey,
  diceRoot,
  encodeJson,
  envelopeCommit,
  envelopeKey,
  envelopeSeed,
  exactly,
  field,
  findBlobs,
  fingerprint,
  fromHex,
  hash,
  hexBytes,
  isList,
  isObject,
  makeObject,
  openDeposit,
  openNote,
  opensCell,
  opensEnvelope,
  plain,
  preimage,
  publicOf,
  readPayload,
  readRolls,
  readSheetValues,
  readState,
  readWorksheet,
  readWorksheetSettings,
  refuse,
  rollKey,
  sameBytes,
  setMaster,
  systemNamed,
  toHex,
  utf8,
  verifies,
  writeState
} from "./chunk-6GB62O2M.js";

// test/vectors.test.ts
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

// src/key-file.ts
import { argon2id } from "@noble/hashes/argon2.js";
function signingSeed(root) {
  return hash("key-root-signing", root);
}
function vaultOf(root) {
  return hash("key-root-vault", root);
}
function depositSecret(root) {
  return hash("key-root-deposit", root);
}
function keysOfRoot(root) {
  const signing = signingSeed(root);
  const public_ = publicOf(signing);
  return { signing, vault: vaultOf(root), deposit: depositKey(depositSecret(root)), public: public_, fingerprint: fingerprint(public_) };
}
var WARNING = "SECRET: a sealed-dice key. Never mail it, never paste it anywhere, never show it to anybody.";
var BEGIN = "-----BEGIN SEALED DICE SECRET KEY FILE-----";
var END = "-----END SEALED DICE SECRET KEY FILE-----";
var NUMBER = "([1-9][0-9]{0,8})";
var ARGON = new RegExp(`^passphrase argon2id memory ${NUMBER} passes ${NUMBER} lanes ${NUMBER} salt ([0-9a-f]{64})$`);
function readKeyFile(text) {
  if (utf8(text).length > LIMITS.keyFile) refuse("size", "longer than a key file");
  const lines = text.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
  const begin = lines.indexOf(BEGIN);
  const version = begin < 0 ? void 0 : lines[begin + 1];
  if (version?.startsWith("version") === true && version !== "version 1") refuse("fields", "a key file of another version");
  const armoured = () => refuse("armour", "this is no whole key file");
  const [warning, blank, first, , publicLine = "", passphrase = "", secret = "", last, rest] = lines;
  if (lines.length !== 9 || warning !== WARNING || blank !== "" || first !== BEGIN || version !== "version 1" || last !== END || rest !== "") return armoured();
  const key = fromHex(/^public ([0-9a-f]{64})$/.exec(publicLine)?.[1] ?? "-");
  if (key === null) return armoured();
  if (passphrase === "passphrase none") {
    const root = fromHex(/^root ([0-9a-f]{64})$/.exec(secret)?.[1] ?? "-");
    if (root === null) return armoured();
    checkKey(key);
    return { public: key, lock: { is: "none", root } };
  }
  const asked = ARGON.exec(passphrase);
  const sealed = fromHex(/^sealed ([0-9a-f]{96})$/.exec(secret)?.[1] ?? "-");
  if (asked === null || sealed === null) return armoured();
  const [memory, passes, lanes] = [Number(asked[1]), Number(asked[2]), Number(asked[3])];
  if (memory > 262144 || memory < 8 * lanes || passes > 16 || lanes > 16) refuse("fields", "the passphrase would take more work than a file may ask for, or less than there is");
  checkKey(key);
  const associated = utf8(`${version}
${publicLine}
${passphrase}
`);
  return { public: key, lock: { is: "argon2id", memory, passes, lanes, salt: hexBytes(asked[4] ?? ""), sealed, associated } };
}
function cipherKey(stretched) {
  return hash("key-file", stretched);
}
function openKeyFile(file, stretched) {
  let root;
  if (file.lock.is === "none") root = file.lock.root;
  else if (stretched === null) return refuse("rule", "the key file has a passphrase");
  else root = decrypt(cipherKey(stretched), file.lock.associated, file.lock.sealed);
  if (!sameBytes(publicOf(signingSeed(root)), file.public)) refuse("rule", "the secret is not that of the public key");
  return root;
}
var DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
var GROUPS = 14;
function timesX(a) {
  return a & 16 ? (a << 1 ^ 37) & 31 : a << 1;
}
function checkDigit(group, digits) {
  return timesX(digits.reduce((sum, digit) => timesX(sum) ^ digit, group));
}
function writeBackup(root) {
  const bytes = concat(root, hash("key-backup", root).subarray(0, 3));
  const bits = BigInt(`0x${toHex(bytes)}`);
  const groups = [];
  for (let group = 1; group <= GROUPS; group++) {
    const digits = [0, 1, 2, 3].map((i) => Number(bits >> BigInt(5 * (56 - 4 * group + 3 - i)) & 31n));
    groups.push([...digits, checkDigit(group, digits)].map((digit) => DIGITS.charAt(digit)).join(""));
  }
  return groups.join(" ");
}
function readBackup(text) {
  const begin = text.indexOf("BEGIN SEALED DICE SECRET BACKUP");
  let inner = text;
  if (begin >= 0) {
    inner = text.slice(begin + "BEGIN SEALED DICE SECRET BACKUP".length);
    const end = inner.indexOf("END SEALED DICE SECRET BACKUP");
    if (end >= 0) inner = inner.slice(0, end);
  }
  const groups = [];
  for (const line of inner.split("\n")) {
    for (const word of line.slice(line.lastIndexOf(":") + 1).split(/[\s\-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+/u)) {
      if (word === "") continue;
      if (word.length % 5 === 0) groups.push(...word.match(/.{5}/g) ?? []);
      else groups.push(word);
    }
  }
  if (groups.length !== GROUPS) return refuse("armour", `a backup code has ${GROUPS} groups, and this has ${groups.length}`);
  let bits = 0n;
  groups.forEach((group, i) => {
    const digits = [...group.toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1")].map((digit) => DIGITS.indexOf(digit));
    const [check2] = digits.slice(-1);
    if (digits.length !== 5 || digits.includes(-1) || check2 !== checkDigit(i + 1, digits.slice(0, 4))) refuse("rule", `group ${i + 1} is wrong`);
    for (const digit of digits.slice(0, 4)) bits = bits << 5n | BigInt(digit);
  });
  const bytes = hexBytes(bits.toString(16).padStart(70, "0"));
  const root = bytes.slice(0, 32);
  if (!sameBytes(hash("key-backup", root).subarray(0, 3), bytes.subarray(32))) refuse("rule", "the groups are of different codes");
  return root;
}

// src/what-if.ts
function whatIf(given) {
  if (!isObject(given)) return refuse("rule", "a case is an object");
  const empty = makeObject([]);
  const whole = exactly(
    makeObject([["settings", empty], ["tables", empty], ["state", empty], ...Object.entries(given)]),
    ["draws", "input", "settings", "state", "system", "tables"],
    "a case"
  );
  const object = (name2) => {
    const value = field(whole, name2);
    return isObject(value) ? value : refuse("rule", `${name2} is no object`);
  };
  const name = field(whole, "system");
  const system = systemNamed(typeof name === "string" ? name : "");
  const settings = makeObject([...Object.entries(system.prefill), ...Object.entries(object("settings"))]);
  const reading = system.make(settings, object("tables")).read(object("input"), false);
  const draws = field(whole, "draws");
  if (!isList(draws)) return refuse("rule", "the draws are no list");
  let state = empty;
  if (system.source === "sheet") {
    const given2 = object("state");
    const depths = readState(Object.keys(given2).length === 0 ? makeObject([["spent", empty]]) : given2);
    const after = checkCells(readRolls(object("input"), false), (column) => depths.get(column) ?? 0);
    state = writeState(new Map([...depths, ...after]));
  } else if (Object.keys(object("state")).length > 0) {
    refuse("rule", "this system has no state");
  }
  const trail = [];
  const drawn = [];
  for (const roll of reading.rolls) {
    const values = [];
    for (const sides of roll.sides) {
      const value = draws[trail.length];
      if (typeof value !== "number" || value < 1 || value > sides) return refuse("rule", `draw ${trail.length + 1} is not 1 to ${sides}`);
      values.push(value);
      trail.push(plain({ for: "all", n: trail.length + 1, sides, value, why: roll.why }));
    }
    drawn.push(values);
  }
  if (draws.length !== trail.length) refuse("rule", "draws are left over");
  return makeObject([
    ["draws_used", trail.length],
    ["needs", empty],
    ["outcome", "done"],
    ["private", empty],
    ["public", reading.outcome(drawn, null)],
    ["state", state],
    ["trail", trail]
  ]);
}

// src/vectors.ts
var Given = class _Given {
  constructor(fields) {
    this.fields = fields;
  }
  fields;
  get(name) {
    const value = field(this.fields, name);
    if (value === void 0) throw new Error(`the vector has no ${name}`);
    return value;
  }
  has(name) {
    return field(this.fields, name) !== void 0;
  }
  json(name) {
    return this.get(name);
  }
  text(name) {
    const value = this.get(name);
    if (typeof value !== "string") throw new Error(`${name} is no text`);
    return value;
  }
  number(name) {
    const value = this.get(name);
    if (typeof value !== "number") throw new Error(`${name} is no number`);
    return value;
  }
  bytes(name) {
    return hexBytes(this.text(name));
  }
  object(name) {
    const value = this.get(name);
    if (!isObject(value)) throw new Error(`${name} is no object`);
    return value;
  }
  list(name) {
    const value = this.get(name);
    if (!isList(value)) throw new Error(`${name} is no list`);
    return value;
  }
  lines() {
    return this.list("lines").map(String).join("\n");
  }
  context() {
    const inner = new _Given(this.object("context"));
    return {
      game: inner.text("game"),
      purpose: inner.text("purpose"),
      kind: inner.text("kind"),
      sealer: inner.text("sealer"),
      declarer: inner.text("declarer"),
      revealer: inner.text("revealer"),
      fallback: inner.text("fallback"),
      n: inner.number("n")
    };
  }
};
function hexWord(word) {
  return word.toString(16).padStart(8, "0");
}
var LAYERS = {
  hash(given) {
    const tag = TAGS.find((one) => one === given.text("tag"));
    if (tag === void 0) throw new Error("no such tag");
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
    const text = given.has("filled") ? `-----BEGIN SEALED DICE MESSAGE-----
${"A".repeat(given.number("filled"))}
-----END SEALED DICE MESSAGE-----
` : given.lines();
    const keys = new KeyRing();
    return {
      blobs: findBlobs(text).map((blob) => {
        if (!blob.ok) return { class: blob.class };
        const checked = checkMessage(blob.frame, keys);
        return checked.ok ? { id: checked.message.id } : { class: checked.class };
      })
    };
  },
  envelope(given) {
    const context = given.context();
    const master = given.bytes("master");
    if (given.has("index")) {
      const index = given.number("index");
      const key2 = envelopeKey(context, master, index);
      return {
        a: toHex(contextOfEnvelope(context, index)),
        key: toHex(key2),
        commit: toHex(envelopeCommit(context, index, key2)),
        seed: toHex(envelopeSeed(context, index, key2))
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
      seed: toHex(cellSeed(context, column, row, key))
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
        rank: attack.rank
      })),
      opened: sheet.opened,
      returned: sheet.returned
    };
  },
  icrk(given) {
    readSheetValues(given.object("settings"));
    const state = readState(given.json("state"));
    const rolls = readRolls(makeObject([["rolls", given.json("rolls")]]), false);
    const depths = checkCells(rolls, (column) => state.get(column) ?? 0);
    return {
      cells: rolls.map(({ cell }) => [cell?.column ?? null, cell?.row ?? null]),
      state: writeState(new Map([...state, ...depths]))
    };
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
    return { public: toHex(file.public), root: toHex(root), ...stretched === null ? {} : { key: toHex(cipherKey(stretched)) } };
  },
  "key-backup"(given) {
    return { root: toHex(readBackup(given.lines())) };
  }
};
function transcript(text) {
  return {
    games: check(text).games.map((game) => ({
      verdict: game.verdict,
      game: game.game,
      complete: game.complete,
      missing: game.missing.map((entry) => entry.id),
      findings: game.findings.map((finding) => ({
        code: finding.code,
        culprit: finding.culprit,
        message_ids: finding.message_ids,
        settled: finding.settled_by !== null
      })),
      rolls: game.rolls
    }))
  };
}
function parseVector(text) {
  const value = plain(JSON.parse(text));
  if (!isObject(value)) throw new Error("a vector is an object");
  return value;
}
function runVector(fileText) {
  const gap = fileText.startsWith("{") ? fileText.indexOf("\n\n") : -1;
  try {
    const vector = parseVector(gap >= 0 ? fileText.slice(0, gap) : fileText);
    const layer = String(field(vector, "layer"));
    const expect = field(vector, "expect") ?? null;
    const given = field(vector, "given");
    let got;
    if (layer === "transcript") {
      got = plain(transcript(fileText));
    } else {
      const run = Object.hasOwn(LAYERS, layer) ? LAYERS[layer] : void 0;
      if (run === void 0 || !isObject(given)) return `a layer that is not known: ${layer}`;
      const outcome = attempt(() => plain(run(new Given(given))));
      got = outcome.ok ? outcome.value : makeObject([["class", outcome.class]]);
    }
    const [wanted, found] = [encodeJson(expect), encodeJson(got)];
    return wanted === found ? null : `expected ${wanted}
     found ${found}`;
  } catch (error) {
    return `failed: ${error instanceof Error ? error.stack ?? error.message : String(error)}`;
  }
}

// test/vectors.test.ts
var ROOT = process.env["VECTORS"] ?? "../../vectors";
for (const layer of readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  test(`vectors of ${layer.name}`, () => {
    for (const file of readdirSync(join(ROOT, layer.name))) {
      assert.equal(runVector(readFileSync(join(ROOT, layer.name, file), "utf8")), null, file);
    }
  });
}
test("a vector that expects something else fails", () => {
  const text = readFileSync(join(ROOT, "dice/roll.json"), "utf8");
  assert.notEqual(runVector(text.replace('"values": [6,2,4]', '"values": [6,2,5]')), null);
  assert.notEqual(runVector("{}"), null);
  assert.notEqual(runVector("no vector"), null);
});
