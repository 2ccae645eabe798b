import { readOauth } from "../read/read-oauth.ts";
import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "./dialect.ts";

/**
 * `mcpServers` in a file of no tool in particular: what most tools agree on, and every way of
 * writing a reference that means one thing alone.
 */
export const mcpJson: ConfigDialect = createDialect({
  name: "mcp-json",
  format: "jsonc",
  syntax: { forms: ["braces", "default", "env", "file", "input", "folders"], unset: () => "error" },
  roots: [["mcpServers"]],
  rules: {
    title: "a file with mcpServers",
    looseType: true,
    types: {
      stdio: "stdio",
      http: "http",
      "streamable-http": "streamable",
      streamablehttp: "streamable",
      streamable_http: "streamable",
      sse: "sse",
    },
    untypedUrl: "http",
    urlKeys: ["url", "serverUrl", "httpUrl"],
    cwd: true,
    off: { key: "disabled", when: true },
    allow: "includeTools",
    deny: "excludeTools",
    unsupported: { timeout: "the unit of timeout is another one in each tool; name the dialect, and it is used" },
    others: ["oauth"],
    unknown: "told",
    extra: (entry, draft) => readOauth(entry, draft),
  },
});
