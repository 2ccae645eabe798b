import fc from "fast-check";
import type { Interceptor, Lock, Store, SuspendedCall, ToolCall } from "@hostside/core";
import { describe, expect } from "vitest";
import { test } from "../../../test/property-test.ts";
import { asksBy } from "./approval-setup.ts";
import { createApproval, type Approval } from "../src/approval/approval.ts";
import { answerOk, callOf, createStageWorld, failureOf, rejectionOf } from "./stage-world.ts";

const key = new Uint8Array(32).fill(7);

function gated(approval?: string): ToolCall {
  const context = { principal: "ada", ...(approval !== undefined && { approval }) };
  return callOf({ args: { amount: 5 }, options: { context }, definition: { fingerprint: "sha256-01" } });
}

interface Race {
  readonly scheduler: fc.Scheduler;
  readonly processes: number;
  readonly tokens: number;
  /** How much time goes by between two steps of the store, in milliseconds. */
  readonly stepsMs: readonly number[];
  /**
   * What a limit behind the approval says to one call after the other, over and over. Default: it
   * lets all pass.
   */
  readonly room?: readonly boolean[];
}

/** Lets several processes try several tokens of one suspended call, and counts how often it ran. */
async function countRuns({ scheduler, processes, tokens, stepsMs, room = [true] }: Race): Promise<number> {
  const world = createStageWorld();
  const { clock, parts } = world;
  let step = 0;
  const slowly = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve(), name);
    clock.advance(stepsMs[step++ % stepsMs.length] ?? 0);
    const answer = await work();
    await scheduler.schedule(Promise.resolve(), `${name} answers`);
    return answer;
  };
  const store: Store = {
    get: (name) => slowly("get", () => parts.store.get(name)),
    set: (name, value, ttlMs) => slowly("set", () => parts.store.set(name, value, ttlMs)),
    delete: (name) => slowly("delete", () => parts.store.delete(name)),
  };
  const lock: Lock = {
    withLock: (name, leaseMs, work) =>
      parts.lock.withLock(name, leaseMs, async (lease) => {
        await scheduler.schedule(Promise.resolve(), "locked");
        return work(lease);
      }),
  };
  const options = { suspend: { key } } as const;
  const approvals = Array.from({ length: processes }, () =>
    createApproval(options, { ...parts, store, lock }, asksBy()),
  );
  const first = createApproval(options, parts, asksBy());
  let ran = 0;
  let asked = 0;
  const limit: Interceptor = async (call, next) => {
    await scheduler.schedule(Promise.resolve(), "limit");
    if (room[asked++ % room.length] === false) throw failureOf("rate_limited", { outcome: "not-sent" });
    return next(call);
  };
  const send = (approval: Approval, call: ToolCall): Promise<unknown> =>
    approval.around(limit)(call, (handed) => {
      ran += 1;
      return answerOk(handed);
    });
  const suspended = (await rejectionOf(send(first, gated()))).details.approval as SuspendedCall;
  const written = Array.from({ length: tokens }, () => first.approve(suspended));
  const tries = approvals.flatMap((approval) =>
    written.map((token) => scheduler.schedule(Promise.resolve(), "try").then(() => send(approval, gated(token)))),
  );
  const settled = Promise.allSettled(tries);
  await scheduler.waitFor(settled);
  return ran;
}

describe("a suspended call, whoever races for it", () => {
  test.prop([fc.scheduler(), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 })])(
    "goes on exactly once while every step is quick",
    async (scheduler, processes, tokens) => {
      expect(await countRuns({ scheduler, processes, tokens, stepsMs: [0] })).toBe(1);
    },
  );

  test.prop([fc.scheduler(), fc.integer({ min: 1, max: 4 }), fc.array(fc.boolean(), { maxLength: 6 })])(
    "goes on exactly once, if any of its tries finds room behind its approval",
    async (scheduler, processes, refusals) => {
      const room = [...refusals, true];
      const tries = processes * 3;
      const ran = await countRuns({ scheduler, processes, tokens: 3, stepsMs: [0], room });
      expect(ran).toBe(tries > refusals.filter((hasRoom) => !hasRoom).length ? 1 : Math.min(1, ran));
    },
  );

  test.prop([
    fc.scheduler(),
    fc.integer({ min: 2, max: 4 }),
    fc.array(fc.constantFrom(0, 100, 4999, 5000, 9000, 10_000, 30_000), { minLength: 1, maxLength: 12 }),
  ])("never goes on twice, although leases end while a store is slow", async (scheduler, processes, stepsMs) => {
    const ran = await countRuns({ scheduler, processes, tokens: 2, stepsMs, room: [true, false, true] });
    expect(ran).toBeLessThanOrEqual(1);
  });
});
