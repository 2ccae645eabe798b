import { Redis } from "ioredis";
import { createClient } from "redis";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  postgresBinary,
  redisBinary,
  startPostgres,
  startRedis,
  type DatabaseServer,
} from "../../../../test/database-servers.ts";
import { createPostgresState } from "@hostside/cluster/postgres";
import { createRedisState, type SharedStateOptions } from "@hostside/cluster/redis";
import type { LimitLease, LimitRefusal, LimitRule, LimitStore } from "@hostside/policy";
import { useTestClock } from "../../../../test/manual-clock.ts";

/** An engine, and replicas that each have a client of their own. */
interface SharedWorld {
  readonly server: DatabaseServer;
  /** `connections`: how many it may have, if that says anything; default 4. */
  replica(options?: SharedStateOptions, connections?: number): Promise<LimitStore>;
  close(): Promise<void>;
}

async function openRedis(): Promise<SharedWorld> {
  const server = await startRedis();
  const clients: { destroy(): void }[] = [];
  return {
    server,
    async replica(options) {
      const client = createClient({ url: server.url });
      client.on("error", () => {});
      await client.connect();
      clients.push(client);
      return createRedisState(client, options).limitStore;
    },
    async close() {
      for (const client of clients) client.destroy();
      await server.close();
    },
  };
}

async function openIoRedis(): Promise<SharedWorld> {
  const server = await startRedis();
  const clients: Redis[] = [];
  return {
    server,
    async replica(options) {
      const client = new Redis(server.url, { maxRetriesPerRequest: null });
      client.on("error", () => {});
      clients.push(client);
      return createRedisState(client, options).limitStore;
    },
    async close() {
      for (const client of clients) client.disconnect();
      await server.close();
    },
  };
}

async function openPostgres(): Promise<SharedWorld> {
  const server = await startPostgres();
  const pools: pg.Pool[] = [];
  return {
    server,
    async replica(options, max = 4) {
      const pool = new pg.Pool({ connectionString: server.url, max });
      pool.on("error", () => {});
      pools.push(pool);
      return createPostgresState(pool, options).limitStore;
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end()));
      await server.close();
    },
  };
}

const kinds = [
  { kind: "Redis", isHere: redisBinary !== undefined, open: openRedis },
  { kind: "Redis, by ioredis", isHere: redisBinary !== undefined, open: openIoRedis },
  { kind: "Postgres", isHere: postgresBinary !== undefined, open: openPostgres },
].map((one) => ({ ...one, title: one.isHere ? one.kind : `${one.kind} (there is none on this machine)` }));

let named = 0;
function ruleOf(rule: Partial<LimitRule>): LimitRule {
  named += 1;
  return { name: `rule ${named}`, waitMs: 0, ...rule };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function take(store: LimitStore, ...rules: readonly LimitRule[]): Promise<LimitLease | LimitRefusal> {
  return store.take(
    rules.map((rule) => ({ rule, key: "ada" })),
    undefined,
  );
}

async function granted(store: LimitStore, ...rules: readonly LimitRule[]): Promise<LimitLease> {
  const result = await take(store, ...rules);
  if (!result.granted) throw new Error(`refused: ${JSON.stringify(result)}`);
  return result;
}

describe.each(kinds)("limits in $title", ({ isHere, open }) => {
  let world: SharedWorld;
  beforeAll(async () => {
    if (isHere) world = await open();
  }, 60_000);
  afterAll(async () => world?.close());

  it.skipIf(!isHere)("count a budget of calls over replicas, and give back a call that never left", async () => {
    const [a, b] = [await world.replica(), await world.replica()];
    const rule = ruleOf({ budget: { calls: 2 } });
    (await granted(a, rule)).settle(true);
    const second = await granted(b, rule);
    expect(await take(a, rule)).toMatchObject({
      granted: false,
      part: "budget",
      used: 2,
      limit: 2,
      retryAfterMs: undefined,
    });
    second.settle(false);
    await sleep(50);
    await granted(a, rule);
    expect(await take(b, rule)).toMatchObject({ granted: false, used: 2 });
  });

  it.skipIf(!isHere)("end the window of a budget by the clock of the engine", async () => {
    const [a, b] = [await world.replica(), await world.replica()];
    const rule = ruleOf({ budget: { calls: 1, perMs: 2000 } });
    (await granted(a, rule)).settle(true);
    const refusal = await take(b, rule);
    expect(refusal).toMatchObject({ granted: false, part: "budget" });
    const waitMs = refusal.granted ? 0 : (refusal.retryAfterMs ?? 0);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(2002);
    await sleep(waitMs + 10);
    await granted(b, rule);
  });

  it.skipIf(!isHere)("grant no more to a replica whose clock jumps, and hold it up no longer", async () => {
    let aheadMs = 0;
    useTestClock({ now: () => performance.now() + aheadMs, date: () => Date.now() + aheadMs });
    const [jumping, other] = [await world.replica(), await world.replica()];
    const budget = ruleOf({ budget: { calls: 2, perMs: 3_600_000 } });
    const rate = ruleOf({ rate: { calls: 1, perMs: 3_600_000, burst: 1 } });
    await granted(jumping, budget, rate);
    const dayMs = 86_400_000;
    for (const jumpMs of [dayMs, -dayMs]) {
      aheadMs = jumpMs;
      expect(await take(jumping, rate)).toMatchObject({ granted: false, part: "rate" });
    }
    await granted(jumping, budget);
    for (const store of [jumping, other]) expect(await take(store, budget)).toMatchObject({ granted: false, used: 2 });

    const slow = ruleOf({ rate: { calls: 1, perMs: 300, burst: 1 }, waitMs: 5000 });
    await granted(jumping, slow);
    // Held up, it would be refused when its five seconds are over.
    const waiting = granted(jumping, slow);
    aheadMs = -dayMs;
    await waiting;
  });

  it.skipIf(!isHere)("take nothing of the others for a call that one refuses", async () => {
    const store = await world.replica();
    const [narrow, wide] = [
      ruleOf({ budget: { calls: 1 } }),
      ruleOf({ rate: { calls: 3, perMs: 600_000, burst: 3 }, budget: { calls: 3 } }),
    ];
    await granted(store, narrow, wide);
    for (let call = 0; call < 20; call += 1)
      expect(await take(store, wide, narrow)).toMatchObject({ granted: false, rule: { name: narrow.name } });
    await granted(store, wide);
    await granted(store, wide);
    expect(await take(store, wide)).toMatchObject({ granted: false });
  });

  it.skipIf(!isHere)("let calls wait for a rate in the order in which they came", async () => {
    // Over one connection they come in the order in which they are asked; over several, a busy
    // machine may have one overtake another.
    const store = await world.replica({}, 1);
    const rule = ruleOf({ rate: { calls: 1, perMs: 120, burst: 1 }, waitMs: 5000 });
    const order: number[] = [];
    // Nobody has to wait for a connection.
    await Promise.all(Array.from({ length: 4 }, async () => take(store, ruleOf({ budget: { calls: 1 } }))));
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        await sleep(index * 40);
        const lease = await granted(store, rule);
        order.push(index);
        lease.settle(true);
      }),
    );
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
    expect(performance.now() - startedAt).toBeGreaterThan(4 * 120);
  });

  it.skipIf(!isHere)("hold a rate exactly, whoever takes when", async () => {
    const replicas = await Promise.all(Array.from({ length: 4 }, async () => world.replica()));
    const rule = ruleOf({ rate: { calls: 10, perMs: 200, burst: 10 } });
    const passed: { readonly sentAt: number; readonly answeredAt: number }[] = [];
    const endsAt = performance.now() + 1500;
    await Promise.all(
      replicas.map(async (store) => {
        while (performance.now() < endsAt) {
          const sentAt = performance.now();
          if ((await take(store, rule)).granted) passed.push({ sentAt, answeredAt: performance.now() });
        }
      }),
    );
    // All that were taken within a stretch of time: no more than the bucket holds, and what it got
    // meanwhile.
    for (const { sentAt: from } of passed) {
      for (const { answeredAt: to } of passed) {
        const within = passed.filter(({ sentAt, answeredAt }) => sentAt >= from && answeredAt <= to).length;
        expect(within).toBeLessThanOrEqual(10 + Math.max(0, to - from) / 20);
      }
    }
    expect(passed.length).toBeGreaterThan(20);
  });
});
