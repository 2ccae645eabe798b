import { resolve, dirname, isAbsolute, join } from "node:path";
import { findConfigFiles, loadConfig, type LoadedConfig } from "@hostside/config/node";
import type { CommandContext } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { fileWords, serverWords } from "../render/server-words.ts";
import { filesOf } from "../opening/config-files.ts";
import { terminalLine } from "../render/one-line.ts";
import { printJson } from "../render/print.ts";
import type { Editor } from "./editors.ts";
import { describeEntry, type EditorEntryRequest } from "./editor-entry.ts";
import type { ServeArguments } from "./serve-arguments.ts";
import { readFile, realpath } from "node:fs/promises";
import { isPlainObject } from "@hostside/core/implement";
import type { Terminal } from "../terminal.ts";

/**
 * Prints the entry that has a host start this very command line, or reach it: the entry on stdout,
 * what to do with it on stderr. Where nobody has said what is offered, neither on the command line
 * nor in the user's own files, the entry says `--expose search`.
 */
export async function printEntry(
  editor: Editor,
  {
    given,
    http,
  }: {
    readonly given: ServeArguments;
    readonly http?: { readonly url: string; readonly tokenFile: string } | undefined;
  },
  { terminal, options }: CommandContext,
): Promise<number> {
  const { env, home, platform } = terminal;
  const context = { terminal, options };
  const { watch: _, ...files } = filesOf(context);
  const config = await loadConfig({ ...files, allow: () => false });
  const args = argumentsOf({ ...given, expose: given.expose ?? exposeOfEntry(config) }, context);
  const request: EditorEntryRequest =
    http === undefined ? { over: "stdio", program: await ownProgram(terminal), args } : { over: "http", ...http };
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
  for (const note of notes) terminal.err(`${terminal.paintErr("warn", "note:")} ${note}\n`);
  return exitCodes.pass;
}

function exposeOfEntry({ settings: { serve } }: LoadedConfig): ServeArguments["expose"] {
  return serve?.expose === undefined && serve?.tools === undefined ? "search" : undefined;
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

// A host starts it in a folder of its own, so that paths are whole.
function argumentsOf(given: ServeArguments, { terminal, options }: CommandContext): readonly string[] {
  const { expose, readOnly, requireApproval, redact, lock, callLog, otel } = given;
  const path = (file: string): string => resolve(terminal.cwd, file);
  return [
    ...(expose === undefined ? [] : ["--expose", expose]),
    ...(readOnly === true ? ["--read-only"] : []),
    ...(requireApproval === true ? ["--require-approval"] : []),
    ...(redact === true ? ["--redact"] : []),
    ...(lock === undefined ? [] : ["--lock", path(lock)]),
    ...(callLog === undefined ? [] : ["--call-log", path(callLog)]),
    ...(otel === true ? ["--otel"] : []),
    ...fileWords(options, path),
    ...(options.timeout === undefined ? [] : ["--timeout", String(options.timeout)]),
    ...(options.verbose === true ? ["--verbose"] : []),
    ...(options.typed === undefined ? [] : serverWords(options.typed.id, options.typed)),
  ];
}

const published = ["npx", "-y", "hostside"] as const;

/**
 * What starts this very command line anew, wherever that is asked for. By `npx` where it was
 * started so: by its name, or by the file that it came from. What was installed, packed or checked
 * out in any other way is started by its path, with this Node: by its name it would be looked for
 * in the registry.
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
