import { longestTimeoutMs } from "@hostside/core";
import { createEvent, kindOf, settleWithin, type Fields } from "@hostside/core/implement";
import { EngineClient } from "../engine/engine-client.ts";
import { createLeaseLock, type LeaseEngine } from "../engine/lease-lock.ts";
import { createEngineNotices, type NoticeEngine } from "../engine/notices.ts";
import { createValueStore, type ValueEngine } from "../engine/value-store.ts";
import { createLimitStore, type CountingEngine } from "../limits/create-limit-store.ts";
import type { SharedState, SharedStateOptions, StateDiagnostic } from "./shared-state.ts";

/** For {@linkcode assertKnownOptions}. */
export const sharedStateFields: Fields<SharedStateOptions> = {
  prefix: true,
  timeoutMs: true,
  maxWaitMs: true,
  holderTimeoutMs: true,
};

/** Options with their defaults. */
export type SharedStateSettings = {
  readonly [Name in keyof SharedStateOptions]-?: NonNullable<SharedStateOptions[Name]>;
};

/** An engine as a state uses it. */
export interface Engine {
  /** For people: `Redis`. */
  readonly name: string;
  readonly isAnswer: (error: unknown) => boolean;
  readonly values: ValueEngine;
  readonly leases: LeaseEngine;
  readonly notices: NoticeEngine;
  readonly counts: CountingEngine;
  /** Ends what goes on by itself. */
  readonly close?: () => Promise<unknown>;
}

/** Fills in the defaults. Throws a `TypeError` that names the option that cannot be used. */
export function readSharedStateOptions(owner: string, options: SharedStateOptions): SharedStateSettings {
  const { prefix = "hostside:", timeoutMs = 5000, maxWaitMs = 60_000, holderTimeoutMs = 10_000 } = options;
  if (typeof prefix !== "string") throw new TypeError(`${owner}: prefix must be a string, not ${kindOf(prefix)}`);
  for (const [name, ms] of Object.entries({ timeoutMs, maxWaitMs, holderTimeoutMs })) {
    if (!(typeof ms === "number" && ms > 0 && ms <= longestTimeoutMs))
      throw new TypeError(`${owner}: ${name} must be a number above 0, at most ${longestTimeoutMs}`);
  }
  return { prefix, timeoutMs, maxWaitMs, holderTimeoutMs };
}

/** Makes a shared state over an engine. Sends nothing. */
export function createSharedState(engine: Engine, settings: SharedStateSettings): SharedState {
  const { timeoutMs } = settings;
  const { name, isAnswer } = engine;
  const diagnostics = createEvent<StateDiagnostic>();
  const client = new EngineClient({ name, timeoutMs, isAnswer });
  client.onHealth(({ state, message, error }) =>
    diagnostics.emit({ kind: `engine-${state === "up" ? "back" : "down"}`, message, ...(error && { error }) }),
  );
  const lock = createLeaseLock({ ...settings, leases: engine.leases, client });
  const notices = createEngineNotices(engine.notices, client, { timeoutMs });
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    client.close();
    diagnostics.close();
    await settleWithin(Promise.all([lock.close(), notices.close(), engine.close?.()]), timeoutMs);
  };
  const close = (): Promise<void> => (closing ??= end());
  return {
    store: createValueStore(engine.values, client, settings),
    lock,
    notices,
    limitStore: createLimitStore({ ...settings, engine: engine.counts, client }),
    onDiagnostic: diagnostics.on,
    close,
    [Symbol.asyncDispose]: close,
  };
}
