import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  postgresBinary,
  redisBinary,
  startPostgres,
  startRedis,
  type DatabaseServer,
} from "../../../../test/database-servers.ts";

const program = fileURLToPath(new URL("replica.mjs", import.meta.url));
const processes = 8;

interface Replica {
  readonly child: ChildProcess;
  ask<T>(name: string, options?: object): Promise<T>;
}

async function startReplica(stateUrl: string, limitsUrl: string): Promise<Replica> {
  const child = fork(program, [JSON.stringify({ stateUrl, limitsUrl })], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(child, "message");
  // One for each question that is not answered yet.
  child.setMaxListeners(100);
  let last = 0;
  return {
    child,
    ask: (name, options = {}) =>
      new Promise((resolve, reject) => {
        const id = (last += 1);
        const hear = (message: { id: number; answer: never; failure?: string }): void => {
          if (message.id !== id) return;
          child.off("message", hear);
          if (message.failure === undefined) resolve(message.answer);
          else reject(new Error(message.failure));
        };
        child.on("message", hear);
        child.send({ id, name, options });
      }),
  };
}

const startReplicas = (stateUrl: string, limitsUrl: string): Promise<readonly Replica[]> =>
  Promise.all(Array.from({ length: processes }, () => startReplica(stateUrl, limitsUrl)));

function killAll(replicas: readonly Replica[]): void {
  for (const { child } of replicas) child.kill("SIGKILL");
}

interface Takings {
  readonly passed: readonly (readonly [sentAt: number, answeredAt: number])[];
  readonly codes: readonly string[];
}

/** The most that was taken beyond what a bucket would have given, in any stretch of time. */
function mostBeyond(passed: Takings["passed"], { burst, stepMs }: { burst: number; stepMs: number }): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const [from] of passed) {
    const ends = passed.filter(([sentAt]) => sentAt >= from).map(([, answeredAt]) => answeredAt);
    ends.sort((a, b) => a - b);
    for (const [index, to] of ends.entries()) most = Math.max(most, index + 1 - burst - (to - from + 1) / stepMs);
  }
  return most;
}

function say(what: string): void {
  process.stdout.write(`${what}\n`);
}

const isHere = redisBinary !== undefined;
const limitKinds = [
  { kind: "Redis", isEngineHere: isHere },
  { kind: "Postgres", isEngineHere: isHere && postgresBinary !== undefined },
].map((one) => ({ ...one, title: one.isEngineHere ? one.kind : `${one.kind} (there is none on this machine)` }));

describe.each(limitKinds)("eight replicas whose limits are in $title", ({ kind, isEngineHere }) => {
  let redis: DatabaseServer;
  let engine: DatabaseServer;
  let replicas: readonly Replica[] = [];
  beforeAll(async () => {
    if (!isEngineHere) return;
    redis = await startRedis();
    engine = kind === "Redis" ? redis : await startPostgres();
    replicas = await startReplicas(redis.url, engine.url);
  }, 120_000);
  afterAll(async () => {
    killAll(replicas);
    if (engine !== redis) await engine?.close();
    await redis?.close();
  }, 30_000);

  const takeAll = async (rule: object, ms: number): Promise<readonly Takings[]> => {
    const untilAt = Date.now() + ms;
    return Promise.all(replicas.map((replica) => replica.ask<Takings>("take", { rule, untilAt })));
  };

  it.skipIf(!isEngineHere)(
    "let through what one would",
    async () => {
      const budget = await takeAll({ name: "budget", budget: { calls: 500 }, waitMs: 0 }, 3000);
      const late = budget.flatMap(({ codes }) => codes);
      const counted = budget.flatMap(({ passed }) => passed).length;
      // A machine that is too busy to answer in time has calls refused, and what such a call may
      // have taken stays taken.
      expect(counted).toBeLessThanOrEqual(500);
      expect(counted).toBeGreaterThanOrEqual(late.length === 0 ? 500 : 400);
      const rate = await takeAll({ name: "rate", rate: { calls: 100, perMs: 1000, burst: 20 }, waitMs: 0 }, 4000);
      const passed = rate.flatMap((one) => one.passed);
      const beyond = mostBeyond(passed, { burst: 20, stepMs: 10 });
      say(`${kind}: ${passed.length} calls in 4 s of 420 that there were; beyond the bucket: ${beyond.toFixed(1)}`);
      expect(beyond).toBeLessThanOrEqual(0);
      expect(passed.length).toBeGreaterThan(kind === "Redis" ? 350 : 250);
      const codes = new Set([...budget, ...rate].flatMap((one) => one.codes));
      expect(codes.size === 0 || codes.has("store_failed")).toBe(true);
      expect(codes.size).toBeLessThanOrEqual(1);
    },
    60_000,
  );

  it.skipIf(!isEngineHere)(
    "run nothing while the engine is down, wait no longer than they may, and go on when it is back",
    async () => {
      const taking = takeAll({ name: "outage", rate: { calls: 10_000, perMs: 1000, burst: 1000 }, waitMs: 0 }, 15_000);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await engine.stop();
      const downAt = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 4000));
      const backAt = Date.now();
      await engine.start();
      const takings = await taking;
      const passed = takings.flatMap((one) => one.passed);
      const isWithin = ([sentAt, answeredAt]: (typeof passed)[number]): boolean =>
        sentAt > downAt && answeredAt < backAt;
      expect(passed.filter(isWithin)).toEqual([]);
      expect(passed.filter(([sentAt]) => sentAt < downAt).length).toBeGreaterThan(100);
      for (const one of takings) {
        expect(one.passed.filter(([sentAt]) => sentAt > backAt).length).toBeGreaterThan(0);
        expect(one.codes).toEqual(["store_failed"]);
      }
      // Whoever asked early was refused meanwhile, and not held until the engine was back.
      expect(passed.filter(([sentAt]) => sentAt > downAt && sentAt < backAt - 3000)).toEqual([]);
    },
    60_000,
  );
});

const stateKinds = [
  { kind: "Redis", isEngineHere: isHere, start: startRedis },
  { kind: "Postgres", isEngineHere: postgresBinary !== undefined, start: startPostgres },
].map((one) => ({ ...one, title: one.isEngineHere ? one.kind : `${one.kind} (there is none on this machine)` }));

describe.each(stateKinds)("eight replicas whose approvals are in $title", ({ kind, isEngineHere, start }) => {
  let engine: DatabaseServer;
  let replicas: readonly Replica[] = [];
  beforeAll(async () => {
    if (!isEngineHere) return;
    engine = await start();
    replicas = await startReplicas(engine.url, engine.url);
  }, 120_000);
  afterAll(async () => {
    killAll(replicas);
    await engine?.close();
  }, 30_000);

  const first = (): Replica => {
    const [replica] = replicas;
    if (replica === undefined) throw new Error("nobody is there");
    return replica;
  };
  const offeredBy = async (all: readonly Replica[], isOffered: boolean): Promise<readonly (number | null)[]> => {
    // Who hears no notice never shows it.
    const endsAt = Date.now() + 20_000;
    for (;;) {
      const offered = await Promise.all(all.map((replica) => replica.ask<number | null>("offered")));
      if (offered.every((at) => (at !== null) === isOffered) || Date.now() > endsAt) return offered;
    }
  };

  it.skipIf(!isEngineHere)(
    "show a tool soon after its approval by one of them, and hide it when that is revoked",
    async () => {
      for (let round = 0; round < 5; round += 1) {
        const approvedAt = await first().ask<number>("approve");
        const offered = await offeredBy(replicas, true);
        const latest = Math.max(...offered.map((at) => (at ?? Number.POSITIVE_INFINITY) - approvedAt));
        say(`${kind}: the last of eight replicas shows the tool after ${latest} ms`);
        expect(offered).not.toContain(null);
        await first().ask("revoke");
        expect(await offeredBy(replicas, false)).toEqual(replicas.map(() => null));
      }
    },
    60_000,
  );

  it.skipIf(!isEngineHere)(
    "resume each suspended call once, of eight that race for it",
    async () => {
      await first().ask("approve");
      await offeredBy(replicas, true);
      const calls = await Promise.all(
        Array.from({ length: 50 }, async (_, id) => {
          const args = { id };
          return { args, token: await first().ask<string>("suspend", { args }) };
        }),
      );
      const results = await Promise.all(
        replicas.map((replica) => replica.ask<{ ran: number[]; why: object }>("resume", { calls })),
      );
      const ran = results.flatMap((result) => result.ran).toSorted((a, b) => a - b);
      expect(ran).toEqual(calls.map(({ args }) => args.id));
      expect(new Set(results.flatMap(({ why }) => Object.keys(why)))).toEqual(new Set(["used"]));
    },
    60_000,
  );

  it.skipIf(!isEngineHere)(
    "get the lock of one that was killed",
    async () => {
      const victim = replicas.at(-1);
      expect(await victim?.ask("hold")).toBe("held");
      victim?.child.kill("SIGKILL");
      const startedAt = Date.now();
      await first().ask("revoke");
      say(`${kind}: the lock of a killed replica passed on after ${Date.now() - startedAt} ms`);
      expect(Date.now() - startedAt).toBeLessThan(5000);
      expect(await offeredBy(replicas.slice(0, -1), false)).toEqual(replicas.slice(1).map(() => null));
    },
    60_000,
  );
});
