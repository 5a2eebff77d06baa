// Builds the audit page: one file, dist/audit.html, with its worker, script and style inside, and a policy that lets nothing else in or out.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { deflateRawSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const LIMIT = 225_000;

async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022", "chrome103", "firefox113", "safari16.4"],
    legalComments: "none",
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

const sha256 = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const inScript = (text) => text.replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--");

const worker = await bundle("src/page/worker.ts");
const script = inScript(await bundle("src/page/main.ts"));
const { outputFiles } = await build({ entryPoints: ["src/page/audit.css"], minify: true, write: false, logLevel: "warning" });
const style = outputFiles[0].text.trim();

const policy = ["default-src 'none'", `script-src ${sha256(script)}`, `style-src ${sha256(style)}`, "worker-src blob:", "base-uri 'none'", "form-action 'none'"].join("; ");
const parts = { policy, style, worker: deflateRawSync(worker, { level: 9 }).toString("base64"), script };
const page = readFileSync("src/page/audit.html", "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);

mkdirSync("dist", { recursive: true });
writeFileSync("dist/audit.html", page);
const size = Buffer.byteLength(page);
console.log(`dist/audit.html: ${size} bytes (${gzipSync(page).length} when compressed); worker ${worker.length}, packed ${parts.worker.length}; script ${script.length}; style ${style.length}`);
if (size > LIMIT) {
  console.error(`larger than ${LIMIT} bytes`);
  process.exitCode = 1;
}
