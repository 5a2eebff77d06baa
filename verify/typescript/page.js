// Builds the audit page, ../audit.html: one file with its worker, script and style inside, and a policy that lets nothing else in or out.
// The file is committed. With --check nothing is written, and the committed file must be what these sources give.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { deflateSync } from "fflate";

const PAGE = "../audit.html";
const LIMIT = { raw: 400_000, gzipped: 200_000 };

// Not minified, so that sceptics can read the script.
async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "iife",
    target: ["es2022", "chrome103", "firefox113", "safari16.4"],
    legalComments: "none",
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

const digest = (text, form) => createHash("sha256").update(text).digest(form);
const source = (text) => `'sha256-${digest(text, "base64")}'`;
const inScript = (text) => text.replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--");

const worker = await bundle("src/page/worker.ts");
const script = inScript(await bundle("src/page/main.ts"));
const { outputFiles } = await build({ entryPoints: ["src/page/audit.css"], minify: true, write: false, logLevel: "warning" });
const style = outputFiles[0].text.trim();

const policy = ["default-src 'none'", `script-src ${source(script)}`, `style-src ${source(style)}`, "worker-src blob:", "base-uri 'none'", "form-action 'none'"].join("; ");
const parts = {
  policy,
  style,
  script,
  // Packed by a library whose output depends on its version alone, not on that of node.
  worker: Buffer.from(deflateSync(Buffer.from(worker), { level: 9 })).toString("base64"),
  version: JSON.parse(readFileSync("package.json", "utf8")).version,
  sha256: digest(script, "hex"),
};
const page = readFileSync("src/page/audit.html", "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);

const size = { raw: Buffer.byteLength(page), gzipped: gzipSync(page, { level: 9 }).length };
console.log(`${PAGE}: ${size.raw} bytes of ${LIMIT.raw}, ${size.gzipped} of ${LIMIT.gzipped} when compressed; SHA-256 ${digest(page, "hex")}`);
if (size.raw > LIMIT.raw || size.gzipped > LIMIT.gzipped) {
  console.error("The page is larger than it may be.");
  process.exitCode = 1;
} else if (!process.argv.includes("--check")) {
  writeFileSync(PAGE, page);
} else if (page !== readFileSync(PAGE, "utf8")) {
  console.error(`${PAGE} is not what these sources give: run  npm run page  and commit it.`);
  process.exitCode = 1;
}
