import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { createProvider } from "@toolport/provider";
import type { Mutant } from "./mutants.ts";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** The provider with one deliberate bug. Throws when a patch does not fit the source any more. */
export async function loadMutant({ bug, patches }: Mutant): Promise<typeof createProvider> {
  const applied = new Set<string>();
  const patchSource: Plugin = {
    name: "patch-source",
    setup(bundle) {
      bundle.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        let contents = await readFile(path, "utf8");
        for (const { file, find, replace } of patches) {
          if (path !== resolve(src, file)) continue;
          if (contents.split(find).length !== 2) throw new Error(`${file}: the patch for "${bug}" does not fit`);
          contents = contents.replace(find, () => replace);
          applied.add(file);
        }
        return { contents, loader: "ts" };
      });
    },
  };
  const { outputFiles } = await build({
    entryPoints: [`${src}index.ts`],
    plugins: [patchSource],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    conditions: ["@toolport/source"],
    logLevel: "silent",
  });
  if (patches.some(({ file }) => !applied.has(file)))
    throw new Error(`a patch for "${bug}" names a file that is not there`);
  const code = outputFiles[0]?.text ?? "";
  const mutant = (await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`)) as {
    readonly createProvider: typeof createProvider;
  };
  return mutant.createProvider;
}
