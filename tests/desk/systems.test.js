/** Every system of rolls but coin envelopes and ICRK sheets, played at two desks from the terms to the close. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, look } from "./desk.js";
import {
  add, agree, audit, cell, close, fill, getUp, go, nothingMoved, offers, open, pick, preview, refuses, reply, send, show, sitDown, whoPlays,
} from "./table.js";

let on;
before(async () => {
  on = await browser();
});
after(() => on.close());

/** The players must have broken no rule, and the dice of the game must be open. */
function verified(table) {
  const { verdict, complete, findings, rolls } = audit(table);
  assert.deepEqual({ verdict, complete, findings }, { verdict: "verified", complete: true, findings: [] });
  assert.ok(rolls.length > 0);
}

/** Opens the first step whose name begins so. */
async function begin(player, title, step) {
  await open(player, title);
  await go(player.page, step);
  return player.page;
}

/** Looks at the preview, signs it and sends the mail. */
async function signed(table, from) {
  await show(from.page);
  const said = await preview(from.page);
  await send(table, from);
  return said;
}

test("OCS: markers, an order of turns and a pop", { timeout: 600_000 }, async () => {
  const table = await sitDown(on);
  const title = "Smolensk OCS";
  const { ann, bob } = table;
  await whoPlays(table, /Operational Combat/, title);
  await pick(ann.page, "Who goes first in turn 1", "You");
  await look(ann.page, ann.desk, "ocs-terms");
  await show(ann.page);
  await agree(table);

  const declaring = /^Declare your turn/;
  for (const [markers, from, words] of [
    ["r1 r2", "", /not a marker name/],
    ["r1, r2", "r9", /r9 is not in play/],
  ]) {
    // Nothing has to be said of moves: a turn of such a game has none.
    const page = await begin(ann, title, declaring);
    await fill(page, "markers", markers);
    await fill(page, "from", from);
    await show(page);
    await refuses(page, words);
  }

  // Bob says beforehand whom he would let go first; his note is opened only if that choice is his.
  await begin(bob, title, /^Choose beforehand: /);
  await look(bob.page, bob.desk, "ocs-beforehand");
  await bob.page.getByLabel(/^order/).selectOption("first");
  assert.match(await signed(table, bob), /only you can read this for now:\s+order: first/);
  assert.equal(await offers(bob, title, /^Choose beforehand: /), false, "once for each slot");

  const did = new Set();
  for (let step = 0; step < 40 && did.size < 2; step += 1) {
    for (const player of [ann, bob]) {
      const { page } = player;
      if (await offers(player, title, /^Choose (who goes first|whether to pop)/)) {
        const pop = (await page.getByRole("link", { name: /^Choose whether to pop/ }).count()) > 0;
        await go(page, /^Choose (who goes first|whether to pop)/);
        await look(page, player.desk, pop ? "ocs-pop" : "ocs-order");
        did.add(pop ? "pop" : "order");
        if (pop) {
          const [, most, names] = /^pop: (?:exactly (\d+)|one) of (.*), or none$/m.exec(await page.locator("main").innerText());
          for (const name of names.split(", ").slice(0, Number(most ?? 1))) await page.getByLabel(name, { exact: true }).check();
        } else {
          await page.getByRole("radio", { name: /^first\b/i }).check();
        }
        await signed(table, player);
      } else if (await offers(player, title, declaring)) {
        await go(page, declaring);
        const bar = (/on the Bar: ([^.]*)\./.exec(await page.locator("main").innerText())?.[1] ?? "").split(", ");
        const markers = Array.from({ length: 10 }, (_, at) => `${player.name[0].toLowerCase()}${at + 1}`);
        await fill(page, "markers", markers.filter((name) => !bar.includes(name)).join(", "));
        await nothingMoved(page);
        await signed(table, player);
      } else if (await offers(player, title, /^Reply/)) {
        await reply(table, player, title);
      }
    }
  }
  // A turn is corrected in its own form, which has what was stated.
  await open(ann, title);
  await ann.page.getByText("When something goes wrong", { exact: true }).click();
  await go(ann.page, "A declaration was a mistake");
  await ann.page.locator("ul.games a").last().click();
  const stated = ann.page.getByLabel("markers", { exact: true });
  assert.match(await stated.inputValue(), /^a1, /);
  await look(ann.page, ann.desk, "ocs-correction");
  await ann.page.getByLabel("What is wrong", { exact: true }).fill("a marker more");
  await show(ann.page);
  assert.match(await ann.page.locator("main").innerText(), /a marker more/);
  await close(table, title, "Ann takes Smolensk");
  verified(table);
  await getUp(table);
});

/** What a player of Gettysburg has on the map, as the form asks for it. */
const roster = (brigades, leader, corps, order, unit) => [
  ...brigades.map((name) => ["brigade", { name }]),
  ["leader", { name: leader, distance: 3, echelon: "division", rating: 2 }],
  ["corps", { name: corps, attacking: true }],
  ["order", { name: order, divisions: 1, status: "D2" }],
  ["unit", { name: unit, distance: 4 }],
];
const ROSTERS = {
  Ann: roster(["Meredith", "Cutler"], "Wadsworth", "I Corps", "Order to Howard", "Hall's battery"),
  Bob: roster(["Archer", "Davis, J."], "Heth", "III Corps", "Order to Heth", "Marye's battery"),
};

/** A choice that is due; a player may also choose beforehand. */
const CHOICE = /^Choose (?!beforehand)/;

/** Answers whatever choice an event asks for. */
async function choose(table, player) {
  const { page } = player;
  await go(page, CHOICE);
  await look(page, player.desk, "events-choice");
  const boxes = page.locator("main form").getByRole("checkbox");
  const radios = page.locator("main form").getByRole("radio");
  if (await radios.count()) {
    await radios.first().check();
  } else if (await boxes.count()) {
    await boxes.first().check();
  } else if (await page.getByLabel("hex, row 1").count()) {
    await page.getByLabel("regiment, row 1").fill("13 Ala");
    await page.getByLabel("hex, row 1").fill("A43.01");
  } else {
    await page.getByLabel("Your choice").fill("Hold the ridge");
  }
  await signed(table, player);
}

test("Gettysburg: three turns of random events, with rosters that come back filled in", { timeout: 900_000 }, async () => {
  const table = await sitDown(on);
  const title = "Gettysburg events";
  const { ann, bob } = table;
  await whoPlays(table, /Gettysburg/, title);
  await ann.page.getByText("The tables of this game", { exact: true }).click();
  await ann.page.getByText("What the events do", { exact: true }).waitFor();
  await look(ann.page, ann.desk, "events-tables");
  await pick(ann.page, "Your side", "Union");
  await pick(ann.page, "The side whose player turn comes first", "Confederate");
  await pick(ann.page, "Dice for friendly fire", /sum of two/);
  for (const [question, answer] of [
    ["A division accepts an order in Dt on this number of a six-sided die, or more", 4],
    ["First turn of July 2", 20],
    ["First turn of July 3", 40],
    ["Turn of 2:00 PM on July 1", 8],
    ["Turn in which Longstreet, I Corps HQ and Supply arrive", 15],
    ["Turn in which M/1 arrives", 12],
    ["Turn in which H/1 arrives", "one"],
  ]) {
    await fill(ann.page, question, answer);
  }
  await show(ann.page);
  await refuses(ann.page, /need another look/);
  await fill(ann.page, "Turn in which H/1 arrives", 13);
  await show(ann.page);
  await agree(table);

  let filledIn = 0;
  for (let turns = 0, step = 0; turns < 6 && step < 60; step += 1) {
    for (const player of [ann, bob]) {
      const { page, name } = player;
      if (await offers(player, title, CHOICE)) {
        await choose(table, player);
      } else if (await page.getByRole("link", { name: /^Declare your turn/ }).count()) {
        await go(page, /^Declare your turn/);
        const names = await page.getByRole("textbox", { name: /^name, / }).evaluateAll((boxes) => boxes.map((box) => box.value));
        const before = names.filter((one) => one !== "");
        if (before.length === 0) {
          for (const [kind, values] of ROSTERS[name]) await add(page, kind, values);
        } else {
          assert.ok(before.includes(ROSTERS[name][2][1].name) || before.length < 6, before.join());
          filledIn += 1;
        }
        await nothingMoved(page);
        if (turns < 2) await look(page, player.desk, "events-roster");
        const said = await signed(table, player);
        if (before.length === 0) assert.match(said, new RegExp(ROSTERS[name][2][1].name));
        turns += 1;
      } else if (await page.getByRole("link", { name: /^Declare / }).count()) {
        await go(page, /^Declare /);
        await nothingMoved(page);
        await signed(table, player);
      } else if (await page.getByRole("button", { name: /^Reply/ }).count()) {
        await reply(table, player, title);
      }
    }
  }
  assert.ok(filledIn >= 3, `${filledIn} rosters came back`);
  await close(table, title, "A draw");
  verified(table);
  await getUp(table);
});

/** Both players reply while that is all that either can do. */
async function replies(table, title) {
  for (let round = 0; round < 3; round += 1) {
    for (const player of [table.bob, table.ann]) {
      if (!(await offers(player, title, /^Reply/))) continue;
      if (await player.page.getByRole("link", { name: /^(Declare|Seal|Choose)/ }).count()) continue;
      await reply(table, player, title);
    }
  }
}

test("NATO Division Commander: set-ups, an assault, the defender's report and the end of a turn", { timeout: 900_000 }, async () => {
  const table = await sitDown(on);
  const title = "Fulda Gap";
  const { ann, bob } = table;
  const declaring = /^(Set up your units|Move your units|Answer the attacks|Report what met the enemy)/;
  await whoPlays(table, /NATO/, title);
  await pick(ann.page, "How the defender's answers travel", /^2 mails/);
  await pick(ann.page, "T/O level of the defender", /subtracted/);
  await pick(ann.page, "Columns of hexes", /odd/);
  await pick(ann.page, "Your chemicals", /^US/);
  await pick(ann.page, "Your opponent's chemicals", /Soviet/);
  await fill(ann.page, "The sector that can be searched", "0101 2030");
  await look(ann.page, ann.desk, "ndc-terms");
  await show(ann.page);
  await agree(table);
  await replies(table, title);

  const unit = (name, kind, hexes, attack, defense, movement, commander = "") => ({
    name, kind, hexes, mode: "combat", attack, defense, movement, commander,
  });
  const points = async (page) => {
    for (const [label, value] of [["air", 2], ["artillery", 10], ["signal", 3]]) await fill(page, label, value);
  };
  const wrong = await begin(ann, title, declaring);
  await points(wrong);
  await add(wrong, "units", unit("1/3 Armor", "armor", "0505", 8, 6, 12));
  await show(wrong);
  await refuses(wrong, /is not a name/);
  for (const [player, units] of [
    [ann, [unit("1/3", "armor", "0505", 8, 6, 12), unit("2/3", "infantry", "0605", 5, 7, 10), unit("HQ-3", "hq", "0404", 0, 1, 8, 5)]],
    [bob, [unit("1/10", "armor", "0507", 9, 6, 12), unit("2/10", "infantry", "0607", 6, 7, 10), unit("HQ-10", "hq", "0509", 0, 1, 8, 4)]],
  ]) {
    const page = await begin(player, title, declaring);
    await points(page);
    for (const one of units) await add(page, "units", one);
    if (player === ann) await look(page, ann.desk, "ndc-units");
    assert.match(await signed(table, player), /only you know this until the close/);
    // Players can look at their own units while they wait.
    await open(player, title);
    await go(player.page, "Show your units, and what else only you know");
    await look(player.page, player.desk, "ndc-hand");
    const hand = await player.page.locator("main").textContent();
    assert.ok(hand.includes("artillery 10"), hand);
    const row = await player.page.getByRole("row", { name: units[0].name }).first().innerText();
    assert.match(row, new RegExp(`armor\\s+${units[0].hexes}\\s`), row);
    await replies(table, title);
  }

  // 1/3 moves next to the enemy and assaults.
  const assault = await begin(ann, title, declaring);
  await assault.getByRole("group", { name: "points for intelligence" }).getByLabel("signal").fill("1");
  await fill(assault, "level", 5);
  await assault.getByLabel("map", { exact: true }).check();
  await assault.getByRole("group", { name: "command (optional)", exact: true }).getByLabel("HQ-3", { exact: true }).check();
  await add(assault, "moves", { unit: "1/3", path: "0506", cost: 1 });
  await add(assault, "attack", { unit: "1/3", target: "0507", assault: true });
  const said = await signed(table, ann);
  for (const words of ["Bob will read", "assault on 0507 from 0506", "only you know"]) assert.ok(said.includes(words), said);
  await replies(table, title);

  // The defender's report has orders for later attacks. A block in which only the name is filled in is an order, too.
  const toOrder = async (page, name = "1/10") => {
    const block = page.locator("details", { has: page.locator(":scope > summary", { hasText: /^Add: a unit$/ }) }).first();
    await block.locator("summary").first().click();
    await block.getByLabel("Name: a unit").selectOption(name);
    return block;
  };
  const bare = await begin(bob, title, declaring);
  await toOrder(bare);
  await show(bare);
  await preview(bare);
  // What stands under a name in quotes can be changed and left out.
  await go(bare, "Change it");
  await bare.locator("fieldset.entry").getByLabel(/^final protective fire/).first().fill("3");
  await show(bare);
  await go(bare, "Change it");
  await look(bare, bob.desk, "ndc-orders");
  assert.equal(await bare.locator("fieldset.entry").getByLabel(/^final protective fire/).first().inputValue(), "3");
  await toOrder(bare, "2/10");
  await show(bare);
  await go(bare, "Change it");
  await bare.getByRole("group", { name: "2/10" }).getByLabel("Leave this out").check();
  await show(bare);
  await preview(bare);
  const report = await begin(bob, title, declaring);
  const block = await toOrder(report);
  await block.getByLabel("final protective fire").fill("3");
  await block.getByLabel("retreat", { exact: true }).first().fill("0508");
  await look(report, bob.desk, "ndc-report");
  assert.match(await signed(table, bob), /final protective fire 3/);
  await replies(table, title);
  for (const player of [ann, bob]) {
    await begin(player, title, declaring);
    await signed(table, player);
    await replies(table, title);
  }
  await close(table, title, "A draw");
  verified(table);
  await getUp(table);
});

test("CIL: sealed orders, two rounds, a night and the next battle", { timeout: 900_000 }, async () => {
  const table = await sitDown(on);
  const title = "Iron Life";
  const { ann, bob } = table;
  await whoPlays(table, /Cast Iron/, title);
  await pick(ann.page, "Season", "Winter: 3");
  await go(ann.page, "Fill in the rest");
  await cell(ann.page, "strength", "a4").fill("7");
  await cell(ann.page, "at", "a4").selectOption("left");
  await look(ann.page, ann.desk, "cil-forces");
  await show(ann.page);
  await agree(table);
  await open(bob, title);
  await bob.page.getByRole("link", { name: "Terms", exact: true }).click();
  await look(bob.page, bob.desk, "cil-terms-signed");
  assert.match(await bob.page.locator("details pre").textContent(), /at = "left"\nattack = 10\n.*id = "a4"\n.*strength = 7\n/s);

  const sealing = /^Seal your orders/;
  const order = async (page, unit, what, at) => {
    await cell(page, "order", unit).selectOption(what);
    await cell(page, "at", unit).selectOption({ label: at ?? "(none)" });
  };
  for (const [what, at, words] of [
    ["attack", undefined, /needs a location/],
    ["attack", "reserve", /cannot attack that location/],
    ["move", "main", /into or out of the reserve/],
    ["hold", "main", /must not have a location/],
  ]) {
    const page = await begin(ann, title, sealing);
    await order(page, "a1", what, at);
    await show(page);
    await refuses(page, words);
  }
  const seal = async (player, orders) => {
    const page = await begin(player, title, sealing);
    for (const one of orders) await order(page, ...one);
    await look(page, player.desk, "cil-orders");
    return signed(table, player);
  };
  const fight = async () => {
    for (let round = 0; round < 4; round += 1) {
      for (const player of [ann, bob]) {
        if (await offers(player, title, /^Declare/)) {
          await go(player.page, /^Declare/);
          await nothingMoved(player.page);
          await signed(table, player);
        }
      }
      await replies(table, title);
    }
  };
  const attackMain = async (player) => {
    const page = await begin(player, title, sealing);
    const orders = [];
    for (const unit of (await page.locator("legend").allInnerTexts()).filter((legend) => /^[ab]\d$/.test(legend))) {
      const may = await cell(page, "order", unit).locator("option").allInnerTexts();
      const where = await cell(page, "at", unit).locator("option").allInnerTexts();
      const target = ["main", "left", "right"].find((location) => where.includes(location));
      if (may.includes("attack") && target) orders.push([unit, "attack", target]);
    }
    return seal(player, orders);
  };
  await open(bob, title);
  const hers = bob.page.getByRole("table", { name: "Ann attacks" }).getByRole("row", { name: /a4/ });
  assert.match(await hers.innerText(), /^left\s+a4\s+\S+\s+10\s+\d+\s+7\s/, "both armies are shown");
  const said = await seal(ann, [["a1", "assault", "main"], ["a2", "assault", "main"], ["a3", "probe", "left"], ["a4", "attack", "right"], ["a5", "move", "main"]]);
  assert.doesNotMatch(said, /\{"/, "orders are shown in words");
  await seal(bob, [["b1", "attack", "main"], ["b2", "attack", "main"], ["b3", "dig-in"], ["b4", "attack", "left"]]);
  await fight();
  await attackMain(ann);
  await attackMain(bob);
  await fight();
  for (const player of [ann, bob]) {
    await begin(player, title, /^Choose another day/);
    await player.page.getByRole("radio", { name: /^end\b/i }).check();
    await signed(table, player);
  }
  const battle = await begin(bob, title, /^Choose the next battle/);
  await battle.getByLabel("season").selectOption("spring");
  await look(battle, bob.desk, "cil-battle");
  await signed(table, bob);
  await begin(ann, title, /^Choose whether you agree/);
  await look(ann.page, ann.desk, "cil-agree");
  await ann.page.getByRole("radio", { name: /^yes\b/i }).check();
  await signed(table, ann);
  await close(table, title, "A draw");
  verified(table);
  await getUp(table);
});
