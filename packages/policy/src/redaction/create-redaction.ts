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
import { clock, assertKnownOptions, createSecretFinder, quoteText, type Fields } from "@hostside/core/implement";
import { type StageParts, callEvent, tellApplied } from "../refuse.ts";
import { readTexts } from "../read-options.ts";
import { createMask } from "./mask-data.ts";
import { createLaterTexts, maskText, type Search, createPlaceholders } from "./mask-text.ts";
import { createSecretKeys } from "./secret-keys.ts";

type SecretFinder = ReturnType<typeof createSecretFinder>;

/** Options about masking results. Nothing that was masked is ever put back. */
export interface RedactionOptions {
  /**
   * Keys whose values are masked besides `token`, `authorization`, `password`, `secret`, `apikey`
   * and their like. In any case, with whatever between the words, and as the last words of a longer
   * name: `pin` is `user_pin`, too, and not `spin`.
   */
  readonly keys?: readonly string[] | undefined;
  /**
   * Secrets that the host knows, masked in every spelling: escaped, encoded, within Base64. At
   * least six UTF-16 units each; shorter ones are not looked for. A function is asked for each
   * result.
   */
  readonly values?: readonly string[] | ((context: CallContext | undefined) => readonly string[]) | undefined;
  /**
   * The secret of the placeholders, at least 16 bytes. The same key gives the same placeholders in
   * every process. Default: a random one.
   */
  readonly key?: Uint8Array | undefined;
}

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

const fields: Fields<RedactionOptions> = { keys: true, values: true, key: true };
const shortestKey = 16;
const shortestValue = 6;

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
 * When `values()` fails, nobody knows what is secret: results, errors and progress are withheld,
 * and a `part-failed` event says why.
 */
export function createRedaction(options: RedactionOptions, parts: StageParts): Redaction {
  const searchFor = createSearches(options);
  const fail = (error: unknown, call?: ToolCall): void => {
    const about = call === undefined ? { at: clock.date() } : callEvent(call, parts);
    parts.emit({ type: "part-failed", ...about, part: "redact", error }, call);
  };
  const interceptor: Interceptor = async (call, next) =>
    run(call, next, { parts, search: () => searchFor(call.options.context), fail });
  return {
    interceptor,
    redactText(text, context) {
      try {
        return maskText(text, searchFor(context));
      } catch (error) {
        fail(error);
        return "[withheld: it could not be searched for secrets]";
      }
    },
    async redactData(data, context) {
      try {
        return await maskData(data, searchFor(context));
      } catch (error) {
        fail(error);
        const message = "what a server sent is withheld, because it could not be searched for secrets";
        throw new HostsideError(message, { code: "internal_error" });
      }
    },
  };
}

function createSearches(options: RedactionOptions): (context: CallContext | undefined) => Search {
  assertKnownOptions("redact", options, fields);
  const { values = [] } = options;
  if (typeof values !== "function") assertValues(values);
  const keys = createSecretKeys(readKeys(options.keys ?? []));
  const placeholdersOf = createPlaceholders(readKey(options.key));
  let known: readonly string[] = [];
  let findValues: SecretFinder = () => [];
  const finderFor = (context: CallContext | undefined): SecretFinder => {
    const current = typeof values === "function" ? values(context) : values;
    readTexts(current, "the answer of redact.values()");
    if (current.length !== known.length || current.some((value, index) => value !== known[index])) {
      known = [...current];
      findValues = createSecretFinder(known);
    }
    return findValues;
  };
  return (context) => ({ keys, findValues: finderFor(context), placeholders: placeholdersOf(context) });
}

// No value is named: it is a secret.
function assertValues(values: unknown): void {
  const at = readTexts(values, "redact.values").findIndex((value) => value.length < shortestValue);
  if (at < 0) return;
  throw new TypeError(`redact.values[${at}] is too short to be looked for: at least ${shortestValue} characters`);
}

function readKeys(keys: unknown): readonly string[] {
  const texts = readTexts(keys, "redact.keys");
  const empty = texts.findIndex((key) => !/[\p{L}\p{N}]/u.test(key));
  if (empty >= 0) throw new TypeError(`redact.keys[${empty}] has neither a letter nor a digit`);
  return [...texts];
}

function readKey(key: unknown): Uint8Array {
  if (key === undefined) return crypto.getRandomValues(new Uint8Array(32));
  if (key instanceof Uint8Array && key.length >= shortestKey) return key.slice();
  throw new TypeError(`redact.key must be a Uint8Array of at least ${shortestKey} bytes`);
}

interface RunInit {
  readonly parts: StageParts;
  readonly search: () => Search;
  readonly fail: (error: unknown, call: ToolCall) => void;
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
    const after = await maskData(rest, search);
    const masked = after === rest ? outcome : { ...after, origin };
    tell(search, call, init);
    return masked;
  } catch (error) {
    init.fail(error, call);
    // An error would invite a second run.
    const text = "The tool ran. Its result is withheld, because it could not be searched for secrets.";
    const content = [{ type: "text" as const, text }];
    return { content, isError: outcome.isError, origin: outcome.origin, raw: { content } };
  }
}

async function maskData<Data>(data: Data, search: Search): Promise<Data> {
  const later = createLaterTexts();
  for (;;) {
    const masked = createMask({ ...search, later })(data) as Data;
    if (!(await later.mask(search))) return masked;
  }
}

function maskedError(error: unknown, call: ToolCall, init: RunInit): unknown {
  try {
    const search = init.search();
    const masked = createMask(search)(error);
    tell(search, call, init);
    return masked;
  } catch (problem) {
    init.fail(problem, call);
    return withheldError(call, error);
  }
}

// With what a policy of the host goes by, and no word of the server's.
function withheldError({ origin }: ToolCall, error: unknown): HostsideError {
  const withheld = "what is known of it is withheld, because it could not be searched for secrets";
  const message = `call of ${quoteText(origin.toolName)} failed, and ${withheld}`;
  const { code, retryable, outcome } = isHostsideError(error)
    ? error
    : ({ code: "internal_error", retryable: false, outcome: "unknown" } as const);
  const { serverId, toolName } = origin;
  return new HostsideError(message, { code, serverId, toolName, retryable, outcome });
}

function withProgress(call: ToolCall, init: RunInit): ToolCall {
  const { onProgress } = call.options;
  if (onProgress === undefined) return call;
  const masked = (progress: Progress): Progress => {
    try {
      return createMask(init.search())(progress) as Progress;
    } catch (error) {
      init.fail(error, call);
      return { progress: progress.progress, message: "[withheld]" };
    }
  };
  return { ...call, options: { ...call.options, onProgress: (progress) => onProgress(masked(progress)) } };
}

function tell({ placeholders }: Search, call: ToolCall, { parts }: RunInit): void {
  const count = placeholders.count();
  if (count === 0) return;
  tellApplied(call, { stage: "redaction", reason: count === 1 ? "masked 1 secret" : `masked ${count} secrets` }, parts);
}
