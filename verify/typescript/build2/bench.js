import {
  longGame
} from "./chunk-RSEZADFH.js";
import {
  Checker
} from "./chunk-6GB62O2M.js";

// test/bench.ts
function cpu() {
  return process.cpuUsage().user / 1e3;
}
for (const count of [20, 500, 1e3, 1e4]) {
  const text = longGame(count).text;
  const start = cpu();
  const checker = new Checker();
  const { total } = checker.add(text);
  const found = cpu();
  checker.verify();
  const verified = cpu();
  const [game] = checker.report().games;
  const end = cpu();
  const each = (ms) => `${ms.toFixed(0)} ms`;
  console.log(
    `${total} letters, ${(text.length / 1e6).toFixed(1)} MB: found ${each(found - start)}, signatures ${each(verified - found)}, audit ${each(end - verified)}, ${(total * 1e3 / (end - start)).toFixed(0)} letters a second, ${game?.verdict ?? ""}, ${game?.rolls.length ?? 0} rolls`
  );
}
