import type { ToolCall } from "@hostside/core";
import type { LimitScope } from "./limit-options.ts";

/**
 * The key of the allowance that a call uses: two calls have the same one exactly when they agree on
 * every scope. Not for people. Texts of servers and users cannot make one look like another,
 * because each part says how long it is.
 */
export function limitKey(call: ToolCall, scopes: readonly LimitScope[], by: string | undefined): string {
  if (scopes.length === 0 && by === undefined) return "";
  return scopes.map((scope) => partOf(call, scope)).join("") + part(by);
}

function partOf({ origin, options }: ToolCall, scope: LimitScope): string {
  switch (scope) {
    case "server":
      return part(origin.serverId);
    case "tool":
      return part(origin.serverId) + part(origin.toolName);
    case "principal":
    case "conversation":
    case "role":
      return part(options.context?.[scope]);
  }
}

function part(text: string | undefined): string {
  return text === undefined ? "-" : `${text.length}:${text}`;
}
