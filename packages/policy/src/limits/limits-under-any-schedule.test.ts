import fc from "fast-check";
import type { CallHandler, ToolCall, ToolOutcome } from "@hostside/core";
import { lastWordMs } from "@hostside/core/implement";
import { describe, expect } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { answerOk, callOf, createStageWorld, failureOf } from "../../test/stage-world.ts";
import { createLimits } from "./create-limits.ts";
import type { Limit } from "./limit-options.ts";

const limit = fc
  .record({
    per: fc.subarray(["server", "tool", "principal"] as const),
    rate: fc.option(
      fc.record({
        calls: fc.integer({ min: 1, max: 4 }),
        perMs: fc.constantFrom(100, 333),
        burst: fc.integer({ min: 1, max: 4 }),
      }),
      { nil: undefined },
    ),
    concurrency: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    budget: fc.option(fc.record({ calls: fc.integer({ min: 1, max: 5 }), perMs: fc.constantFrom(undefined, 250) }), {
      nil: undefined,
    }),
    onFull: fc.constantFrom("refuse" as const, { waitMs: 50 }, { waitMs: 400 }),
  })
  .filter(({ rate, concurrency, budget }) => [rate, concurrency, budget].some((part) => part !== undefined));
const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("call" as const),
      tool: fc.constantFrom("x", "y"),
      principal: fc.constantFrom("p", "q"),
      end: fc.constantFrom("ok", "ok", "lost", "not-sent", "never"),
      abortable: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(1, 30, 100, 300) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("abort" as const), which: fc.nat(9) }) },
);

interface Run {
  readonly call: ToolCall;
  readonly startedAt: number;
  /** Whether it may have run. */
  counts: boolean;
  /** When its call is over at the latest, because its caller gave it up. */
  overAt: number;
}

/** Throws when more runs were let through than a limit allows to those it counts together. */
function checkSpent({ rate, budget }: Limit, runs: readonly Run[]): void {
  const counting = runs.filter(({ counts }) => counts).map(({ startedAt }) => startedAt);
  const all = runs.map(({ startedAt }) => startedAt);
  if (rate !== undefined) {
    const { calls, perMs, burst = calls } = rate;
    for (const [index, from] of all.entries()) {
      for (const [further, until] of all.slice(index).entries()) {
        const most = burst + ((until - from) * calls) / perMs;
        expect(further + 1, `between ${from} and ${until}`).toBeLessThanOrEqual(most + 1e-6);
      }
    }
  }
  if (budget?.calls === undefined) return;
  // Windows begin with the first call that counts; any call begins one when the one before it is
  // over.
  let left = [...counting];
  while (left.length > 0) {
    const until = (left[0] ?? 0) + (budget.perMs ?? Number.POSITIVE_INFINITY);
    const inWindow = left.filter((at) => at < until);
    expect(inWindow.length, `from ${left[0]}`).toBeLessThanOrEqual(budget.calls);
    left = left.slice(inWindow.length);
  }
}

function groupOf({ origin, options }: ToolCall, per: Limit["per"] = []): string {
  const parts = { server: origin.serverId, tool: origin.toolName, principal: options.context?.principal };
  return JSON.stringify([per].flat().map((name) => parts[name as keyof typeof parts]));
}

function flush(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function groupsOf(runs: readonly Run[], per: Limit["per"]): Iterable<readonly Run[]> {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const key = groupOf(run.call, per);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return groups.values();
}

describe("limits", () => {
  test.prop(
    [
      fc.array(limit, { minLength: 1, maxLength: 3 }),
      fc.array(command, { minLength: 1, maxLength: 25 }),
      fc.scheduler(),
    ],
    {
      numRuns: 500,
    },
  )("are never exceeded under any schedule, and leave nothing behind", async (limits, commands, scheduler) => {
    const world = createStageWorld();
    const layers = [createLimits({ limits }, world.parts).interceptor];
    const runs: Run[] = [];
    const active: Run[] = [];
    const excesses: string[] = [];
    const aborts: AbortController[] = [];
    const pending = new Set<Promise<unknown>>();

    // Timer by timer: what one has led to happens before the next one.
    const advance = async (ms: number): Promise<void> => {
      const until = world.clock.now() + ms;
      for (let at = world.clock.nextAt; at !== undefined && at <= until; at = world.clock.nextAt) {
        world.clock.advanceToNext();
        await flush();
      }
      world.clock.advance(until - world.clock.now());
    };
    const checkActive = (): void => {
      for (const { per, concurrency = Number.POSITIVE_INFINITY } of limits) {
        const underWay = active.filter(({ overAt }) => world.clock.now() < overAt);
        for (const group of groupsOf(underWay, per)) {
          // What a handler throws would be the answer of its call.
          if (group.length > concurrency) excesses.push(`${group.length} of ${concurrency} for ${String(per)}`);
        }
      }
    };
    const leave = (run: Run | undefined): void => {
      const at = run === undefined ? -1 : active.indexOf(run);
      if (at >= 0) active.splice(at, 1);
    };
    const handle = async (call: ToolCall, end: string, noteRun: (run: Run) => void): Promise<ToolOutcome> => {
      const run = { call, startedAt: world.clock.now(), counts: true, overAt: Number.POSITIVE_INFINITY };
      call.options.signal?.addEventListener("abort", () => (run.overAt = world.clock.now() + lastWordMs));
      runs.push(run);
      active.push(run);
      noteRun(run);
      checkActive();
      if (end === "never") return new Promise(() => {});
      try {
        await scheduler.schedule(Promise.resolve(), `answer of ${call.origin.toolName}`);
        if (end === "ok") return await answerOk(call);
        run.counts = end === "lost";
        throw end === "lost" ? failureOf("connection_closed") : failureOf("unreachable");
      } finally {
        leave(run);
      }
    };
    const start = ({
      tool,
      principal,
      end,
      abortable,
    }: {
      tool: string;
      principal: string;
      end: string;
      abortable: boolean;
    }): void => {
      const abort = new AbortController();
      if (abortable) aborts.push(abort);
      const options = { context: { principal }, signal: abort.signal, timeoutMs: 1_000_000 };
      let run: Run | undefined;
      const handler: CallHandler = (call) => handle(call, end, (made) => void (run = made));
      const work = world.send(callOf({ toolName: tool, options }), layers, handler).catch(() => {});
      pending.add(work);
      void work.finally(() => {
        pending.delete(work);
        // Whatever a handler does that heeds no signal: its call is over.
        leave(run);
      });
    };
    scheduler.scheduleSequence(
      commands.map((step, index) => ({
        label: `${index}: ${JSON.stringify(step)}`,
        builder: async () => {
          if (step.do === "call") start(step);
          else if (step.do === "advance") await advance(step.ms);
          else aborts.splice(step.which % Math.max(1, aborts.length), 1)[0]?.abort();
        },
      })),
    );
    for (let turn = 0; turn < 500; turn += 1) {
      await flush();
      if (scheduler.count() > 0) await scheduler.waitOne();
      else if (pending.size === 0 || !world.clock.advanceToNext()) break;
    }
    expect(excesses).toEqual([]);
    expect(pending.size).toBe(0);
    expect(world.clock.pending).toBe(0);
    expect(active).toEqual([]);
    for (const limit of limits) for (const group of groupsOf(runs, limit.per)) checkSpent(limit, group);
  });

  test.prop(
    [
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.record({ abortAtMs: fc.option(fc.nat(300)), heeds: fc.boolean(), waitMs: fc.nat(50) }), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.scheduler(),
    ],
    { numRuns: 100 },
  )(
    "keep no place of a call that is over, whoever ended it and whatever lies behind",
    async (concurrency, calls, scheduler) => {
      const { clock, parts, send } = createStageWorld();
      const layers = [createLimits({ limits: [{ concurrency, onFull: { waitMs: 500 } }] }, parts).interceptor];
      const sent = calls.map(async ({ abortAtMs, heeds, waitMs }) => {
        await scheduler.schedule(Promise.resolve(), "call");
        const abort = new AbortController();
        if (abortAtMs !== null) clock.schedule(abortAtMs, () => abort.abort());
        const handler: CallHandler = ({ options: { signal } }) =>
          new Promise((_, reject) => {
            if (heeds)
              signal?.addEventListener("abort", () => clock.schedule(waitMs, () => reject(new Error("given up"))));
          });
        await send(callOf({ options: { signal: abort.signal, timeoutMs: 1000 } }), layers, handler).catch(() => {});
      });
      const all = Promise.all(sent);
      for (let turn = 0; turn < 100; turn += 1) {
        await flush();
        if (scheduler.count() > 0) await scheduler.waitOne();
        else if (!clock.advanceToNext()) break;
      }
      await all;
      let entered = 0;
      const again: CallHandler = (call) => ((entered += 1), answerOk(call));
      for (let count = 0; count < concurrency; count += 1) void send(callOf(), layers, again);
      await flush();
      expect(entered).toBe(concurrency);
      expect(clock.pending).toBe(0);
    },
  );
});
