import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ConfigEdit } from "@hostside/config";
import type { ConfigPlace } from "./choose-place.ts";

const installed = "node_modules/@hostside/config/hostside.schema.json";

/**
 * `$schema` of a new file, for editors: the one that is installed beside it, as a path. Where none
 * is, there is none: a copy would grow old.
 */
export function schemaEdits({ path }: ConfigPlace): readonly ConfigEdit[] {
  return existsSync(join(dirname(path), installed)) ? [{ path: ["$schema"], value: `./${installed}` }] : [];
}
