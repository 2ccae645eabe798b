import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "./dialect.ts";

/** `mcp_config.json` of Windsurf. */
export const windsurf: ConfigDialect = createDialect({
  name: "windsurf",
  format: "jsonc",
  syntax: { forms: ["env", "file"], unset: () => "error" },
  roots: [["mcpServers"]],
  rules: {
    title: "Windsurf",
    types: { stdio: "stdio", http: "http", "streamable-http": "streamable", sse: "sse" },
    untypedUrl: "unsure",
    urlKeys: ["serverUrl", "url"],
    off: { key: "disabled", when: true },
    deny: "disabledTools",
  },
});
