import type { DraftBuilder } from "../read/draft-builder.ts";
import type { ConfigEntry } from "../read/entry.ts";
import type { ServerEntryRules } from "../read/unknown-keys.ts";
import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "../read/server-reader.ts";

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
export const evva: ConfigDialect = createDialect({
  name: "evva",
  syntax: { forms: ["braces", "default"], unset: () => "literal", evva: true },
  rules,
});

function readConnectTime(entry: ConfigEntry, draft: DraftBuilder): void {
  const seconds = entry.number("timeout") ?? 0;
  const isWithin = Number.isInteger(seconds) && seconds >= 1 && seconds <= longestConnectSeconds;
  if (!isWithin && seconds !== 0) {
    const message = `timeout ${seconds} out of range [1,${longestConnectSeconds}]`;
    entry.warn("timeout", { code: "out_of_range", message, fix: `${connectSeconds} seconds are used` });
  }
  draft.timeout("connectMs", (isWithin ? seconds : connectSeconds) * 1000, entry.at("timeout"));
}
