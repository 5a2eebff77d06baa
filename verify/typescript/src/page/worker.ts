/** The worker: reads files, checks letters and reports progress, off the page's thread. The page stops it at any time by ending it. */
import type { GameAudit } from "../audit.js";
import { Checker, type Source } from "../checker.js";
import { hexBytes, type Bytes } from "../bytes.js";
import { isPacked, readFile, type Input } from "../mail.js";
import { recompute } from "../recompute.js";
import { checkKey, verifies } from "../signature.js";
import { claimsOf } from "./claims.js";
import { reportView, type FileView, type SourceView } from "./model.js";
import type { FromWorker, Taken, ToWorker } from "./protocol.js";

/** A class that workers have, but that TypeScript's DOM library does not declare. */
declare class FileReaderSync {
  readAsArrayBuffer(file: Blob): ArrayBuffer;
}

/** Letters between two progress messages. */
const STRIDE = 20;
/** Progress messages while all files are read. */
const STEPS = 400;
/** Bytes kept from the start of each file: enough to recognise its type, and most mails completely. */
const HEAD = 65_536;
/** Files whose first bytes are requested ahead of time. */
const AHEAD = 32;

const tell = (message: FromWorker): void => postMessage(message);

/** Reports how many bytes of all files have been read. */
class Meter {
  private told = 0;
  constructor(private readonly total: number) {}

  read(done: number): void {
    if (done > 0 && done - this.told < this.total / STEPS) return;
    this.told = done;
    tell({ say: "progress", step: "reading", done, total: this.total });
  }
}

/** A file from the browser, whose pieces are read synchronously. */
class FileInput implements Input {
  readonly size: number;
  private readonly reader = new FileReaderSync();

  constructor(
    private readonly file: Blob,
    private readonly head: Bytes,
    private readonly passed: (bytes: number) => void,
  ) {
    this.size = file.size;
    this.passed(head.length);
  }

  read(from: number, to: number): Bytes {
    return to <= this.head.length ? this.head.subarray(from, to) : this.piece(from, to);
  }

  private piece(from: number, to: number): Bytes {
    const bytes = new Uint8Array(this.reader.readAsArrayBuffer(this.file.slice(from, to)));
    this.passed(to);
    return bytes;
  }
}

/** Yields files with their first bytes, which are requested ahead: in a folder of mails, these are most of the data. The bytes are null if a file cannot be read. */
async function* withHeads(files: readonly Taken[]): AsyncGenerator<readonly [Taken, Bytes | null]> {
  const ask = ({ file }: Taken): Promise<Bytes | null> =>
    file
      .slice(0, HEAD)
      .arrayBuffer()
      .then((bytes) => new Uint8Array(bytes), () => null);
  const asked = files.slice(0, AHEAD).map(ask);
  for (const [i, taken] of files.entries()) {
    const head = (await asked.shift()) ?? null;
    const next = files[i + AHEAD];
    if (next !== undefined) asked.push(ask(next));
    yield [taken, head];
  }
}

class Desk {
  private readonly checker = new Checker();
  private games: readonly GameAudit[] = [];
  private readonly files: FileView[] = [];
  private readonly claims: { readonly file: string; readonly date: string | null; readonly from: string | null }[] = [];

  async report(files: readonly Taken[]): Promise<void> {
    const meter = new Meter(files.reduce((sum, { file }) => sum + file.size, 0));
    let before = 0;
    meter.read(0);
    for await (const [{ name, file }, head] of withHeads(files)) {
      this.read(name, file, head, (bytes) => meter.read(before + bytes));
      before += file.size;
    }
    this.judge();
  }

  private read(name: string, file: Blob, head: Bytes | null, passed: (bytes: number) => void): void {
    let [letters, damaged, secret] = [0, 0, false];
    let trouble: FileView["trouble"] = null;
    try {
      if (head === null) throw new DOMException();
      const input = new FileInput(file, head, passed);
      if (isPacked(input)) trouble = "packed";
      for (const found of readFile(input)) {
        const counts = this.checker.takeBlobs(found.blobs, String(this.claims.length));
        this.claims.push({ file: name, ...claimsOf(found) });
        letters += counts.whole;
        damaged += counts.damaged;
        secret ||= found.secret;
      }
    } catch (error) {
      // A file that cannot be read throws this. Anything else is an error of the page itself.
      if (!(error instanceof DOMException)) throw error;
      trouble = "unreadable";
    }
    this.files.push({ name, letters, damaged, trouble, secret });
  }

  private source({ name, line }: Source): SourceView | null {
    const claim = this.claims[Number(name)];
    return claim === undefined ? null : { ...claim, line };
  }

  private judge(): void {
    for (let progress = this.checker.progress; progress.done < progress.total; progress = this.checker.verify(STRIDE)) {
      tell({ say: "progress", step: "checking", ...progress });
    }
    const { total } = this.checker.progress;
    tell({ say: "progress", step: "judging", done: total, total });
    const { view, games } = reportView(this.checker, (source) => this.source(source), this.files);
    this.games = games;
    tell({ say: "report", view });
  }

  byHand(call: number, game: string, declaration: string, roll: number): void {
    const found = this.games.find((one) => one.report.game === game);
    tell({ say: "by hand", call, result: found === undefined ? null : recompute(found, declaration, roll) });
  }
}

const desk = new Desk();

async function answer(message: ToWorker): Promise<void> {
  switch (message.ask) {
    case "report":
      return desk.report(message.files);
    case "by hand":
      return desk.byHand(message.call, message.game, message.declaration, message.roll);
  }
}

/** A known signature (RFC 8032, 7.1, test 2): a browser that gets it wrong must not judge anyone. Checking it also warms up the code. */
function selfTest(): void {
  const key = checkKey(hexBytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"));
  const signature = hexBytes("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  for (let i = 0; i < 24; i++) {
    const message = new Uint8Array([0x72 + i]);
    if (verifies(key, message, signature) !== (i === 0)) throw new Error("a known signature is not judged as it should be");
  }
}

let isSound = false;
addEventListener("message", (event: MessageEvent<ToWorker>) => {
  const work = async (): Promise<void> => {
    if (!isSound) selfTest();
    isSound = true;
    await answer(event.data);
  };
  work().catch((error: unknown) => tell({ say: "failed", text: error instanceof Error ? error.message : String(error) }));
});
