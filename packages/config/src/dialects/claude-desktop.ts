import { noSyntax } from "../expand/syntax.ts";
import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "./dialect.ts";

/** `claude_desktop_config.json`. */
export const claudeDesktop: ConfigDialect = createDialect({
  name: "claude-desktop",
  format: "json",
  strict: "no comments",
  syntax: noSyntax,
  roots: [["mcpServers"]],
  rules: { title: "Claude Desktop", types: { stdio: "stdio" }, urls: false, untypedUrl: "error" },
});
