/** The work, off the page's own thread: reads files, checks letters, tells how far it is. */
import type { GameAudit } from "../audit.js";
import { Checker, type Source } from "../checker.js";
import { hexBytes, utf8, type Bytes } from "../bytes.js";
import { isPacked, readFile } from "../mail.js";
import { recompute } from "../recompute.js";
import { checkKey, verifies } from "../signature.js";
import { claimsOf } from "./claims.js";
import { reportView, type FileView, type SourceView } from "./model.js";
import type { FromWorker, ToWorker } from "./protocol.js";

/** Letters between two reports on progress. */
const STRIDE = 20;

class Desk {
  private checker = new Checker();
  private games: readonly GameAudit[] = [];
  private readonly files: FileView[] = [];
  private readonly claims: { readonly file: string; readonly date: string | null; readonly from: string | null }[] = [];

  constructor(private readonly tell: (message: FromWorker) => void) {}

  async take(files: readonly { readonly name: string; readonly file: Blob }[]): Promise<void> {
    let done = 0;
    for (const { name, file } of files) {
      this.tell({ say: "progress", step: "reading", done: done++, total: files.length });
      try {
        this.add(name, new Uint8Array(await file.arrayBuffer()));
      } catch {
        this.files.push({ name, letters: 0, damaged: 0, trouble: "unreadable", secret: false });
      }
    }
    this.judge();
  }

  /** What was pasted may be a whole mail, as a file may. */
  takeText(name: string, text: string): void {
    this.add(name, utf8(text));
    this.judge();
  }

  private add(name: string, bytes: Bytes): void {
    let [letters, damaged, secret] = [0, 0, false];
    for (const found of readFile(bytes)) {
      const counts = this.checker.takeBlobs(found.blobs, String(this.claims.length));
      this.claims.push({ file: name, ...claimsOf(found) });
      letters += counts.whole;
      damaged += counts.damaged;
      secret ||= found.secret;
    }
    this.files.push({ name, letters, damaged, trouble: isPacked(bytes) ? "packed" : null, secret });
  }

  private source({ name, line }: Source): SourceView | null {
    const claim = this.claims[Number(name)];
    return claim === undefined ? null : { ...claim, line };
  }

  private judge(): void {
    for (let progress = this.checker.progress; progress.done < progress.total; progress = this.checker.verify(STRIDE)) {
      this.tell({ say: "progress", step: "checking", ...progress });
    }
    const { total } = this.checker.progress;
    this.tell({ say: "progress", step: "judging", done: total, total });
    const { view, games } = reportView(this.checker, (source) => this.source(source), [...this.files]);
    this.games = games;
    this.tell({ say: "report", view });
  }

  byHand(call: number, game: string, declaration: string, roll: number): void {
    const found = this.games.find((one) => one.report.game === game);
    this.tell({ say: "by hand", call, result: found === undefined ? null : recompute(found, declaration, roll) });
  }
}

const tell = (message: FromWorker): void => postMessage(message);
let desk = new Desk(tell);
let queue: Promise<void> = Promise.resolve();

async function answer(message: ToWorker): Promise<void> {
  switch (message.ask) {
    case "files":
      return desk.take(message.files);
    case "text":
      return desk.takeText(message.name, message.text);
    case "by hand":
      return desk.byHand(message.call, message.game, message.declaration, message.roll);
    case "forget":
      desk = new Desk(tell);
      tell({ say: "forgotten" });
  }
}

/** A known signature (RFC 8032, 7.1, test 2): a browser that gets it wrong must not judge anybody. It also warms up for the first letters. */
function selfTest(): void {
  const key = checkKey(hexBytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"));
  const signature = hexBytes("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  for (let i = 0; i < 24; i++) {
    const message = new Uint8Array([0x72 + i]);
    if (verifies(key, message, signature) !== (i === 0)) throw new Error("a known signature is not judged as it should be");
  }
}

queue = queue.then(selfTest).catch((error: unknown) => tell({ say: "failed", text: error instanceof Error ? error.message : String(error) }));

addEventListener("message", (event: MessageEvent<ToWorker>) => {
  // One after the other: files that are still being read must not be overtaken.
  queue = queue.then(() => answer(event.data)).catch((error: unknown) => tell({ say: "failed", text: error instanceof Error ? error.message : String(error) }));
});
