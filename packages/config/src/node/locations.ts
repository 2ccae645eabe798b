import type { DialectName } from "../drafts/configured-server.ts";

/** A system that tools have other folders on. */
export type System = "linux" | "darwin" | "win32";

/**
 * A place where a tool keeps a configuration. In a path, `{name}` is a folder of the user or of the
 * system, and `*` any one name.
 */
export type LocationRow = readonly [
  dialect: DialectName,
  /** As people call the tool. */
  tool: string,
  scope: "user" | "project",
  /** For all systems, or for some of them. A path of a project is below each of its folders. */
  path: string | Readonly<Partial<Record<System, string>>>,
  /** `false`: nobody has seen it documented by the tool itself. Default `true`. */
  certain?: boolean,
];

const on = (linux: string, darwin: string, win32: string): LocationRow[3] => ({ linux, darwin, win32 });

const settingsOf = (file: string, windows = file): LocationRow[3] =>
  on(`{config}/${file}`, `{homeConfig}/${file}`, `{appData}/${windows}`);

const codeUser = (product: string, file: string): LocationRow[3] => {
  const path = `${product}/User/${file}`;
  return on(`{config}/${path}`, `{appSupport}/${path}`, `{appData}/${path}`);
};

const codeExtension = (file: string): LocationRow[3] => codeUser("Code", `globalStorage/${file}`);

/**
 * The places of the configurations of tools. If two entries of one scope have the same name, the
 * entry of the file that is later in this list wins. A folder whose variable is not set is where it
 * is by default; a path with a variable that has no default is left out. The servers of the
 * projects in `.claude.json` have the scope "local".
 */
export const locationRows: readonly LocationRow[] = [
  ["goose", "Goose", "user", settingsOf("goose/config.yaml", "Block/goose/config/config.yaml")],
  ["amazon-q", "Amazon Q", "user", "{home}/.aws/amazonq/mcp.json"],
  ["amazon-q", "Amazon Q", "user", "{home}/.aws/amazonq/cli-agents/*.json"],
  ["amazon-q", "Amazon Q", "user", "{home}/.aws/amazonq/agents/default.json"],
  ["amazon-q", "Amazon Q", "project", ".amazonq/mcp.json"],
  ["continue", "Continue", "user", "{home}/.continue/config.yaml"],
  ["continue", "Continue", "project", ".continue/mcpServers/*.yaml", false],
  ["roo", "Roo Code", "user", codeExtension("rooveterinaryinc.roo-cline/settings/mcp_settings.json"), false],
  ["roo", "Roo Code", "project", ".roo/mcp.json"],
  ["cline", "Cline", "user", codeExtension("saoudrizwan.claude-dev/settings/cline_mcp_settings.json"), false],
  ["cline", "Cline", "user", "{home}/.cline/mcp.json"],
  ["windsurf", "Windsurf", "user", "{home}/.codeium/mcp_config.json"],
  ["windsurf", "Windsurf", "user", "{home}/.codeium/windsurf/mcp_config.json"],
  ["zed", "Zed", "user", settingsOf("zed/settings.json", "Zed/settings.json")],
  ["zed", "Zed", "project", ".zed/settings.json"],
  ["opencode", "opencode", "user", "{config}/opencode/opencode.json"],
  ["opencode", "opencode", "user", "{config}/opencode/opencode.jsonc"],
  ["opencode", "opencode", "user", "{env:OPENCODE_CONFIG}"],
  ["opencode", "opencode", "project", "opencode.json"],
  ["opencode", "opencode", "project", "opencode.jsonc"],
  ["gemini", "Gemini CLI", "user", "{home}/.gemini/settings.json"],
  [
    "gemini",
    "Gemini CLI",
    "user",
    on(
      "/etc/gemini-cli/settings.json",
      "/Library/Application Support/GeminiCli/settings.json",
      "{programData}/gemini-cli/settings.json",
    ),
  ],
  ["gemini", "Gemini CLI", "project", ".gemini/settings.json"],
  ["codex", "Codex", "user", "{codexHome}/config.toml"],
  ["codex", "Codex", "project", ".codex/config.toml"],
  ["vscode", "VS Code", "user", codeUser("Code", "settings.json"), false],
  ["vscode", "VS Code", "user", codeUser("Code - Insiders", "mcp.json")],
  ["vscode", "VS Code", "user", codeUser("Code", "mcp.json")],
  ["vscode", "VS Code", "project", ".devcontainer/devcontainer.json"],
  ["vscode", "VS Code", "project", ".devcontainer.json"],
  ["vscode", "VS Code", "project", ".vscode/mcp.json"],
  ["cursor", "LM Studio", "user", "{home}/.lmstudio/mcp.json", false],
  ["cursor", "Cursor", "user", "{home}/.cursor/mcp.json"],
  ["cursor", "Cursor", "project", ".cursor/mcp.json"],
  [
    "claude-desktop",
    "Claude Desktop",
    "user",
    { win32: "{localAppData}/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json" },
  ],
  [
    "claude-desktop",
    "Claude Desktop",
    "user",
    { darwin: "{appSupport}/Claude/claude_desktop_config.json", win32: "{appData}/Claude/claude_desktop_config.json" },
  ],
  ["claude-desktop", "Claude Desktop", "user", { linux: "{config}/Claude/claude_desktop_config.json" }, false],
  ["claude-code", "Claude Code", "user", "{home}/.claude.json"],
  ["claude-code", "Claude Code", "project", ".mcp.json"],
  ["mcporter", "mcporter", "user", "{home}/.mcporter/mcporter.json"],
  ["mcporter", "mcporter", "user", "{home}/.mcporter/mcporter.jsonc"],
  ["mcporter", "mcporter", "user", "{env:MCPORTER_CONFIG}"],
  ["mcporter", "mcporter", "project", "config/mcporter.json"],
  ["nexo", "nexo", "project", "config/mcp.yaml"],
  ["evva", "evva", "user", "{home}/.evva/settings.json"],
  ["evva", "evva", "project", ".evva/settings.json"],
  ["mcp-json", "Junie", "user", "{home}/.junie/mcp/mcp.json", false],
  ["mcp-json", "Junie", "project", ".junie/mcp/mcp.json", false],
  ["mcp-json", "any", "project", "mcp.json"],
  ["hostside", "Hostside", "user", settingsOf("hostside/hostside.json")],
  ["hostside", "Hostside", "project", "hostside.json"],
  ["hostside", "Hostside", "project", "hostside.jsonc"],
  ["hostside", "Hostside", "project", "hostside.local.json"],
];
