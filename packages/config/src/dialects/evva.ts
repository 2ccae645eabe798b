import { compareText } from "@hostside/core/implement";
import type { ParsedConfig } from "../parse/parsed-config.ts";
import type { DraftBuilder } from "../read/draft-builder.ts";
import type { ConfigEntry } from "../read/entry.ts";
import type { ServerEntryRules } from "../read/entry-rules.ts";
import { readEntry } from "../read/read-entry.ts";
import { createServerReader } from "../read/server-reader.ts";
import type { ConfigDialect } from "../read/dialect.ts";

const connectSeconds = 30;
const longestConnectSeconds = 600;

const rules: ServerEntryRules = {
  title: "evva",
  looseType: true,
  types: { stdio: "stdio", http: "streamable" },
  untypedUrl: "streamable",
  both: "stdio",
  off: { key: "disabled", when: true },
  inheritEnv: "all",
  others: ["timeout"],
  missing: {
    command: "stdio requires command",
    url: "http requires url",
    both: 'unknown type "" (want "stdio" or "http")',
  },
  extra: readConnectTime,
};

/** `settings.json` of evva. */
export const evva: ConfigDialect = {
  name: "evva",
  title: rules.title,
  format: "json",
  syntax: { forms: ["braces", "default"], unset: () => "literal", evva: true },
  read(parsed) {
    const reader = createServerReader(parsed, { dialect: "evva", flat: true });
    const fault = findFault(parsed);
    if (fault !== undefined) {
      reader.problems.add({ path: [], severity: "error", code: "invalid_syntax", ...fault });
      return { ...reader.result(), coversText: true };
    }
    reader.readMap(["mcpServers"], (entry, id) => readEntry(entry, rules, { id, parsed }));
    const result = reader.result();
    return { ...result, servers: result.servers.toSorted((a, b) => compareText(a.id, b.id)) };
  },
};

// Its reader of JSON takes nothing of a file with anything wrong in it, comments included.
function findFault({ problems, liberties, positionAt }: ParsedConfig) {
  const broken = problems.find(({ severity }) => severity === "error");
  if (broken !== undefined) {
    const { line = 1, column = 1, fix } = broken;
    return { fix, message: `invalid json: ${broken.message}`, position: { line, column, offset: 0 } };
  }
  const [liberty] = liberties;
  if (liberty === undefined) return undefined;
  return {
    message: `invalid json: ${liberty.kind}`,
    position: positionAt(liberty.offset),
    fix: `remove the ${liberty.kind}`,
  };
}

function readConnectTime(entry: ConfigEntry, draft: DraftBuilder): void {
  const seconds = entry.number("timeout") ?? 0;
  const isWithin = Number.isInteger(seconds) && seconds >= 1 && seconds <= longestConnectSeconds;
  if (!isWithin && seconds !== 0) {
    const message = `timeout ${seconds} out of range [1,${longestConnectSeconds}]`;
    entry.warn("timeout", { code: "out_of_range", message, fix: `${connectSeconds} seconds are used` });
  }
  draft.timeout("connectMs", (isWithin ? seconds : connectSeconds) * 1000, entry.at("timeout"));
}
