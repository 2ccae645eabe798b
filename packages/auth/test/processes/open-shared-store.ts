import { createClient } from "@redis/client";
import { createPostgresState } from "@hostside/cluster/postgres";
import { createRedisState } from "@hostside/cluster/redis";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createFileCredentials } from "../../src/node/file-credentials.ts";
import { createKeyvCredentials } from "../../src/store/create-keyv-credentials.ts";
import type { CredentialStore } from "../../src/store/credential-store.ts";
import { postgresBinary, redisBinary, startPostgres, startRedis } from "../../../../test/database-servers.ts";
import type { SharedPlace } from "./run-sharers.ts";

/** A store that processes share, opened here as well. */
export interface SharedStore {
  readonly place: SharedPlace;
  readonly store: CredentialStore;
  close(): Promise<void>;
}

/** Kinds of stores, and whether this machine has what they need. */
export const sharedKinds: readonly { readonly kind: SharedPlace["kind"]; readonly isHere: boolean }[] = [
  { kind: "file", isHere: true },
  { kind: "redis", isHere: redisBinary !== undefined },
  { kind: "postgres", isHere: postgresBinary !== undefined },
];

const keys = [{ id: "proof", key: new Uint8Array(32).fill(7) }];

/** Opens a new one, with a database of its own where it needs one. */
export async function openSharedStore(kind: SharedPlace["kind"]): Promise<SharedStore> {
  switch (kind) {
    case "file": {
      const folder = join(await mkdtemp(join(tmpdir(), "hostside-shared-")), "credentials");
      const close = (): Promise<void> => rm(join(folder, ".."), { recursive: true, force: true });
      return { place: { kind, folder }, store: createFileCredentials({ folder }), close };
    }
    case "redis": {
      const server = await startRedis();
      const client = createClient({ url: server.url });
      await client.connect();
      const state = createRedisState(client);
      return {
        place: { kind, url: server.url },
        store: createKeyvCredentials({ store: state.store, lock: state.lock, keys }),
        async close() {
          await state.close();
          client.destroy();
          await server.close();
        },
      };
    }
    case "postgres": {
      const server = await startPostgres();
      const pool = new pg.Pool({ connectionString: server.url });
      const state = createPostgresState(pool);
      return {
        place: { kind, url: server.url },
        store: createKeyvCredentials({ store: state.store, lock: state.lock, keys }),
        async close() {
          await state.close();
          await pool.end();
          await server.close();
        },
      };
    }
  }
}
