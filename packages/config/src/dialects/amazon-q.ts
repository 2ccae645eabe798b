import { dataAt, type ConfigData } from "../parse/config-data.ts";
import { createDialect } from "./create-dialect.ts";
import type { ServerEntryRules } from "../read/entry-rules.ts";
import type { ConfigDialect } from "../read/dialect.ts";

const rules: ServerEntryRules = {
  title: "Amazon Q",
  types: { stdio: "stdio", http: "http" },
  untypedUrl: "unsure",
  timeouts: [{ key: "timeout", unit: "ms", field: "callMs" }],
};

/** Agent files of Amazon Q, and its old `mcp.json`. */
export const amazonQ: ConfigDialect = createDialect({
  name: "amazon-q",
  syntax: { forms: ["env"], unset: () => "error" },
  rules,
  rulesOf: (_entry, id, { parsed }) => ({
    ...rules,
    extra(_, draft) {
      for (const { server, tool, index } of allowedTools(parsed.data)) {
        if (server !== id) continue;
        if (tool === undefined) draft.extra("approval", "never");
        else draft.tool(tool, { requireApproval: false }, ["allowedTools", index]);
      }
    },
  }),
  settings(reader) {
    // To say what is no list of them.
    reader.listAt(["allowedTools"]);
    for (const { index, isPattern } of allowedTools(reader.parsed.data)) {
      if (!isPattern) continue;
      const message = "patterns are not read here, so that its tools are asked about";
      const fix = "name each tool";
      reader.problems.add({ path: ["allowedTools", index], severity: "warning", code: "unsupported", message, fix });
    }
    return {};
  },
});

// `@server` is all of its tools, `@server/tool` is one.
function allowedTools(data: ConfigData | undefined) {
  const items = dataAt(data, ["allowedTools"]);
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: ConfigData, index) => {
    const [, server = "", tool] = /^@([^/]+)(?:\/(.+))?$/s.exec(typeof item === "string" ? item : "") ?? [];
    const isPattern = /[*?]/.test(`${server}${tool ?? ""}`);
    return server === "" ? [] : [{ server: isPattern ? undefined : server, tool, index, isPattern }];
  });
}
