import { createPostgresState } from "@hostside/cluster/postgres";
import { createRedisState, type SharedState } from "@hostside/cluster/redis";
import { Pool } from "pg";
import { createClient } from "redis";

/** What replicas share, and its end. */
export interface OpenState {
  readonly shared: SharedState;
  close(): Promise<void>;
}

/** Opens what replicas share: `redis://…` or `postgres://…`. */
export async function openState(url: string): Promise<OpenState> {
  return url.startsWith("postgres") ? overPostgres(url) : overRedis(url);
}

async function overRedis(url: string): Promise<OpenState> {
  const redis = createClient({ url });
  // The state says what matters of it, once.
  redis.on("error", () => undefined);
  await redis.connect();
  const shared = createRedisState(redis);
  return {
    shared,
    async close() {
      await shared.close();
      await redis.close();
    },
  };
}

function overPostgres(connectionString: string): OpenState {
  const pool = new Pool({ connectionString });
  pool.on("error", () => undefined);
  const shared = createPostgresState(pool);
  return {
    shared,
    async close() {
      await shared.close();
      await pool.end();
    },
  };
}
