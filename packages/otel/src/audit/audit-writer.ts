import type { Clock } from "@hostside/core";
import { dateOf, storeFailed } from "@hostside/core/implement";
import { quietly } from "../quietly.ts";
import { isoDate } from "../times.ts";
import { hashLine, sealLine, type AuditHead, type AuditKey } from "./audit-line.ts";

/** Where lines go. */
export interface AuditSink {
  /**
   * Adds whole lines; `seq` is the number of the first. Resolves when they stand there. When it
   * rejects, nothing of them may stand there.
   */
  write(text: string, seq: number): Promise<void>;
  /** Where what is there already ends. Default: there is nothing. */
  readonly head?: AuditHead | undefined;
  /** How much of a line without an end was taken away when it was opened. Default 0. */
  readonly cutBytes?: number | undefined;
  close?(): Promise<void>;
}

/** The log cannot be written, or can be again. */
export type AuditProblemReport =
  | { readonly kind: "failed"; readonly error: unknown; readonly waiting: number }
  | { readonly kind: "restored"; readonly lost: number };

/** Writes entries in order. */
export interface AuditWriter {
  readonly head: AuditHead;
  /** Has it written some time. */
  add(entry: object): void;
  /** Has it written now, or not at all. */
  append(entry: object): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** What a writer is made from. */
export interface AuditWriterInit {
  readonly sink: AuditSink;
  readonly key: AuditKey | undefined;
  readonly head: AuditHead;
  readonly maxWaiting: number;
  readonly clock: Clock;
  readonly onProblem: ((problem: AuditProblemReport) => void) | undefined;
}

interface Waiting {
  readonly entry: object;
  readonly at: string;
  /** There for who waits until it is written. */
  readonly settle?: ((error?: unknown) => void) | undefined;
}

const mostAtOnce = 256;

/** Makes a writer. One write at a time, of all that waits by then. */
export function createAuditWriter(init: AuditWriterInit): AuditWriter {
  const { sink, key, maxWaiting, clock, onProblem } = init;
  let { head } = init;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let lost = 0;
  let hasFailed = false;
  let isClosed = false;

  const enqueue = (item: Waiting): void => {
    waiting.push(item);
    // Those whose callers wait are refused by their failure, and there are no more of them than of
    // calls.
    while (item.settle === undefined && waiting.length > maxWaiting) {
      const oldest = waiting.findIndex(({ settle }) => settle === undefined);
      if (oldest === -1) break;
      waiting.splice(oldest, 1);
      lost += 1;
    }
    start();
  };
  const entryOf = (entry: object, settle?: Waiting["settle"]): Waiting => toWaiting(entry, clock, settle);
  const fail = (batch: readonly Waiting[], error: unknown): void => {
    const all = [...batch, ...waiting];
    waiting = all.filter(({ settle }) => settle === undefined);
    for (const { settle } of all) settle?.(storeFailed("the audit log cannot be written", error));
    if (!hasFailed) quietly(() => onProblem?.({ kind: "failed", error, waiting: waiting.length }));
    hasFailed = true;
  };
  const start = (): void => {
    writing ??= writeAll();
  };
  const writeAll = async (): Promise<void> => {
    // All that comes in this turn leaves together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostAtOnce);
      waiting = waiting.slice(batch.length);
      const lostBefore = lost;
      const all = lostBefore > 0 ? [entryOf({ type: "lost", count: lostBefore }), ...batch] : batch;
      try {
        const { text, head: next } = await chain(all, head, key);
        await sink.write(text, head.seq + 1);
        head = next;
      } catch (error) {
        writing = undefined;
        return fail(batch, error);
      }
      lost -= lostBefore;
      for (const { settle } of batch) settle?.();
      if (hasFailed) quietly(() => onProblem?.({ kind: "restored", lost: lostBefore }));
      hasFailed = false;
    }
    writing = undefined;
  };
  const flush = async (): Promise<void> => {
    if (waiting.length > 0) start();
    await writing;
  };
  return {
    get head() {
      return head;
    },
    add(entry) {
      if (!isClosed) enqueue(entryOf(entry));
    },
    append(entry) {
      if (isClosed) return Promise.reject(storeFailed("the audit log is closed"));
      return new Promise((resolve, reject) => {
        enqueue(entryOf(entry, (error) => (error === undefined ? resolve() : reject(error))));
      });
    },
    flush,
    async close() {
      isClosed = true;
      await flush();
      try {
        await sink.close?.();
      } catch (error) {
        quietly(() => onProblem?.({ kind: "failed", error, waiting: waiting.length }));
      }
    },
  };
}

function toWaiting(entry: object, clock: Clock, settle: Waiting["settle"]): Waiting {
  return { entry, at: isoDate(dateOf(clock)), settle };
}

async function chain(
  batch: readonly Waiting[],
  from: AuditHead,
  key: AuditKey | undefined,
): Promise<{ readonly text: string; readonly head: AuditHead }> {
  let head = from;
  let text = "";
  for (const { entry, at } of batch) {
    const line = await sealLine({ seq: head.seq + 1, at, previous: head.hash, entry }, key);
    text += `${line}\n`;
    head = { seq: head.seq + 1, hash: await hashLine(line) };
  }
  return { text, head };
}
