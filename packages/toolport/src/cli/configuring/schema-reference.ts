import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ConfigEdit } from "@toolport/config";
import type { ConfigPlace } from "./choose-place.ts";
import { replaceFile } from "./write-config.ts";

const installed = "node_modules/@toolport/config/toolport.schema.json";
const copied = "toolport.schema.json";

/**
 * `$schema` of a new file, for editors, as a path that leads somewhere: the one that is installed beside it; or in the user's own folder, where nothing is
 * installed, a copy. Where neither is, there is none.
 */
export async function schemaEdits({ path, scope }: ConfigPlace, dryRun: boolean): Promise<readonly ConfigEdit[]> {
  const folder = dirname(path);
  if (existsSync(join(folder, installed))) return [{ path: ["$schema"], value: `./${installed}` }];
  if (scope !== "user") return [];
  const schema = createRequire(import.meta.url).resolve("@toolport/config/toolport.schema.json");
  if (!dryRun) await replaceFile(join(folder, copied), await readFile(schema, "utf8"));
  return [{ path: ["$schema"], value: `./${copied}` }];
}
