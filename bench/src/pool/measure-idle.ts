// Prints what an idle conversation with a connection of its own costs, and what a sweep over all of
// them takes: `node --expose-gc measure-idle.js <conversations>`. The connections were ended for
// lack of use, or not yet made: what their servers listed is known.
import { useClock } from "@hostside/core/implement";
import { createSharedProviders } from "@hostside/cluster";
import { createNameBook, createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { heapMb } from "../host/heap.ts";
import { startHttpServers } from "../host/start-servers.ts";
import { median } from "../host/statistics.ts";

const [, , count = "10000"] = process.argv;
const conversations = Number(count);
// Unlike any other time in a pool, so that its timer is known.
const sweepMs = 59_000;
const ttlMs = 590_000;
let ahead = 0;
let sweep = (): void => undefined;
useClock({
  now: () => performance.now() + ahead,
  date: () => Date.now(),
  schedule(delayMs, task) {
    if (delayMs === sweepMs) {
      sweep = task;
      return () => undefined;
    }
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
});

const { servers, stop } = await startHttpServers({ tools: 8 });
const [server] = servers;
if (server?.type !== "http") throw new TypeError("no server");
const spec = { id: "own", sharing: "conversation", type: "http", url: server.url } as const;
const connector = createConnector();
const names = createNameBook();
const first = createProvider({ connector, servers: [spec], names });
await first.init();
const savedCatalog = first.savedCatalog();

const shared = createSharedProviders({
  servers: [spec],
  ttlMs,
  maxProviders: 2 * conversations,
  maxConnections: 2 * conversations,
  make: (request) => createProvider({ connector, servers: request.servers, names, savedCatalog }),
});
const open = async (id: string): Promise<void> => {
  const lease = await shared.lease({ conversation: id });
  if (lease.providers[0]?.tools().length !== 8) throw new Error("tools are missing");
  lease.release();
};
for (let index = 0; index < 200; index += 1) await open(`warm ${index}`);
const before = heapMb();
for (let index = 0; index < conversations; index += 1) await open(`conversation ${index}`);
const bytes = ((heapMb() - before) * 1e6) / conversations;

const sweeps = Array.from({ length: 21 }, () => {
  const startedAt = performance.now();
  sweep();
  return performance.now() - startedAt;
});
ahead = ttlMs + 1;
let left = shared.statuses().length;
const ended = new Promise<void>((resolve) => {
  shared.onEvent(({ type }) => {
    if (type === "ended" && (left -= 1) === 0) resolve();
  });
});
const startedAt = performance.now();
sweep();
const blockedMs = performance.now() - startedAt;
await ended;
const endedMs = performance.now() - startedAt;
process.stdout.write(JSON.stringify({ bytes, sweepMs: median(sweeps), blockedMs, endedMs }));
await shared.shutdownAll();
await first.close();
stop();
