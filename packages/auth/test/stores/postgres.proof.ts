import { KeyvPostgres } from "@keyv/postgres";
import type { Store } from "@hostside/core";
import { createPostgresState } from "@hostside/cluster/postgres";
import { Keyv } from "keyv";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeyvCredentials, type SealedCredentials } from "../../src/store/create-keyv-credentials.ts";
import { describeSharedCredentials } from "./credential-store-contract.ts";
import { postgresBinary, startPostgres, type DatabaseServer } from "../../../../test/database-servers.ts";

const keys = [{ id: "k", key: new Uint8Array(32).fill(3) }];
const account = { kind: "account", serverId: "github" } as const;

describe.skipIf(postgresBinary === undefined)(
  `Postgres${postgresBinary === undefined ? " (there is none on this machine)" : ""}`,
  () => {
    let server: DatabaseServer;
    const pools: pg.Pool[] = [];
    beforeAll(async () => void (server = await startPostgres()));
    afterAll(async () => {
      await Promise.allSettled(pools.map((pool) => pool.end()));
      await server?.close();
    });

    const openPool = (max = 10): pg.Pool => {
      const pool = new pg.Pool({ connectionString: server.url, max });
      pool.on("error", () => {});
      pools.push(pool);
      return pool;
    };

    describe("createKeyvCredentials() over @keyv/postgres", () => {
      describeSharedCredentials(() => {
        const adapters = [new KeyvPostgres({ uri: server.url }), new KeyvPostgres({ uri: server.url })] as const;
        const [store, other] = adapters.map((adapter) => {
          const { lock } = createPostgresState(openPool());
          return createKeyvCredentials({ store: new Keyv({ store: adapter }), lock, keys });
        }) as [SealedCredentials, SealedCredentials];
        const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
        // Its adapters have one pool together.
        const close = async (): Promise<void> => {
          // Each of them makes the table, and waits for that when it is first asked.
          await Promise.all(adapters.map((adapter) => adapter.get("")));
          await adapters[0].disconnect();
        };
        return { store, other, pass, close };
      });
    });

    it("that is stopped is a store_failed within the bound, never an empty store, and all is there when it is back", async () => {
      // Not by @keyv/postgres: nobody listens to the errors of its pool, so that a Postgres that is
      // stopped ends the process.
      const store = createKeyvCredentials({
        store: await openTable(openPool()),
        lock: createPostgresState(openPool(), { timeoutMs: 100 }).lock,
        keys,
      });
      await store.save(account, { accessToken: "at-123" });
      await server.stop();
      const startedAt = performance.now();
      const operations: readonly (() => Promise<unknown>)[] = [
        () => store.load(account),
        () => store.load({ kind: "pending", state: "none" }),
        () => store.save(account, { accessToken: "at-456" }),
        () => store.clear(account),
        () => store.accounts(),
        () => store.withLock(account, 1000, async () => expect.unreachable()),
      ];
      const failed = expect.objectContaining({ code: "store_failed" }) as unknown;
      const reasons = await Promise.all(operations.map((operation) => operation().catch((error: unknown) => error)));
      expect(reasons).toEqual(operations.map(() => failed));
      expect(performance.now() - startedAt).toBeLessThan(30_000);
      await server.start();
      await expect.poll(() => store.load(account).catch(() => "down")).toEqual({ accessToken: "at-123" });
    });
  },
);

async function openTable(pool: pg.Pool): Promise<Store> {
  await pool.query("CREATE TABLE IF NOT EXISTS credentials (key text PRIMARY KEY, value jsonb NOT NULL)");
  return {
    async get(key) {
      const { rows } = await pool.query("SELECT value FROM credentials WHERE key = $1", [key]);
      return (rows as readonly { readonly value: unknown }[])[0]?.value;
    },
    set: (key, value) =>
      pool.query("INSERT INTO credentials VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value", [
        key,
        JSON.stringify(value),
      ]),
    delete: (key) => pool.query("DELETE FROM credentials WHERE key = $1", [key]),
  };
}
