import type { HostSettings } from "../host-settings.ts";
import type { ConfigPath } from "../parse/config-data.ts";
import type { EntryRules } from "../read/entry-rules.ts";
import { readEntry } from "../read/read-entry.ts";
import { createServerReader, type ServerReader } from "../read/server-reader.ts";
import type { Dialect } from "./dialect.ts";

/** A dialect whose servers are in objects by name, with entries that {@linkcode EntryRules} describe. */
export interface DialectInit extends Omit<Dialect, "read" | "title"> {
  readonly rules: EntryRules;
  /** Where its servers are; every one that is there is read. */
  readonly roots: readonly ConfigPath[];
  readonly settings?: (reader: ServerReader) => HostSettings;
}

/** The dialect that some rules make. */
export function createDialect({ rules, roots, settings, ...dialect }: DialectInit): Dialect {
  return {
    ...dialect,
    title: rules.title,
    read(parsed) {
      const reader = createServerReader(parsed, { dialect: dialect.name });
      for (const root of roots) reader.readMap(root, (entry, id) => readEntry(entry, rules, { id, parsed }));
      return reader.result(settings?.(reader));
    },
  };
}
