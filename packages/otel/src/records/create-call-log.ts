import {
  type CallDecision,
  type CallObserver,
  type CallRecord,
  type Interceptor,
  type ToolOutcome,
  isHostsideError,
  truncateText,
  type CallAttempt,
  type CallContext,
  type ToolCall,
} from "@hostside/core";
import { assertKnownOptions, clock, joinObservers, type Fields, withoutApproval } from "@hostside/core/implement";
import { assertCapture, longestCapture, captureData, captureText, type CaptureRules } from "../capture.ts";
import { observeEnd, quietly } from "../quietly.ts";

/** All that happened to one call. */
export interface EndedCall {
  readonly call: ToolCall;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly decisions: readonly CallDecision[];
  /** One for each attempt at the server. */
  readonly records: readonly CallRecord[];
  readonly outcome?: ToolOutcome;
  readonly error?: unknown;
}

/** One time that a call was sent. Plain data. */
export interface SentEntry {
  readonly at: string;
  readonly durationMs: number;
  readonly transport: string;
  readonly protocolVersion?: string;
  /** Number of the session at its server. */
  readonly session: number;
  readonly requests: number;
  readonly requestId?: string | number;
  readonly sentBytes?: number;
  readonly receivedBytes?: number;
  /** Why it ended, if not with a result. */
  readonly code?: string;
}

/** The record of one call: plain data, as JSON has it. */
export interface CallEntry {
  readonly type: "call";
  /** ISO 8601, when it was made. */
  readonly at: string;
  /** Absent for a tool that is on no server. */
  readonly server?: string;
  /** The version that the server names. */
  readonly serverVersion?: string;
  /**
   * Hash of the whole definition that the server listed, so that a run can be compared with
   * another.
   */
  readonly fingerprint?: string;
  /** The remote name. */
  readonly tool: string;
  /** The local name. */
  readonly name: string;
  readonly effect: string;
  /** On whose behalf, and why. */
  readonly context?: CallContext;
  /** In all, with what layers and people did about it; in milliseconds. */
  readonly durationMs: number;
  /** For a session, for a listing, for its turn; over all tries. */
  readonly waitMs: { readonly connect: number; readonly list: number; readonly turn: number };
  /** With a server; over all tries. */
  readonly wireMs: number;
  readonly sends: readonly SentEntry[];
  /** Decisions of layers about it. */
  readonly decisions: readonly (Pick<CallDecision, "type" | "stage" | "decision" | "by" | "code" | "reason"> & {
    readonly at: string;
  })[];
  /** `ok`, `tool-error` when the tool itself said that it failed, or the code of the error. */
  readonly ended: string;
  /** For an error: the known effect. */
  readonly outcome?: string;
  /** The message of an error, redacted and bounded, with `captureMessages`. */
  readonly message?: string;
  /** With `captureArguments`. */
  readonly arguments?: unknown;
  readonly result?: unknown;
}

/** Options of entries. */
export interface CallEntryRules extends CaptureRules {
  readonly captureArguments: boolean;
  readonly captureResults: boolean;
  readonly captureMessages: boolean;
}

const longestName = 256;
const longestMessage = 1000;

/** Makes the entry of a call. Never throws. */
export function toCallEntry(ended: EndedCall, rules: CallEntryRules): CallEntry {
  const { call, startedAt, durationMs, decisions, records, error } = ended;
  const { origin, definition, effect = definition.effect ?? "external", options, server } = call;
  const { serverId, toolName } = origin;
  const attempts = records.flatMap((record) => record.attempts);
  const context = withoutApproval(options.context);
  return {
    type: "call",
    at: isoDate(startedAt),
    ...(serverId !== "" && { server: serverId }),
    ...(server?.version !== undefined && { serverVersion: truncateText(server.version, 64) }),
    ...(definition.fingerprint !== undefined && { fingerprint: definition.fingerprint }),
    tool: truncateText(toolName, longestName),
    name: definition.name,
    effect,
    ...(context !== undefined && { context: readSafely(() => captureData(context, rules)) as CallContext }),
    durationMs: round(durationMs),
    waitMs: {
      connect: round(total(records, ({ connectMs }) => connectMs)),
      list: round(total(records, ({ listMs }) => listMs)),
      turn: round(total(records, ({ turnMs }) => turnMs)),
    },
    wireMs: round(total(attempts, (attempt) => attempt.durationMs)),
    sends: attempts.map(toSentEntry),
    decisions: decisions.map(({ type, at, stage, decision, by, code, reason }) => ({
      type,
      at: isoDate(at),
      ...(stage !== undefined && { stage }),
      ...(decision !== undefined && { decision }),
      ...(by !== undefined && { by }),
      ...(code !== undefined && { code }),
      ...(reason !== undefined && { reason: safeText(reason, rules) }),
    })),
    ...endingOf(ended, rules),
    ...(rules.captureArguments && { arguments: readSafely(() => boundedData(call.args, rules)) }),
    ...(rules.captureResults &&
      error === undefined && { result: readSafely(() => boundedData(ended.outcome?.raw, rules)) }),
  };
}

function endingOf(
  { outcome, error }: EndedCall,
  rules: CallEntryRules,
): Pick<CallEntry, "ended" | "outcome" | "message"> {
  if (outcome !== undefined) return { ended: outcome.isError ? "tool-error" : "ok" };
  if (!isHostsideError(error)) return { ended: "internal_error" };
  const message = rules.captureMessages ? { message: safeText(error.rawMessage, rules) } : {};
  return { ended: error.code, outcome: error.outcome, ...message };
}

function toSentEntry({ startedAt, durationMs, peer, error, ...rest }: CallAttempt): SentEntry {
  const { transport, protocolVersion, session } = peer;
  return {
    at: isoDate(startedAt),
    durationMs: round(durationMs),
    transport,
    ...(protocolVersion !== undefined && { protocolVersion: truncateText(protocolVersion, 64) }),
    session,
    ...rest,
    ...(error !== undefined && { code: error.code }),
  };
}

function total<T>(of: readonly T[], read: (one: T) => number): number {
  return of.reduce((sum, one) => sum + read(one), 0);
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function safeText(text: string, rules: CallEntryRules): string {
  return readSafely(() => captureText(text, { ...rules, maxLength: longestMessage })) as string;
}

// What is too long as JSON is kept as the beginning of its text.
function boundedData(value: unknown, rules: CallEntryRules): unknown {
  const data = captureData(value, rules);
  const text = JSON.stringify(data) ?? "null";
  return text.length <= rules.maxLength ? data : truncateText(text, rules.maxLength);
}

// `redact` is the product's: what it fails on is withheld.
function readSafely(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return "[withheld]";
  }
}

// ISO 8601, in UTC. Reads no clock.
function isoDate(at: number): string {
  // oxlint-disable-next-line no-restricted-globals
  return new Date(at).toISOString();
}

/** Options of {@linkcode createCallLog}. */
export interface CallLogOptions {
  /**
   * Takes the entry of each call when the call has ended: `(entry) => logger.info(entry)`. Errors
   * that it throws are ignored.
   */
  readonly write: (entry: CallEntry) => void;
  /** Says whether entries have the arguments, redacted and bounded. Default `false`. */
  readonly captureArguments?: boolean | undefined;
  /** Says whether they have the results, as the arguments. Default `false`. */
  readonly captureResults?: boolean | undefined;
  /**
   * Says whether entries have the messages of errors, redacted and bounded: a server's own words
   * may be in them, and what was in the arguments. Default `false`: the code says what it was.
   */
  readonly captureMessages?: boolean | undefined;
  /**
   * Masks secrets in texts, such as `redactText` of a policy. Texts on which it throws are
   * withheld. Values under names that sound secret are masked in any case. Default: nothing else.
   */
  readonly redact?: ((text: string) => string) | undefined;
}

const fields: Fields<CallLogOptions> = {
  write: true,
  captureArguments: true,
  captureResults: true,
  captureMessages: true,
  redact: true,
};

/**
 * Creates an interceptor that writes one entry for each call: how long it waited and for what, each
 * time that it was sent and with how many bytes, what a policy decided, and why it ended. Put it
 * before all others in the option `interceptors` of a toolbox. Throws a `TypeError` that names an
 * option that cannot be used.
 *
 * @example
 * const log = createCallLog({ write: (entry) => console.log(JSON.stringify(entry)) });
 * const toolbox = createToolbox({ providers: [provider], interceptors: [log] });
 */
export function createCallLog(options: CallLogOptions): Interceptor {
  assertKnownOptions("createCallLog()", options, fields);
  const { write, redact = (text: string) => text } = options;
  if (typeof write !== "function") throw new TypeError("write must be a function");
  const { captureArguments = false, captureResults = false, captureMessages = false } = options;
  const flags = { captureArguments, captureResults, captureMessages };
  assertCapture(flags, redact);
  const rules: CallEntryRules = { ...flags, redact, maxLength: longestCapture };
  return (call, next) => {
    const from = clock.now();
    const startedAt = clock.date();
    const decisions: CallDecision[] = [];
    const records: CallRecord[] = [];
    const observer: CallObserver = {
      onDecision: (decision) => void (decisions.length < mostKept && decisions.push(decision)),
      onRecord: (record) => void (records.length < mostKept && records.push(record)),
    };
    const handed = { ...call, options: { ...call.options, observer: joinObservers(observer, call.options.observer) } };
    return observeEnd(
      () => next(handed),
      (ending) => {
        const ended = { call, startedAt, durationMs: clock.now() - from, decisions, records, ...ending };
        quietly(() => write(toCallEntry(ended, rules)));
      },
    );
  };
}

// A layer that decides or retries without end must not fill the memory.
const mostKept = 100;
