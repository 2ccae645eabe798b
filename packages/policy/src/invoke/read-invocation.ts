import { HostsideError, type CallContext, type CallOptions, type Clock, type JsonObject } from "@hostside/core";
import { assertCallOptions, assertKnownOptions, dateOf, isJsonObject, type Fields } from "@hostside/core/implement";
import type { Invocation } from "./invocation.ts";

/** An invocation that was read once, and makes sense. */
export interface ReadInvocation {
  readonly toolName: string;
  readonly versionRange: string | undefined;
  readonly input: unknown;
  readonly options: CallOptions & { readonly context: CallContext };
  /** How much time it has, in milliseconds; not above 0 when its deadline is over. */
  readonly leftMs: number | undefined;
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

/**
 * Reads an invocation, whatever it is: each member once, because one may be a getter. Throws
 * `invalid_arguments` with what is wrong as the cause, also when a getter throws.
 */
export function readInvocation(given: unknown, correlationId: () => string, clock: Clock): ReadInvocation {
  try {
    return read(given, correlationId, clock);
  } catch (cause) {
    const why = cause instanceof TypeError ? cause.message : "it cannot be read";
    throw new HostsideError(`the invocation makes no sense: ${why}`, { code: "invalid_arguments", cause });
  }
}

function read(given: unknown, newId: () => string, clock: Clock): ReadInvocation {
  assertKnownOptions("an invocation", given, fields);
  const { toolName, versionRange, input, deadline, headers, metadata, signal, agentId, ...rest } = {
    ...(given as Invocation),
  };
  if (typeof toolName !== "string" || toolName === "") throw new TypeError("toolName must be a text that is not empty");
  if (versionRange !== undefined && typeof versionRange !== "string")
    throw new TypeError("versionRange must be a text");
  const { correlationId = newId(), role = agentId, ...who } = rest;
  const meta = metaOf(headers, metadata);
  const options = {
    context: { correlationId, ...(role !== undefined && { role }), ...who },
    ...(meta !== undefined && { meta }),
    ...(signal !== undefined && { signal }),
  };
  assertCallOptions(options);
  return {
    toolName,
    versionRange,
    input,
    options,
    leftMs: deadline === undefined ? undefined : leftOf(deadline, clock),
  };
}

function metaOf(headers: unknown, metadata: unknown): JsonObject | undefined {
  if (headers !== undefined && !isJsonObject(headers)) throw new TypeError("headers must be an object");
  if (metadata !== undefined && !isJsonObject(metadata)) throw new TypeError("metadata must be an object");
  return headers === undefined ? metadata : { ...metadata, ...headers };
}

function leftOf(deadline: NonNullable<Invocation["deadline"]>, clock: Clock): number {
  const at: unknown = typeof deadline === "number" ? deadline : deadline.getTime();
  if (typeof at !== "number" || !Number.isFinite(at)) throw new TypeError("deadline must be a point in time");
  return at - dateOf(clock);
}
