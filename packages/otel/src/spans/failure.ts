import { SpanStatusCode, type Attributes, type Span } from "@opentelemetry/api";
import { isHostsideError } from "@hostside/core";
import { attribute } from "../names.ts";
import { quietly } from "../quietly.ts";

/** Why something failed, as the conventions have it. */
export interface SpanFailure {
  /** The code of the JSON-RPC error where a server answered with one, else Hostside's code. */
  readonly type: string;
  /** The code of the JSON-RPC error. */
  readonly rpcCode?: number | undefined;
  /** The known effect. */
  readonly outcome?: string;
}

/** A tool that says itself that it failed. */
export const toolFailure: SpanFailure = { type: "tool_error", outcome: "failed" };

/** Reads what was thrown. Says nothing of its message, which may hold anything. */
export function spanFailureOf(error: unknown): SpanFailure {
  if (!isHostsideError(error)) return { type: error instanceof Error ? "internal_error" : "_OTHER" };
  const { code, outcome, details } = error;
  const { rpcCode } = details;
  return { type: code === "server_error" && rpcCode !== undefined ? String(rpcCode) : code, outcome, rpcCode };
}

/** A failure as attributes. */
export function failureAttributes(failure: SpanFailure | undefined): Attributes {
  const { type, rpcCode } = failure ?? {};
  return {
    [attribute.errorType]: type,
    [attribute.rpcStatus]: rpcCode === undefined ? undefined : String(rpcCode),
  };
}

/** Ends a span, at a time or now. Never throws. */
export function endSpan(
  span: Span | undefined,
  failure: SpanFailure | undefined,
  endTime?: readonly [number, number],
): void {
  if (span === undefined) return;
  quietly(() => {
    if (failure === undefined) return;
    span.setAttributes(failureAttributes(failure));
    span.setStatus({ code: SpanStatusCode.ERROR, message: failure.type });
  });
  quietly(() => span.end(endTime && [...endTime]));
}
