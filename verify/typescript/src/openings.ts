/** The keys in a letter that match sealed values (envelope 4, 5; letters 9; letters, close). */
import { hexBytes, toHex, type Bytes } from "./bytes.js";
import { columnKeys, envelopeCommit, envelopeKey, opensCell, opensEnvelope, type SetContext } from "./envelope.js";
import { fallbackOf, openedByRuling } from "./deposits.js";
import type { BodyOf, Charter } from "./kinds.js";
import type { Letter } from "./letter.js";
import { LIMITS } from "./limits.js";

/** A place of a set that a key opens. In a sheet, `place` is the column and `row` the deepest cell. Elsewhere `place` is the index, and `row` is 0. */
export interface Key {
  readonly seal: Letter;
  readonly place: number;
  readonly row: number;
  readonly key: Bytes;
}

export function sealBody(letter: Letter): BodyOf<"seal"> | null {
  return letter.content.kind === "seal" ? letter.content.body : null;
}

/** The parts of a set's context that come from the game: its id and terms. */
export interface Terms {
  readonly game: string;
  readonly charter: Charter;
}

// envelope 1
export function contextOf({ game, charter }: Terms, seal: Letter, body: BodyOf<"seal">): SetContext {
  return {
    game,
    purpose: body.purpose,
    kind: body.kind,
    sealer: seal.author,
    declarer: body.declarer,
    revealer: body.revealer,
    fallback: fallbackOf(charter, body.kind),
    n: body.n,
  };
}

/** The places that a master gives, in order, and whether each matches its commitment. */
export function mastered(context: SetContext, commits: readonly string[], master: Bytes): { readonly keys: readonly Bytes[]; readonly matches: readonly boolean[] } {
  const keys: Bytes[] = [];
  const matches: boolean[] = [];
  for (let place = 0; place < commits.length; place++) {
    if (context.kind === "sheet") {
      const column = columnKeys(context, master, place);
      keys.push(column[0] ?? new Uint8Array(0));
      matches.push(toHex(column[LIMITS.cells] ?? new Uint8Array(0)) === commits[place]);
    } else {
      const key = envelopeKey(context, master, place);
      keys.push(key);
      matches.push(toHex(envelopeCommit(context, place, key)) === commits[place]);
    }
  }
  return { keys, matches };
}

export class Openings {
  private readonly reveals = new Map<Letter, readonly Key[]>();
  private readonly masters = new Map<string, ReturnType<typeof mastered>>();
  constructor(private readonly terms: Terms) {}

  /** The places that a master of a seal gives, cached. */
  master(seal: Letter, body: BodyOf<"seal">, master: string): ReturnType<typeof mastered> {
    const known = this.masters.get(`${seal.id} ${master}`);
    if (known !== undefined) return known;
    const made = mastered(contextOf(this.terms, seal, body), body.commits, hexBytes(master));
    this.masters.set(`${seal.id} ${master}`, made);
    return made;
  }

  /** The matching keys of a reveal or a ruling. */
  private matching(revealed: Pick<BodyOf<"reveal">, "keys" | "sheets">, seal: Letter | undefined): Key[] {
    const body = seal === undefined ? null : sealBody(seal);
    if (seal === undefined || body === null) return [];
    const context = contextOf(this.terms, seal, body);
    const keys: Key[] = [];
    if (body.kind === "sheet") {
      for (const [column, row, key] of revealed.sheets) {
        const commit = body.commits[column];
        const bytes = hexBytes(key);
        if (commit !== undefined && opensCell(context, column, row, bytes, commit)) keys.push({ seal, place: column, row, key: bytes });
      }
    } else {
      for (const [index, key] of revealed.keys) {
        const commit = body.commits[index];
        const bytes = hexBytes(key);
        if (commit !== undefined && opensEnvelope(context, index, bytes, commit)) keys.push({ seal, place: index, row: 0, key: bytes });
      }
    }
    return keys;
  }

  /** All matching keys in a placed letter, whatever else is wrong with it. */
  of(letter: Letter, letters: ReadonlyMap<string, Letter>): readonly Key[] {
    const { content } = letter;
    if (content.kind !== "reveal" && content.kind !== "close" && content.kind !== "ruling") return [];
    const known = this.reveals.get(letter);
    if (known !== undefined) return known;
    const keys: Key[] = [];
    if (content.kind === "reveal") keys.push(...this.matching(content.body, letters.get(content.body.seal)));
    if (content.kind === "ruling" && content.body.rule.is === "open") {
      const { set } = openedByRuling(content.body.rule.value.request, letters);
      if (set !== null) keys.push(...this.matching(content.body.rule.value, set));
    }
    if (content.kind === "close") {
      for (const entry of content.body.masters ?? []) {
        const seal = letters.get(entry.seal);
        const body = seal === undefined ? null : sealBody(seal);
        if (seal === undefined || body === null) continue;
        const made = this.master(seal, body, entry.master);
        made.keys.forEach((key, place) => {
          if (made.matches[place] === true) keys.push({ seal, place, row: body.kind === "sheet" ? LIMITS.cells : 0, key });
        });
      }
    }
    this.reveals.set(letter, keys);
    return keys;
  }
}
