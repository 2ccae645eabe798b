import type { JsonObject, ToolOrigin, ToolOutcome, HostsideError, HostsideErrorCode } from "@hostside/core";

/** A call as one plain object, for those who store, send or log calls. */
export interface Invocation {
  /** The local name, or the qualified one (`mcp::github::create_issue`). */
  readonly toolName: string;
  /**
   * Versions of its server that will do, such as `"^1.2"`. Any other: an error, and nothing is
   * sent. Default: any.
   */
  readonly versionRange?: string | undefined;
  /** The arguments. Default `{}`. */
  readonly input?: unknown;
  /** Default: a new one. */
  readonly correlationId?: string | undefined;
  readonly causationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Sent as members of `_meta`, over those of {@linkcode metadata}. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as `_meta` beside the arguments. */
  readonly metadata?: JsonObject | undefined;
  /**
   * A point in time: milliseconds since 1970, or a `Date`. When it is over, nothing is sent. The
   * call has never more time than without it.
   */
  readonly deadline?: number | { getTime(): number } | undefined;
  /** Which agent; counts as its `role` where that is absent. */
  readonly agentId?: string | undefined;
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
  readonly conversation?: string | undefined;
  /** The token of an approval that was given for this call. */
  readonly approval?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The party that has to act, by the kind of the error. */
export type InvocationErrorCode = "AuthError" | "ContractError" | "ExecutionError" | "PolicyError" | "SystemError";

/** An error as data. */
export interface InvocationError {
  readonly code: InvocationErrorCode;
  /**
   * `"tool_error"`: the tool itself says that it failed, and `output` is what it says.
   * `"invalid_result"`: its result does not fit its output schema, `details.violations` says where.
   */
  readonly subcode: HostsideErrorCode | "tool_error" | "invalid_result";
  /**
   * For people; a `tool_error`'s is the tool's own text, untrusted, at most 2000 characters of it.
   */
  readonly message: string;
  readonly details: HostsideError["details"];
  /**
   * The same invocation may be tried again: it did not run, or a second run changes nothing and
   * another result can be hoped for.
   */
  readonly isRetryable: boolean;
  readonly cause?: HostsideError;
  readonly origin?: InvocationOrigin;
}

/** The tool and its server. `serverId` is empty for a tool that is on no server. */
export type InvocationOrigin = Pick<ToolOrigin, "serverId" | "toolName">;

/** The result of an invocation. */
export interface InvocationResult {
  /** `"retryable"`: an error that may be tried again. */
  readonly status: "ok" | "error" | "retryable";
  /** The result of the tool, also when it says that it failed. */
  readonly output?: ToolOutcome;
  /** Present unless the status is `"ok"`. */
  readonly error?: InvocationError;
  readonly durationMs: number;
  /** At least 1. */
  readonly attempts: number;
  /** The version of the server, if it says one. */
  readonly resolvedVersion?: string;
  /** The parts of the policy that held for the tool, in words; empty when no tool was found. */
  readonly policySnapshot: readonly string[];
  readonly correlationId: string;
  readonly origin?: InvocationOrigin;
}
