/** A roll with every value that goes into it, and the commands that repeat each step. */
import type { Recomputed } from "../recompute.js";
import { h, type Child } from "./dom.js";
import { die } from "./dice.js";
import type { DeclarationView } from "./model.js";
import type { Names } from "./names.js";
import { TEXTS } from "./texts.js";

const { byHand: texts } = TEXTS;

function hex(value: string): HTMLElement {
  return h("code", { class: "hex" }, value);
}

function command(text: string): HTMLElement {
  return h("code", { class: "command" }, text);
}

function facts(...rows: readonly (readonly [string, Child])[]): HTMLElement {
  return h("dl", { class: "facts" }, rows.map(([term, what]) => [h("dt", {}, term), h("dd", {}, what)]));
}

function worksheet(found: Recomputed): Child {
  const { worksheet: sheet } = found;
  if (sheet === null || sheet.index === null) return h("p", {}, found.cell === null ? texts.worksheetNone : texts.sheetCell(found.cell, found.index, found.line));
  const sums = sheet.attacks.map((attack) => {
    const hexes = attack.hexes.map((one) => one.written);
    return h("li", {}, texts.sum(hexes, attack.hexValues, attack.value, attack.odds.multiplier, attack.product));
  });
  const place = sheet.attacks[found.roll - 1];
  const charted = sheet.attacks.flatMap((attack) => attack.hexes.map((one, i) => h("li", {}, texts.chart(one.written, one.chartRow, one.digit, attack.hexValues[i] ?? 0))));
  return [
    h("p", {}, sheet.chart === "house" ? texts.house : texts.table),
    sheet.chart === "house" ? h("ul", {}, charted) : null,
    h("ul", {}, sums),
    h("p", {}, `${sheet.attacks.map((attack) => attack.product).join(" + ")} = ${sheet.total}. `, TEXTS.roll.total(sheet.total, sheet.envelopes, sheet.index)),
    place === undefined ? null : h("p", {}, texts.place(found.why, place.envelope, place.row)),
  ];
}

function words(found: Recomputed): HTMLElement {
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, [texts.word, texts.decimal, texts.result].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, found.words.slice(0, 64).map((word) => h("tr", {}, h("td", {}, hex(word.hex)), h("td", {}, String(word.word)), h("td", {}, word.refused ? texts.refused : texts.taken(word.sides, word.word % word.sides))))),
  );
}

export function byHandView(names: Names, declaration: DeclarationView, found: Recomputed | null): HTMLElement {
  if (found === null) return h("div", { class: "by-hand" }, h("p", {}, texts.none));
  const { commitment } = found;
  const fits = commitment.published === commitment.recomputed;
  const tens = declaration.values === "0-9";
  return h(
    "div",
    { class: "by-hand" },
    h("h5", {}, texts.heading(found.why)),
    h("p", {}, texts.lead),
    h("h6", {}, texts.worksheet),
    worksheet(found),
    h("h6", {}, texts.key),
    h("p", {}, texts.revealed(names.called(found.revealed.letter))),
    h("p", {}, hex(found.revealed.key)),
    facts([texts.published, hex(commitment.published)], [texts.recomputed, [hex(commitment.recomputed), " ", h("strong", {}, fits ? texts.fits : texts.unfit)]]),
    h("p", {}, texts.ids),
    facts([texts.seal, hex(found.seal)], [texts.declaration, hex(found.declaration)], [texts.contribution, hex(found.contribution)], [texts.context, hex(found.contextBytes)]),
    h("h6", {}, texts.hashes),
    h(
      "ol",
      {},
      found.steps.map((step) =>
        h(
          "li",
          {},
          h("p", {}, texts.hash(step.name, step.tag)),
          facts(
            ...step.items.map((item): readonly [string, Child] => [`${texts.items}: ${item.name}`, hex(item.hex)]),
            [texts.command, command(`printf '%s' ${step.preimage} | xxd -r -p | openssl dgst -sha3-256`)],
            [texts.gives, hex(step.hash)],
          ),
        ),
      ),
    ),
    h("h6", {}, texts.stream),
    h("p", {}, texts.streamLead),
    facts([texts.command, command(`head -c 64 /dev/zero | openssl enc -chacha20 -K ${found.key} -iv 00000000000000000000000000000000 | xxd -e -g 4`)]),
    words(found),
    h("p", { class: "result" }, found.draws.map((value, i) => die(found.words.filter((word) => !word.refused)[i]?.sides ?? 6, value, tens ? value - 1 : value)), " ", tens ? [texts.minusOne, " "] : null, h("strong", {}, texts.value(found.value))),
  );
}
