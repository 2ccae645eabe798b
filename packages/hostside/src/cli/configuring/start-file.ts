import type { ConfigEdit } from "@hostside/config";
import type { CurrentConfig } from "./change-config.ts";

/** What a file that is not there yet gets before anything else. */
export interface StartedFile {
  readonly edits: readonly ConfigEdit[];
  readonly notes: readonly string[];
}

/**
 * As soon as a user has a `hostside.json`, only such files and what they import are read. So a new
 * one imports what was read until then: no server goes because another one came. Pure.
 */
export function startFile({ exists, place }: CurrentConfig): StartedFile {
  if (exists || place.scope !== "user") return { edits: [], notes: [] };
  return {
    edits: [{ path: ["imports"], value: ["auto"] }],
    notes: [`${place.path} is new; "imports": ["auto"] in it keeps the servers of your other tools in use`],
  };
}
