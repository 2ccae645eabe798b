import type { Clock, Interceptor } from "@hostside/core";
import { assertKnownOptions, systemClock, type Fields } from "@hostside/core/implement";
import { quietly } from "../quietly.ts";
import { toCallEntry, type CallEntry, type CallEntryRules } from "./call-entry.ts";
import { watchCalls } from "./watch-call.ts";

/** What an entry of a call holds. */
export interface EntryOptions {
  /** Whether entries have the arguments, redacted and bounded. Default `false`. */
  readonly captureArguments?: boolean | undefined;
  /** Whether they have the results, as the arguments. Default `false`. */
  readonly captureResults?: boolean | undefined;
  /**
   * Whether entries have the messages of errors, redacted and bounded: a server's own words may be
   * in them, and what was in the arguments. Default `false`: the code says what it was.
   */
  readonly captureMessages?: boolean | undefined;
  /**
   * Masks secrets in texts, such as `redactText` of a policy. What it throws on is withheld. Values
   * under names that sound secret are masked in any case. Default: nothing else.
   */
  readonly redact?: ((text: string) => string) | undefined;
  /** Longest captured arguments and longest captured result, in UTF-16 units. Default 4,096. */
  readonly maxCapturedLength?: number | undefined;
}

/** Options of {@linkcode createCallLog}. */
export interface CallLogOptions extends EntryOptions {
  /**
   * Takes the entry of each call, in the moment that it ended: `(entry) => logger.info(entry)`.
   * What it throws disturbs nobody.
   */
  readonly write: (entry: CallEntry) => void;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

const fields: Fields<CallLogOptions> = {
  write: true,
  captureArguments: true,
  captureResults: true,
  captureMessages: true,
  redact: true,
  maxCapturedLength: true,
  clock: true,
};

/**
 * A layer that writes one entry for each call: how long it waited and for what, each time that it
 * was sent and with how many bytes, what a policy decided, and why it ended. For the option
 * `interceptors` of a toolbox or a provider, before all others. Throws a `TypeError` that names an
 * option that cannot be used.
 */
export function createCallLog(options: CallLogOptions): Interceptor {
  assertKnownOptions("createCallLog()", options, fields);
  const { write, clock = systemClock } = options;
  if (typeof write !== "function") throw new TypeError("write must be a function");
  const rules = readEntryOptions(options);
  return watchCalls({ after: (ended) => quietly(() => write(toCallEntry(ended, rules))) }, clock);
}

/** Fills in the defaults. Throws a `TypeError` that names the option. */
export function readEntryOptions({
  captureArguments = false,
  captureResults = false,
  captureMessages = false,
  redact = (text) => text,
  maxCapturedLength = 4096,
}: EntryOptions): CallEntryRules {
  if (typeof captureArguments !== "boolean") throw new TypeError("captureArguments must be true or false");
  if (typeof captureResults !== "boolean") throw new TypeError("captureResults must be true or false");
  if (typeof captureMessages !== "boolean") throw new TypeError("captureMessages must be true or false");
  if (typeof redact !== "function") throw new TypeError("redact must be a function");
  if (!Number.isInteger(maxCapturedLength) || maxCapturedLength < 1) {
    throw new TypeError("maxCapturedLength must be a whole number above 0");
  }
  return { captureArguments, captureResults, captureMessages, redact, maxLength: maxCapturedLength };
}
