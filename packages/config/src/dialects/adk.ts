import { isConfigMap } from "../parse/config-data.ts";
import type { DraftBuilder } from "../read/draft-builder.ts";
import type { ConfigEntry } from "../read/entry.ts";
import type { ChosenTransport, ServerEntryRules } from "../read/unknown-keys.ts";
import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "../read/server-reader.ts";

const callSeconds = { stdio: 30, http: 60 } as const;

const rules: ServerEntryRules = {
  title: "adk",
  typeKeys: [],
  types: {},
  untypedUrl: "streamable",
  inheritEnv: "all",
  innerOthers: ["timeout"],
  others: ["timeout", "confirmation"],
  missing: {
    command: "MCP stdio command must not be empty",
    url: "MCP HTTP url must not be empty",
    both: "has neither stdio nor http",
  },
  extra: readExtras,
};

/**
 * The parameters of adk's tool sets, as data:
 * `{ "toolsets": { "files": { "stdio": { "command": … } } } }`.
 */
export const adk: ConfigDialect = createDialect({
  name: "adk",
  roots: [["toolsets"]],
  rules,
  rulesOf: (entry) => ({ ...rules, nested: ["stdio", "http"].find((type) => isConfigMap(entry.get(type))) }),
});

function readExtras(entry: ConfigEntry, draft: DraftBuilder, { type, transport }: ChosenTransport): void {
  const timeout = transport.get("timeout");
  const parts = isConfigMap(timeout) ? transport.entry("timeout") : undefined;
  // Seconds, or the two parts in which Rust writes a duration.
  const seconds =
    parts === undefined
      ? transport.number("timeout")
      : (parts.number("secs") ?? 0) + (parts.number("nanos") ?? 0) / 1e9;
  draft.timeout("callMs", (seconds ?? callSeconds[type]) * 1000, transport.at("timeout"));
  const policy = entry.get("confirmation");
  if (policy === undefined || policy === "None") return;
  if (policy === "All") return draft.extra("approval", "always");
  const named = isConfigMap(policy) ? entry.entry("confirmation")?.texts("Named") : undefined;
  if (named === undefined)
    entry.error("confirmation", { code: "wrong_type", message: 'must be "None", "All" or { "Named": […] }' });
  for (const [index, name] of (named ?? []).entries()) {
    draft.tool(name, { requireApproval: true }, entry.at("confirmation", "Named", index));
  }
}
