import {
  createPostgresState,
  postgresTables,
  type PostgresStateOptions,
  type SharedState,
} from "@hostside/cluster/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresBinary, startPostgres, type DatabaseServer } from "../../../../test/database-servers.ts";
import { describeSharedLock } from "../../../../test/lock-contract.ts";
import { describeEngineStore, describeStore } from "../../../../test/store-contract.ts";
import { describeSharedState, type TestEngine } from "./shared-state-contract.ts";

describe.skipIf(postgresBinary === undefined)(
  `createPostgresState()${postgresBinary === undefined ? " (there is no Postgres on this machine)" : ""}`,
  () => {
    let server: DatabaseServer;
    const closing: (() => unknown)[] = [];
    beforeAll(async () => void (server = await startPostgres()));
    afterAll(async () => {
      for (const close of closing) await close();
      await server?.close();
    });
    const openPool = (options?: pg.PoolConfig): pg.Pool => {
      const pool = new pg.Pool({ connectionString: server.url, max: 3, ...options });
      pool.on("error", () => {});
      closing.push(() => pool.end());
      return pool;
    };
    const open = (options?: PostgresStateOptions): SharedState => {
      const state = createPostgresState(openPool(), options);
      closing.unshift(() => state.close());
      return state;
    };
    const openEngine = async (): Promise<TestEngine> => {
      const admin = openPool();
      return {
        server,
        open: async (options) => open(options),
        forget: () => admin.query("TRUNCATE hostside_values, hostside_locks"),
        plant: (key, what) =>
          admin.query("INSERT INTO hostside_values VALUES ($1, $2, $3)", [
            `hostside:value:${key}`,
            what === "later" ? 2 : 1,
            what === "later" ? "{}" : "{",
          ]),
        async connections() {
          const text = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'";
          const { rows } = await admin.query<{ readonly count: number }>(text);
          return rows[0]?.count ?? 0;
        },
        close: async () => {},
      };
    };

    describeStore(() => ({ store: open().store, other: open().store }));
    describeEngineStore(() => ({ store: open().store, other: open().store }));
    describeSharedLock(() => ({ one: open().lock, two: open().lock }));
    describeSharedState(openEngine);

    it("works with the tables that its SQL makes, in a schema of their own, for a role that may make none", async () => {
      const admin = openPool();
      await admin.query(postgresTables('of "hosts"'));
      await admin.query(postgresTables('of "hosts"'));
      await admin.query(
        'CREATE ROLE worker LOGIN; GRANT USAGE ON SCHEMA "of ""hosts""" TO worker; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "of ""hosts""" TO worker',
      );
      const pool = openPool({ connectionString: server.url.replace("hostside@", "worker@") });
      const state = createPostgresState(pool, { schema: 'of "hosts"' });
      await state.store.set("a", 1);
      expect(
        await state.lock.withLock("a", 15_000, async (_signal, fencingToken) => state.store.delete("a", fencingToken)),
      ).toBe(true);
      await admin.query("CREATE SCHEMA closed");
      const refused = createPostgresState(pool, { schema: "closed" }).store.set("a", 1);
      await expect(refused).rejects.toThrow(/store_failed.*postgresTables\(\) has the SQL.*permission denied/);
    });

    it("makes its tables once, however many begin at the same moment", async () => {
      const states = Array.from({ length: 8 }, () => createPostgresState(openPool(), { schema: "race" }));
      const numbers = await Promise.all(
        states.map(({ lock }) => lock.withLock("a", 5000, async (_signal, fencingToken) => fencingToken?.number)),
      );
      expect(new Set(numbers).size).toBe(8);
    });

    it("is a store_failed within the bound when the pool has no connection left, and takes none for ever", async () => {
      const pool = openPool({ max: 1 });
      const taken = await pool.connect();
      const { store } = createPostgresState(pool, { timeoutMs: 50 });
      await expect(store.set("a", 1)).rejects.toMatchObject({ code: "store_failed", outcome: "unknown" });
      taken.release();
      expect(await createPostgresState(pool).store.get("a")).not.toBe(2);
      await expect.poll(() => [pool.totalCount, pool.idleCount]).toEqual([1, 1]);
    });

    it("ends a connection that does not answer, so that the pool has room again, and says that the effect is not known", async () => {
      const [pool, admin] = [openPool({ max: 1 }), await openPool().connect()];
      const state = createPostgresState(pool, { timeoutMs: 1000 });
      await open().store.set("stuck", 1);
      await expect.poll(() => state.store.get("stuck").catch(() => "down")).toBe(1);
      await admin.query("BEGIN; LOCK TABLE hostside_values");
      await expect(state.store.set("stuck", 2)).rejects.toMatchObject({ code: "store_failed", outcome: "unknown" });
      await admin.query("ROLLBACK");
      admin.release();
      await expect.poll(() => pool.totalCount).toBe(0);
      await expect.poll(() => state.store.get("stuck").catch(() => "down")).not.toBe("down");
    });

    it("gives a lock that was given back to the next one at once, also when its clock was set back since", async () => {
      const admin = openPool();
      const { lock } = createPostgresState(openPool(), { schema: "clock", maxWaitMs: 15_000 });
      const first = await lock.withLock("a", 15_000, async (_signal, fencingToken) => fencingToken?.number ?? 0);
      await admin.query("UPDATE clock.hostside_locks SET ends_at = now() + interval '1 hour'");
      expect(await lock.withLock("a", 15_000, async (_signal, fencingToken) => fencingToken?.number)).toBeGreaterThan(
        first,
      );
    });

    it("tells nobody of another schema, and everybody of its own", async () => {
      const [one, other, near] = ["here", "there", "here"].map((schema) => createPostgresState(openPool(), { schema }));
      const heard = { other: 0, near: 0 };
      other?.notices.subscribe("a", () => (heard.other += 1));
      near?.notices.subscribe("a", () => (heard.near += 1));
      await expect.poll(() => heard).toEqual({ other: 1, near: 1 });
      await one?.notices.publish("a");
      await expect.poll(() => heard.near).toBe(2);
      // What was told before has come by then.
      await near?.notices.publish("a");
      await one?.notices.publish("a");
      await expect.poll(() => heard).toEqual({ other: 1, near: 3 });
      await Promise.all([one, other, near].map(async (state) => state?.close()));
    });

    it("deletes rows whose time is over, now and then, when somebody writes", async () => {
      const admin = openPool();
      const state = createPostgresState(openPool(), { schema: "swept" });
      await state.store.set("warm", 1, 1);
      await state.lock.withLock("old", 1000, async () => {});
      await admin.query("UPDATE swept.hostside_locks SET ends_at = now() - interval '3 days'");
      const next = createPostgresState(openPool(), { schema: "swept" });
      await next.store.set("later", 1);
      const left = async (): Promise<unknown> =>
        (await admin.query("SELECT name FROM swept.hostside_values UNION SELECT name FROM swept.hostside_locks")).rows;
      await expect.poll(left).toEqual([{ name: "hostside:value:later" }]);
    });
  },
);

describe("createPostgresState()", () => {
  it("asks nothing before it is used", () => {
    createPostgresState({ connect: () => expect.unreachable() });
  });

  it.each<[string, () => unknown, string]>([
    ["no pool", () => createPostgresState({} as never), "must be a Pool of pg"],
    [
      "a pool to listen that is none",
      () => createPostgresState(pool(), { listenPool: 1 as never }),
      "listenPool must be",
    ],
    ["a misspelt option", () => createPostgresState(pool(), { ttl: 1 } as never), 'no option "ttl"'],
    ["a schema without a name", () => createPostgresState(pool(), { schema: "" }), "schema must be the name of one"],
    ["no wait", () => createPostgresState(pool(), { maxWaitMs: -1 }), "maxWaitMs must be a number above 0"],
  ])("refuses %s", (_, act, message) => {
    expect(act).toThrow(TypeError);
    expect(act).toThrow(message);
  });
});

function pool(): { readonly connect: () => Promise<never> } {
  return { connect: async () => expect.unreachable() };
}
