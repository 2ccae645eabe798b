import { createDialect } from "./create-dialect.ts";
import { isConfigMap } from "../parse/config-data.ts";
import type { DraftBuilder } from "../read/draft-builder.ts";
import type { ConfigEntry } from "../read/entry.ts";
import type { ServerEntryRules } from "../read/unknown-keys.ts";
import { readOauth, readServerLists } from "../read/read-settings.ts";
import type { ConfigDialect } from "../read/server-reader.ts";

const rules: ServerEntryRules = {
  title: "Claude Code",
  types: { stdio: "stdio", http: "http", "streamable-http": "http", sse: "sse", ws: "unsupported" },
  untypedUrl: "error",
  both: "stdio",
  timeouts: [{ key: "timeout", unit: "ms", field: "callMs" }],
  others: ["alwaysLoad", "oauth", "tools"],
  unsupported: { headersHelper: "the command that makes headers is not run here, so that its headers are not sent" },
  extra: readExtras,
};

/** `.mcp.json`, and `mcpServers` of `~/.claude.json`, at the top and of each project. */
export const claudeCode: ConfigDialect = createDialect({
  name: "claude-code",
  syntax: { forms: ["braces", "default"], unset: () => "literal" },
  rules,
  roots({ file = "" }, { projectFolder }) {
    const isHomeFile = /(?:^|[\\/])\.claude\.json$/.test(file);
    const top = { path: ["mcpServers"], scope: isHomeFile ? "user" : undefined } as const;
    if (projectFolder === undefined) return [top];
    // Of the same name, what is local wins: it is read first.
    return [{ path: ["projects", projectFolder, "mcpServers"], scope: "local" }, top];
  },
  settings: ({ top }) => readServerLists(top),
});

function readExtras(entry: ConfigEntry, draft: DraftBuilder): void {
  readOauth(entry, draft);
  const denied: string[] = [];
  for (const [index, tool] of (entry.list("tools") ?? []).entries()) {
    const name = isConfigMap(tool) ? tool.get("name") : undefined;
    const policy = isConfigMap(tool) ? tool.get("permission_policy") : undefined;
    const path = entry.at("tools", index);
    if (typeof name !== "string")
      entry.error("tools", { code: "wrong_type", message: `item ${index} must have a name` });
    else if (policy === "always_deny") denied.push(name);
    else if (policy === "always_allow") draft.tool(name, { requireApproval: false }, path);
    else if (policy === "always_ask") draft.tool(name, { requireApproval: true }, path);
    else if (policy !== undefined)
      entry.error("tools", { code: "wrong_type", message: `the permission_policy of item ${index} is not known` });
  }
  if (denied.length > 0) draft.set("deny", denied, entry.at("tools"));
}
