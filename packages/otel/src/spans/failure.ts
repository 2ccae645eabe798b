import type { Attributes } from "@opentelemetry/api";
import { isHostsideError } from "@hostside/core";
import { attribute } from "../names.ts";

/** Why something failed, as the conventions have it. */
export interface SpanFailure {
  /** The code of the JSON-RPC error where a server answered with one, else Hostside's code. */
  readonly type: string;
  /** The code of the JSON-RPC error. */
  readonly rpcCode?: number;
  /** What is known of the effect. */
  readonly outcome?: string;
}

/** A tool that says itself that it failed. */
export const toolFailure: SpanFailure = { type: "tool_error", outcome: "failed" };

/** Reads what was thrown. Says nothing of its message, which may hold anything. */
export function spanFailureOf(error: unknown): SpanFailure {
  if (!isHostsideError(error)) return { type: error instanceof Error ? "internal_error" : "_OTHER" };
  const { code, outcome, details } = error;
  const { rpcCode } = details;
  return {
    type: code === "server_error" && rpcCode !== undefined ? String(rpcCode) : code,
    outcome,
    ...(rpcCode !== undefined && { rpcCode }),
  };
}

/** The same as attributes. */
export function failureAttributes({ type, rpcCode }: SpanFailure): Attributes {
  return {
    [attribute.errorType]: type,
    ...(rpcCode !== undefined && { [attribute.rpcStatus]: String(rpcCode) }),
  };
}
