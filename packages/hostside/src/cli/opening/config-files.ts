import { isAbsolute, resolve } from "node:path";
import type { JsonObject } from "@hostside/core";
import { usageError } from "../exit-codes.ts";
import type { AskTrust, ConfigLayer, DialectName, Trust } from "@hostside/config";
import {
  createTrust,
  dialectNames,
  loadConfig,
  type LoadConfigOptions,
  type LoadedConfig,
} from "@hostside/config/node";
import { quoteText } from "@hostside/core/implement";
import { userState } from "../../state/user-state.ts";
import type { CommandContext, TypedServer } from "../command-context.ts";

/** Parts of an entry on a command line. */
export interface EntryArguments {
  /** A program and its arguments, or a URL. */
  readonly words: readonly string[];
  readonly env?: readonly string[] | undefined;
  readonly header?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

/**
 * The entry of a server in `hostside.json`, from words. Throws a usage error that says what would
 * be right. Pure.
 */
export function buildEntry(name: string, given: EntryArguments, folder: string): JsonObject {
  const [first, ...rest] = given.words;
  if (first === undefined || first.trim() === "") {
    throw usageError(
      `${name} has neither a command nor a URL`,
      `hostside add ${name} -- npx -y PACKAGE   or   hostside add ${name} https://…`,
    );
  }
  const [, protocol] = /^([a-z][a-z+.-]+):\/\//i.exec(first) ?? [];
  if (protocol !== undefined && !/^https?$/i.test(protocol)) {
    throw usageError(
      `the URL begins with ${protocol}://, and neither https: nor http:`,
      "servers are reached over HTTP",
    );
  }
  return /^https?:\/\//i.test(first) ? httpEntry(first, rest, given) : stdioEntry([first, ...rest], given, folder);
}

function httpEntry(url: string, rest: readonly string[], { env, header, cwd }: EntryArguments): JsonObject {
  if (rest.length > 0) throw usageError("a URL has no arguments", "put what belongs to it into the URL or a --header");
  if (env !== undefined)
    throw usageError("--env is for a program, and this is a URL", 'send it as --header "Name: value"');
  if (cwd !== undefined) throw usageError("--cwd is for a program, and this is a URL", "leave it out");
  const headers = header?.map(readHeader);
  return { url, ...(headers !== undefined && { headers: Object.fromEntries(headers) }) };
}

function stdioEntry(words: readonly string[], { env, header, cwd }: EntryArguments, folder: string): JsonObject {
  const [command = "", ...args] = words;
  if (header !== undefined)
    throw usageError("--header is for a URL, and this is a program", "give it as --env NAME=value");
  if (args.length === 0 && /\s/.test(command.trim()) && !/[\\/]/.test(command.split(/\s/)[0] ?? "")) {
    throw usageError(
      "the command and its arguments are one word, and no program is called that",
      `write them behind --, each by itself: -- ${command.trim()}`,
    );
  }
  const variables = env?.map(readVariable);
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(variables !== undefined && { env: Object.fromEntries(variables) }),
    ...(cwd !== undefined && { cwd: isAbsolute(cwd) || cwd.startsWith("${") ? cwd : resolve(folder, cwd) }),
  };
}

// A name alone: that variable as it is when the server starts.
function readVariable(text: string): readonly [string, string] {
  const [, name = "", value] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (!/^[^\s=]+$/.test(name))
    throw usageError("--env is NAME=value, or NAME for the variable of this name", undefined);
  return [name, value ?? `\${${name}}`];
}

function readHeader(text: string): readonly [string, string] {
  const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw usageError('--header is "Name: value"', '--header "X-Team: tools"');
  return [name, value];
}

/** The places where a command looks for the configuration. Reads nothing of the process. */
export async function filesOf({
  terminal,
  options,
}: Pick<CommandContext, "terminal" | "options">): Promise<LoadConfigOptions> {
  const { env, home, platform, cwd } = terminal;
  const { config, typed } = options;
  const dialect = dialectOf(options);
  const files = config?.map((path) => (dialect === undefined ? path : { path, dialect }));
  if (typed === undefined) return { files: files ?? "auto", env, home, platform, cwd };
  return { files: files ?? [], layers: [await layerOf(typed, cwd)], env, home, platform, cwd };
}

function dialectOf({ config, dialect }: CommandContext["options"]): DialectName | undefined {
  if (dialect === undefined) return undefined;
  if (config === undefined) throw usageError("--dialect is about files of --config, and there are none");
  const known = dialectNames.find((name) => name === dialect);
  if (known !== undefined) return known;
  throw usageError(`there is no dialect ${quoteText(dialect, 80)}`, `There are ${dialectNames.join(", ")}.`);
}

// It is the strongest of configurations.
async function layerOf({ id, words }: TypedServer, cwd: string): Promise<ConfigLayer> {
  const { readConfig } = await import("@hostside/config");
  const entry = buildEntry(id, { words }, cwd);
  const result = readConfig({ servers: { [id]: entry } }, { dialect: "hostside" });
  return { scope: "command-line", result, baseFolder: cwd };
}

/** Loads which servers there are. Nothing is expanded, asked or started for it. */
export async function loadSources(context: Pick<CommandContext, "terminal" | "options">): Promise<LoadedConfig> {
  return loadConfig({ ...(await filesOf(context)), allow: () => false });
}

/**
 * Loads the configuration that every other command uses, and the decisions about it. `ask` answers
 * for servers of a project that nobody has decided about; `around` changes what decides.
 */
export async function loadConfigured(
  context: CommandContext,
  ask?: AskTrust,
  around: (trust: Trust) => Trust = (trust) => trust,
): Promise<{ readonly config: LoadedConfig; readonly trust: Trust }> {
  const { terminal } = context;
  const { store, lock } = userState(terminal);
  const trust = around(createTrust({ store, lock, ask }));
  return { config: await loadConfig({ ...(await filesOf(context)), trust, signal: terminal.signal }), trust };
}
