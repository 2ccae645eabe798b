import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "./dialect.ts";

/** `.roo/mcp.json`. */
export const roo: ConfigDialect = createDialect({
  name: "roo",
  format: "json",
  strict: "no comments",
  syntax: { forms: ["env"], unset: () => "error" },
  roots: [["mcpServers"]],
  rules: {
    title: "Roo",
    types: { stdio: "stdio", sse: "sse", "streamable-http": "streamable" },
    untypedUrl: "error",
    cwd: true,
    timeouts: [{ key: "timeout", unit: "s", field: "callMs" }],
    off: { key: "disabled", when: true },
    deny: "disabledTools",
    autoApprove: "alwaysAllow",
    unsupported: { watchPaths: "a server is not started again when files change" },
  },
});
