import { noSyntax } from "../expand/syntax.ts";
import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "./dialect.ts";

/** `config.yaml` of Goose: its extensions that are MCP servers. */
export const goose: ConfigDialect = createDialect({
  name: "goose",
  format: "yaml",
  syntax: noSyntax,
  roots: [["extensions"]],
  rules: {
    title: "Goose",
    types: {
      stdio: "stdio",
      streamable_http: "streamable",
      sse: "sse",
      builtin: "unsupported",
      platform: "unsupported",
    },
    untypedUrl: "error",
    commandKeys: ["cmd"],
    envKey: "envs",
    urlKeys: ["uri"],
    timeouts: [{ key: "timeout", unit: "s", field: "callMs" }],
    off: { key: "enabled", when: false },
    allow: "available_tools",
    others: ["name", "display_name", "description", "bundled", "env_keys"],
    extra(entry, draft, { type }) {
      if (type !== "stdio") return;
      for (const [index, name] of (entry.texts("env_keys") ?? []).entries()) {
        const field = `env.${name}`;
        draft.variable({ field, variable: name, required: false }, [...entry.at("env_keys"), index]);
      }
    },
  },
});
