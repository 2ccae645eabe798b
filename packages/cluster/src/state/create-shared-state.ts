import { longestTimeoutMs, type Clock, type Random } from "@hostside/core";
import { createEvent, kindOf, settleWithin, systemClock, systemRandom, type Fields } from "@hostside/core/implement";
import { createEngineClient, type EngineClient } from "./engine-client.ts";
import { createEngineNotices, type NoticeEngine } from "./create-engine-notices.ts";
import { createEngineStore, type ValueEngine } from "./create-engine-store.ts";
import { createLeaseLock, type LeaseEngine } from "./create-lease-lock.ts";
import type { SharedState, SharedStateOptions, StateDiagnostic } from "./shared-state.ts";
import { createStateEngineHealth } from "./state-engine-health.ts";

/** For {@linkcode assertKnownOptions}. */
export const sharedStateFields: Fields<SharedStateOptions> = {
  prefix: true,
  timeoutMs: true,
  maxWaitMs: true,
  holderTimeoutMs: true,
  maxValueBytes: true,
  clock: true,
  random: true,
};

/** Options with their defaults. */
export interface SharedStateSettings {
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
  readonly holderTimeoutMs: number;
  readonly maxValueBytes: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** What makes a state of an engine. */
export interface Engine {
  /** For people: `Redis`. */
  readonly name: string;
  readonly isAnswer: (error: unknown) => boolean;
  readonly values: (engineClient: EngineClient) => ValueEngine;
  readonly leases: LeaseEngine;
  readonly notices: NoticeEngine;
  /** Ends what goes on by itself. */
  readonly close?: () => Promise<unknown>;
}

/** Refuses with a `TypeError` what is no prefix, time or size. */
export function readSharedStateOptions(owner: string, options: SharedStateOptions): SharedStateSettings {
  const { prefix = "hostside:", timeoutMs = 5000, maxWaitMs = 60_000, holderTimeoutMs = 10_000 } = options;
  const { maxValueBytes = 16 * 1024 * 1024, clock = systemClock, random = systemRandom } = options;
  if (typeof prefix !== "string") throw new TypeError(`${owner}: prefix must be a string, not ${kindOf(prefix)}`);
  for (const [name, ms] of Object.entries({ timeoutMs, maxWaitMs, holderTimeoutMs })) {
    if (!(typeof ms === "number" && ms > 0 && ms <= longestTimeoutMs))
      throw new TypeError(`${owner}: ${name} must be a number above 0, at most ${longestTimeoutMs}`);
  }
  if (!Number.isSafeInteger(maxValueBytes) || maxValueBytes < 1)
    throw new TypeError(`${owner}: maxValueBytes must be a positive integer`);
  return { prefix, timeoutMs, maxWaitMs, holderTimeoutMs, maxValueBytes, clock, random };
}

/** A shared state over an engine. Sends nothing. */
export function createSharedState(engine: Engine, settings: SharedStateSettings): SharedState {
  const { prefix, timeoutMs, maxWaitMs, holderTimeoutMs, maxValueBytes, clock, random } = settings;
  const diagnostics = createEvent<StateDiagnostic>();
  const watch = createStateEngineHealth({ engine: engine.name, clock, diagnostics });
  const engineClient = createEngineClient({ engine: engine.name, clock, timeoutMs, watch, isAnswer: engine.isAnswer });
  const lock = createLeaseLock({
    prefix,
    clock,
    random,
    maxWaitMs,
    holderTimeoutMs,
    leases: engine.leases,
    engineClient,
  });
  const notices = createEngineNotices({ engine: engine.notices, clock, random, timeoutMs, engineClient, watch });
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    engineClient.close();
    diagnostics.close();
    const ends = Promise.all([lock.close(), notices.close(), engine.close?.()]);
    await settleWithin(ends, timeoutMs, clock);
  };
  const close = (): Promise<void> => (closing ??= end());
  return {
    store: createEngineStore({ prefix, maxValueBytes, values: engine.values(engineClient) }),
    lock: { withLock: (key, leaseMs, work) => lock.withLock(key, leaseMs, work) },
    notices: {
      publish: (topic) => notices.publish(topic),
      subscribe: (topic, onNotice) => notices.subscribe(topic, onNotice),
    },
    onDiagnostic: diagnostics.on,
    close,
    [Symbol.asyncDispose]: close,
  };
}
