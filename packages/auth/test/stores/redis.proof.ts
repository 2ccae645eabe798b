import KeyvRedis from "@keyv/redis";
import { createClient } from "@redis/client";
import { createRedisState } from "@hostside/cluster/redis";
import { Keyv } from "keyv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeyvCredentials, type SealedCredentials } from "../../src/store/create-keyv-credentials.ts";
import { describeSharedCredentials } from "./credential-store-contract.ts";
import { redisBinary, startRedis, type DatabaseServer } from "../../../../test/database-servers.ts";

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
      const { lock } = createRedisState(await connect(), { timeoutMs });
      return createKeyvCredentials({ store, lock, keys });
    };

    describe("createKeyvCredentials()", () => {
      describeSharedCredentials(async () => {
        const [store, other] = [await openStore(), await openStore()];
        return { store, other, pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
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
      expect(performance.now() - startedAt).toBeLessThan(30_000);
      expect(signal).toBeUndefined();
      await server.start();
      await expect.poll(() => store.load(account).catch(() => "down")).not.toBe("down");
      expect(JSON.stringify(await store.load(account))).toMatch(/at-(123|456)/);
    });
  },
);
