import assert from "node:assert/strict";
import { test } from "node:test";
import { findBlobs } from "../src/armour.js";
import { utf8 } from "../src/bytes.js";
import { check } from "../src/checker.js";
import { readHex, readOdds } from "../src/coin-envelopes.js";
import { encodeJson, field, isObject, parseJson, readPayload } from "../src/json.js";
import { attempt } from "../src/refusal.js";
import { charterBody, Player, signPayload, Table } from "./players.js";

function classOf(text: string): string {
  const outcome = attempt(() => readPayload(utf8(text)));
  return outcome.ok ? "ok" : outcome.class;
}

test("JSON that parsers read differently is refused", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["[".repeat(100_000), "json"],
    ["[".repeat(11) + "]".repeat(11), "json"],
    ["[".repeat(10) + "]".repeat(10), "ok"],
    ['{"a":'.repeat(100_000), "json"],
    ["9".repeat(1_000_000), "json"],
    ["1e5", "json"],
    ["-0", "json"],
    ["9007199254740992", "json"],
    ["9007199254740991", "ok"],
    ["-9007199254740991", "ok"],
    ['"\\ud800"', "json"],
    ['"\\udc00"', "json"],
    ['"\\ud800\\u0041"', "json"],
    ['"\\ud83d\\ude00"', "canonical"],
    ['{"a":1,"a":1}', "json"],
    ['{"a":1,"\\u0061":1}', "json"],
    ['{"__proto__":1,"__proto__":2}', "json"],
    ['{"__proto__":{"x":1},"constructor":1,"toString":null}', "ok"],
    ["[1,]", "json"],
    ['{"b":1,"a":1}', "canonical"],
    ['{"a" :1}', "canonical"],
    ['"\\u00e9"', "canonical"],
    ['"\u007f\u2028"', "ok"],
    ["nul", "json"],
    ["true false", "json"],
    ["", "json"],
    ["\ufeff{}", "json"],
    ['"a\u0000b"', "json"],
    ['{"10":1,"9":1}', "ok"],
    ['{"9":1,"10":1}', "canonical"],
  ];
  for (const [text, expected] of cases) assert.equal(classOf(text), expected, text.slice(0, 40));
  assert.equal(attempt(() => readPayload(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]))).ok, false);
});

test("a key __proto__ is a key like any other", () => {
  const value = parseJson('{"__proto__":{"polluted":1}}');
  assert.ok(isObject(value));
  assert.equal(encodeJson(value), '{"__proto__":{"polluted":1}}');
  assert.equal(field(value, "polluted"), undefined);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

test("letters with hostile fields are refused or judged, and nothing is thrown", () => {
  const table = new Table([new Player("ann"), new Player("bob")]);
  const [ann, bob] = table.pair();
  table.begin();
  const head = { author: "ann", game: table.game, kind: "decide", number: 2, prev: ann.prev, seen: { bob: bob.prev }, v: 1 };
  const slot = { impulse: 1, number: 1, phase: "ann-first", turn: 1 };
  const bodies: readonly unknown[] = [
    JSON.parse('{"after":null,"name":"x","slot":{"impulse":1,"number":1,"phase":"ann-first","turn":1},"value":{"__proto__":{"a":1},"constructor":"<script>alert(1)</script>"}}'),
    { after: null, name: "constructor", slot: { ...slot, phase: "constructor" }, value: null },
    { after: null, name: "__proto__", slot, value: null },
    { after: null, name: "x", slot: { ...slot, phase: "tostring" }, value: "\u202e\u0000\uffff" },
    { after: null, name: "x\n", slot, value: null },
    { after: null, name: "x", slot, value: [] , extra: 1 },
    [],
    null,
    { constructor: 1 },
  ];
  for (const body of bodies) {
    const text = `${table.text}\n${signPayload(encodeJson(JSON.parse(JSON.stringify({ body, head })) as never), ann.seed)}`;
    for (const game of check(text).games) assert.ok(["refuted", "undecided", "verified"].includes(game.verdict));
  }
  for (const seen of [{ bob: null, __proto__x: null }, { constructor: null }, {}, { bob: "0".repeat(64) }, { bob: "x" }]) {
    const text = `${table.text}\n${signPayload(encodeJson(JSON.parse(JSON.stringify({ body: bodies[0], head: { ...head, seen } })) as never), ann.seed)}`;
    assert.ok(check(text).games.length >= 1);
  }
});

test("hostile inputs, settings and tables have class rule, and take linear time", () => {
  const start = process.cpuUsage().user;
  for (const hex of [" ".repeat(500_000) + "x", "A" + " ".repeat(500_000), ".".repeat(500_000), "x" + ".".repeat(500_000) + "x", "A" + "1".repeat(500_000), "Ａ1", "A１", "ß1", "ı1"]) {
    for (const grammar of ["letters", "numeric4", "mapnumeric"] as const) assert.equal(attempt(() => readHex(hex, grammar, "spreadsheet")).ok, false);
  }
  for (const odds of [" ".repeat(500_000), "3" + " ".repeat(500_000) + "x", "3-1" + " ".repeat(500_000) + "x", "3--1", "３-1", "1-1-1", "3\u20141 ", ""]) {
    assert.equal(attempt(() => readOdds(odds)).ok, odds === "3\u20141 ");
  }
  assert.ok(process.cpuUsage().user - start < 5_000_000);
  const table = new Table([new Player("ann"), new Player("bob")]);
  const [ann, bob] = table.pair();
  const body = charterBody(ann, bob, { tables: { "hex-chart": { rows: JSON.parse('{"__proto__":[1,1,1,1,1,1,1,1,1,1]}') as object } } });
  table.begin(body);
  assert.equal(check(table.text).games[0]?.verdict, "verified");
});

test("armour takes linear time", () => {
  const begin = "-----BEGIN SEALED DICE MESSAGE-----\n";
  const end = "-----END SEALED DICE MESSAGE-----\n";
  const start = process.cpuUsage().user;
  const cases: readonly (readonly [string, number])[] = [
    [begin.repeat(20_000), 20_000],
    [end.repeat(20_000), 20_000],
    [`${begin}A\n${end}`.repeat(10_000), 10_000],
    ["B ".repeat(1_000_000), 0],
    ["E N D S E A L E D ".repeat(100_000), 0],
    [`BEGIN${" ".repeat(3_000_000)}SEALED`, 0],
    ["=\n".repeat(1_000_000), 0],
    [`${begin}${"=\r\n".repeat(1_000_000)}${end}`, 1],
    [`${begin}${"- A\n".repeat(300_000)}${end}`, 1],
    [`${begin}${"\u{10ffff}".repeat(700_000)}${end}`, 1],
    [`${begin}${"=E2".repeat(500_000)}${end}`, 1],
    [`BEG${">".repeat(100)}IN SEA\nLED\u200bDICE|MESSAGE`, 1],
    ["BEGINSEALED DICE MESSAGE", 0],
  ];
  for (const [text, count] of cases) assert.equal(findBlobs(text).length, count, text.slice(0, 30));
  assert.ok(process.cpuUsage().user - start < 20_000_000);
});

test("the most letters that can follow one letter do not overflow anything", () => {
  const table = new Table([new Player("ann"), new Player("bob")]);
  const [ann, bob] = table.pair();
  table.begin();
  const { prev, number } = ann;
  for (let i = 0; i < 300; i++) {
    ann.prev = prev;
    ann.number = number;
    table.sign(ann, "claim", { dispute: { letters: [bob.prev], text: `branch ${i}` } });
  }
  const [game] = check(table.text).games;
  assert.equal(game?.verdict, "refuted");
  assert.equal(game?.findings.length, 1);
  assert.equal(game?.findings[0]?.message_ids.length, 8);
});
