/** Measures how long an audit takes: `npm run bench`. */
import { Checker } from "../src/checker.js";
import { longGame } from "./players.js";

/** Milliseconds of CPU time, independent of the load on the machine. */
function cpu(): number {
  return process.cpuUsage().user / 1000;
}

for (const count of [20, 500, 1_000, 10_000]) {
  const text = longGame(count).text;
  const start = cpu();
  const checker = new Checker();
  const { total } = checker.add(text);
  const found = cpu();
  checker.verify();
  const verified = cpu();
  const [game] = checker.report().games;
  const end = cpu();
  const each = (ms: number): string => `${ms.toFixed(0)} ms`;
  console.log(
    `${total} letters, ${(text.length / 1e6).toFixed(1)} MB: found ${each(found - start)}, signatures ${each(verified - found)}, audit ${each(end - verified)}, ` +
      `${((total * 1000) / (end - start)).toFixed(0)} letters a second, ${game?.verdict ?? ""}, ${game?.rolls.length ?? 0} rolls`,
  );
}
