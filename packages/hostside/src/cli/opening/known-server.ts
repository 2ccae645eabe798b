import type { ConfigProblem } from "@hostside/config";
import { formatProblem, type LoadedConfig, type ServerSource } from "@hostside/config/node";
import { findMeant, foldCase, quoteText } from "@hostside/core/implement";
import type { CommandContext } from "../command-context.ts";
import { didYouMean, usageError, type UsageError } from "../exit-codes.ts";
import { terminalLine, shellLine } from "../render/render-text.ts";

/** Parts of a configuration. */
type Known = Pick<LoadedConfig, "sources" | "problems">;

/**
 * The server that somebody means: by its id as it is written, or else with ASCII letters in another
 * case where that is one alone. Throws a usage error that says what is wrong with its entry, or
 * lists near ids.
 */
export function knownServer({ sources, problems }: Known, typed: string): ServerSource {
  const ids = sources.map(({ serverId }) => serverId);
  const all = [...new Set([...ids, ...faultyIds(problems)])];
  const meant = all.includes(typed) ? [typed] : all.filter((id) => foldCase(id) === foldCase(typed));
  const [id] = meant;
  if (id !== undefined && meant.length === 1) {
    const source = sources.find(({ serverId }) => serverId === id);
    if (source === undefined) throw unusable(id, problems);
    return source;
  }
  throw unknownServer(typed, meant.length > 1 ? meant : all);
}

/** The place of a server's entry: `/home/user/.cursor/mcp.json:4`. */
export function sourcePlaceOf({ file, line }: Pick<ServerSource, "file" | "line">): string {
  return [file ?? "another configuration", line].filter((part) => part !== undefined).join(":");
}

/** The same, by its id as it is written alone, for what takes something away or allows it. */
export function exactServer(config: Known, typed: string): ServerSource {
  const source = knownServer(config, typed);
  if (source.serverId !== typed) throw unknownServer(typed, [source.serverId]);
  return source;
}

/** Makes the error for an unknown server, with near ids, or all. */
export function unknownServer(typed: string, ids: readonly string[]): UsageError {
  const hint =
    serversMeant(typed, ids) ??
    (ids.length === 0 ? "No server is configured: see hostside init, hostside add." : listed(ids));
  return usageError(`there is no server ${quoteName(typed)}`, hint);
}

/** The hint that names the near ones of `ids`. */
export function serversMeant(typed: string, ids: readonly string[]): string | undefined {
  return didYouMean(findMeant(typed, ids, (id) => [id]).map(quoteName));
}

/**
 * The ids of entries that are at fault: of one that cannot be read at all, nothing else is known.
 */
export function faultyIds(problems: Known["problems"]): readonly string[] {
  return problems.flatMap(({ serverId, severity }) => (severity === "error" && serverId ? serverId : []));
}

/**
 * The same; throws a usage error, too, for one that does not start: with the place of its entry,
 * and the command that mends it.
 */
export function startableServer(config: Known, typed: string): ServerSource {
  const source = knownServer(config, typed);
  if (source.state === "on") return source;
  throw notStartable(source, config);
}

function notStartable({ serverId, state, off, file, line, column }: ServerSource, { problems }: Known): UsageError {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const where = place === "" ? "" : ` (${place})`;
  const server = `server ${quoteName(serverId)}`;
  if (state === "failed") return unusable(serverId, problems);
  if (off === "untrusted") {
    const own = problems.find((problem) => problem.serverId === serverId && problem.code === "untrusted_server");
    const why = own?.message ?? "is brought by a project";
    return usageError(`${server} ${why}${where}`, shellLine(["hostside", "trust", serverId]));
  }
  return off === "disabled"
    ? usageError(`${server} is disabled${where}`, "switch it on in that file")
    : usageError(`${server} was not started: ${off ?? "unknown"}${where}`);
}

function unusable(serverId: string, problems: Known["problems"]): UsageError {
  const wrong = problems.filter((problem) => problem.serverId === serverId && problem.severity === "error");
  const lines = wrong.map((problem) => `  ${terminalLine(formatProblem(problem), 1000)}`);
  return usageError([`server ${quoteName(serverId)} cannot be used`, ...lines].join("\n"));
}

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, 8).map(quoteName).join(", ");
  return `There ${ids.length === 1 ? "is" : "are"} ${ids.length > 8 ? `${shown} and ${ids.length - 8} more` : shown}.`;
}

function quoteName(name: string): string {
  return quoteText(name, 200);
}

const mostShown = 10;

/** Lines about problems of the configuration: the first ones, and with `--verbose` all. */
export function problemLines(
  problems: readonly ConfigProblem[],
  { terminal: { paintErr }, options: { verbose = false } }: CommandContext,
): readonly string[] {
  const shown = problems.slice(0, verbose ? undefined : mostShown);
  const lines = shown.map((problem) => {
    const style = problem.severity === "error" ? "bad" : "warn";
    return `${paintErr(style, `${problem.severity}:`)} ${terminalLine(formatProblem(problem), 2000)}`;
  });
  const left = problems.length - shown.length;
  return left === 0 ? lines : [...lines, `${left} more: hostside doctor`];
}

/**
 * Says on stderr what is wrong with the configuration, once: errors, and with `--verbose`
 * everything. Nothing with `--json`.
 */
export function reportProblems(
  context: CommandContext,
  config: Pick<LoadedConfig, "problems" | "sources">,
  isWanted: (serverId: string) => boolean,
): void {
  const { terminal, options } = context;
  if (options.json === true) return;
  const concerns = ({ severity, serverId }: ConfigProblem): boolean =>
    options.verbose === true || (severity === "error" && (serverId === undefined || isWanted(serverId)));
  const waiting = config.sources.filter(({ serverId, off }) => off === "untrusted" && isWanted(serverId));
  const names = terminalLine(waiting.map(({ serverId }) => serverId).join(", "), 200);
  const what = waiting.length === 1 ? "A server of this project is" : `${waiting.length} servers of this project are`;
  const warning = `${terminal.paintErr("warn", "warning:")} ${what} not trusted, and not started: ${names}. See hostside trust.`;
  const lines = problemLines(config.problems.filter(concerns), context);
  for (const line of waiting.length === 0 ? lines : [...lines, warning]) terminal.err(`${line}\n`);
}
