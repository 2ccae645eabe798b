// One of several processes over one engine. Started by replicas.proof.ts, which says what it does and reads what it reports.
import { createPostgresState } from "@hostside/cluster/postgres";
import { createRedisState } from "@hostside/cluster/redis";
import pg from "pg";
import { createClient } from "redis";

const { kind, url, does, count } = JSON.parse(process.argv[2] ?? "{}");
const { state, end } = await openState();
/** @type {Record<string, () => Promise<unknown>>} */
const acts = {
  /** Adds to one number again and again, each time alone. */
  async add() {
    for (let times = 0; times < count; times += 1) {
      await state.lock.withLock("sum", 5000, async (_signal, fencingToken) => {
        const sum = Number((await state.store.get("sum")) ?? 0);
        await state.store.set("sum", sum + 1, undefined, fencingToken);
      });
    }
    return count;
  },
  /** Has the lock until somebody ends it, or lets it go on after it stood still; then it writes. */
  async hold() {
    return state.lock.withLock("held", 60_000, async (_signal, fencingToken) => {
      await state.store.set("owner", "first", undefined, fencingToken);
      process.send?.("held");
      await new Promise((resolve) => process.once("message", resolve));
      return state.store.set("owner", "late", undefined, fencingToken).then(
        () => "written",
        (error) => error.code,
      );
    });
  },
  /** Says when it hears something. */
  async listen() {
    let openings = 0;
    const heard = new Promise((resolve) => {
      state.notices.subscribe("pins", () => {
        openings += 1;
        if (openings === 1) process.send?.("listening");
        else resolve(Date.now());
      });
    });
    return heard;
  },
};
const report = await acts[does]?.();
process.send?.({ report });
await state.close();
await end();
process.disconnect?.();

async function openState() {
  if (kind === "postgres") {
    const pool = new pg.Pool({ connectionString: url, max: 4 });
    pool.on("error", () => {});
    return { state: createPostgresState(pool, { holderTimeoutMs: 1000 }), end: () => pool.end() };
  }
  const client = createClient({ url });
  client.on("error", () => {});
  await client.connect();
  return { state: createRedisState(client, { holderTimeoutMs: 1000 }), end: async () => client.destroy() };
}
