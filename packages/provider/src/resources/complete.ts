import { assertKnownOptions, freezeData, isJsonObject, isPlainObject, kindOf } from "@hostside/core/implement";
import type { JsonObject } from "@hostside/core";
import { malformedError, notOfferedError, type ResourceParts } from "./ask-server.ts";
import { longestUri } from "./check-uri.ts";
import type { ReadOptions } from "./server-lists.ts";
import { readFilledArguments, type FilledArguments } from "./prompt.ts";
import { requestTimeoutMs } from "./resources-options.ts";

/**
 * What a value is looked for: a prompt by its name, or a template by its text; as it was listed, or
 * made by hand.
 */
export type CompletionTarget =
  | { readonly serverId: string; readonly name: string; readonly uriTemplate?: undefined }
  | { readonly serverId: string; readonly uriTemplate: string };

/** What was typed so far. */
export interface CompletionInput {
  /** The argument of the prompt, or the variable of the template. */
  readonly argument: string;
  /** May be empty. */
  readonly value: string;
  /** The other arguments, as far as they are known: servers go by them. */
  readonly given?: FilledArguments | undefined;
}

/** What a server proposes. */
export interface Completion {
  /** At most 100, each of at most 8,192 UTF-16 units: others are left out. Untrusted. */
  readonly values: readonly string[];
  /** How many there are in all, as the server says. */
  readonly total?: number;
  /** Whether there are more than these: because the server says so, or some were left out. */
  readonly hasMore: boolean;
}

const operation = "completion/complete";
// https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
const mostValues = 100;
const inputFields = { argument: true, value: true, given: true } as const;

/**
 * Throws a `TypeError` for what is no target and no input, and `invalid_arguments` for values that
 * are no texts. The params of the request.
 */
export function readCompletion(target: CompletionTarget, input: CompletionInput): JsonObject {
  if (!isPlainObject(target)) throw new TypeError(`complete() needs a prompt or a template, not ${kindOf(target)}`);
  assertKnownOptions("complete()", input, inputFields);
  const { argument, value, given } = input;
  for (const [place, text] of Object.entries({ argument, value })) {
    if (typeof text !== "string") throw new TypeError(`complete(): ${place} must be a text, not ${kindOf(text)}`);
  }
  const { uriTemplate } = target;
  const named = uriTemplate ?? target.name;
  if (typeof named !== "string" || named === "") throw new TypeError("complete() needs a name or a uriTemplate");
  const owner = { serverId: target.serverId, what: "a completion" };
  return {
    ref: uriTemplate === undefined ? { type: "ref/prompt", name: named } : { type: "ref/resource", uri: named },
    argument: { name: argument, value },
    ...(given !== undefined && { context: { arguments: readFilledArguments(given, owner) } }),
  };
}

/** Asks a server for proposals, as `complete()` of `Resources` says. */
export async function complete(
  { asking }: ResourceParts,
  { serverId, params }: { readonly serverId: string; readonly params: JsonObject },
  options: ReadOptions,
): Promise<Completion> {
  const { signal, context, meta, timeoutMs = requestTimeoutMs } = options;
  const subject = { serverId, operation };
  return asking.ask({ ...subject, timeoutMs, signal, context }, async ({ server, request }) => {
    if (!isJsonObject(server.capabilities["completions"])) throw notOfferedError(subject);
    const { completion } = await request(operation, { ...params, ...(meta && { _meta: meta }) });
    if (!isJsonObject(completion) || !Array.isArray(completion["values"])) {
      throw malformedError(subject, "without an array of values");
    }
    return readProposals(completion["values"], completion);
  });
}

function readProposals(all: readonly unknown[], { total, hasMore }: JsonObject): Completion {
  const values: string[] = [];
  for (const value of all) {
    if (values.length === mostValues) break;
    if (typeof value === "string" && value.length <= longestUri) values.push(value);
  }
  return freezeData({
    values,
    ...(typeof total === "number" && total >= 0 && { total }),
    hasMore: hasMore === true || values.length < all.length,
  });
}
