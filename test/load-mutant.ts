import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { build, type Plugin } from "esbuild";

/** A deliberate bug: a few words of source files that say something else. */
export interface SourceMutant {
  /** What goes wrong, after "a … that". */
  readonly bug: string;
  readonly patches: readonly SourcePatch[];
}

/** One change of one file. */
export interface SourcePatch {
  /** Path from `src`. */
  readonly file: string;
  /** Occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

/**
 * A package with one deliberate bug; `src` is the folder of its sources, as an absolute path that
 * ends in a separator. Throws when a patch does not fit the source any more. `entry`: the file
 * whose exports it has, from there.
 */
export async function loadMutant<Module>(
  src: string,
  { bug, patches }: SourceMutant,
  entry: string = "index.ts",
): Promise<Module> {
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
    entryPoints: [`${src}${entry}`],
    plugins: [patchSource],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    conditions: ["@hostside/source"],
    logLevel: "silent",
  });
  if (patches.some(({ file }) => !applied.has(file)))
    throw new Error(`a patch for "${bug}" names a file that is not there`);
  const code = outputFiles[0]?.text ?? "";
  return (await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`)) as Module;
}
