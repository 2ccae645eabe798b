import { HostsideError } from "@hostside/core";
import { resultWithin } from "@hostside/core/implement";

/** The parts that were made, and their ends. */
export interface Closing {
  /**
   * Adds the end of a part, if there is one. The last one added is called first. A part that is not
   * done within `withinMs`, 30,000 by default, goes on by itself.
   */
  add(close: ((reason?: string) => unknown) | undefined, withinMs?: number): void;
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

/** Makes an empty one. */
export function createClosing(): Closing {
  const parts: (() => unknown)[] = [];
  let closing: Promise<void> | undefined;
  let reason: string | undefined;
  const closeAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const close of parts.toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 1) throw new AggregateError(failures, "parts of the host could not be closed");
    if (failures.length === 1) throw failures[0];
  };
  const close: Closing["close"] = (given) => {
    reason ??= given;
    return (closing ??= closeAll());
  };
  const end = (): void => void close("the signal of createHost() aborted").catch(() => undefined);
  return {
    add(part, withinMs = 30_000) {
      if (part !== undefined) parts.push(async () => resultWithin(Promise.resolve(part(reason)), withinMs));
    },
    close,
    endWith(signal) {
      signal?.addEventListener("abort", end, { once: true });
      parts.push(() => signal?.removeEventListener("abort", end));
      if (signal?.aborted === true) end();
    },
    assertOpen() {
      if (closing !== undefined) throw new HostsideError("the host is closed", { code: "closed" });
    },
  };
}
