import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { RpcError } from "../message/from-rpc-error.ts";

/**
 * What an answer on the wire says, told by hand: a schema library would cost more than the rest of
 * a call.
 */
export type Answer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly error: RpcError }
  | { readonly kind: "malformed"; readonly reason: string };

/**
 * Reads the `result` and `error` members of an answer. Total: what fits neither JSON-RPC nor MCP is
 * `malformed`, with a reason. An `error: null` beside a result, which some servers send, counts as
 * absent.
 */
export function readAnswer(message: { readonly result?: unknown; readonly error?: unknown }): Answer {
  const { result, error } = message;
  if (error === undefined || error === null) {
    if (isJsonObject(result)) return { kind: "result", result };
    return { kind: "malformed", reason: `its result is ${describe(result)}, not an object` };
  }
  if (result !== undefined && result !== null)
    return { kind: "malformed", reason: "it has both a result and an error" };
  return readError(error);
}

function readError(error: unknown): Answer {
  if (!isJsonObject(error)) return { kind: "malformed", reason: `its error is ${describe(error)}, not an object` };
  const { code, message, data } = error;
  if (typeof code !== "number")
    return { kind: "malformed", reason: `its error code is ${describe(code)}, not a number` };
  if (typeof message !== "string") {
    return { kind: "malformed", reason: `its error message is ${describe(message)}, not a string` };
  }
  return { kind: "error", error: { code, message, ...(data !== undefined && { data }) } };
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  // Not quoted: a text may be a secret that the server echoes.
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
