// Prints what a conversation with a stdio process of its own costs:
// `node --expose-gc measure-processes.js <conversations>`. The memory of the processes is read
// where Linux says it.
import { readdirSync, readFileSync } from "node:fs";
import { fixtureServer } from "@hostside/fixtures";
import { createSharedProviders, type ConversationLease } from "@hostside/cluster";
import { createNameBook, createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { heapMb } from "../host/heap.ts";
import { median } from "../host/statistics.ts";

const [, , count = "20"] = process.argv;
const connector = createConnector();
const names = createNameBook();
const shared = createSharedProviders({
  servers: [{ id: "own", sharing: "conversation", type: "stdio", ...fixtureServer("modern-stdio") }],
  async make({ servers }) {
    const provider = createProvider({ connector, servers, names });
    await provider.init();
    return provider;
  },
});
const leases: ConversationLease[] = [];
const times: number[] = [];
const open = async (id: string): Promise<void> => {
  const startedAt = performance.now();
  const lease = await shared.lease({ conversation: id });
  await lease.providers[0]?.call("mcp_own_echo", { text: "hello" });
  times.push(performance.now() - startedAt);
  leases.push(lease);
};
for (let index = 0; index < 3; index += 1) await open(`warm ${index}`);
times.length = 0;
const before = heapMb();
for (let index = 0; index < Number(count); index += 1) await open(`conversation ${index}`);
const heapBytes = ((heapMb() - before) * 1e6) / Number(count);
const sizes = childrenOf(process.pid).map(residentMb);
process.stdout.write(
  JSON.stringify({
    heapBytes,
    startMs: median(times),
    processes: sizes.length,
    residentMb: median(sizes.map(({ rss }) => rss)),
    ownMb: median(sizes.map(({ pss }) => pss)),
  }),
);
for (const lease of leases) lease.release();
await shared.shutdownAll();

function childrenOf(parent: number): readonly number[] {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((pid) => fieldOf(`/proc/${pid}/status`, "PPid") === parent);
}

/**
 * Megabytes that a process has, and those of them that are its own or its share of what it has in
 * common with others.
 */
function residentMb(pid: number): { readonly rss: number; readonly pss: number } {
  const file = `/proc/${pid}/smaps_rollup`;
  return { rss: (fieldOf(file, "Rss") * 1024) / 1e6, pss: (fieldOf(file, "Pss") * 1024) / 1e6 };
}

function fieldOf(file: string, field: string): number {
  try {
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(file, "utf8"))?.[1]);
  } catch {
    // It has ended meanwhile.
    return Number.NaN;
  }
}
