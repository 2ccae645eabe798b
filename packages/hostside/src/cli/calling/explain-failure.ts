import { HostsideError, type CallOutcome, type ToolDefinition } from "@hostside/core";
import type { CommandContext } from "../command-context.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { pathOf } from "../opening/find-tool.ts";
import { canAsk } from "../opening/asking/can-ask.ts";
import { renderError } from "../program/render-error.ts";
import { terminalLine } from "../render/one-line.ts";

const effects: Readonly<Record<CallOutcome, string>> = {
  "not-sent": "Nothing was sent.",
  unknown: "It was sent, and may have run.",
  failed: "It was sent, and the server says that it failed.",
};

/**
 * Says why a call brought no result, and what is known of its effect. Returns what the command
 * exits with.
 */
export function reportCallFailure(error: HostsideError, definition: ToolDefinition, context: CommandContext): number {
  const { terminal, options } = context;
  renderError(restate(error, definition, canAsk(context)), context);
  if (options.json !== true) terminal.err(`${effects[error.outcome]}\n`);
  return exitCodeOfCall(error);
}

/** A call that was sent has failed, whatever broke; else the failure says it. */
export function exitCodeOfCall(error: HostsideError): number {
  const code = exitCodeOf(error);
  const isCertain = code === exitCodes.incomplete || code === exitCodes.authRequired || error.outcome === "not-sent";
  return isCertain ? code : exitCodes.fail;
}

// A policy speaks to products of rules and handlers; here a person has typed a call.
function restate(error: HostsideError, definition: ToolDefinition, isAsked: boolean): HostsideError {
  const { code, serverId, toolName, outcome } = error;
  if (code !== "approval_required" && code !== "approval_denied") return error;
  const { effect = "external" } = definition;
  const path = terminalLine(pathOf(definition), 300);
  const message = isAsked
    ? `the call of ${path} was not approved`
    : `${path} may change things (effect: ${effect}), and nobody can be asked here`;
  return new HostsideError(message, {
    code: isAsked ? "approval_denied" : "approval_required",
    serverId,
    toolName,
    outcome,
    cause: error,
  });
}
