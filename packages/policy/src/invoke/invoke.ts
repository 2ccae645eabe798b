import {
  HostsideError,
  isHostsideError,
  type AdmissionServer,
  type CallContext,
  type CallOptions,
  type Clock,
  type ErrorKind,
  type JsonObject,
  type ToolDefinition,
  type ToolOutcome,
  type ToolProvider,
  cleanText,
} from "@hostside/core";
import {
  assertCallOptions,
  assertKnownOptions,
  createDeadline,
  dateOf,
  isJsonObject,
  quoteText,
  type Fields,
} from "@hostside/core/implement";
import { readVersionRange } from "../pins/version-range.ts";
import { mayRepeat } from "../retry/may-repeat.ts";
import type { EffectOf } from "../rules/tool-subject.ts";
import { outputProblemsOf } from "../validation/output-problems.ts";
import type {
  Invocation,
  InvocationError,
  InvocationErrorCode,
  InvocationOrigin,
  InvocationResult,
} from "./invocation.ts";

/** What is invoked: a toolbox, a view of one, or a provider. */
export interface InvokeTarget {
  call: ToolProvider["call"];
  tools: ToolProvider["tools"];
  describeServer?(serverId: string): AdmissionServer | undefined;
}

/** What a policy knows of tools and calls. */
export interface InvokeParts {
  readonly clock: Clock;
  readonly effectOf: EffectOf;
  /** How often the call with this context was tried. */
  readonly attemptsOf: (context: CallContext) => number;
  readonly idempotencyMetaKey: string | undefined;
  /** What of the policy holds for a tool, in words. */
  readonly snapshotOf: (definition: ToolDefinition, server: AdmissionServer | undefined) => readonly string[];
  /** What the policy was told of a server. */
  readonly serverOf: (serverId: string) => AdmissionServer | undefined;
}

const fields: Fields<Invocation> = {
  toolName: true,
  versionRange: true,
  input: true,
  correlationId: true,
  causationId: true,
  idempotencyKey: true,
  headers: true,
  metadata: true,
  deadline: true,
  agentId: true,
  role: true,
  principal: true,
  conversation: true,
  approval: true,
  signal: true,
};

interface ReadInvocation extends Pick<Invocation, "toolName" | "versionRange" | "input"> {
  readonly options: CallOptions & { readonly context: CallContext };
  /** Until its deadline, in milliseconds. */
  readonly leftMs: number | undefined;
}

interface Found {
  readonly definition: ToolDefinition;
  readonly server: AdmissionServer | undefined;
}

interface Progress {
  readonly startedAt: number;
  correlationId: string;
  read?: ReadInvocation;
  found?: Found | undefined;
}

/** Calls a tool of a target, and resolves with an envelope in place of exceptions. */
export async function invoke(target: InvokeTarget, invocation: unknown, parts: InvokeParts): Promise<InvocationResult> {
  const progress: Progress = { startedAt: parts.clock.now(), correlationId: crypto.randomUUID() };
  try {
    const read = readInvocation(invocation, progress.correlationId, parts.clock);
    progress.read = read;
    progress.correlationId = read.options.context.correlationId ?? progress.correlationId;
    progress.found = find(target, read, parts);
    const output = await call(target, read, { found: progress.found, clock: parts.clock });
    return envelope(progress, parts, { output, ...(output.isError && { error: toolError(output) }) });
  } catch (reason) {
    return envelope(progress, parts, { error: errorOf(reason, progress, parts) });
  }
}

function readInvocation(given: unknown, correlationId: string, clock: Clock): ReadInvocation {
  try {
    assertKnownOptions("an invocation", given, fields);
    const { toolName, versionRange, input, deadline, headers, metadata, signal, agentId, ...rest } = {
      ...(given as Invocation),
    };
    if (typeof toolName !== "string" || toolName === "") {
      throw new TypeError("toolName must be a text that is not empty");
    }
    if (versionRange !== undefined) readVersionRange(versionRange, "versionRange");
    const meta = metaOf(headers, metadata);
    const { role = agentId, ...who } = rest;
    const options = {
      context: { correlationId, ...(role !== undefined && { role }), ...who },
      ...(meta !== undefined && { meta }),
      ...(signal !== undefined && { signal }),
    };
    assertCallOptions(options);
    return { toolName, versionRange, input, options, leftMs: leftOf(deadline, clock) };
  } catch (cause) {
    const why = cause instanceof TypeError ? cause.message : "it cannot be read";
    throw new HostsideError(`the invocation makes no sense: ${why}`, { code: "invalid_arguments", cause });
  }
}

function metaOf(headers: unknown, metadata: unknown): JsonObject | undefined {
  for (const [name, members] of Object.entries({ headers, metadata })) {
    if (members !== undefined && !isJsonObject(members)) throw new TypeError(`${name} must be an object`);
  }
  return headers === undefined ? (metadata as JsonObject | undefined) : { ...(metadata as JsonObject), ...headers };
}

function leftOf(deadline: Invocation["deadline"], clock: Clock): number | undefined {
  if (deadline === undefined) return undefined;
  const at: unknown = typeof deadline === "number" ? deadline : deadline.getTime();
  if (typeof at !== "number" || !Number.isFinite(at)) throw new TypeError("deadline must be a point in time");
  return at - dateOf(clock);
}

/** The tool as it is now; throws when its server has a version that will not do. */
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
  { found, clock }: { readonly found: Found | undefined; readonly clock: Clock },
): Promise<ToolOutcome> {
  const name = found?.definition.name ?? toolName;
  // What was looked at is what runs.
  const selecting = { ...options, ...(versionRange !== undefined && found && { selected: found.definition }) };
  if (leftMs === undefined) return target.call(name, input, selecting);
  if (leftMs <= 0) throw unsent(toolName, "call_timeout", "its deadline is over");
  const deadline = createDeadline({ timeoutMs: leftMs, clock, onTimeout: () => undefined });
  try {
    return await target.call(name, input, { ...selecting, deadline });
  } finally {
    deadline.dispose();
  }
}

function envelope(
  { startedAt, correlationId, read, found }: Progress,
  { clock, attemptsOf, snapshotOf }: InvokeParts,
  { output, error }: { readonly output?: ToolOutcome; readonly error?: InvocationError },
): InvocationResult {
  const origin = shortOrigin(output?.origin) ?? error?.origin ?? originOf(found);
  const counted = read === undefined ? 1 : attemptsOf(read.options.context);
  return {
    status: error === undefined ? "ok" : error.isRetryable ? "retryable" : "error",
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    durationMs: Math.max(0, clock.now() - startedAt),
    attempts: Math.max(1, counted, error?.details.attempts ?? 1),
    ...(found?.server?.version !== undefined && { resolvedVersion: found.server.version }),
    policySnapshot: found === undefined ? [] : snapshotOf(found.definition, found.server),
    correlationId,
    ...(origin !== undefined && { origin }),
  };
}

const codes: Readonly<Record<ErrorKind, InvocationErrorCode>> = {
  auth: "AuthError",
  contract: "ContractError",
  execution: "ExecutionError",
  policy: "PolicyError",
  system: "SystemError",
};

function errorOf(reason: unknown, progress: Progress, parts: InvokeParts): InvocationError {
  const error = isHostsideError(reason)
    ? reason
    : new HostsideError("the call failed in an unforeseen way", { code: "internal_error", cause: reason });
  const { kind, code, rawMessage, details, serverId, toolName } = error;
  // An error that names no server may name the tool by its local name.
  const named = toolName === undefined ? undefined : { serverId: serverId ?? "", toolName };
  const origin = serverId === undefined ? (originOf(progress.found) ?? named) : named;
  return {
    code: codes[kind],
    subcode: code,
    message: rawMessage,
    details,
    isRetryable: isRetryable(error, progress, parts),
    cause: error,
    ...(origin !== undefined && { origin }),
  };
}

/**
 * It did not run and may be another way the next time; or the tool's effect allows a second run,
 * and the failure is a passing one.
 */
function isRetryable(error: HostsideError, { read, found }: Progress, parts: InvokeParts): boolean {
  if (error.retryable) return true;
  if (found === undefined) return false;
  const hasKey = parts.idempotencyMetaKey !== undefined && read?.options.context.idempotencyKey !== undefined;
  const effect = parts.effectOf(found.definition, found.server);
  return mayRepeat(error, { effect, hasKey });
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
