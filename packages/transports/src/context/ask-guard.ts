import { HostsideError, type ConnectionGuard, type GuardRefusal, type GuardedServer } from "@hostside/core";
import { isJsonObject, quoteText } from "@hostside/core/implement";

/** A question to a guard. */
export interface GuardQuestion {
  readonly server: GuardedServer;
  /** The action that is asked about, for people: `connecting to https://example.com`. */
  readonly what: string;
  /** The spec's field that it is in, where it is in one. */
  readonly field?: string | undefined;
  readonly ask: (server: GuardedServer) => GuardRefusal | undefined;
}

/**
 * The error with which a guard refuses, or `undefined` for yes: `not_allowed`, and for a guard that
 * throws or answers what is neither yes nor no, `internal_error`. Nothing was sent, and nothing was
 * started.
 */
export function findGuardRefusal({ server, what, field, ask }: GuardQuestion): HostsideError | undefined {
  const about = { serverId: server.serverId, outcome: "not-sent" } as const;
  const owner = `server ${JSON.stringify(server.serverId)}: ${what}`;
  let refusal: unknown;
  try {
    refusal = ask(server);
    if (refusal === undefined) return undefined;
  } catch (cause) {
    return new HostsideError(`${owner} is refused: the guard failed`, { ...about, code: "internal_error", cause });
  }
  if (!isRefusal(refusal)) {
    const message = `${owner} is refused: the guard answered neither a refusal nor nothing`;
    return new HostsideError(message, { ...about, code: "internal_error" });
  }
  return new HostsideError(`${owner} is not allowed: ${refusal.reason}`, {
    ...about,
    code: "not_allowed",
    details: { ...(field !== undefined && { field }), policy: refusal.rule },
  });
}

/** Asks whether a process may be started. */
export function askForCommand(
  guard: ConnectionGuard,
  process: Parameters<ConnectionGuard["checkCommand"]>[0],
  server: GuardedServer,
): HostsideError | undefined {
  return findGuardRefusal({
    server,
    what: `starting ${quoteText(process.command)}`,
    field: "command",
    ask: () => guard.checkCommand(process, server),
  });
}

function isRefusal(value: unknown): value is GuardRefusal {
  return isJsonObject(value) && typeof value["reason"] === "string" && typeof value["rule"] === "string";
}

const questions = ["checkUrl", "checkAddress", "checkCommand"] as const;

/**
 * Throws a `TypeError` for a guard that cannot be asked: one that is left out by mistake would let
 * everything through.
 */
export function assertGuard(owner: string, guard: unknown): void {
  if (guard === undefined) return;
  if (isJsonObject(guard) && questions.every((name) => typeof guard[name] === "function")) return;
  throw new TypeError(`${owner}: guard must have the functions ${questions.join(", ")}`);
}
