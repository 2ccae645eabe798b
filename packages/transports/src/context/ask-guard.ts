import type { ConnectionGuard, GuardedServer, HostsideError } from "@hostside/core";
import { findGuardRefusal, isJsonObject, quoteText } from "@hostside/core/implement";

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
