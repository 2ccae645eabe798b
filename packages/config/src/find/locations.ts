import type { DialectName } from "../drafts/configured-server.ts";

/** A system that tools have other folders on. */
export type System = "linux" | "darwin" | "win32";

/**
 * A place where a tool keeps a configuration. In a path, `{name}` is a folder of the user or of the
 * system, and `*` any one name.
 */
export interface LocationRow {
  readonly dialect: DialectName;
  /** As people call the tool. */
  readonly tool: string;
  readonly scope: "user" | "project";
  /** For all systems, or for some of them. A path of a project is below each of its folders. */
  readonly path: string | Readonly<Partial<Record<System, string>>>;
  /** `false`: nobody has seen it documented by the tool itself. Default `true`. */
  readonly certain?: boolean | undefined;
}

const codeUser = (product: string, file: string): LocationRow["path"] => ({
  linux: `{config}/${product}/User/${file}`,
  darwin: `{appSupport}/${product}/User/${file}`,
  win32: `{appData}/${product}/User/${file}`,
});

const rowsOf = (
  dialect: DialectName,
  tool: string,
  rows: readonly Omit<LocationRow, "dialect" | "tool">[],
): readonly LocationRow[] => rows.map((row) => ({ dialect, tool, ...row }));

/**
 * Where tools keep their configurations. Of two entries of one scope with one name, that of the
 * file that stands later here wins. A folder whose variable is not set is where it is by default; a
 * path with a variable that has no default is left out.
 */
export const locationRows: readonly LocationRow[] = [
  ...rowsOf("goose", "Goose", [
    {
      scope: "user",
      path: {
        linux: "{config}/goose/config.yaml",
        darwin: "{homeConfig}/goose/config.yaml",
        win32: "{appData}/Block/goose/config/config.yaml",
      },
    },
  ]),
  ...rowsOf("amazon-q", "Amazon Q", [
    { scope: "user", path: "{home}/.aws/amazonq/mcp.json" },
    { scope: "user", path: "{home}/.aws/amazonq/cli-agents/*.json" },
    { scope: "user", path: "{home}/.aws/amazonq/agents/default.json" },
    { scope: "project", path: ".amazonq/mcp.json" },
  ]),
  ...rowsOf("continue", "Continue", [
    { scope: "user", path: "{home}/.continue/config.yaml" },
    { scope: "project", path: ".continue/mcpServers/*.yaml", certain: false },
  ]),
  ...rowsOf("roo", "Roo Code", [
    {
      scope: "user",
      path: codeUser("Code", "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
      certain: false,
    },
    { scope: "project", path: ".roo/mcp.json" },
  ]),
  ...rowsOf("cline", "Cline", [
    {
      scope: "user",
      path: codeUser("Code", "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
      certain: false,
    },
    { scope: "user", path: "{home}/.cline/mcp.json" },
  ]),
  ...rowsOf("windsurf", "Windsurf", [
    { scope: "user", path: "{home}/.codeium/mcp_config.json" },
    { scope: "user", path: "{home}/.codeium/windsurf/mcp_config.json" },
  ]),
  ...rowsOf("zed", "Zed", [
    {
      scope: "user",
      path: {
        linux: "{config}/zed/settings.json",
        darwin: "{homeConfig}/zed/settings.json",
        win32: "{appData}/Zed/settings.json",
      },
    },
    { scope: "project", path: ".zed/settings.json" },
  ]),
  ...rowsOf("opencode", "opencode", [
    { scope: "user", path: "{config}/opencode/opencode.json" },
    { scope: "user", path: "{config}/opencode/opencode.jsonc" },
    { scope: "user", path: "{env:OPENCODE_CONFIG}" },
    { scope: "project", path: "opencode.json" },
    { scope: "project", path: "opencode.jsonc" },
  ]),
  ...rowsOf("gemini", "Gemini CLI", [
    { scope: "user", path: "{home}/.gemini/settings.json" },
    {
      scope: "user",
      path: {
        linux: "/etc/gemini-cli/settings.json",
        darwin: "/Library/Application Support/GeminiCli/settings.json",
        win32: "{programData}/gemini-cli/settings.json",
      },
    },
    { scope: "project", path: ".gemini/settings.json" },
  ]),
  ...rowsOf("codex", "Codex", [
    { scope: "user", path: "{codexHome}/config.toml" },
    { scope: "project", path: ".codex/config.toml" },
  ]),
  ...rowsOf("vscode", "VS Code", [
    { scope: "user", path: codeUser("Code", "settings.json"), certain: false },
    { scope: "user", path: codeUser("Code - Insiders", "mcp.json") },
    { scope: "user", path: codeUser("Code", "mcp.json") },
    { scope: "project", path: ".devcontainer/devcontainer.json" },
    { scope: "project", path: ".devcontainer.json" },
    { scope: "project", path: ".vscode/mcp.json" },
  ]),
  ...rowsOf("cursor", "LM Studio", [{ scope: "user", path: "{home}/.lmstudio/mcp.json", certain: false }]),
  ...rowsOf("cursor", "Cursor", [
    { scope: "user", path: "{home}/.cursor/mcp.json" },
    { scope: "project", path: ".cursor/mcp.json" },
  ]),
  ...rowsOf("claude-desktop", "Claude Desktop", [
    {
      scope: "user",
      path: { win32: "{localAppData}/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json" },
    },
    {
      scope: "user",
      path: {
        darwin: "{appSupport}/Claude/claude_desktop_config.json",
        win32: "{appData}/Claude/claude_desktop_config.json",
      },
    },
    { scope: "user", path: { linux: "{config}/Claude/claude_desktop_config.json" }, certain: false },
  ]),
  ...rowsOf("claude-code", "Claude Code", [
    // Of its projects, too, whose servers have the scope "local".
    { scope: "user", path: "{home}/.claude.json" },
    { scope: "project", path: ".mcp.json" },
  ]),
  ...rowsOf("mcporter", "mcporter", [
    { scope: "user", path: "{home}/.mcporter/mcporter.json" },
    { scope: "user", path: "{home}/.mcporter/mcporter.jsonc" },
    { scope: "user", path: "{env:MCPORTER_CONFIG}" },
    { scope: "project", path: "config/mcporter.json" },
  ]),
  ...rowsOf("nexo", "nexo", [{ scope: "project", path: "config/mcp.yaml" }]),
  ...rowsOf("evva", "evva", [
    { scope: "user", path: "{home}/.evva/settings.json" },
    { scope: "project", path: ".evva/settings.json" },
  ]),
  ...rowsOf("mcp-json", "Junie", [
    { scope: "user", path: "{home}/.junie/mcp/mcp.json", certain: false },
    { scope: "project", path: ".junie/mcp/mcp.json", certain: false },
  ]),
  ...rowsOf("mcp-json", "any", [{ scope: "project", path: "mcp.json" }]),
  ...rowsOf("hostside", "Hostside", [
    {
      scope: "user",
      path: {
        linux: "{config}/hostside/hostside.json",
        darwin: "{homeConfig}/hostside/hostside.json",
        win32: "{appData}/hostside/hostside.json",
      },
    },
    { scope: "project", path: "hostside.json" },
    { scope: "project", path: "hostside.jsonc" },
    { scope: "project", path: "hostside.local.json" },
  ]),
];
