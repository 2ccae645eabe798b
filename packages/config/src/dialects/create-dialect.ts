import type { HostSettings } from "../drafts/host-settings.ts";
import type { ConfigPath } from "../parse/config-data.ts";
import type { ServerEntryRules } from "../read/entry-rules.ts";
import { readEntry } from "../read/read-entry.ts";
import { createServerReader, type ServerReader } from "../read/server-reader.ts";
import type { ConfigDialect } from "../read/dialect.ts";

/**
 * A dialect whose servers are in objects by name, with entries that {@linkcode ServerEntryRules}
 * describe.
 */
export interface DialectInit extends Omit<ConfigDialect, "read" | "title"> {
  readonly rules: ServerEntryRules;
  /** Where its servers are; every one that is there is read. */
  readonly roots: readonly ConfigPath[];
  readonly settings?: (reader: ServerReader) => HostSettings;
}

/** The dialect that some rules make. */
export function createDialect({ rules, roots, settings, ...dialect }: DialectInit): ConfigDialect {
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
