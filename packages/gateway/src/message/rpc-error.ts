import type { JsonValue } from "@hostside/core";
import { rpcCodes, type RpcFailure } from "./json-rpc.ts";

const failures = new WeakMap<Error, RpcFailure>();

/** An error that answers a request as a JSON-RPC error. */
export function rpcError(code: number, message: string, data?: JsonValue): Error {
  const error = new Error(message);
  failures.set(error, { code, message, ...(data !== undefined && { data }) });
  return error;
}

/** Why a request is given up that its client still waits for: it is an answer, too. */
export function requestEndedError(reason: string): Error {
  return rpcError(rpcCodes.refused, `The gateway gave this up: ${reason}`, { code: "closed" });
}

/** What such an error says; `undefined` for any other. */
export function rpcFailureOf(error: unknown): RpcFailure | undefined {
  return error instanceof Error ? failures.get(error) : undefined;
}
