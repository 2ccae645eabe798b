// Writes the servers of the fixtures a second time, each with all that it imports in few files, the SDKs included: tests start hundreds of
// them, and each starts in half the time. Not published. Run in the folder of the fixtures, after the compiler.
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";

rmSync("dist/joined", { recursive: true, force: true });
await build({
  entryPoints: [
    "dist/fault-server.js",
    ...readdirSync("dist/servers")
      .filter((file) => file.endsWith(".js"))
      .map((file) => `dist/servers/${file}`),
  ],
  outbase: "dist",
  outdir: "dist/joined",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // What is CommonJS inside asks for Node's own modules so.
  banner: {
    js: 'import { createRequire as createRequireOfJoined } from "node:module"; const require = createRequireOfJoined(import.meta.url);',
  },
  logLevel: "warning",
});
