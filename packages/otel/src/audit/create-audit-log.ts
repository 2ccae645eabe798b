import { isHostsideError, truncateText, type Clock, type Interceptor, type ToolCall } from "@hostside/core";
import {
  assertKnownOptions,
  dateOf,
  isPlainObject,
  quoteText,
  storeFailed,
  systemClock,
  type Fields,
} from "@hostside/core/implement";
import { captureData } from "../capture.ts";
import { quietly } from "../quietly.ts";
import { toCallEntry, type CallEntryRules } from "../records/call-entry.ts";
import { readEntryOptions, type EntryOptions } from "../records/create-call-log.ts";
import { watchCalls } from "../records/watch-call.ts";
import { importAuditKey, noLines, type AuditHead } from "./audit-line.ts";
import { createAuditWriter, type AuditProblemReport, type AuditSink } from "./audit-writer.ts";

/** Options of {@linkcode createAuditLog}. */
export interface AuditLogOptions extends EntryOptions {
  /** Where lines go: `openAuditFile()` of `@hostside/otel/node`, or what you write yourself. */
  readonly sink: AuditSink;
  /**
   * At least 32 bytes, kept where whoever can write the log has no access. Each line then has a
   * code that only who has the key can make. Default: none; the hashes alone show a change only to
   * whoever knows a later one from elsewhere.
   */
  readonly key?: Uint8Array | string | undefined;
  /**
   * What becomes of calls when the log cannot be written. `"report"`: they go on, what is to be
   * written waits, up to `maxWaiting`, and `onProblem` says so. `"refuse"`: each call is written
   * down before it is sent, and refused with `store_failed` if that fails. Default `"report"`.
   */
  readonly onFailure?: "report" | "refuse" | undefined;
  /**
   * Called when the log cannot be written, once until it can be again, and when it can. Must not
   * throw.
   */
  readonly onProblem?: ((problem: AuditProblemReport) => void) | undefined;
  /**
   * Entries that wait to be written; beyond, the oldest are dropped, and a line says how many.
   * Default 10,000.
   */
  readonly maxWaiting?: number | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** A log that is only ever added to. */
export interface AuditLog {
  /**
   * For the option `interceptors` of a toolbox or a provider, before all others: one line for each
   * call, and with `"refuse"` one before it.
   */
  readonly interceptor: Interceptor;
  /**
   * Adds an entry of the product's own: a plain object, redacted and bounded as all are. Resolves
   * when it is written. Rejects with `store_failed`; it is not in the log then.
   */
  append(entry: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Where the log stands. Kept elsewhere from time to time, it shows later that nothing was cut off
   * (`verifyAuditLog`).
   */
  readonly head: AuditHead;
  /** Resolves when all that was to be written is, or cannot be now. Never rejects. */
  flush(): Promise<void>;
  /** Writes what waits, and closes the sink. Idempotent; never rejects. */
  close(): Promise<void>;
}

const fields: Fields<AuditLogOptions> = {
  sink: true,
  key: true,
  onFailure: true,
  onProblem: true,
  maxWaiting: true,
  captureArguments: true,
  captureResults: true,
  captureMessages: true,
  redact: true,
  maxCapturedLength: true,
  clock: true,
};

/**
 * Makes a log over a sink. Nothing is written before there is something to write. Rejects with a
 * `TypeError` that names an option that cannot be used.
 */
export async function createAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  assertKnownOptions("createAuditLog()", options, fields);
  const { sink, onFailure = "report", onProblem, maxWaiting = 10_000, clock = systemClock } = options;
  if (typeof sink?.write !== "function") throw new TypeError("sink must have the function write");
  if (onFailure !== "report" && onFailure !== "refuse") throw new TypeError('onFailure must be "report" or "refuse"');
  if (onProblem !== undefined && typeof onProblem !== "function") throw new TypeError("onProblem must be a function");
  if (!Number.isInteger(maxWaiting) || maxWaiting < 1) {
    throw new TypeError("maxWaiting must be a whole number above 0");
  }
  const rules = readEntryOptions(options);
  const key = options.key === undefined ? undefined : await importAuditKey(options.key);
  const { head = noLines, cutBytes = 0 } = sink;
  const writer = createAuditWriter({ sink, key, head, maxWaiting, clock, onProblem });
  if (cutBytes > 0) writer.add({ type: "resumed", cutBytes });
  let closing: Promise<void> | undefined;
  return {
    interceptor: watchCalls(
      {
        ...(onFailure === "refuse" && {
          before: (call: ToolCall) => writeBefore(call, rules, (entry) => writer.append(entry)),
        }),
        after: (ended) => writer.add(toCallEntry(ended, rules)),
      },
      clock,
    ),
    async append(entry) {
      if (!isPlainObject(entry)) throw new TypeError("append() takes a plain object");
      await writer.append(toPlainEntry(entry, rules));
    },
    get head() {
      return writer.head;
    },
    flush: () => writer.flush(),
    close: () => (closing ??= writer.close()),
  };

  async function writeBefore(
    call: ToolCall,
    entryRules: CallEntryRules,
    append: (entry: object) => Promise<void>,
  ): Promise<void> {
    const { type: _type, ...begun } = toCallEntry(
      { call, startedAt: dateOf(clock), durationMs: 0, decisions: [], records: [], error: undefined },
      entryRules,
    );
    const { at, server, tool, name, effect, context, arguments: args } = begun;
    try {
      await append({ type: "call-started", at, server, tool, name, effect, context, arguments: args });
    } catch (reason) {
      const { toolName } = call.origin;
      const cause = isHostsideError(reason) ? reason.cause : reason;
      throw storeFailed(`call of ${quoteText(toolName)} was refused: the audit log cannot be written`, cause);
    }
  }
}

function toPlainEntry(entry: Readonly<Record<string, unknown>>, rules: CallEntryRules): object {
  const data = quietly(() => captureData(entry, rules));
  if (!isPlainObject(data)) return { type: "withheld" };
  const text = JSON.stringify(data);
  return text.length <= rules.maxLength ? data : { type: "cut", text: truncateText(text, rules.maxLength) };
}
