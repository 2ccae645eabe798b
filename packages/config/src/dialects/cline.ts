import { readOauth } from "../read/read-oauth.ts";
import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "./dialect.ts";

/** `cline_mcp_settings.json`, and `mcp.json` of Cline's command line. */
export const cline: ConfigDialect = createDialect({
  name: "cline",
  format: "jsonc",
  syntax: { forms: ["env"], unset: () => "literal" },
  roots: [["mcpServers"]],
  rules: {
    title: "Cline",
    nested: "transport",
    typeKeys: ["type", "transportType"],
    types: { stdio: "stdio", sse: "sse", streamableHttp: "streamable", http: "streamable" },
    untypedUrl: "sse",
    cwd: true,
    timeouts: [{ key: "timeout", unit: "s", field: "callMs" }],
    off: { key: "disabled", when: true },
    autoApprove: "autoApprove",
    others: ["oauth"],
    extra: (entry, draft) => readOauth(entry, draft),
  },
});
