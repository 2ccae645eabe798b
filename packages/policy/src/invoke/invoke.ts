import {
  HostsideError,
  isHostsideError,
  type AdmissionServer,
  type CallContext,
  type CallOptions,
  type ErrorKind,
  type JsonObject,
  type ToolDefinition,
  type ToolOutcome,
  type ToolProvider,
  cleanText,
  type ToolOrigin,
  type HostsideErrorCode,
} from "@hostside/core";
import {
  clock,
  assertCallOptions,
  createDeadline,
  isJsonObject,
  isPlainObject,
  quoteText,
} from "@hostside/core/implement";
import { readVersionRange } from "../pins/pin-options.ts";
import { countAttempts } from "../pipeline/record-calls.ts";
import { mayRepeat } from "../retry/may-repeat.ts";
import type { EffectOf } from "../rules/tool-subject.ts";
import { outputProblemsOf } from "../validation/create-validation.ts";

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

/** A place to call tools: a toolbox, a view of one, or a provider. */
export interface InvokeTarget {
  call: ToolProvider["call"];
  tools: ToolProvider["tools"];
  describeServer?(serverId: string): AdmissionServer | undefined;
}

/** The knowledge of a policy about tools and calls. */
export interface InvokeParts {
  readonly effectOf: EffectOf;
  readonly idempotencyMetaKey: string | undefined;
  /** Says in words what of the policy holds for a tool. */
  readonly snapshotOf: (definition: ToolDefinition, server: AdmissionServer | undefined) => readonly string[];
  /** Looks up what the policy was told of a server. */
  readonly serverOf: (serverId: string) => AdmissionServer | undefined;
}

interface ReadInvocation extends Pick<Invocation, "toolName" | "versionRange" | "input"> {
  readonly options: CallOptions & { readonly context: CallContext };
  /** Until its deadline, in milliseconds. */
  readonly leftMs: number | undefined;
}

interface Found {
  readonly definition: ToolDefinition;
  readonly server: AdmissionServer | undefined;
}

/** The state of a call while it runs. */
interface State {
  correlationId: string;
  context?: CallContext;
  found?: Found | undefined;
  attempts: () => number;
}

/** Calls a tool of a target, and resolves with an envelope in place of exceptions. */
export async function invoke(target: InvokeTarget, invocation: unknown, parts: InvokeParts): Promise<InvocationResult> {
  const startedAt = clock.now();
  const state: State = { correlationId: crypto.randomUUID(), attempts: () => 1 };
  let output: ToolOutcome | undefined;
  let error: InvocationError | undefined;
  try {
    const read = readInvocation(invocation, state.correlationId);
    state.context = read.options.context;
    state.correlationId = state.context.correlationId ?? state.correlationId;
    state.found = find(target, read, parts);
    const [{ options }, attempts] = countAttempts({ options: read.options });
    state.attempts = attempts;
    output = await call(target, { ...read, options }, { found: state.found });
    if (output.isError) error = toolError(output);
  } catch (reason) {
    error = errorOf(reason, state, parts);
  }
  const { found } = state;
  const origin = shortOrigin(output?.origin) ?? error?.origin ?? originOf(found);
  return {
    status: error === undefined ? "ok" : error.isRetryable ? "retryable" : "error",
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    durationMs: Math.max(0, clock.now() - startedAt),
    attempts: Math.max(state.attempts(), error?.details.attempts ?? 1),
    ...(found?.server?.version !== undefined && { resolvedVersion: found.server.version }),
    policySnapshot: found === undefined ? [] : parts.snapshotOf(found.definition, found.server),
    correlationId: state.correlationId,
    ...(origin !== undefined && { origin }),
  };
}

function readInvocation(given: unknown, correlationId: string): ReadInvocation {
  try {
    if (!isPlainObject(given)) throw new TypeError("an invocation is an object");
    const { toolName, versionRange, input, deadline, headers, metadata, signal, agentId, role, ...who } =
      given as unknown as Invocation;
    if (typeof toolName !== "string" || toolName === "") {
      throw new TypeError("toolName must be a text that is not empty");
    }
    if (versionRange !== undefined) readVersionRange(versionRange, "versionRange");
    for (const [name, members] of Object.entries({ headers, metadata })) {
      if (members !== undefined && !isJsonObject(members)) throw new TypeError(`${name} must be an object`);
    }
    const meta: JsonObject | undefined = headers === undefined ? metadata : { ...metadata, ...headers };
    const as = role ?? agentId;
    const options = {
      context: { correlationId, ...(as !== undefined && { role: as }), ...who },
      ...(meta !== undefined && { meta }),
      ...(signal !== undefined && { signal }),
    };
    // Refuses unknown members of the invocation, too: they are in the context by now.
    assertCallOptions(options);
    return { toolName, versionRange, input, options, leftMs: leftOf(deadline) };
  } catch (cause) {
    const why = cause instanceof TypeError ? cause.message : "it cannot be read";
    throw new HostsideError(`the invocation makes no sense: ${why}`, { code: "invalid_arguments", cause });
  }
}

function leftOf(deadline: Invocation["deadline"]): number | undefined {
  if (deadline === undefined) return undefined;
  const at: unknown = typeof deadline === "number" ? deadline : deadline.getTime();
  if (typeof at !== "number" || !Number.isFinite(at)) throw new TypeError("deadline must be a point in time");
  return at - clock.date();
}

/** Finds the tool as it is now. Throws when its server has a version that is not wanted. */
function find(target: InvokeTarget, { toolName, versionRange }: ReadInvocation, parts: InvokeParts): Found | undefined {
  const definition =
    target.tools([toolName])[0] ??
    (toolName.includes("::") ? target.tools().find(({ origin }) => origin?.qualifiedName === toolName) : undefined);
  if (definition === undefined) return undefined;
  const serverId = definition.origin?.serverId ?? "";
  const server = target.describeServer?.(serverId) ?? parts.serverOf(serverId);
  if (versionRange === undefined || readVersionRange(versionRange, "versionRange")(server?.version)) {
    return { definition, server };
  }
  const claimed = server?.version === undefined ? "no version" : `version ${quoteText(server.version)}`;
  throw unsent(toolName, "unknown_tool", `its server has ${claimed}, and ${quoteText(versionRange)} is wanted`);
}

function unsent(toolName: string, code: "unknown_tool" | "call_timeout", why: string): HostsideError {
  const message = `call of ${quoteText(toolName)} was not sent: ${why}`;
  return new HostsideError(message, { code, toolName, outcome: "not-sent", retryable: false });
}

async function call(
  target: InvokeTarget,
  { toolName, versionRange, input, options, leftMs }: ReadInvocation,
  { found }: { readonly found: Found | undefined },
): Promise<ToolOutcome> {
  const name = found?.definition.name ?? toolName;
  // What was looked at is what runs.
  const selecting = { ...options, ...(versionRange !== undefined && found && { selected: found.definition }) };
  if (leftMs === undefined) return target.call(name, input, selecting);
  if (leftMs <= 0) throw unsent(toolName, "call_timeout", "its deadline is over");
  const deadline = createDeadline({ timeoutMs: leftMs, onTimeout: () => undefined });
  try {
    return await target.call(name, input, { ...selecting, deadline });
  } finally {
    deadline.dispose();
  }
}

const codes: Readonly<Record<ErrorKind, InvocationErrorCode>> = {
  auth: "AuthError",
  contract: "ContractError",
  execution: "ExecutionError",
  policy: "PolicyError",
  system: "SystemError",
};

function errorOf(reason: unknown, { found, context }: State, parts: InvokeParts): InvocationError {
  const error = isHostsideError(reason)
    ? reason
    : new HostsideError("the call failed in an unforeseen way", { code: "internal_error", cause: reason });
  const { kind, code, rawMessage, details, serverId, toolName, retryable } = error;
  // An error that names no server may name the tool by its local name.
  const named = toolName === undefined ? undefined : { serverId: serverId ?? "", toolName };
  const origin = serverId === undefined ? (originOf(found) ?? named) : named;
  const hasKey = parts.idempotencyMetaKey !== undefined && context?.idempotencyKey !== undefined;
  const isRetryable =
    retryable ||
    (found !== undefined && mayRepeat(error, { effect: parts.effectOf(found.definition, found.server), hasKey }));
  return {
    code: codes[kind],
    subcode: code,
    message: rawMessage,
    details,
    isRetryable,
    cause: error,
    ...(origin !== undefined && { origin }),
  };
}

const longestToolText = 2000;

function toolError(outcome: ToolOutcome): InvocationError {
  const violations = outputProblemsOf(outcome);
  const origin = shortOrigin(outcome.origin);
  const rest = { isRetryable: false, ...(origin !== undefined && { origin }) };
  if (violations !== undefined) {
    const where = violations.map(({ path, message }) => `${path || "/"} ${message}`).join("; ");
    const message = cleanText(`the result does not fit the output schema of the tool: ${where}`, longestToolText);
    return { code: "ContractError", subcode: "invalid_result", message, details: { violations }, ...rest };
  }
  const texts = outcome.content.flatMap((block) =>
    block.type === "text" && typeof block.text === "string" ? [block.text] : [],
  );
  const message = cleanText(texts.join("\n"), longestToolText) || "the tool says that it failed";
  return { code: "ExecutionError", subcode: "tool_error", message, details: {}, ...rest };
}

function originOf(found: Found | undefined): InvocationOrigin | undefined {
  return found && (shortOrigin(found.definition.origin) ?? { serverId: "", toolName: found.definition.name });
}

function shortOrigin(origin: InvocationOrigin | undefined): InvocationOrigin | undefined {
  return origin && { serverId: origin.serverId, toolName: origin.toolName };
}
