import { Redis } from "ioredis";
import { createRedisState, type RedisClient, type SharedState } from "@hostside/cluster/redis";
import { createClient, RESP_TYPES } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisBinary, startRedis } from "../../../../test/database-servers.ts";
import { describeSharedLock } from "../../../../test/lock-contract.ts";
import { describeEngineStore, describeStore } from "../../../../test/store-contract.ts";
import { describeSharedState, type TestEngine } from "./shared-state-contract.ts";

const newClient = (url: string) => createClient({ url });

async function openRedis(): Promise<TestEngine> {
  const server = await startRedis();
  const closing: (() => unknown)[] = [];
  const connect = async (): Promise<ReturnType<typeof newClient>> => {
    const client = newClient(server.url);
    client.on("error", () => {});
    await client.connect();
    closing.push(() => client.destroy());
    return client;
  };
  const admin = await connect();
  return {
    server,
    async open(options): Promise<SharedState> {
      const state = createRedisState(await connect(), options);
      closing.unshift(() => state.close());
      return state;
    },
    forget: () => admin.sendCommand(["FLUSHALL"]),
    plant: (key, what) => admin.set(`hostside:value:${key}`, what === "later" ? "2:new" : "hello"),
    async connections() {
      return (await admin.clientList()).length;
    },
    async close() {
      for (const close of closing) await close();
      await server.close();
    },
  };
}

describe.skipIf(redisBinary === undefined)(
  `createRedisState()${redisBinary === undefined ? " (there is no Redis on this machine)" : ""}`,
  () => {
    const openTwo = async (): Promise<{ one: SharedState; two: SharedState; close: () => Promise<void> }> => {
      const engine = await openRedis();
      return { one: await engine.open(), two: await engine.open(), close: () => engine.close() };
    };
    const openStores = async () => {
      const { one, two, close } = await openTwo();
      return { store: one.store, other: two.store, close };
    };
    describeStore(openStores);
    describeEngineStore(openStores);
    describeSharedLock(async () => {
      const { one, two, close } = await openTwo();
      return { one: one.lock, two: two.lock, close };
    });
    describeSharedState(openRedis);

    describe("with one Redis", () => {
      let engine: TestEngine;
      beforeAll(async () => void (engine = await openRedis()));
      afterAll(async () => engine?.close());
      const connect = async (): Promise<ReturnType<typeof newClient>> => {
        const client = newClient(engine.server.url);
        client.on("error", () => {});
        return client.connect();
      };

      it("works with a client of ioredis, which has another way to send and to listen", async () => {
        const client = new Redis(engine.server.url, { lazyConnect: true });
        const other = await engine.open();
        const state = createRedisState(client);
        let heard = 0;
        const end = state.notices.subscribe("a", () => (heard += 1));
        await expect.poll(() => heard).toBe(1);
        await other.notices.publish("a");
        await expect.poll(() => heard).toBe(2);
        end();
        await state.store.set("ioredis", [1]);
        expect(
          await state.lock.withLock("a", 1000, async (_, fencingToken) => state.store.delete("ioredis", fencingToken)),
        ).toBe(true);
        await state.close();
        client.disconnect();
        await expect(createRedisState(client).store.get("ioredis")).rejects.toMatchObject({ code: "store_failed" });
      });

      it("works with a client that gives bytes", async () => {
        const client = await connect();
        const { store, lock } = createRedisState(client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }));
        await store.set("bytes", "ä");
        expect(await store.get("bytes")).toBe("ä");
        expect(
          await lock.withLock("a", 1000, async (_signal, fencingToken) => store.delete("bytes", fencingToken)),
        ).toBe(true);
        client.destroy();
      });

      it.each<
        [
          string,
          () => Promise<{ readonly client: RedisClient; readonly isAway: () => boolean; readonly end: () => void }>,
        ]
      >([
        [
          "redis",
          async () => {
            const client = await connect();
            return { client, isAway: () => !client.isReady, end: () => client.destroy() };
          },
        ],
        [
          "ioredis",
          async () => {
            const client = new Redis(engine.server.url, {
              maxRetriesPerRequest: null,
              autoResendUnfulfilledCommands: false,
            });
            client.on("error", () => {});
            return { client, isAway: () => client.status !== "ready", end: () => client.disconnect() };
          },
        ],
      ])(
        "writes nothing later that it gave up while %s could not reach Redis, and aborts who has a lock",
        async (_, open) => {
          const { client, isAway, end } = await open();
          const state = createRedisState(client, { timeoutMs: 150, holderTimeoutMs: 300 });
          await state.store.set("late", 1);
          const reason = await state.lock.withLock("stopped", 60_000, async (signal) => {
            await engine.server.stop();
            await expect.poll(isAway, { interval: 5 }).toBe(true);
            const write = state.store.set("late", 2);
            await expect(write).rejects.toMatchObject({ code: "store_failed", outcome: "unknown" });
            if (!signal.aborted)
              await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
            return signal.reason as unknown;
          });
          expect(reason).toMatchObject({ code: "aborted", outcome: "unknown" });
          await engine.server.start();
          await expect.poll(() => state.store.get("late").catch(() => "down")).toBe(1);
          end();
        },
      );
    });
  },
);

describe("createRedisState()", () => {
  it("sends nothing before it is used", () => {
    const fail = (): never => expect.unreachable();
    createRedisState({ sendCommand: fail, duplicate: fail });
  });

  it.each<[string, () => unknown, string]>([
    ["no client", () => createRedisState(undefined as never), "not undefined"],
    [
      "a client that cannot send",
      () => createRedisState({ duplicate: () => ({}) } as never),
      "one of redis or ioredis",
    ],
    ["a client without a copy", () => createRedisState({ sendCommand: async () => null } as never), "duplicate()"],
    ["a misspelt option", () => createRedisState(client(), { ttl: 1 } as never), 'no option "ttl"'],
    ["a prefix that is none", () => createRedisState(client(), { prefix: 1 as never }), "prefix must be a string"],
    ["no time", () => createRedisState(client(), { timeoutMs: 0 }), "timeoutMs must be a number above 0"],
  ])("refuses %s", (_, act, message) => {
    expect(act).toThrow(TypeError);
    expect(act).toThrow(message);
  });
});

function client(): RedisClient {
  return { sendCommand: async () => null, duplicate: () => ({}) };
}
