// Bundles the package: what it depends on stays outside, and is installed with it.
import { build } from "esbuild";

await build({
  entryPoints: ["src/index.ts", "src/cli.ts"],
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  packages: "external",
  external: ["node:*"],
  sourcemap: false,
});
