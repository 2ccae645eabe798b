import {
  cleanText,
  isHostsideError,
  HostsideError,
  type AdmissionServer,
  type CallContext,
  type Clock,
  type ErrorKind,
  type ToolDefinition,
  type ToolOutcome,
  type ToolProvider,
} from "@hostside/core";
import { createDeadline, quoteText, systemClock } from "@hostside/core/implement";
import { outputProblemsOf } from "../validation/output-problems.ts";
import { mayRepeat } from "../retry/may-repeat.ts";
import { toolSubject, type EffectOf } from "../rules/tool-subject.ts";
import type { InvocationError, InvocationErrorCode, InvocationOrigin, InvocationResult } from "./invocation.ts";
import { readInvocation, type ReadInvocation } from "./read-invocation.ts";

/** What invocations call: a toolbox or a provider. */
export interface InvokeTarget {
  call: ToolProvider["call"];
  tools: ToolProvider["tools"];
  describeServer?(serverId: string): AdmissionServer | undefined;
}

/** What invocations are made with. All of it is optional; a policy gives what it knows. */
export interface InvokeOptions {
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
  /** Makes correlation ids. Default `crypto.randomUUID`. */
  readonly createId?: (() => string) | undefined;
  /** What a call of a tool does. Default: what its definition says. */
  readonly effectOf?: EffectOf | undefined;
  /**
   * How often the call with this context object was tried. Default: what its error says, else 1.
   */
  readonly attemptsOf?: ((context: CallContext) => number) | undefined;
  /** Under which key of `_meta` idempotency keys are sent. Default: they are not. */
  readonly idempotencyMetaKey?: string | undefined;
  /** What of the policy holds for a tool, in words. Default: nothing. */
  readonly snapshotOf?:
    | ((definition: ToolDefinition, server: AdmissionServer | undefined) => readonly string[])
    | undefined;
  /** Versions of servers. Default: none is known, and an invocation with a `versionRange` fails. */
  readonly versions?: InvokeVersions | undefined;
}

/** What is known of versions. */
export interface InvokeVersions {
  of(serverId: string): string | undefined;
  /** Reads a range; throws a `TypeError` for a text that is none. */
  readRange(range: string, place: string): (version: string | undefined) => boolean;
}

/** Calls a tool. Never throws and never rejects, whatever it is given. */
export type Invoke = (invocation: unknown) => Promise<InvocationResult>;

interface Found {
  readonly definition: ToolDefinition;
  readonly server: AdmissionServer | undefined;
  readonly version: string | undefined;
}

interface Progress {
  readonly startedAt: number;
  correlationId: string;
  read: ReadInvocation | undefined;
  found: Found | undefined;
}

/**
 * Makes a function that calls the tools of a toolbox or provider, and answers with an envelope in
 * place of exceptions.
 */
export function createInvoke(target: InvokeTarget, options: InvokeOptions = {}): Invoke {
  const { clock = systemClock, createId = () => crypto.randomUUID() } = options;
  return async (invocation) => {
    const progress: Progress = { startedAt: nowOf(clock), correlationId: "", read: undefined, found: undefined };
    try {
      const newId = (): string => (progress.correlationId = createId());
      const read = readInvocation(invocation, newId, clock);
      progress.read = read;
      progress.correlationId = read.options.context.correlationId ?? "";
      progress.found = find(target, read, options);
      const output = await call(target, progress, clock);
      return envelope(progress, options, { output, ...(output.isError && { error: toolError(output) }) });
    } catch (reason) {
      if (progress.correlationId === "") progress.correlationId = idOf(createId);
      return envelope(progress, options, { error: errorOf(reason, progress, options) });
    }
  };
}

/** The tool as it is now; throws when it is there, and not in a version that will do. */
function find(
  target: InvokeTarget,
  { toolName, versionRange }: ReadInvocation,
  { versions }: InvokeOptions,
): Found | undefined {
  const definition =
    target.tools([toolName])[0] ??
    (toolName.includes("::") ? target.tools().find(({ origin }) => origin?.qualifiedName === toolName) : undefined);
  if (definition === undefined) return undefined;
  const serverId = definition.origin?.serverId ?? "";
  const version = serverId === "" ? undefined : versions?.of(serverId);
  if (versionRange !== undefined) assertVersion({ toolName, versionRange, version }, versions);
  return { definition, server: target.describeServer?.(serverId), version };
}

function assertVersion(
  { toolName, versionRange, version }: { toolName: string; versionRange: string; version: string | undefined },
  versions: InvokeVersions | undefined,
): void {
  const fail = (
    code: "invalid_arguments" | "unknown_tool" | "unsupported_operation",
    why: string,
    cause?: unknown,
  ): never => {
    throw new HostsideError(`call of ${quoteText(toolName)} was not sent: ${why}`, {
      code,
      toolName,
      outcome: "not-sent",
      cause,
    });
  };
  if (versions === undefined) return fail("unsupported_operation", "no versions of servers are known here");
  let matches: (version: string | undefined) => boolean = () => false;
  try {
    matches = versions.readRange(versionRange, "versionRange");
  } catch (cause) {
    fail("invalid_arguments", cause instanceof TypeError ? cause.message : "its versionRange cannot be read", cause);
  }
  if (matches(version)) return;
  const claimed = version === undefined ? "no version" : `version ${quoteText(version)}`;
  fail("unknown_tool", `its server has ${claimed}, and ${quoteText(versionRange)} is wanted`);
}

async function call(target: InvokeTarget, { read, found }: Progress, clock: Clock): Promise<ToolOutcome> {
  if (read === undefined) throw new TypeError("nothing was read");
  const { input, leftMs, versionRange } = read;
  const toolName = found?.definition.name ?? read.toolName;
  // What was looked at is what runs.
  const options = { ...read.options, ...(versionRange !== undefined && found && { selected: found.definition }) };
  if (leftMs === undefined) return target.call(toolName, input, options);
  if (leftMs <= 0) {
    throw new HostsideError(`call of ${quoteText(read.toolName)} was not sent: its deadline is over`, {
      code: "call_timeout",
      toolName: read.toolName,
      outcome: "not-sent",
      retryable: false,
    });
  }
  const deadline = createDeadline({ timeoutMs: leftMs, clock, onTimeout: () => undefined });
  try {
    return await target.call(toolName, input, { ...options, deadline });
  } finally {
    deadline.dispose();
  }
}

function envelope(
  { startedAt, correlationId, read, found }: Progress,
  { clock = systemClock, attemptsOf, snapshotOf }: InvokeOptions,
  { output, error }: { readonly output?: ToolOutcome; readonly error?: InvocationError },
): InvocationResult {
  const origin = shortOrigin(output?.origin) ?? error?.origin ?? shortOrigin(found && originOf(found.definition));
  const counted = read && orElse(() => attemptsOf?.(read.options.context), undefined);
  return {
    status: error === undefined ? "ok" : error.isRetryable ? "retryable" : "error",
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    durationMs: Math.max(0, nowOf(clock) - startedAt),
    attempts: Math.max(1, counted ?? 1, error?.details.attempts ?? 1),
    ...(found?.version !== undefined && { resolvedVersion: found.version }),
    policySnapshot: found === undefined ? [] : orElse(() => snapshotOf?.(found.definition, found.server) ?? [], []),
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

function errorOf(reason: unknown, progress: Progress, options: InvokeOptions): InvocationError {
  const error = isHostsideError(reason)
    ? reason
    : new HostsideError("the call failed in an unforeseen way", { code: "internal_error", cause: reason });
  const { kind, code, rawMessage, details, serverId, toolName } = error;
  // An error that names no server may name the tool by its local name.
  const named = toolName === undefined ? undefined : { serverId: serverId ?? "", toolName };
  const origin =
    serverId === undefined ? (shortOrigin(progress.found && originOf(progress.found.definition)) ?? named) : named;
  return {
    code: codes[kind],
    subcode: code,
    message: rawMessage,
    details,
    isRetryable: orElse(() => isRetryable(error, progress, options), false),
    cause: error,
    ...(origin !== undefined && { origin }),
  };
}

/**
 * It did not run and may be another way the next time; or the tool's effect allows a second run,
 * and the failure is a passing one.
 */
function isRetryable(
  error: HostsideError,
  { read, found }: Progress,
  { effectOf, idempotencyMetaKey }: InvokeOptions,
): boolean {
  if (error.retryable) return true;
  if (found === undefined) return false;
  const hasKey = idempotencyMetaKey !== undefined && read?.options.context.idempotencyKey !== undefined;
  const { effect } = toolSubject(found.definition, found.server, { effectOf });
  return mayRepeat(error, { effect, hasKey });
}

const longestToolText = 2000;

function toolError(outcome: ToolOutcome): InvocationError {
  const { content, origin } = outcome;
  const violations = outputProblemsOf(outcome);
  if (violations !== undefined) {
    const where = violations.map(({ path, message }) => `${path || "/"} ${message}`).join("; ");
    return {
      code: "ContractError",
      subcode: "invalid_result",
      message: cleanText(`the result does not fit the output schema of the tool: ${where}`, longestToolText),
      details: { violations },
      isRetryable: false,
      ...(shortOrigin(origin) && { origin: { serverId: origin.serverId, toolName: origin.toolName } }),
    };
  }
  const texts = content.flatMap((block) =>
    block.type === "text" && typeof block.text === "string" ? [block.text] : [],
  );
  const message = cleanText(texts.join("\n"), longestToolText);
  return {
    code: "ExecutionError",
    subcode: "tool_error",
    message: message === "" ? "the tool says that it failed" : message,
    details: {},
    isRetryable: false,
    ...(shortOrigin(origin) && { origin: { serverId: origin.serverId, toolName: origin.toolName } }),
  };
}

function originOf({ origin, name }: ToolDefinition): InvocationOrigin {
  return origin ?? { serverId: "", toolName: name };
}

function shortOrigin(origin: InvocationOrigin | undefined): InvocationOrigin | undefined {
  return origin && { serverId: origin.serverId, toolName: origin.toolName };
}

function nowOf(clock: Clock): number {
  return orElse(() => clock.now(), 0);
}

function idOf(createId: () => string): string {
  return orElse(createId, "unknown");
}

/**
 * What a part of the product's answers, or something else when it throws: an envelope is promised
 * whatever happens.
 */
function orElse<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}
