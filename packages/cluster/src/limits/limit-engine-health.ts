import { HostsideError, isHostsideError, type Clock, type Event } from "@hostside/core";
import { createEvent, quoteText, resultWithin } from "@hostside/core/implement";
import type { LimitStoreOutage } from "@hostside/policy";

/** What came of asking. */
export type EngineAnswer<T> = { readonly answer: T } | { readonly failed: HostsideError };

/** Stands before an engine that may be down or slow. */
export interface LimitEngineHealth {
  /** Of each outage the begin and the end, once. */
  readonly onOutage: Event<LimitStoreOutage>;
  /**
   * Asks, and waits no longer than the time. While the engine is known to be down nobody is asked,
   * but for one a second who tries. What comes too late is handed to `tooLate`.
   */
  ask<T>(work: () => Promise<T>, tooLate?: (answer: T) => void): Promise<EngineAnswer<T>>;
}

/** What a watch is made from. */
export interface LimitEngineHealthInit {
  readonly name: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const mostFailures = 3;
const openMs = 1000;

/**
 * Makes one. The first failure begins an outage, and the first answer ends it; after the third in a
 * row nobody waits for its turn to fail.
 */
export function createLimitEngineHealth({ name, timeoutMs, clock }: LimitEngineHealthInit): LimitEngineHealth {
  const onOutage = createEvent<LimitStoreOutage>();
  let failures = 0;
  let openUntil = 0;
  let isTrying = false;
  let last: HostsideError | undefined;

  const fail = (cause: unknown): HostsideError => {
    const error = toError(cause, name);
    const isFirst = failures === 0;
    failures += 1;
    last = error;
    if (failures >= mostFailures) openUntil = clock.now() + openMs;
    if (isFirst) onOutage.emit({ state: "down", error });
    return error;
  };
  const recover = (): void => {
    if (failures === 0) return;
    failures = 0;
    last = undefined;
    onOutage.emit({ state: "up" });
  };
  const ask: LimitEngineHealth["ask"] = async (work, tooLate = () => {}) => {
    const known = failures >= mostFailures ? last : undefined;
    if (known !== undefined && (isTrying || clock.now() < openUntil)) return { failed: known };
    const isTrial = known !== undefined;
    if (isTrial) isTrying = true;
    let isOver = false;
    const run = async () => {
      const answer = await work();
      if (isOver) tooLate(answer);
      return { answer };
    };
    try {
      const asked = await resultWithin(run(), timeoutMs, clock);
      isOver = true;
      if (asked === undefined) throw new Error(`no answer within ${timeoutMs} ms`);
      recover();
      return asked;
    } catch (error) {
      return { failed: fail(error) };
    } finally {
      if (isTrial) isTrying = false;
    }
  };
  return { onOutage: onOutage.on, ask };
}

function toError(cause: unknown, name: string): HostsideError {
  if (isHostsideError(cause)) return cause;
  const evidence = quoteText(cause instanceof Error ? cause.message || codeOf(cause) : String(cause), 200);
  return new HostsideError(`limits cannot be counted in ${name}: ${evidence}`, { code: "store_failed", cause });
}

// What several addresses have refused has no message of its own.
function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
