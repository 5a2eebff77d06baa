import { sha256 } from "@noble/hashes/sha2.js";
import { findBlobs, hasSecret, type Blob } from "./armour.js";
import { audit, type GameAudit, type RefusedMessage } from "./audit.js";
import { textOf, toHex, type Bytes } from "./bytes.js";
import { checkMessage, type Message } from "./message.js";
import type { Report } from "./report.js";
import { KeyRing } from "./signature.js";

/** How many signatures have been checked. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Where a letter was found, so that a page can say which mail is damaged. */
export interface Source {
  readonly name: string;
  readonly line: number;
}

/**
 * Takes texts in pieces and audits the games that their letters belong to. No input makes it throw.
 *
 * ```ts
 * const checker = new Checker();
 * checker.add(await file.text(), file.name);
 * while (checker.progress.done < checker.progress.total) show(checker.verify(50));
 * const { games } = checker.report();
 * ```
 *
 * You can add more after a report. What was checked is not checked again.
 */
export class Checker {
  private readonly frames = new Map<string, Bytes>();
  private readonly waiting: string[] = [];
  private at = 0;
  private readonly messages = new Map<string, Message>();
  private readonly refused = new Map<string, RefusedMessage>();
  private readonly sources = new Map<string, Source[]>();
  private readonly seen = new Set<string>();
  private readonly framesOf = new Map<string, string[]>();

  /** Uses a key ring of its own, unless several checkers share one. */
  constructor(private readonly keys = new KeyRing()) {}

  /** Finds the letters of a text. A text in pieces must not be cut inside a letter. */
  add(input: string | Bytes, name = ""): Progress {
    this.take(input, name);
    return this.progress;
  }

  /** Adds a text, and returns how many letters it has (whole ones, whether new or known, and damaged ones) and whether it has a secret key (key-file 3). */
  take(input: string | Bytes, name = ""): { readonly whole: number; readonly damaged: number; readonly secret: boolean } {
    const text = typeof input === "string" ? input : textOf(input);
    return { ...this.takeBlobs(findBlobs(text), name), secret: hasSecret(text) };
  }

  /** Adds blobs that were already found, as `readFile` of mail.ts returns them. */
  takeBlobs(blobs: readonly Blob[], name = ""): { readonly whole: number; readonly damaged: number } {
    let [whole, damaged] = [0, 0];
    for (const blob of blobs) {
      // Each copy is checked only once (armour 6).
      const key = blob.ok ? toHex(sha256(blob.frame)) : `${blob.class} ${blob.left}`;
      const source = { name, line: blob.line };
      const known = this.sources.get(key);
      if (known === undefined) this.sources.set(key, [source]);
      else known.push(source);
      if (blob.ok) whole++;
      else damaged++;
      if (!blob.ok) {
        this.refused.set(key, { class: blob.class, text: blob.text, id: null });
      } else if (!this.seen.has(key)) {
        this.seen.add(key);
        this.frames.set(key, blob.frame);
        this.waiting.push(key);
      }
    }
    return { whole, damaged };
  }

  get progress(): Progress {
    return { done: this.at, total: this.waiting.length };
  }

  /** Checks the form and signature of up to `most` letters, which is most of the work. */
  verify(most: number = Number.MAX_SAFE_INTEGER): Progress {
    const end = Math.min(this.waiting.length, this.at + Math.max(1, most));
    for (; this.at < end; this.at++) {
      const key = this.waiting[this.at] ?? "";
      const frame = this.frames.get(key);
      if (frame === undefined) continue;
      this.frames.delete(key);
      const checked = checkMessage(frame, this.keys);
      if (checked.ok) {
        const { message } = checked;
        this.place(message.id, key);
        // Two signatures by one key on one payload are one message (message 4).
        const one = `${message.id} ${message.key}`;
        if (!this.messages.has(one)) this.messages.set(one, message);
      } else {
        if (checked.id !== null) this.place(checked.id, key);
        this.refused.set(key, { class: checked.class, text: checked.text, id: checked.id });
      }
    }
    return this.progress;
  }

  /** Returns where the letter with an id was found. */
  sourcesOf(id: string): readonly Source[] {
    return (this.framesOf.get(id) ?? []).flatMap((key) => this.sources.get(key) ?? []);
  }

  /** Messages that were refused before they could have an id, and where each was found. */
  get damaged(): readonly { readonly class: RefusedMessage["class"]; readonly text: string; readonly sources: readonly Source[] }[] {
    return [...this.refused].flatMap(([key, one]) => (one.id === null ? [{ class: one.class, text: one.text, sources: this.sources.get(key) ?? [] }] : []));
  }

  private place(id: string, key: string): void {
    const keys = this.framesOf.get(id);
    if (keys === undefined) this.framesOf.set(id, [key]);
    else keys.push(key);
  }

  private run(): { readonly report: Report; readonly games: readonly GameAudit[] } {
    this.verify();
    // The order of mails must not change the result.
    const order = [...this.messages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, message]) => message);
    // A message without an id is listed once for each time it was found (audit 7).
    const refused = [...this.refused].flatMap(([key, one]) => (one.id === null ? (this.sources.get(key) ?? []).map(() => one) : [one]));
    return audit(order, refused);
  }

  /** Returns the report of audit.md on everything added so far. */
  report(): Report {
    return this.run().report;
  }

  /** Returns the report together with all letters, their links and their results. */
  examine(): { readonly report: Report; readonly games: readonly GameAudit[] } {
    return this.run();
  }
}

/** Audits the games in a text, a mail or a mailbox. */
export function check(input: string | Bytes, keys?: KeyRing): Report {
  const checker = new Checker(keys);
  checker.add(input);
  return checker.report();
}
