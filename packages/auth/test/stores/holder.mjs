// Takes a lock and does something each time it is told to, as long as it may, as one who sends a refresh token would: asks the signal, and does it.
// It says what came of it. It waits for a line of stdin without its event loop, so that no timer comes before what it asks and does then.
// Started by standing-still.proof.ts.
import { readSync, writeSync } from "node:fs";
import { createClient } from "@redis/client";
import { createKeyvCredentials } from "@hostside/auth";
import { createFileCredentials } from "@hostside/auth/node";
import { createPostgresState } from "@hostside/cluster/postgres";
import { createRedisState } from "@hostside/cluster/redis";
import pg from "pg";

const { place, key } = JSON.parse(process.argv[2] ?? "{}");
const store = await openStore();
await store.withLock(key, 120_000, async (signal) => {
  writeSync(1, "held");
  while (readSync(0, Buffer.alloc(1)) > 0) writeSync(1, signal.aborted ? "lost" : "did");
});
process.exit(0);

async function openStore() {
  if (place.kind === "file") return createFileCredentials({ folder: place.folder });
  const keys = [{ id: "proof", key: new Uint8Array(32).fill(7) }];
  return createKeyvCredentials({ store: new Map(), lock: await openLock(), keys });
}

async function openLock() {
  if (place.kind === "postgres") return createPostgresState(new pg.Pool({ connectionString: place.url })).lock;
  const client = createClient({ url: place.url });
  await client.connect();
  return createRedisState(client).lock;
}
