import { basename, dirname } from "node:path";
import { isConfigMap } from "../parse/config-data.ts";
import { parseConfig } from "../parse/parse-config.ts";
import { projectFolderAt } from "./find-config-files.ts";
import type { LoadPlace } from "./load-options.ts";
import { realPathOf } from "./real-path.ts";

/**
 * The key under which `.claude.json` has what is local to the project of a place: that of the
 * innermost folder from `cwd` up to where the project begins. Its keys are paths as they were
 * written once, with links in them. Other files have no such thing.
 */
export async function findLocalProject(text: string, file: string, place: LoadPlace): Promise<string | undefined> {
  if (basename(file) !== ".claude.json") return undefined;
  const { data } = parseConfig(text, { format: "json" });
  const projects = isConfigMap(data) ? data.get("projects") : undefined;
  if (!isConfigMap(projects)) return undefined;
  const keys = new Map<string, string>();
  for (const key of projects.keys()) keys.set(await realPathOf(key), key);
  const outermost = await realPathOf(projectFolderAt(place) ?? place.cwd);
  for (let folder = await realPathOf(place.cwd); ; folder = dirname(folder)) {
    const key = keys.get(folder);
    if (key !== undefined) return key;
    if (folder === outermost || dirname(folder) === folder) return undefined;
  }
}
