import type { ConnectionGuard, ServerSpec } from "@hostside/core";
import { askForCommand } from "../context/ask-guard.ts";
import { createHttpGuard } from "../http/exchange/http-guard.ts";

/**
 * Asks a guard about a spec before anything starts: it is asked again when something does. Throws `not_allowed`, and `internal_error` for a
 * guard that fails. Expects a spec that passed `checkSpec`.
 */
export function checkGuard({ id, transport }: ServerSpec, guard: ConnectionGuard): void {
  const server = { serverId: id };
  const refusal =
    transport.type === "stdio"
      ? askForCommand(guard, transport, server)
      : transport.type === "http"
        ? createHttpGuard({ guard, server, serverUrl: transport.url }).refuseUrl(new URL(transport.url))
        : undefined;
  if (refusal !== undefined) throw refusal;
}
