import { sha256 } from "@noble/hashes/sha2.js";
import { findBlobs, hasSecret, type Blob } from "./armour.js";
import { audit, type GameAudit, type RefusedMessage } from "./audit.js";
import { textOf, toHex, type Bytes } from "./bytes.js";
import { checkMessage, type Message } from "./message.js";
import type { Report } from "./report.js";
import { KeyRing } from "./signature.js";

/** How far the signatures are. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Where letters were found: for a page that says which mail is damaged. */
export interface Source {
  readonly name: string;
  readonly line: number;
}

/**
 * Takes texts in, piece by piece, and says what stands in the games that their letters belong to. Nothing that is fed to it throws.
 *
 * ```ts
 * const checker = new Checker();
 * checker.add(await file.text(), file.name);
 * while (checker.progress.done < checker.progress.total) show(checker.verify(50));
 * const { games } = checker.report();
 * ```
 *
 * More can be added after a report; what has been checked is not checked again.
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

  /** With a ring of its own, unless several share one. */
  constructor(private readonly keys = new KeyRing()) {}

  /** Finds the letters of a text. A text that is cut must not be cut within a letter. */
  add(input: string | Bytes, name = ""): Progress {
    this.take(input, name);
    return this.progress;
  }

  /** The same, and says how many letters the text has: whole ones, new or known, and damaged ones; and whether it has a secret key (key-file 3). */
  take(input: string | Bytes, name = ""): { readonly whole: number; readonly damaged: number; readonly secret: boolean } {
    const text = typeof input === "string" ? input : textOf(input);
    return { ...this.takeBlobs(findBlobs(text), name), secret: hasSecret(text) };
  }

  /** Takes what was found in a text already, as `readFile` of mail.ts does. */
  takeBlobs(blobs: readonly Blob[], name = ""): { readonly whole: number; readonly damaged: number } {
    let [whole, damaged] = [0, 0];
    for (const blob of blobs) {
      // Copies are checked once (armour 6).
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

  /** Checks up to so many letters: their form and their signatures, which is most of the work. */
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
        // message 4: two signatures of one key on one payload are one message.
        const one = `${message.id} ${message.key}`;
        if (!this.messages.has(one)) this.messages.set(one, message);
      } else {
        if (checked.id !== null) this.place(checked.id, key);
        this.refused.set(key, { class: checked.class, text: checked.text, id: checked.id });
      }
    }
    return this.progress;
  }

  /** Where the letter with an id was found. */
  sourcesOf(id: string): readonly Source[] {
    return (this.framesOf.get(id) ?? []).flatMap((key) => this.sources.get(key) ?? []);
  }

  /** What was refused before it could have an id, and where it was found. */
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
    // The order in which mails come must not matter.
    const order = [...this.messages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, message]) => message);
    // audit 7: what has no id is listed as often as it was found.
    const refused = [...this.refused].flatMap(([key, one]) => (one.id === null ? (this.sources.get(key) ?? []).map(() => one) : [one]));
    return audit(order, refused);
  }

  /** The report of audit.md on everything that was added. */
  report(): Report {
    return this.run().report;
  }

  /** The report, and with it all letters, their links, and what came of them. */
  examine(): { readonly report: Report; readonly games: readonly GameAudit[] } {
    return this.run();
  }
}

/** What stands in the games whose letters are in a text, a mail or a mailbox. */
export function check(input: string | Bytes, keys?: KeyRing): Report {
  const checker = new Checker(keys);
  checker.add(input);
  return checker.report();
}
