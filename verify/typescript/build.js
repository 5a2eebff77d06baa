// Bundles the package: what it depends on stays outside, and is installed with it. `node build.js test` bundles the tests, and
// `node build.js page` those of the page.
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const shared = { bundle: true, splitting: true, format: "esm", target: "es2022", packages: "external", logLevel: "warning" };

if (process.argv[2] === "page") {
  rmSync("build-page", { recursive: true, force: true });
  await build({ ...shared, entryPoints: ["test/page/page.test.ts", "test/page/model.test.ts", "test/page/speed.ts"], outdir: "build-page", platform: "node" });
} else if (process.argv[2] === "test") {
  rmSync("build", { recursive: true, force: true });
  const tests = readdirSync("test").filter((file) => /\.test\.ts$|^(bench|differential|mailboxes)\.ts$/.test(file));
  await build({ ...shared, entryPoints: tests.map((file) => `test/${file}`), outdir: "build", platform: "node" });
} else {
  await build({ ...shared, entryPoints: ["src/index.ts", "src/vectors.ts"], outdir: "dist", platform: "neutral" });
  await build({
    ...shared,
    entryPoints: ["src/cli.ts"],
    outdir: "dist",
    platform: "node",
    banner: { js: "#!/usr/bin/env node" },
  });
}
