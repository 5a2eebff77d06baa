/** Which branch stands, where letters explain more than one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ed25519 } from "@noble/curves/ed25519.js";
import { toHex, utf8 } from "../src/bytes.js";
import { check } from "../src/checker.js";
import { signedBytes } from "../src/message.js";
import { charterBody, fixed, Player, Table, type Signed } from "./players.js";

/**
 * Ann's chain forks after the charter: a rotate with `stolen`, and a claim that another such rotate follows later. Between the two the
 * referee rules on the branch, and has seen the first rotate before, or not.
 */
function fork(knows: boolean, about: "rotate" | "claim"): { readonly text: string; readonly charter: Signed; readonly rotate: Signed; readonly second: Signed } {
  const [ann, bob, carol] = [new Player("ann"), new Player("bob"), new Player("carol")];
  const table = new Table([ann, bob, carol]);
  const charter = table.sign(ann, "charter", charterBody(ann, bob, { referee: { deposit: null, key: carol.key, name: "Carol", role: "carol" } }));
  for (const other of [bob, carol]) table.read(other, ann);
  table.sign(carol, "accept", { charter: charter.id, compared: true, nonce: toHex(fixed("c")) });
  table.read(bob, carol);
  table.game = table.sign(bob, "accept", { charter: charter.id, compared: true, nonce: toHex(fixed("b")) }).id;
  const disputed = table.sign(bob, "claim", { dispute: { letters: [charter.id], text: "so" } });
  table.read(carol, bob);

  const stolen = (name: string): Signed => {
    const seed = fixed(name);
    const key = toHex(ed25519.getPublicKey(seed));
    const proved = utf8([table.game, "ann", ann.prev, key].join("\n"));
    return table.sign(ann, "key", { rotate: { key, proof: toHex(ed25519.sign(signedBytes("sealed-dice/v1/new-key", proved), seed)), stolen: true } });
  };
  const rotate = stolen("first");
  if (knows) table.read(carol, ann);
  table.sign(carol, "ruling", { rule: { settle: disputed.id }, text: "" });
  if (about === "rotate") table.read(carol, ann);

  ann.prev = charter.id;
  ann.number = charter.number;
  const claim = table.sign(ann, "claim", { dispute: { letters: [charter.id], text: "so" } });
  if (about === "claim") table.read(carol, ann);
  table.sign(carol, "ruling", { rule: { branch: about === "rotate" ? rotate.id : claim.id }, text: "" });
  table.read(ann, carol);
  const second = stolen("second");
  return { text: table.text, charter, rotate, second };
}

test("a ruling chooses a branch only if it binds against each other that is explained", () => {
  const ends = (made: ReturnType<typeof fork>): string | undefined => {
    const [game] = check(made.text).games;
    assert.deepEqual(game?.findings.map(({ code, culprit }) => [code, culprit]), [["chain", null]]);
    return game?.heads["ann"]?.id;
  };
  const known = fork(true, "claim");
  assert.equal(ends(known), known.charter.id);
  const unknown = fork(false, "claim");
  assert.equal(ends(unknown), unknown.second.id);
  const first = fork(true, "rotate");
  assert.equal(ends(first), first.rotate.id);
});
