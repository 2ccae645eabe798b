import { createPostgresState } from "@hostside/cluster/postgres";
import { createRedisState, type SharedState, type SharedStateOptions } from "@hostside/cluster/redis";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  postgresBinary,
  redisBinary,
  startPostgres,
  startRedis,
  type DatabaseServer,
} from "../../../../test/database-servers.ts";

const program = fileURLToPath(new URL("replica.mjs", import.meta.url));
const kinds = [
  { kind: "redis", isHere: redisBinary !== undefined, start: startRedis },
  { kind: "postgres", isHere: postgresBinary !== undefined, start: startPostgres },
] as const;

describe.each(kinds)("eight processes over one $kind", ({ kind, isHere, start }) => {
  describe.skipIf(!isHere)(`that is real${isHere ? "" : " (there is none on this machine)"}`, () => {
    let server: DatabaseServer;
    let state: SharedState;
    let end: () => unknown;
    const children = new Set<ChildProcess>();
    beforeAll(async () => {
      server = await start();
      ({ state, end } = await openState(kind, server.url));
    });
    afterAll(async () => {
      for (const child of children) child.kill("SIGKILL");
      await state?.close();
      await end?.();
      await server?.close();
    });

    const startReplica = (does: string, count = 0): ChildProcess => {
      const options = JSON.stringify({ kind, url: server.url, does, count });
      const child = fork(program, [options], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
      children.add(child);
      return child;
    };

    it("lose nothing of a number that each changes under the lock", async () => {
      const times = 100;
      const startedAt = performance.now();
      const replicas = Array.from({ length: 8 }, () => startReplica("add", times));
      await Promise.all(replicas.map(reportOf));
      expect(await state.store.get("sum")).toBe(8 * times);
      say(`${kind}: ${8 * times} turns of 8 processes in ${seconds(startedAt)}`);
    }, 120_000);

    it("have the lock of one that was killed, when nothing was heard of it for as long as was said", async () => {
      const holder = startReplica("hold");
      await once(holder, "message");
      const killedAt = performance.now();
      holder.kill("SIGKILL");
      await state.lock.withLock("held", 5000, async () => {});
      expect(performance.now() - killedAt).toBeLessThan(5000);
      say(`${kind}: a killed holder's lock passed on after ${seconds(killedAt)}, of 1 s`);
    }, 60_000);

    it("take no harm from one that stood still until another had its lock", async () => {
      const holder = startReplica("hold");
      await once(holder, "message");
      holder.kill("SIGSTOP");
      await state.lock.withLock("held", 5000, (_signal, fencingToken) =>
        state.store.set("owner", "second", undefined, fencingToken),
      );
      const reported = reportOf(holder);
      holder.kill("SIGCONT");
      holder.send("go on");
      expect(await reported).toBe("store_failed");
      expect(await state.store.get("owner")).toBe("second");
    }, 60_000);

    it("take no harm from one that cannot reach it until another had its lock", async () => {
      const way = await openWay(server.url);
      const far = await openState(kind, way.url, { timeoutMs: 500, holderTimeoutMs: 1000 });
      const seen = await far.state.lock.withLock("held", 60_000, async (signal, fencingToken) => {
        way.cut();
        await state.lock.withLock("held", 5000, (_signal, own) => state.store.set("owner", "near", undefined, own));
        const wasAborted = signal.aborted;
        way.mend();
        const write = async (): Promise<string> => {
          const error: unknown = await far.state.store
            .set("owner", "far", undefined, fencingToken)
            .catch((reason: unknown) => reason);
          return String(error);
        };
        await expect.poll(write).toMatch(/somebody else has had the lock/);
        return wasAborted;
      });
      expect(seen).toBe(true);
      expect(await state.store.get("owner")).toBe("near");
      await far.state.close();
      await far.end();
      await way.close();
    }, 60_000);

    it("hear a notice of one within a second", async () => {
      const replicas = Array.from({ length: 7 }, () => startReplica("listen"));
      await Promise.all(replicas.map((replica) => once(replica, "message")));
      const reports = replicas.map(reportOf);
      const sentAt = Date.now();
      await state.notices.publish("pins");
      const latencies = (await Promise.all(reports)).map((heardAt) => Number(heardAt) - sentAt);
      expect(Math.max(...latencies)).toBeLessThan(1000);
      say(`${kind}: seven others heard it after ${latencies.join(", ")} ms`);
    }, 60_000);

    it("cost so much for each request, beside what a bare client's costs", async () => {
      const bare = await bareRequest(kind, server.url);
      const [plain = 0, get = 0, set = 0, lock = 0] = await measure([
        bare.ask,
        () => state.store.get("sum"),
        () => state.store.set("cost", { a: 1 }),
        () => state.lock.withLock("cost", 5000, async () => {}),
      ]);
      await bare.close();
      const ratio = (ms: number): string => `${ms.toFixed(2)} ms (${(ms / plain).toFixed(1)}x)`;
      say(`${kind}: bare ${plain.toFixed(2)} ms, get ${ratio(get)}, set ${ratio(set)}, lock ${ratio(lock)}`);
      expect(lock / plain).toBeLessThan(20);
    }, 60_000);
  });
});

interface OpenedState {
  readonly state: SharedState;
  readonly end: () => unknown;
}

async function openState(kind: string, url: string, options: SharedStateOptions = {}): Promise<OpenedState> {
  if (kind === "postgres") {
    const pool = new pg.Pool({ connectionString: url });
    pool.on("error", () => {});
    return { state: createPostgresState(pool, options), end: () => pool.end() };
  }
  const client = createClient({ url });
  client.on("error", () => {});
  await client.connect();
  return { state: createRedisState(client, options), end: () => client.destroy() };
}

interface BareRequest {
  readonly ask: () => Promise<unknown>;
  readonly close: () => unknown;
}

async function bareRequest(kind: string, url: string): Promise<BareRequest> {
  if (kind === "postgres") {
    const pool = new pg.Pool({ connectionString: url });
    return { ask: () => pool.query("SELECT 1"), close: () => pool.end() };
  }
  const client = createClient({ url });
  await client.connect();
  return { ask: () => client.ping(), close: () => client.destroy() };
}

/**
 * The median of 1,000 of each, in milliseconds, asked in turns so that all have the same machine.
 */
async function measure(acts: readonly (() => Promise<unknown>)[]): Promise<readonly number[]> {
  const times = acts.map((): number[] => []);
  for (let count = 0; count < 1200; count += 1) {
    for (const [index, act] of acts.entries()) {
      const startedAt = performance.now();
      await act();
      if (count >= 200) times[index]?.push(performance.now() - startedAt);
    }
  }
  return times.map((one) => one.sort((x, y) => x - y)[500] ?? Number.NaN);
}

/** A way to an engine that can be cut without a word: what is sent stays. */
async function openWay(url: string): Promise<{ url: string; cut(): void; mend(): void; close(): Promise<void> }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => to.write(chunk));
      from.on("error", () => {});
      from.on("close", () => to.destroy());
      if (isCut) from.pause();
    }
  });
  let isCut = false;
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const way = new URL(url);
  way.port = String((server.address() as AddressInfo).port);
  return {
    url: way.href,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    mend() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** What a process says last. */
async function reportOf(child: ChildProcess): Promise<unknown> {
  for (;;) {
    const [message] = (await once(child, "message")) as [unknown];
    if (typeof message === "object" && message !== null && "report" in message) return message.report;
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(2)} s`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
