import { HostsideError } from "@hostside/core";
import { resultWithin } from "@hostside/core/implement";

/** Ends a part. Called once, or more often where it was added more often. */
export type Close = (reason: string | undefined) => unknown;

/** What was made, and how it ends. */
export interface Closing {
  /**
   * What is added last is closed first. A part that is not done within `withinMs`, 30,000 by
   * default, goes on by itself.
   */
  add(close: Close, withinMs?: number): void;
  /**
   * Closes all parts, one after the other, whatever one of them does. Rejects with what a part
   * failed with, after all have ended; with an `AggregateError` when there are several. Idempotent.
   */
  close(reason?: string): Promise<void>;
  /** Closes all parts when the signal aborts, or has aborted. */
  endWith(signal: AbortSignal | undefined): void;
  /** Throws `closed` once {@linkcode close} was called. */
  assertOpen(): void;
}

const defaultMs = 30_000;

/** Makes an empty one. */
export function createClosing(): Closing {
  const parts: { readonly close: Close; readonly withinMs: number }[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (reason: string | undefined): Promise<void> => {
    const failures: unknown[] = [];
    for (const { close, withinMs } of parts.toReversed()) {
      try {
        await resultWithin(Promise.resolve(close(reason)), withinMs);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 1) throw new AggregateError(failures, "parts of the host could not be closed");
    if (failures.length === 1) throw failures[0];
  };
  const close: Closing["close"] = (reason) => (closing ??= closeAll(reason));
  const end = (): void => void close("the signal of createHost() aborted").catch(() => undefined);
  return {
    add(part, withinMs = defaultMs) {
      parts.push({ close: part, withinMs });
    },
    close,
    endWith(signal) {
      signal?.addEventListener("abort", end, { once: true });
      parts.push({ close: () => signal?.removeEventListener("abort", end), withinMs: defaultMs });
      if (signal?.aborted === true) end();
    },
    assertOpen() {
      if (closing !== undefined) throw new HostsideError("the host is closed", { code: "closed" });
    },
  };
}
