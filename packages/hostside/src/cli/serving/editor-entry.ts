import { findConfigs, type FindOptions } from "@hostside/config";
import { usageError } from "../usage-error.ts";
import type { Editor } from "./editors.ts";

/** How the host is to reach what is served. */
export type EditorEntryRequest =
  | { readonly over: "stdio"; readonly program: readonly string[]; readonly args: readonly string[] }
  | { readonly over: "http"; readonly url: string; readonly tokenFile: string };

/** What somebody puts into the configuration of a host. */
export interface EditorEntry {
  readonly editor: Editor;
  /** As people call it. */
  readonly title: string;
  /** The file of the user that it belongs into. */
  readonly file: string;
  /** The content of that file, if there is nothing else in it. */
  readonly text: string;
  /** What else is to be done or known, as sentences. */
  readonly notes: readonly string[];
}

/** The variable that hosts take the token from. */
export const tokenVariable = "HOSTSIDE_TOKEN";
const serverName = "hostside";
const inputId = "hostside-token";

/**
 * The entry of a host that starts `hostside serve`, or reaches it over HTTP, and the file that it
 * belongs into. Throws a usage error for a host that has no entry of the kind. Pure.
 */
export function describeEntry(
  editor: Editor,
  request: EditorEntryRequest,
  place: Omit<FindOptions, "cwd">,
): EditorEntry {
  const { title, tool, at, write, notes } = entries[editor];
  const files = findConfigs(place).filter(
    (found) => found.dialect === editor && found.scope === "user" && found.tool === tool,
  );
  const file = files.findLast(({ path }) => path.replaceAll("\\", "/").endsWith(at))?.path;
  if (file === undefined) throw new TypeError(`the table of places has none for ${title}`);
  const tokenNotes =
    request.over === "http" && editor !== "vscode" ? [tokenNote(request.tokenFile, place.platform)] : [];
  return {
    editor,
    title,
    file,
    text: write(request, place.platform),
    notes: [...(notes?.(request) ?? []), ...tokenNotes],
  };
}

interface EntryFormat {
  readonly title: string;
  /** As the table of places has it. */
  readonly tool: string;
  /** The end of its path, where it has several files. */
  readonly at: string;
  readonly write: (request: EditorEntryRequest, platform: string) => string;
  readonly notes?: (request: EditorEntryRequest) => readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const jsonOf =
  (url: (url: string) => Fields) =>
  (request: EditorEntryRequest, platform: string): string =>
    toJson({ mcpServers: { [serverName]: request.over === "http" ? url(request.url) : program(request, platform) } });

const bearer = (reference: string): Fields => ({ headers: { Authorization: `Bearer ${reference}` } });

const entries: Readonly<Record<Editor, EntryFormat>> = {
  "claude-code": {
    title: "Claude Code",
    tool: "Claude Code",
    at: ".claude.json",
    write: jsonOf((url) => ({ type: "http", url, ...bearer(`\${${tokenVariable}}`) })),
    notes: () => [
      "Claude Code writes this file itself while it runs: use claude mcp add-json --scope user, or put the entry into the .mcp.json of a project.",
    ],
  },
  "claude-desktop": {
    title: "Claude Desktop",
    tool: "Claude Desktop",
    at: "claude_desktop_config.json",
    write: jsonOf(() => {
      throw usageError(
        "Claude Desktop takes no URL in its file",
        "hostside serve --print-config claude-desktop, without --http",
      );
    }),
    notes: () => ["Restart Claude Desktop afterwards."],
  },
  cursor: {
    title: "Cursor",
    tool: "Cursor",
    at: "mcp.json",
    write: jsonOf((url) => ({ url, ...bearer(`\${env:${tokenVariable}}`) })),
  },
  vscode: {
    title: "VS Code",
    tool: "VS Code",
    at: "mcp.json",
    write: writeVscode,
    notes: (request) =>
      request.over === "http" ? [`VS Code asks for the token once: it is in ${request.tokenFile}.`] : [],
  },
  codex: { title: "Codex", tool: "Codex", at: "config.toml", write: writeCodex },
  gemini: {
    title: "Gemini CLI",
    tool: "Gemini CLI",
    at: ".gemini/settings.json",
    write: jsonOf((url) => ({ type: "http", url, ...bearer(`\${${tokenVariable}}`) })),
  },
};

function program({ program: own, args }: EditorEntryRequest & { readonly over: "stdio" }, platform: string): Fields {
  const words = [...own, "serve", ...args];
  // There npx is a batch file, which not every host can start.
  const [command, ...rest] = platform === "win32" && own[0] === "npx" ? ["cmd", "/c", ...words] : words;
  return { command, args: rest };
}

function writeVscode(request: EditorEntryRequest, platform: string): string {
  if (request.over === "stdio")
    return toJson({ servers: { [serverName]: { type: "stdio", ...program(request, platform) } } });
  const input = { type: "promptString", id: inputId, description: "The token of hostside serve", password: true };
  const entry = { type: "http", url: request.url, ...bearer(`\${input:${inputId}}`) };
  return toJson({ inputs: [input], servers: { [serverName]: entry } });
}

// What JSON has for texts and lists of them, TOML has, too.
function writeCodex(request: EditorEntryRequest, platform: string): string {
  const fields =
    request.over === "http"
      ? { url: request.url, bearer_token_env_var: tokenVariable }
      : // The first start may have to fetch the package.
        { ...program(request, platform), startup_timeout_sec: 60 };
  const lines = Object.entries(fields).map(([name, value]) => `${name} = ${tomlOf(value)}`);
  return `${[`[mcp_servers.${serverName}]`, ...lines].join("\n")}\n`;
}

function tomlOf(value: unknown): string {
  return Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(", ")}]` : JSON.stringify(value);
}

function toJson(value: Fields): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function tokenNote(tokenFile: string, platform: string): string {
  const set =
    platform === "win32"
      ? `$env:${tokenVariable} = Get-Content "${tokenFile}"`
      : `export ${tokenVariable}="$(cat "${tokenFile}")"`;
  return `It takes the token from the variable ${tokenVariable}: ${set}`;
}
