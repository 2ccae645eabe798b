import type { ConnectionGuard, ServerSpec } from "@hostside/core";
import { askForCommand } from "../context/ask-guard.ts";
import { createHttpGuard } from "../http/exchange/http-guard.ts";

/**
 * Asks a guard about a spec before anything starts: it is asked again when something does. Throws
 * `not_allowed`, and `internal_error` for a guard that fails. Expects a spec that passed
 * `checkSpec`.
 */
export function checkGuard(spec: ServerSpec, guard: ConnectionGuard): void {
  const server = { serverId: spec.id };
  const refusal =
    spec.command !== undefined
      ? askForCommand(guard, spec, server)
      : spec.url !== undefined
        ? createHttpGuard({ guard, server, serverUrl: spec.url }).refuseUrl(new URL(spec.url))
        : undefined;
  if (refusal !== undefined) throw refusal;
}
