import {
  isHostsideError,
  HostsideError,
  type CallContext,
  type CallHandler,
  type Interceptor,
  type Progress,
  type ToolCall,
  type ToolOutcome,
} from "@hostside/core";
import { createSecretFinder, dateOf, quoteText, type SecretFinder } from "@hostside/core/implement";
import type { StageParts } from "../policy-parts.ts";
import { callEvent } from "../refuse.ts";
import { toolSubject, type ToolSubject } from "../rules/tool-subject.ts";
import { createErrorMask } from "./mask-error.ts";
import { createLaterTexts, createPause } from "./later-texts.ts";
import { isPartFailure, maskInTurns, maskText, partFailure, type PartFailure, type Search } from "./mask-text.ts";
import { createPlaceholders } from "./placeholders.ts";
import { readRedaction, shortestValue, type RedactionOptions, type RedactionRules } from "./redaction-options.ts";
import { createSecretKeys, type SecretKeys } from "./secret-keys.ts";

/** The stage of a policy that masks secrets in what comes back. */
export interface Redaction {
  readonly interceptor: Interceptor;
  /**
   * Masks a text of the host's own, such as a line of a log, with the placeholders of a
   * conversation.
   */
  redactText(text: string, context?: CallContext): string;
  /**
   * Masks data of a server that is no result of a call; the very same where there were no secrets.
   * Rejects with `internal_error` when it could not be looked through.
   */
  redactData<Data>(data: Data, context?: CallContext): Promise<Data>;
}

/**
 * Makes the stage. Throws a `TypeError` for options that make no sense.
 *
 * Masked are content, structured content, `raw`, `meta`, progress and errors with their details and
 * causes, names of members as well as values: what stands under a secret's key, what has the shape
 * of a well-known secret, and the values that the host knows. The same secret has the same
 * placeholder within a conversation of a principal and another one in any other. An outcome without
 * secrets is passed on as it is.
 *
 * Placeholders in arguments stay what they are: to put a secret back for whoever sends its
 * placeholder would let a server that can make a model call something have it sent anywhere.
 *
 * When a function of the product fails, nobody knows what is secret. The result is then withheld:
 * an outcome that says so, because the tool has run, and a `part-failed` event.
 */
export function createRedaction(options: RedactionOptions, parts: StageParts): Redaction {
  const rules = readRedaction(options);
  const searchFor = createSearches(rules, parts);
  return {
    async interceptor(call, next) {
      if (!rules.isOn()) return next(call);
      const matched = matchedLists(rules, toolSubject(call.definition, call.server, parts));
      return run(call, next, { parts, search: () => searchFor(call.options.context, matched) });
    },
    redactText(text, context) {
      if (!rules.isOn()) return text;
      try {
        return maskText(text, searchFor(context, []));
      } catch (error) {
        const failed = failureOf(error);
        parts.emit({ type: "part-failed", at: dateOf(parts.clock), part: failed.part, error: failed.cause });
        return `[withheld: ${failed.message}]`;
      }
    },
    async redactData(data, context) {
      if (!rules.isOn()) return data;
      try {
        return await maskData(data, searchFor(context, []), parts);
      } catch (error) {
        const failed = failureOf(error);
        parts.emit({ type: "part-failed", at: dateOf(parts.clock), part: failed.part, error: failed.cause });
        const message = `what a server sent is withheld, because it could not be searched for secrets: ${failed.message}`;
        throw new HostsideError(message, { code: "internal_error" });
      }
    },
  };
}

function matchedLists({ tools }: RedactionRules, subject: ToolSubject): readonly number[] {
  return tools.flatMap(({ matcher }, index) => (matcher.matches(subject) ? [index] : []));
}

type Searches = (context: CallContext | undefined, lists: readonly number[]) => Search;

function createSearches(rules: RedactionRules, parts: StageParts): Searches {
  const placeholdersOf = createPlaceholders(rules.key);
  const keysOf = new Map<string, SecretKeys>();
  let values: readonly string[] = [];
  let findValues: SecretFinder = () => [];
  let isReported = false;
  // Once: what is too short stays so, and is asked for with every result.
  const noteShort = (answered: readonly string[]): void => {
    const count = answered.filter(({ length }) => length > 0 && length < shortestValue).length;
    if (isReported || count === 0) return;
    isReported = true;
    const problem = `${count} of what it answered have fewer than ${shortestValue} characters, and are not looked for`;
    parts.emit({
      type: "part-failed",
      at: dateOf(parts.clock),
      part: "redact.values()",
      error: new TypeError(problem),
    });
  };
  const finderFor = (context: CallContext | undefined): SecretFinder => {
    let current: readonly string[];
    try {
      current = rules.values(context);
    } catch (error) {
      throw partFailure("redact.values()", error);
    }
    noteShort(current);
    if (current.length !== values.length || current.some((value, index) => value !== values[index])) {
      values = [...current];
      findValues = createSecretFinder(values);
    }
    return findValues;
  };
  return (context, lists) => {
    const name = lists.join();
    const keys =
      keysOf.get(name) ??
      createSecretKeys([...rules.keys, ...lists.flatMap((index) => rules.tools[index]?.keys ?? [])]);
    keysOf.set(name, keys);
    const { knownShapes, detectors } = rules;
    const placeholders = placeholdersOf(context);
    return { keys, findValues: finderFor(context), knownShapes, detectors, placeholders };
  };
}

interface RunInit {
  readonly parts: StageParts;
  readonly search: () => Search;
}

async function run(call: ToolCall, next: CallHandler, init: RunInit): Promise<ToolOutcome> {
  let outcome: ToolOutcome;
  try {
    outcome = await next(withProgress(call, init));
  } catch (error) {
    throw maskedError(error, call, init);
  }
  try {
    const search = init.search();
    const { origin, ...rest } = outcome;
    const after = await maskData(rest, search, init.parts);
    const masked = after === rest ? outcome : { ...after, origin };
    tell(search, call, init);
    return masked;
  } catch (error) {
    const reason = failed(error, call, init);
    const text = `The tool ran. Its result is withheld, because it could not be searched for secrets: ${reason}.`;
    const content = [{ type: "text" as const, text }];
    return { content, isError: outcome.isError, origin: outcome.origin, raw: { content } };
  }
}

/** Masks data without holding up anybody else; a mask keeps the shape of what it masks. */
async function maskData<Data>(data: Data, search: Search, { clock }: StageParts): Promise<Data> {
  const later = createLaterTexts();
  const pause = createPause(clock);
  for (;;) {
    const masked = createErrorMask({ ...search, later }).mask(data) as Data;
    const isWhole = !(await later.mask((what, text) => maskInTurns(text, search, { what, pause })));
    if (isWhole) return masked;
  }
}

function maskedError(error: unknown, call: ToolCall, init: RunInit): unknown {
  try {
    const search = init.search();
    const masked = createErrorMask(search).maskThrown(error);
    tell(search, call, init);
    return masked;
  } catch (problem) {
    return withheldError(error, failed(problem, call, init), call);
  }
}

// What a policy of the host goes by; no word of the server's.
function withheldError(error: unknown, reason: string, { origin }: ToolCall): HostsideError {
  const message = `call of ${quoteText(origin.toolName)} failed, and what is known of it is withheld, because it could not be searched for secrets: ${reason}`;
  const { serverId, toolName } = origin;
  if (!isHostsideError(error)) {
    return new HostsideError(message, { code: "internal_error", serverId, toolName, outcome: "unknown" });
  }
  const { code, retryable, outcome, details } = error;
  const { retryAfterMs, httpStatus, rpcCode, timeoutMs, usage, policy, approval, denied, attempts } = details;
  const kept = { retryAfterMs, httpStatus, rpcCode, timeoutMs, usage, policy, approval, denied, attempts };
  const known = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  return new HostsideError(message, { code, serverId, toolName, retryable, outcome, details: known });
}

function withProgress(call: ToolCall, init: RunInit): ToolCall {
  const { onProgress } = call.options;
  if (onProgress === undefined) return call;
  return {
    ...call,
    options: { ...call.options, onProgress: (progress) => onProgress(maskProgress(progress, call, init)) },
  };
}

function maskProgress(progress: Progress, call: ToolCall, init: RunInit): Progress {
  try {
    return createErrorMask(init.search()).mask(progress) as Progress;
  } catch (error) {
    const { progress: done, total } = progress;
    return {
      progress: done,
      ...(total !== undefined && { total }),
      message: `[withheld: ${failed(error, call, init)}]`,
    };
  }
}

function tell({ placeholders }: Search, call: ToolCall, { parts }: RunInit): void {
  const count = placeholders.count();
  if (count === 0) return;
  const reason = count === 1 ? "masked 1 secret" : `masked ${count} secrets`;
  parts.emit({ type: "applied", ...callEvent(call, parts), stage: "redaction", reason }, call);
}

/** Tells that a part failed, and returns why in words. */
function failed(error: unknown, call: ToolCall, { parts }: RunInit): string {
  const failure = failureOf(error);
  parts.emit({ type: "part-failed", ...callEvent(call, parts), part: failure.part, error: failure.cause }, call);
  return failure.message;
}

function failureOf(error: unknown): PartFailure {
  return isPartFailure(error) ? error : partFailure("redaction", error);
}
