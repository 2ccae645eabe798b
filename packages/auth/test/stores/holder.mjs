// Takes a lock and does something again and again for as long as it may, as one who sends a refresh token would: asks the signal, and does it.
// Started by standing-still.proof.ts.
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createClient } from "@redis/client";
import { createKeyvCredentials } from "@toolport/auth";
import { createFileCredentials } from "@toolport/auth/node";
import { createPostgresState } from "@toolport/pool/postgres";
import { createRedisState } from "@toolport/pool/redis";
import pg from "pg";

const { place, key, log } = JSON.parse(process.argv[2] ?? "{}");
const store = await openStore();
await store.withLock(key, 120_000, async (signal) => {
  process.send?.("held");
  for (;;) {
    // What comes back from the system when the process goes on is there before any timer.
    await readFile(log);
    if (signal.aborted) break;
    appendFileSync(log, "first\n");
  }
});
process.disconnect?.();
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
