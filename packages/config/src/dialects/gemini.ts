import { readOauth } from "../read/read-oauth.ts";
import { readServerLists } from "../read/server-lists.ts";
import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "./dialect.ts";

/** `settings.json` of Gemini CLI. */
export const gemini: ConfigDialect = createDialect({
  name: "gemini",
  format: "jsonc",
  strict: "no trailing commas",
  syntax: {
    forms: ["braces", "default", "bare", "percent"],
    unset: (field) => (field === "env" || field === "headers" ? "empty" : "literal"),
  },
  roots: [["mcpServers"]],
  rules: {
    title: "Gemini CLI",
    types: { stdio: "stdio", http: "streamable", sse: "sse" },
    untypedUrl: "http",
    urlKeys: ["httpUrl", "url"],
    cwd: true,
    timeouts: [{ key: "timeout", unit: "ms", field: "callMs" }],
    allow: "includeTools",
    deny: "excludeTools",
    unsupported: { authProviderType: "no provider of credentials but OAuth is there here" },
    others: ["trust", "oauth", "description", "extension"],
    extra(entry, draft, { type }) {
      readOauth(entry, draft);
      if (entry.flag("trust") === true) draft.extra("approval", "never");
      if (type === "http" && entry.has("httpUrl")) draft.set("mode", "streamable", entry.at("httpUrl"));
    },
  },
  settings: (reader) => readServerLists(reader, ["mcp"]),
});
