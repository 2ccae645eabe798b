import type { ConfiguredServer, HostSettings } from "../drafts/configured-server.ts";
import type { ConfigPath } from "../parse/config-data.ts";
import type { ParsedConfig } from "../parse/config-problem.ts";
import {
  type ConfigDialect,
  type ReadContext,
  createServerReader,
  type ServerReader,
  type ServerReaderInit,
} from "../read/server-reader.ts";
import type { ConfigEntry } from "../read/entry.ts";
import type { ServerEntryRules } from "../read/unknown-keys.ts";
import { readEntry } from "../read/read-entry.ts";
import { noSyntax } from "../syntax/references.ts";

/** A dialect whose entries are described by {@linkcode ServerEntryRules}. */
export interface DialectInit
  extends
    Pick<ConfigDialect, "name">,
    Partial<Pick<ConfigDialect, "format" | "syntax">>,
    Pick<ServerReaderInit, "refusesAlike" | "inputsAt"> {
  readonly rules: ServerEntryRules;
  /**
   * The paths of its servers, as objects by name or as lists; all that are there are read. Default
   * `mcpServers`.
   */
  readonly roots?: readonly ConfigPath[] | ((parsed: ParsedConfig, context: ReadContext) => readonly Root[]);
  /** The member of an entry in a list that has its name. */
  readonly nameKey?: string;
  /** The rules of one entry, where it has some of its own; `undefined`: it is not read. */
  readonly rulesOf?: (entry: ConfigEntry, id: string, reader: ServerReader) => ServerEntryRules | undefined;
  readonly settings?: (reader: ServerReader) => HostSettings;
}

/** A path of servers, and their scope. */
export type Root = ConfigPath | { readonly path: ConfigPath; readonly scope: ConfiguredServer["scope"] };

/** The dialect that some rules make. By default it is JSON, and nothing is expanded. */
export function createDialect(init: DialectInit): ConfigDialect {
  const { rules, nameKey, rulesOf = () => rules, settings, refusesAlike, inputsAt, ...dialect } = init;
  const { roots = [["mcpServers"]] } = init;
  return {
    format: "json",
    syntax: noSyntax,
    ...dialect,
    title: rules.title,
    read(parsed, context) {
      const reader = createServerReader(parsed, { dialect: dialect.name, refusesAlike, inputsAt });
      for (const root of typeof roots === "function" ? roots(parsed, context) : roots) {
        const { path, scope } = "path" in root ? root : { path: root, scope: undefined };
        reader.readAll(path, { scope, nameKey }, (entry, id) => {
          const own = rulesOf(entry, id, reader);
          return own && readEntry(entry, own, { id, parsed });
        });
      }
      return reader.result(settings?.(reader));
    },
  };
}
