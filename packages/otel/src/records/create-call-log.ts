import type { CallDecision, CallObserver, CallRecord, Interceptor, ToolOutcome } from "@hostside/core";
import { assertKnownOptions, clock, joinObservers, type Fields } from "@hostside/core/implement";
import { assertCapture, longestCapture } from "../capture.ts";
import { quietly } from "../quietly.ts";
import { toCallEntry, type CallEntry, type CallEntryRules } from "./call-entry.ts";

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
  const { write } = options;
  if (typeof write !== "function") throw new TypeError("write must be a function");
  const rules = readRules(options);
  return async (call, next) => {
    const from = clock.now();
    const startedAt = clock.date();
    const { decisions, records, ...observer } = collectReports();
    const handed = { ...call, options: { ...call.options, observer: joinObservers(observer, call.options.observer) } };
    const end = (ending: { readonly outcome: ToolOutcome } | { readonly error: unknown }): void => {
      const ended = { call, startedAt, durationMs: clock.now() - from, decisions, records, ...ending };
      quietly(() => write(toCallEntry(ended, rules)));
    };
    try {
      const outcome = await next(handed);
      end({ outcome });
      return outcome;
    } catch (error) {
      end({ error });
      throw error;
    }
  };
}

function readRules({
  captureArguments = false,
  captureResults = false,
  captureMessages = false,
  redact = (text) => text,
}: CallLogOptions): CallEntryRules {
  assertCapture({ captureArguments, captureResults, captureMessages }, redact);
  return { captureArguments, captureResults, captureMessages, redact, maxLength: longestCapture };
}

// A layer that decides or retries without end must not fill the memory.
const mostKept = 100;

function collectReports(): CallObserver & { readonly decisions: CallDecision[]; readonly records: CallRecord[] } {
  const decisions: CallDecision[] = [];
  const records: CallRecord[] = [];
  return {
    decisions,
    records,
    onDecision: (decision) => void (decisions.length < mostKept && decisions.push(decision)),
    onRecord: (record) => void (records.length < mostKept && records.push(record)),
  };
}
