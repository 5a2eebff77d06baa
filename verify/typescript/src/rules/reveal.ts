import { hexBytes } from "../bytes.js";
import { opensCell, opensEnvelope, openNote } from "../envelope.js";
import type { BodyOf } from "../kinds.js";
import type { Letter } from "../letter.js";
import { LIMITS } from "../limits.js";
import { readNotePurpose } from "../office.js";
import { attempt } from "../refusal.js";
import { slotText } from "../slot.js";
import type { DeclarationState, SealState, State } from "../state.js";
import { broken, must, type Rules } from "./rule.js";

type Body = BodyOf<"reveal">;

/** The decision that a note's purpose names, by slot and name. */
export function decisionOf(state: State, { body: { kind, purpose } }: SealState): { readonly slot: string; readonly how: string; readonly by: string | null } | null {
  if (kind !== "note") return null;
  const { slot, name } = readNotePurpose(purpose);
  const phase = slot === null ? null : state.phaseOf(slot);
  const decision = phase?.decisions.find((one) => one.name === name);
  return slot === null || decision === undefined ? null : { slot: slotText(slot), how: decision.how, by: decision.by };
}

/** Whether a declaration found a note for a sealed choice of its slot (secrets 8). */
export function isFound(note: SealState, declared: Letter): boolean {
  return declared.has(note.letter) && !note.kills.some((by) => declared.has(by));
}

/** Whether a set is with the office for the declaration (office 8). */
function isWithOffice(state: State, { declaration }: Body, seal: SealState): boolean {
  const named = declaration === null ? null : state.letter(declaration);
  return named !== null && seal.isWithOffice(named);
}

/** Whether the declarer has asked the sealer for the dice, by a valid stall on the declaration (reveal 8). */
function isAsked(state: State, letter: Letter, { declaration }: Body): boolean {
  return declaration !== null && (state.stalls.get(declaration) ?? []).some((stall) => letter.has(stall));
}

// reveal 1, 8
function checkWho(state: State, letter: Letter, body: Body, seal: SealState): void {
  if (letter.author === seal.letter.author) {
    const isOffices = seal.isDice && isWithOffice(state, body, seal) && !seal.takenBack(letter);
    must(!isOffices || isAsked(state, letter, body), "reveal 8", "the dice are with the office");
    return;
  }
  must(letter.author === state.chains.office && seal.isForOffice, "reveal 1", `the set is not for ${letter.author} to open`);
  must(seal.isWithOffice(letter), "reveal 1", "the office does not hold the set, or it was taken back");
}

type Part = "dice" | "moves" | "contribution" | "choice" | "standing";

// reveal 2
function partOf(state: State, declared: Letter, body: BodyOf<"declare">, seal: SealState): Part | null {
  const { id } = seal.letter;
  if (body.seal === id) return "dice";
  if (body.moves.is === "note" && body.moves.value.seal === id) return "moves";
  if (body.contribution?.is === "sealed" && body.contribution.value.seal === id) return "contribution";
  const decision = decisionOf(state, seal);
  if (decision !== null && decision.how === "sealed" && decision.by === seal.letter.author && decision.slot === slotText(body.slot) && isFound(seal, declared)) return "choice";
  if (state.courseOf(body.slot)?.notesFor(declared, slotText(body.slot)).includes(seal) === true) return "standing";
  return null;
}

// reveal 4
function checkSelection(body: Body, seal: SealState, declaration: DeclarationState | null, part: Part): void {
  const indices = body.keys.map(([index]) => index);
  const exactly = (wanted: readonly number[]): boolean => body.sheets.length === 0 && indices.length === wanted.length && wanted.every((index, i) => index === indices[i]);
  if (part === "contribution") {
    must(exactly([declaration?.sealed?.index ?? -1]), "reveal 4", `the contribution is envelope ${declaration?.sealed?.index ?? 0}`);
  } else if (part === "dice" && seal.body.kind === "sheet") {
    const wanted = declaration?.selection ?? [];
    must(
      body.keys.length === 0 && body.sheets.length === wanted.length && wanted.every(([column, row], i) => body.sheets[i]?.[0] === column && body.sheets[i]?.[1] === row),
      "reveal 4",
      "these are not the columns that were named, each with its deepest row",
    );
  } else if (part === "dice") {
    const wanted = (declaration?.selection ?? []).map(([index]) => index);
    must(exactly(wanted), "reveal 4", `the envelopes to be opened are ${wanted.join(", ")}`);
  } else {
    must(exactly([0]), "reveal 4", "a note has the index 0");
  }
}

/** Checks that every key matches, and that a note's key opens the note (reveal 5, ruling 8). */
export function checkKeys(body: Pick<Body, "keys" | "sheets">, seal: SealState, rule: string): void {
  const { commits, notes, kind } = seal.body;
  for (const [index, key] of body.keys) {
    const commit = commits[index];
    must(kind !== "sheet" && commit !== undefined && opensEnvelope(seal.context, index, hexBytes(key), commit), rule, `the key of envelope ${index} does not match`);
    const ciphertext = notes?.[index];
    if (ciphertext === undefined) continue;
    const note = attempt(() => openNote(seal.context, hexBytes(key), commit, hexBytes(ciphertext)));
    if (!note.ok) broken(rule, `the note does not open: ${note.text}`);
  }
  for (const [column, row, key] of body.sheets) {
    const commit = commits[column];
    must(kind === "sheet" && commit !== undefined && row >= 1 && row <= LIMITS.cells && opensCell(seal.context, column, row, hexBytes(key), commit), rule, `the key of column ${column}, row ${row} does not match`);
  }
}

export const reveal: Rules<"reveal"> = {
  kinds: (body) => (body.declaration === null ? [[body.seal, "seal"]] : [[body.declaration, "declare"], [body.seal, "seal"]]),

  check(state, letter, body) {
    const seal = state.validSeal(body.seal);
    if (seal === null) return broken("reveal 1", "the set is in breach itself");
    checkWho(state, letter, body, seal);
    if (body.declaration === null) {
      const decision = decisionOf(state, seal);
      must(decision !== null && decision.how === "simultaneous", "reveal 2", "this is no note for orders at once");
      checkSelection(body, seal, null, "choice");
      checkKeys(body, seal, "reveal 5");
      must(state.notes(letter, seal.body.purpose, state.other(seal.letter.author)).length > 0, "reveal 7", "the other's orders are not sealed yet");
      return;
    }
    const named = state.letter(body.declaration);
    if (named === null || named.content.kind !== "declare") return broken("letters 5", "this is no declaration");
    const part = partOf(state, named, named.content.body, seal);
    if (part === null) return broken("reveal 2", "the set is none of this declaration's");
    const declaration = state.declarations.get(named.id) ?? null;
    if (!named.fallen) {
      must(declaration !== null, "reveal 3", "the declaration is in breach, and is not opened");
      checkSelection(body, seal, declaration, part);
    }
    checkKeys(body, seal, "reveal 5");
    if (part === "standing" && !named.fallen) must(seal.isOpen(letter, 0) || state.isStandingDue(letter, seal), "reveal 6", "its author is asked for nothing that it says");
    if (part === "contribution" && !named.fallen) must(declaration?.answered(letter) ?? false, "reveal 6", "the contribution is opened after the dice");
  },

  apply: () => undefined,
};

/** Matching keys open their places, whatever the letter's faults (letters 9). */
export function openKeys(state: State, letter: Letter): void {
  for (const key of state.openings.of(letter, state.chains.letters)) state.seal(key.seal.id)?.open(key, letter);
}
