import type { ServerEntryRules } from "../read/entry-rules.ts";
import { readEntry } from "../read/read-entry.ts";
import { createServerReader, type ServerReader } from "../read/server-reader.ts";
import type { ConfigDialect } from "../read/dialect.ts";

const rules: ServerEntryRules = {
  title: "Amazon Q",
  types: { stdio: "stdio", http: "http" },
  untypedUrl: "unsure",
  timeouts: [{ key: "timeout", unit: "ms", field: "callMs" }],
};

/** Agent files of Amazon Q, and its old `mcp.json`. */
export const amazonQ: ConfigDialect = {
  name: "amazon-q",
  title: rules.title,
  format: "json",
  syntax: { forms: ["env"], unset: () => "error" },
  read(parsed) {
    const reader = createServerReader(parsed, { dialect: "amazon-q" });
    const allowed = readAllowed(reader);
    reader.readMap(["mcpServers"], (entry, id) => {
      return readEntry(entry, withAllowed(allowed.get(id) ?? []), { id, parsed });
    });
    return reader.result();
  },
};

interface Allowed {
  readonly tool: string | undefined;
  readonly index: number;
}

function withAllowed(allowed: readonly Allowed[]): ServerEntryRules {
  return {
    ...rules,
    extra(_entry, draft) {
      for (const { tool, index } of allowed) {
        if (tool === undefined) draft.extra("approval", "never");
        else draft.tool(tool, { requireApproval: false }, ["allowedTools", index]);
      }
    },
  };
}

// `@server` is all of its tools, `@server/tool` is one.
function readAllowed(reader: ServerReader): ReadonlyMap<string, readonly Allowed[]> {
  const allowed = new Map<string, Allowed[]>();
  for (const [index, item] of (reader.listAt(["allowedTools"]) ?? []).entries()) {
    const [, server, tool] = /^@([^/]+)(?:\/(.+))?$/s.exec(typeof item === "string" ? item : "") ?? [];
    if (server === undefined) continue;
    if (/[*?]/.test(`${server}${tool ?? ""}`)) {
      const message = "patterns are not read here, so that its tools are asked about";
      reader.problems.add({
        path: ["allowedTools", index],
        severity: "warning",
        code: "unsupported",
        message,
        fix: "name each tool",
      });
    } else allowed.set(server, [...(allowed.get(server) ?? []), { tool, index }]);
  }
  return allowed;
}
