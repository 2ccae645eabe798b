import { readOauth } from "../read/read-oauth.ts";
import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "./dialect.ts";

/** `.cursor/mcp.json`. */
export const cursor: ConfigDialect = createDialect({
  name: "cursor",
  format: "jsonc",
  syntax: { forms: ["env", "folders"], unset: () => "error" },
  roots: [["mcpServers"]],
  rules: {
    title: "Cursor",
    types: { stdio: "stdio", http: "http", "streamable-http": "streamable", sse: "sse" },
    untypedUrl: "http",
    envFile: true,
    others: ["auth"],
    extra: (entry, draft) => readOauth(entry, draft, "auth"),
  },
});
