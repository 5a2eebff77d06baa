/** One roll with every intermediate value, so that a sceptic can repeat each step by hand. */
import type { GameAudit } from "./audit.js";
import { hexBytes, le64, toHex, type Bytes } from "./bytes.js";
import { readWorksheet, readWorksheetSettings, type Worksheet } from "./coin-envelopes.js";
import { Stream, valueOf, VALUES } from "./dice.js";
import { contextOfCell, contextOfEnvelope, contextOfSet, type SetContext } from "./envelope.js";
import { hash, preimage, type Tag } from "./hash.js";
import { field } from "./json.js";
import { attempt } from "./refusal.js";
import { slotText } from "./slot.js";
import { drawRoll, type Roll } from "./roll.js";
import { END, type DeclarationState, type Opening, type SealState } from "./state.js";

/** An input of a hash, by name and in hexadecimal digits. */
export interface HashItem {
  readonly name: string;
  readonly hex: string;
}

/** One hash: SHA3-256 of `preimage` is `hash`. */
export interface HashStep {
  /** The result of the hash. */
  readonly name: string;
  readonly tag: Tag;
  readonly items: readonly HashItem[];
  readonly preimage: string;
  readonly hash: string;
}

/** A word of the stream: refused, or taken as `1 + word mod sides`. */
export interface StreamWord {
  readonly word: number;
  readonly hex: string;
  readonly sides: number;
  readonly refused: boolean;
}

export interface Recomputed {
  readonly declaration: string;
  readonly slot: string;
  readonly seal: string;
  readonly why: string;
  /** The number of the roll in the declaration, from 1. */
  readonly roll: number;
  /** The envelope or column, and the row or line, of the roll. */
  readonly index: number;
  readonly line: number;
  readonly cell: string | null;
  /** What the set is for, and its bytes (envelope 1). */
  readonly context: SetContext;
  readonly contextBytes: string;
  /** How the attacks select the envelope; null for a sheet or a redo. */
  readonly worksheet: (Worksheet & { readonly envelopes: number; readonly chart: "house" | "table" }) | null;
  /** The revealed key, and the letter that revealed it. */
  readonly revealed: { readonly letter: string; readonly key: string; readonly row: number };
  readonly commitment: { readonly published: string; readonly recomputed: string };
  readonly seed: string;
  readonly contribution: string;
  /** The letter that opened a sealed contribution; null for an open one. */
  readonly contributionOpenedBy: string | null;
  readonly steps: readonly HashStep[];
  readonly root: string;
  readonly key: string;
  readonly words: readonly StreamWord[];
  readonly draws: readonly number[];
  readonly value: number;
}

class Steps {
  readonly list: HashStep[] = [];

  take(name: string, tag: Tag, ...items: readonly (readonly [string, Bytes])[]): Bytes {
    const bytes = items.map(([, item]) => item);
    const out = hash(tag, ...bytes);
    this.list.push({ name, tag, items: items.map(([item, hex]) => ({ name: item, hex: toHex(hex) })), preimage: toHex(preimage(tag, bytes)), hash: toHex(out) });
    return out;
  }
}

/** Computes the commitment and the seed of a place from the revealed key. */
function openPlace(steps: Steps, set: SealState, index: number, row: number, opening: Opening, what: string): { readonly commit: Bytes; readonly seed: Bytes } {
  const { context } = set;
  if (context.kind !== "sheet") {
    const a = contextOfEnvelope(context, index);
    const commit = steps.take(`commitment of ${what} ${index}`, "envelope-commit", ["context of the place", a], ["key", opening.key]);
    return { commit, seed: steps.take(`seed of ${what} ${index}`, "envelope-seed", ["context of the place", a], ["key", opening.key]) };
  }
  let key = opening.key;
  let own = key;
  for (let at = opening.row; at >= 1; at--) {
    if (at === row) own = key;
    key = steps.take(at === 1 ? "K_0, the commitment of the column" : `key of row ${at - 1}`, "cell-chain", ["context of the cell", contextOfCell(context, index, at)], [`key of row ${at}`, key]);
  }
  return { commit: key, seed: steps.take(`seed of row ${row}`, "envelope-seed", ["context of the cell", contextOfCell(context, index, row)], [`key of row ${row}`, own]) };
}

function takeWords(key: Bytes, roll: Roll): { readonly words: StreamWord[]; readonly draws: number[] } {
  const stream = new Stream(key);
  const words: StreamWord[] = [];
  const drawn = drawRoll(roll, ({ sides }) => {
    const before = stream.words.length;
    const value = stream.draw(sides);
    const taken = stream.words.slice(before);
    taken.forEach((word, i) => words.push({ word, hex: word.toString(16).padStart(8, "0"), sides, refused: i < taken.length - 1 }));
    return value;
  });
  return { words, draws: drawn.map((draw) => draw.value) };
}

function worksheetOf(game: GameAudit, declaration: DeclarationState): Recomputed["worksheet"] {
  if (declaration.phase.source !== "coin" || declaration.redoIndex !== null) return null;
  const made = attempt(() => {
    const settings = readWorksheetSettings(declaration.phase.settings);
    return { ...readWorksheet(declaration.body.input, settings, game.charter?.content.body.tables ?? {}), envelopes: settings.envelopes, chart: settings.chart };
  });
  return made.ok ? made.value : null;
}

/** Recomputes a roll. Returns null if there is no such roll, its keys are not all opened, only a run knows its dice, or the dice were named after a forfeit. */
export function recompute(game: GameAudit, declarationId: string, roll: number): Recomputed | null {
  const declaration = game.replay?.state.declarations.get(declarationId);
  if (declaration === undefined || declaration.seal === null || !declaration.shown(END) || declaration.forfeited(END)) return null;
  const { seal, body, letter, reading, phase } = declaration;
  // The dice depend on the declarer's hand (hidden 3).
  if (game.replay?.state.isHidden(body.slot) ?? false) return null;
  const course = game.replay?.state.courseOf(body.slot) ?? null;
  const asked = (course === null ? reading.rolls : (course.outcome(END, declaration)?.rolls ?? course.rolls(declaration)))[roll - 1];
  const place = declaration.places()[roll - 1];
  if (asked === undefined || place === undefined) return null;
  const { index, line } = place;
  const sheet = seal.body.kind === "sheet";
  const opening = sheet ? seal.deepest(END, index) : seal.opening(END, index);
  if (opening === null) return null;
  const steps = new Steps();
  const { commit, seed } = openPlace(steps, seal, index, line, opening, "envelope");
  let contribution: Bytes;
  let openedBy: string | null = null;
  if (declaration.sealed !== null) {
    const own = declaration.sealed.set.opening(END, declaration.sealed.index);
    if (own === null) return null;
    contribution = openPlace(steps, declaration.sealed.set, declaration.sealed.index, 0, own, "contribution").seed;
    openedBy = own.by.id;
  } else {
    contribution = hexBytes(body.contribution?.is === "open" ? body.contribution.value : "");
  }
  const root = steps.take(
    "root",
    "dice-root",
    ["id of the seal", hexBytes(seal.letter.id)],
    ["id of the declaration", hexBytes(letter.id)],
    [sheet ? "column" : "index of the envelope", le64(index)],
    ["seed", seed],
    ["contribution", contribution],
  );
  const key = steps.take("key of the line", "roll-key", ["root", root], ["line", le64(line)]);
  const taken = attempt(() => takeWords(key, asked));
  if (!taken.ok) return null;
  const named = field(phase.settings, "values");
  const values = VALUES.find((one) => one === named) ?? "1-6";
  return {
    declaration: letter.id,
    slot: slotText(body.slot),
    seal: seal.letter.id,
    why: asked.why,
    roll,
    index,
    line,
    cell: asked.cell,
    context: seal.context,
    contextBytes: toHex(contextOfSet(seal.context)),
    worksheet: worksheetOf(game, declaration),
    revealed: { letter: opening.by.id, key: toHex(opening.key), row: opening.row },
    commitment: { published: seal.body.commits[index] ?? "", recomputed: toHex(commit) },
    seed: toHex(seed),
    contribution: toHex(contribution),
    contributionOpenedBy: openedBy,
    steps: steps.list,
    root: toHex(root),
    key: toHex(key),
    words: taken.value.words,
    draws: taken.value.draws,
    value: valueOf(values, taken.value.draws),
  };
}

