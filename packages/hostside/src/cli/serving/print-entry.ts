import {
  findConfigFiles,
  findConfigs,
  formatProblem,
  type FindOptions,
  type LoadedConfig,
} from "@hostside/config/node";
import { usageError, exitCodes } from "../exit-codes.ts";
import type { Editor } from "./editors.ts";
import { resolve, dirname, isAbsolute, join } from "node:path";
import type { CommandContext } from "../command-context.ts";
import { fileWords, serverWords, terminalLine } from "../render/render-text.ts";
import { loadSources } from "../opening/config-files.ts";
import { printJson, printNotes } from "../render/print.ts";
import type { ServeArguments } from "./serve-offer.ts";
import { readFile, realpath } from "node:fs/promises";
import { isPlainObject } from "@hostside/core/implement";
import type { Terminal } from "../terminal.ts";

/** How the host is to reach what is served. */
export type EditorEntryRequest = ProgramRequest | HttpRequest;

type ProgramRequest = { readonly program: readonly string[]; readonly args: readonly string[] };
type HttpRequest = { readonly url: string; readonly tokenFile: string };

/** The entry that a person puts into the configuration of a host. */
export interface EditorEntry {
  readonly editor: Editor;
  /** As people call it. */
  readonly title: string;
  /** The file of the user that it belongs into. */
  readonly file: string;
  /** The content of that file, if there is nothing else in it. */
  readonly text: string;
  /** Further steps and facts, as sentences. */
  readonly notes: readonly string[];
}

/** The variable that hosts take the token from. */
const tokenVariable = "HOSTSIDE_TOKEN";
const serverName = "hostside";
const inputId = "hostside-token";

type Fields = Readonly<Record<string, unknown>>;

interface EntryFormat {
  /** As people call it, and as the table of places has it. */
  readonly title: string;
  /** The end of its path, where it has several files. */
  readonly at: string;
  /** The fields of its entry over HTTP. Absent: its file takes no URL. */
  readonly overHttp?: (url: string) => Fields;
  /** The file with these fields as the entry. Default: JSON with `mcpServers`. */
  readonly write?: (entry: Fields) => string;
  readonly note?: string;
}

const bearer = (reference: string): Fields => ({ headers: { Authorization: `Bearer ${reference}` } });

const entries: Readonly<Record<Editor, EntryFormat>> = {
  "claude-code": {
    title: "Claude Code",
    at: ".claude.json",
    overHttp: (url) => ({ type: "http", url, ...bearer(`\${${tokenVariable}}`) }),
    note: "Claude Code writes this file itself while it runs: use claude mcp add-json --scope user, or put the entry into the .mcp.json of a project.",
  },
  "claude-desktop": {
    title: "Claude Desktop",
    at: "claude_desktop_config.json",
    note: "Restart Claude Desktop afterwards.",
  },
  cursor: {
    title: "Cursor",
    at: "mcp.json",
    overHttp: (url) => ({ url, ...bearer(`\${env:${tokenVariable}}`) }),
  },
  vscode: {
    title: "VS Code",
    at: "mcp.json",
    overHttp: (url) => ({ type: "http", url, ...bearer(`\${input:${inputId}}`) }),
    write: writeVscode,
  },
  codex: {
    title: "Codex",
    at: "config.toml",
    overHttp: (url) => ({ url, bearer_token_env_var: tokenVariable }),
    write: writeCodex,
  },
  gemini: {
    title: "Gemini CLI",
    at: ".gemini/settings.json",
    overHttp: (url) => ({ type: "http", url, ...bearer(`\${${tokenVariable}}`) }),
  },
};

/**
 * The entry of a host that starts `hostside serve`, or reaches it over HTTP, and the file that it
 * belongs into. Throws a usage error for a host that has no entry of the kind. Pure.
 */
export function describeEntry(
  editor: Editor,
  request: EditorEntryRequest,
  place: Omit<FindOptions, "cwd">,
): EditorEntry {
  const { title, at, overHttp, write = writeServers, note } = entries[editor];
  const files = findConfigs(place).filter(
    (found) => found.dialect === editor && found.scope === "user" && found.tool === title,
  );
  const file = files.findLast(({ path }) => path.replaceAll("\\", "/").endsWith(at))?.path;
  if (file === undefined) throw new TypeError(`the table of places has none for ${title}`);
  const make = (entry: Fields, notes: readonly string[]): EditorEntry => {
    return { editor, title, file, text: write(entry), notes: [...(note === undefined ? [] : [note]), ...notes] };
  };
  if ("program" in request) return make(programOf(request, place.platform), []);
  if (overHttp !== undefined)
    return make(overHttp(request.url), [tokenNote(editor, request.tokenFile, place.platform)]);
  throw usageError(`${title} takes no URL in its file`, "hostside serve --print-config claude-desktop, without --http");
}

function programOf({ program, args }: ProgramRequest, platform: string): Fields {
  const words = [...program, "serve", ...args];
  // There npx is a batch file, which not every host can start.
  const [command, ...rest] = platform === "win32" && program[0] === "npx" ? ["cmd", "/c", ...words] : words;
  return { command, args: rest };
}

function writeServers(entry: Fields): string {
  return toJson({ mcpServers: { [serverName]: entry } });
}

function writeVscode(entry: Fields): string {
  if (!("url" in entry)) return toJson({ servers: { [serverName]: { type: "stdio", ...entry } } });
  const input = { type: "promptString", id: inputId, description: "The token of hostside serve", password: true };
  return toJson({ inputs: [input], servers: { [serverName]: entry } });
}

// What JSON has for texts and lists of them, TOML has, too.
function writeCodex(entry: Fields): string {
  // The first start may have to fetch the package.
  const fields = "url" in entry ? entry : { ...entry, startup_timeout_sec: 60 };
  const lines = Object.entries(fields).map(([name, value]) => {
    const shown = Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(", ")}]` : undefined;
    return `${name} = ${shown ?? JSON.stringify(value)}`;
  });
  return `${[`[mcp_servers.${serverName}]`, ...lines].join("\n")}\n`;
}

function toJson(value: Fields): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function tokenNote(editor: Editor, tokenFile: string, platform: string): string {
  if (editor === "vscode") return `VS Code asks for the token once: it is in ${tokenFile}.`;
  const set =
    platform === "win32"
      ? `$env:${tokenVariable} = Get-Content "${tokenFile}"`
      : `export ${tokenVariable}="$(cat "${tokenFile}")"`;
  return `It takes the token from the variable ${tokenVariable}: ${set}`;
}

/**
 * Prints the entry that has a host start this very command line, or reach it: the entry on stdout,
 * what to do with it on stderr. If neither the command line nor the user's own files say what is
 * offered, the entry says `--expose search`.
 */
export async function printEntry(
  editor: Editor,
  { given, http }: { readonly given: ServeArguments; readonly http?: HttpRequest | undefined },
  context: CommandContext,
): Promise<number> {
  const { terminal, options } = context;
  const { env, home, platform } = terminal;
  const config = await loadSources(context);
  const unread = config.problems.find(({ severity, serverId }) => severity === "error" && serverId === undefined);
  if (options.config !== undefined && unread !== undefined) throw usageError(terminalLine(formatProblem(unread), 1000));
  const { serve } = config.settings;
  const isSaid = (given.expose ?? serve?.expose ?? serve?.tools) !== undefined;
  const args = argumentsOf(isSaid ? given : { ...given, expose: "search" }, context);
  const request = http ?? { program: await ownProgram(terminal), args };
  const entry = describeEntry(editor, request, { env, home, platform });
  if (options.json === true) {
    printJson(terminal, entry);
    return exitCodes.pass;
  }
  terminal.out(entry.text);
  const isThere = findConfigFiles({ env, home, platform, cwd: terminal.cwd }).some(({ path }) => path === entry.file);
  const what = isThere ? "add this to" : "this is all of";
  terminal.err(`For ${entry.title}, ${what} ${entry.file}\n`);
  const notes = [...entry.notes, ...(http === undefined ? noteProject(config, context) : [])];
  printNotes(terminal, notes);
  return exitCodes.pass;
}

/** A host starts it in a folder of its own, where servers of a project are not found. */
function noteProject({ sources }: LoadedConfig, { terminal: { cwd } }: CommandContext): readonly string[] {
  const ids = sources.flatMap(({ scope, serverId }) => (scope === "project" ? [serverId] : []));
  if (ids.length === 0) return [];
  const named = `${ids.slice(0, mostNamed).join(", ")}${ids.length > mostNamed ? " and others" : ""}`;
  const note = `Servers of a project are there only where the host starts it in that folder, here ${cwd}: ${named}. --config FILE has them there wherever it starts.`;
  return [terminalLine(note, 2000)];
}

const mostNamed = 5;

const ownFlags = ["expose", "readOnly", "requireApproval", "redact", "lock", "callLog", "otel"] as const;
const keptFlags = [...ownFlags, "timeout", "verbose"] as const;

// A host starts it in a folder of its own, so that paths are whole.
function argumentsOf(given: ServeArguments, { terminal, options }: CommandContext): readonly string[] {
  const path = (file: string): string => resolve(terminal.cwd, file);
  const { lock, callLog } = given;
  const { timeout, verbose } = options;
  const values = { ...given, lock: lock && path(lock), callLog: callLog && path(callLog), timeout, verbose };
  return [
    ...keptFlags.flatMap((name) => {
      const value = values[name];
      const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      return value === undefined || value === false ? [] : [flag, ...(value === true ? [] : [String(value)])];
    }),
    ...fileWords(options, path),
    ...(options.typed === undefined ? [] : serverWords(options.typed.id, options.typed)),
  ];
}

const published = ["npx", "-y", "hostside"] as const;

/**
 * The words that start this very command line anew, in any folder. By `npx` where it was started
 * so: by its name, or by the file that it came from. An installation of any other kind is started
 * by its path, with this Node: by its name it would be looked for in the registry.
 */
export async function ownProgram({ program }: Pick<Terminal, "program">): Promise<readonly string[]> {
  if (program === undefined) return published;
  const script = await realpath(program.script).catch(() => program.script);
  // A folder of npx's own, or of `pnpm dlx` and `yarn dlx`.
  const kept = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]/.exec(program.script)?.[1];
  if (kept === undefined) return /[\\/]dlx(?:-[^\\/]*)?[\\/]/.test(script) ? published : [program.node, script];
  const source = await sourceIn(kept);
  return source === undefined ? published : ["npx", "-y", source];
}

/** The file or folder that npx was given; `undefined`: it took the package from the registry. */
async function sourceIn(folder: string): Promise<string | undefined> {
  const manifest: unknown = await readFile(join(folder, "package.json"), "utf8")
    .then(JSON.parse)
    .catch(() => undefined);
  const dependencies = isPlainObject(manifest) ? manifest["dependencies"] : undefined;
  const given = isPlainObject(dependencies) ? dependencies["hostside"] : undefined;
  if (typeof given !== "string" || !given.startsWith("file:")) return undefined;
  const path = given.slice("file:".length);
  return isAbsolute(path) ? path : resolve(dirname(join(folder, "package.json")), path);
}
