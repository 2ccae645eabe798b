import { readFile, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isPlainObject } from "@hostside/core/implement";
import type { Terminal } from "../terminal.ts";

const published = ["npx", "-y", "hostside"] as const;

/**
 * What starts this very command line anew, wherever that is asked for. By `npx` where it was
 * started so: by its name, or by the file that it came from. What was installed, packed or checked
 * out in any other way is started by its path, with this Node: by its name it would be looked for
 * in the registry.
 */
export async function ownProgram({ program }: Pick<Terminal, "program">): Promise<readonly string[]> {
  if (program === undefined) return published;
  const script = await realpath(program.script).catch(() => program.script);
  // A folder of npx's own, or of `pnpm dlx` and `yarn dlx`.
  const kept = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]/.exec(program.script)?.[1];
  if (kept === undefined) return /[\\/]dlx(?:-[^\\/]*)?[\\/]/.test(script) ? published : [program.node, script];
  const source = await sourceIn(kept);
  return source === undefined ? published : ["npx", "-y", source];
}

/** The file or folder that npx was given; `undefined`: it took the package from the registry. */
async function sourceIn(folder: string): Promise<string | undefined> {
  const manifest: unknown = await readFile(join(folder, "package.json"), "utf8")
    .then(JSON.parse)
    .catch(() => undefined);
  const dependencies = isPlainObject(manifest) ? manifest["dependencies"] : undefined;
  const given = isPlainObject(dependencies) ? dependencies["hostside"] : undefined;
  if (typeof given !== "string" || !given.startsWith("file:")) return undefined;
  const path = given.slice("file:".length);
  return isAbsolute(path) ? path : resolve(dirname(join(folder, "package.json")), path);
}
