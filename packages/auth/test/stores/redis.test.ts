import KeyvRedis from "@keyv/redis";
import { createClient } from "@redis/client";
import { Keyv } from "keyv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedisLock } from "../../src/locks/create-redis-lock.ts";
import { createKeyvCredentials, type SealedCredentials } from "../../src/store/create-keyv-credentials.ts";
import { jumpingClock } from "../jumping-clock.ts";
import { describeSharedCredentials } from "./credential-store-contract.ts";
import { redisBinary, startRedis, type DatabaseServer } from "./database-servers.ts";
import { describeSharedLock } from "./lock-contract.ts";

describe("createRedisLock() in a process that stands still", () => {
  it("has the signal be aborted when the key may be over, before anything else goes on", async () => {
    const clock = jumpingClock();
    const lock = createRedisLock({ call: async () => "OK" }, { clock });
    const seen = await lock.withLock("key", 60_000, async (signal) => {
      clock.advance(9999);
      const before = signal.aborted;
      clock.advance(1);
      return [before, signal.aborted, signal.reason];
    });
    expect(seen).toEqual([false, true, expect.objectContaining({ code: "aborted", outcome: "unknown" })]);
  });
});

const newClient = (url: string) => createClient({ url });
const keys = [{ id: "k", key: new Uint8Array(32).fill(3) }];
const account = { kind: "account", serverId: "github" } as const;

describe.skipIf(redisBinary === undefined)(
  `Redis${redisBinary === undefined ? " (there is none on this machine)" : ""}`,
  () => {
    let server: DatabaseServer;
    const closing: (() => Promise<unknown>)[] = [];
    beforeAll(async () => void (server = await startRedis()));
    afterAll(async () => {
      await Promise.allSettled(closing.map((close) => close()));
      await server?.close();
    });

    const connect = async (): Promise<ReturnType<typeof newClient>> => {
      const client = newClient(server.url);
      client.on("error", () => {});
      await client.connect();
      closing.push(async () => client.destroy());
      return client;
    };
    const openStore = async (timeoutMs?: number): Promise<SealedCredentials> => {
      const adapter = new KeyvRedis(server.url);
      const store = new Keyv({ store: adapter });
      store.on("error", () => {});
      closing.push(() => adapter.disconnect(true));
      return createKeyvCredentials({ store, lock: createRedisLock(await connect(), { timeoutMs }), keys, timeoutMs });
    };

    describe("createKeyvCredentials()", () => {
      describeSharedCredentials(async () => {
        const [store, other] = [await openStore(), await openStore()];
        return { store, other, pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
      });
    });

    describe("createRedisLock()", () => {
      describeSharedLock(async () => ({
        one: createRedisLock(await connect()),
        two: createRedisLock(await connect()),
      }));

      it("works with a client of ioredis, which has another way to send", async () => {
        const client = await connect();
        const lock = createRedisLock({
          call: (command: string, ...rest: string[]) => client.sendCommand([command, ...rest]),
          sendCommand: () => Promise.reject(new Error("takes a Command")),
        });
        expect(await lock.withLock("ioredis", 1000, async () => client.get("toolport:ioredis"))).toMatch(
          /^[0-9a-f-]{36}$/,
        );
        expect(await client.get("toolport:ioredis")).toBeNull();
      });

      it("is there for no longer than the lease when its holder dies", async () => {
        const client = await connect();
        // What a holder leaves behind that was killed.
        await client.set("toolport:dead", "somebody", { PX: 60 });
        expect(await createRedisLock(client).withLock("dead", 1000, async () => "next")).toBe("next");
      });

      it("refuses who waits too long with overloaded, and never starts their work", async () => {
        const [client, other] = [await connect(), await connect()];
        const impatient = createRedisLock(other, { maxWaitMs: 30 });
        await createRedisLock(client).withLock("busy", 5000, async () => {
          const work = impatient.withLock("busy", 5000, async () => expect.unreachable());
          await expect(work).rejects.toMatchObject({ code: "overloaded" });
        });
        expect(await createRedisLock(other).withLock("busy", 5000, async () => "free")).toBe("free");
      });

      it("refuses what is no client", () => {
        expect(() => createRedisLock({} as never)).toThrow(TypeError);
        expect(() => createRedisLock({ call: async () => null }, { ttl: 1 } as never)).toThrow(/no option "ttl"/);
      });
    });

    it("that is stopped is a store_failed within the bound, never an empty store, and all is there when it is back", async () => {
      const store = await openStore(100);
      await store.save(account, { accessToken: "at-123" });
      let signal: AbortSignal | undefined;
      await server.stop();
      const startedAt = performance.now();
      const operations: readonly (() => Promise<unknown>)[] = [
        () => store.load(account),
        () => store.load({ kind: "pending", state: "none" }),
        () => store.save(account, { accessToken: "at-456" }),
        () => store.clear(account),
        () => store.accounts(),
        () => store.withLock(account, 1000, async (own) => void (signal = own)),
      ];
      const failed = expect.objectContaining({ code: "store_failed" }) as unknown;
      const reasons = await Promise.all(operations.map((operation) => operation().catch((error: unknown) => error)));
      expect(reasons).toEqual(operations.map(() => failed));
      expect(performance.now() - startedAt).toBeLessThan(3000);
      expect(signal).toBeUndefined();
      await server.start();
      await expect.poll(() => store.load(account).catch(() => "down"), { timeout: 5000 }).not.toBe("down");
      expect(JSON.stringify(await store.load(account))).toMatch(/at-(123|456)/);
    });

    it("that is stopped while somebody has the lock aborts their work before another can have it", async () => {
      const lock = createRedisLock(await connect(), { timeoutMs: 200 });
      const reason = await lock.withLock("stopped", 250, async (signal) => {
        await server.stop();
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        return signal.reason as unknown;
      });
      expect(reason).toMatchObject({ code: "aborted", outcome: "unknown" });
    });
  },
);
