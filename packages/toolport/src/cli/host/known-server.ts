import { formatProblem } from "@toolport/config";
import type { LoadedConfig, ServerSource } from "@toolport/config/node";
import { foldCase, quoteText } from "@toolport/core/implement";
import { nearNames } from "../program/near-names.ts";
import { oneLine } from "../render/one-line.ts";
import { shellLine } from "../render/shell-word.ts";
import { usageError, type UsageError } from "../usage-error.ts";

/** What is known of a configuration. */
type Known = Pick<LoadedConfig, "sources" | "problems">;

/**
 * The server that somebody means: by its id as it is written, or else with ASCII letters in another case where that is one alone. Throws a usage error that says
 * what is wrong with its entry, or lists near ids.
 */
export function knownServer({ sources, problems }: Known, typed: string): ServerSource {
  const ids = sources.map(({ serverId }) => serverId);
  // An entry that cannot be read at all has problems alone.
  const faulty = problems.flatMap(({ serverId, severity }) => (severity === "error" && serverId ? serverId : []));
  const all = [...new Set([...ids, ...faulty])];
  const meant = all.includes(typed) ? [typed] : all.filter((id) => foldCase(id) === foldCase(typed));
  const [id] = meant;
  if (id !== undefined && meant.length === 1) {
    const source = sources.find(({ serverId }) => serverId === id);
    if (source === undefined) throw unusable(id, problems);
    return source;
  }
  const near = meant.length > 1 ? meant : nearNames(typed, all);
  const message = `there is no server ${quoteName(typed)}`;
  if (near.length > 0) throw usageError(message, `Did you mean ${near.map(quoteName).join(" or ")}?`);
  throw usageError(
    message,
    all.length === 0 ? "No server is configured: see toolport init, toolport add." : listed(all),
  );
}

/** The same; throws a usage error, too, for one that does not start: with the place of its entry, and the command that mends it. */
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
  switch (off) {
    case "untrusted": {
      const own = problems.find((problem) => problem.serverId === serverId && problem.code === "untrusted_server");
      const why = own?.message ?? "is brought by a project";
      return usageError(`${server} ${why}${where}`, shellLine(["toolport", "trust", serverId]));
    }
    case "disabled":
      return usageError(`${server} is disabled${where}`, shellLine(["toolport", "enable", serverId]));
    case "not allowed":
      return usageError(`${server} is not among the servers that the configuration allows${where}`);
    case "not wanted":
    case undefined:
      return usageError(`${server} was not started${where}`);
  }
}

function unusable(serverId: string, problems: Known["problems"]): UsageError {
  const wrong = problems.filter((problem) => problem.serverId === serverId && problem.severity === "error");
  const lines = wrong.map((problem) => `  ${oneLine(formatProblem(problem), 1000)}`);
  return usageError([`server ${quoteName(serverId)} cannot be used`, ...lines].join("\n"));
}

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, 8).map(quoteName).join(", ");
  return `There ${ids.length === 1 ? "is" : "are"} ${ids.length > 8 ? `${shown} and ${ids.length - 8} more` : shown}.`;
}

function quoteName(name: string): string {
  return quoteText(name, 200);
}
