/**
 * Estimates how long a person needs at the desk, by a keystroke-level model: each key, click and decision that a played
 * game asks for has a fixed cost (Card, Moran and Newell: The Psychology of Human-Computer Interaction, 1983). Time to
 * read, and to think about the game itself, is not part of it.
 */

/** Seconds for a key, for a click with the way to it, and for the decision before each click and each field. */
const COSTS = { keys: 0.28, clicks: 1.1, decisions: 1.35 };

/** Texts that are longer, such as mails and keys, are pasted: two keys. */
const PASTED = 60;

/** Sending a mail that the desk has copied: "new mail", the address, a paste, "send". */
const SENDING = { keys: 2 + 4, clicks: 3, decisions: 1 };

/** Copying a mail that came in: open it, select all of it, copy. */
const FETCHING = { keys: 4, clicks: 1, decisions: 1 };

export class Tally {
  constructor() {
    this.counts = { keys: 0, clicks: 0, decisions: 0 };
  }

  /** Counts what is typed and clicked in a browser context, from its next page on. */
  async watch(context) {
    await context.exposeBinding("tally", (_, what) => this.add(what));
    await context.addInitScript(`(() => {
      const lengths = new WeakMap();
      const control = (event) => event.target.closest("a, button, summary, input, select, textarea");
      addEventListener("click", (event) => {
        if (event.isTrusted && control(event)) tally({ clicks: 1, decisions: 1 });
      }, true);
      addEventListener("input", ({ target }) => {
        if (target.matches("input[type=checkbox], input[type=radio]")) return;
        if (target.matches("select")) return tally({ clicks: 2, decisions: 1 });
        const before = lengths.get(target) ?? 0;
        const typed = Math.abs(target.value.length - before);
        lengths.set(target, target.value.length);
        tally({ keys: typed > ${PASTED} ? 2 : typed, clicks: before === 0 ? 1 : 0, decisions: before === 0 ? 1 : 0 });
      }, true);
    })()`);
  }

  add(counts) {
    for (const [what, number] of Object.entries(counts)) this.counts[what] += number;
  }

  /** Counts a mail from one player to the other. */
  mailed() {
    this.add(SENDING);
    this.add(FETCHING);
  }

  get seconds() {
    return Object.entries(COSTS).reduce((sum, [what, cost]) => sum + cost * this.counts[what], 0);
  }

  /** Returns the counts and the seconds since the last call, and begins again. */
  lap() {
    const lap = { ...this.counts, seconds: Math.round(this.seconds) };
    this.counts = { keys: 0, clicks: 0, decisions: 0 };
    return lap;
  }
}
