import { existsSync, readdirSync } from "node:fs";
import { posix, win32, type PlatformPath } from "node:path";
import type { DialectName } from "../drafts/configured-server.ts";
import { readVariable } from "../expand/resolve-reference.ts";
import { loadPlaceOf, type LoadPlace } from "./load-options.ts";
import { realPathOfSync } from "./resolve-paths.ts";

/** The place to look from. Without `cwd`, no project has files. */
export interface FindOptions extends Omit<LoadPlace, "cwd"> {
  readonly cwd?: string | undefined;
}

/** A place where a configuration may be. */
export interface ConfigLocation {
  readonly path: string;
  readonly dialect: DialectName;
  /** As people call the tool. */
  readonly tool: string;
  readonly scope: LocationRow[2];
  /** The folder that a file of a project is for. */
  readonly folder?: string | undefined;
  /** `false`: where the tool keeps it is not documented. */
  readonly certain: boolean;
}

/**
 * Lists where the tools of a user keep their configurations, whether there is a file or not, the
 * stronger ones last: those of the user first, then those of the project, from its outermost folder
 * to `cwd`. A place that two names lead to is there once, as the user's own if it is. Places with
 * any name in them are those that are there.
 */
export function findConfigs(options: FindOptions): readonly ConfigLocation[] {
  const [users, projects] = [true, false].map((isUser) =>
    locationRows.filter(([, , scope]) => (scope === "user") === isUser),
  );
  const found = [undefined, ...projectFolders(options)].flatMap((folder) =>
    ((folder === undefined ? users : projects) ?? []).flatMap(([dialect, tool, scope, path, certain = true]) =>
      expandPath(path, options, folder).map((one) => {
        return { path: one, dialect, tool, scope, certain, ...(folder === undefined ? {} : { folder }) };
      }),
    ),
  );
  const seen = new Set<string>();
  return found.filter(({ path }) => {
    const real = realPathOfSync(path);
    return !seen.has(real) && seen.add(real);
  });
}

/**
 * The configurations that a user has: those of {@linkcode findConfigs} that are there.
 *
 * @example
 * for (const { path, dialect, scope } of findConfigFiles()) console.log(path, dialect, scope);
 */
export function findConfigFiles(options: Partial<LoadPlace> = {}): readonly ConfigLocation[] {
  return findConfigs(loadPlaceOf(options)).filter(({ path }) => existsSync(path));
}

/** The folder that a project begins at; `undefined` where there is none. */
export function findProjectFolder(options: FindOptions): string | undefined {
  return projectFolders(options)[0];
}

/**
 * The folder of the project that a file is for, if it is where a tool has such files: `/srv/app` of
 * `/srv/app/.cursor/mcp.json`.
 */
export function projectOfFile(file: string): string | undefined {
  const plain = file.replaceAll("\\", "/");
  const lengths = locationRows.map(([, , scope, path]) => {
    if (scope !== "project" || typeof path !== "string") return 0;
    const end = new RegExp(`/${path.replaceAll(".", String.raw`\.`).replaceAll("*", "[^/]*")}$`);
    return end.exec(plain)?.[0].length ?? 0;
  });
  const longest = Math.max(...lengths);
  return longest === 0 ? undefined : file.slice(0, -longest) || file.slice(0, 1);
}

/**
 * The folders of a project from the outermost one on. It begins at the nearest folder above `cwd`
 * with a `.git`, and never reaches the user's own folder; without one, it is the folders between
 * that and `cwd`, and `cwd` alone where it is somewhere else.
 */
function projectFolders({ cwd, home, platform }: FindOptions): readonly string[] {
  if (cwd === undefined) return [];
  const path = pathsOf(platform);
  const folders: string[] = [];
  // The user's own folder is known by any of its names.
  const own = realPathOfSync(home);
  for (
    let folder = path.resolve(cwd);
    path.relative(own, realPathOfSync(folder)) !== "";
    folder = path.dirname(folder)
  ) {
    folders.unshift(folder);
    if (existsSync(path.join(folder, ".git"))) break;
    if (path.dirname(folder) === folder) return [path.resolve(cwd)];
  }
  return folders;
}

function expandPath(path: LocationRow[3], options: FindOptions, folder?: string): readonly string[] {
  const { platform } = options;
  const paths = pathsOf(platform);
  const written = typeof path === "string" ? path : path[systemOf(platform)];
  if (written === undefined) return [];
  const [, base, rest = ""] = /^\{([^}]+)\}\/?(.*)$/.exec(written) ?? [];
  if (base === undefined && folder === undefined) return [paths.normalize(written)];
  const root = base === undefined ? folder : baseFolder(base, options);
  if (root === undefined) return [];
  const parts = (base === undefined ? written : rest).split("/");
  return parts.reduce<readonly string[]>(
    (found, part) => {
      return found.flatMap((one) => namesLike(part, one).map((name) => paths.join(one, name)));
    },
    [root],
  );
}

function namesLike(pattern: string, folder: string): readonly string[] {
  if (!pattern.includes("*")) return [pattern];
  const [start = "", end = ""] = pattern.split("*");
  return listFolder(folder)
    .filter((name) => name.length >= pattern.length && name.startsWith(start) && name.endsWith(end))
    .toSorted();
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not there, or not for us: nothing is to be found in it.
    return [];
  }
}

function baseFolder(base: string, { env, home, platform }: FindOptions): string | undefined {
  const paths = pathsOf(platform);
  // A relative one would mean another place in every folder.
  const variable = (name: string): string | undefined => {
    const value = readVariable(env, name, platform);
    return value !== undefined && paths.isAbsolute(value) ? value : undefined;
  };
  if (base.startsWith("env:")) return variable(base.slice("env:".length));
  const [name, fallback] = bases[base] ?? [];
  return (
    (name === undefined ? undefined : variable(name)) ??
    (fallback === undefined ? undefined : paths.resolve(home, fallback))
  );
}

/** The variable of a folder, and where it is below the user's own without one. */
const bases: Readonly<Record<string, readonly [variable: string | undefined, fallback: string]>> = {
  home: [undefined, ""],
  homeConfig: [undefined, ".config"],
  config: ["XDG_CONFIG_HOME", ".config"],
  appSupport: [undefined, "Library/Application Support"],
  appData: ["APPDATA", "AppData/Roaming"],
  localAppData: ["LOCALAPPDATA", "AppData/Local"],
  programData: ["PROGRAMDATA", "C:/ProgramData"],
  codexHome: ["CODEX_HOME", ".codex"],
};

function systemOf(platform: string): System {
  return platform === "win32" || platform === "darwin" ? platform : "linux";
}

function pathsOf(platform: string): PlatformPath {
  return platform === "win32" ? win32 : posix;
}

/** A system that tools have other folders on. */
type System = "linux" | "darwin" | "win32";

/**
 * A place where a tool keeps a configuration. In a path, `{name}` is a folder of the user or of the
 * system, and `*` any one name.
 */
type LocationRow = readonly [
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
