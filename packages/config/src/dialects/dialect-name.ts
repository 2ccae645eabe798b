/**
 * Every way of writing a configuration that is known here. `"mcp-json"` is `mcpServers` in a file
 * of no tool in particular.
 */
export const dialectNames = [
  "hostside",
  "mcp-json",
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "codex",
  "gemini",
  "windsurf",
  "zed",
  "cline",
  "roo",
  "continue",
  "opencode",
  "goose",
  "amazon-q",
  "mcporter",
  "evva",
  "nexo",
  "anda",
  "adk",
] as const;

/** The name of a dialect. */
export type DialectName = (typeof dialectNames)[number];

/** Whether a text is the name of a dialect. */
export function isDialectName(name: string): name is DialectName {
  return (dialectNames as readonly string[]).includes(name);
}
