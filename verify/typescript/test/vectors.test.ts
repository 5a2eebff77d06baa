import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runVector } from "../src/vectors.js";

const ROOT = process.env["VECTORS"] ?? "../../vectors";

for (const layer of readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  test(`vectors of ${layer.name}`, () => {
    for (const file of readdirSync(join(ROOT, layer.name))) {
      assert.equal(runVector(readFileSync(join(ROOT, layer.name, file), "utf8")), null, file);
    }
  });
}

test("a vector with wrong expectations fails", () => {
  const text = readFileSync(join(ROOT, "dice/roll.json"), "utf8");
  assert.notEqual(runVector(text.replace('"values": [6,2,4]', '"values": [6,2,5]')), null);
  assert.notEqual(runVector("{}"), null);
  assert.notEqual(runVector("no vector"), null);
});
