import type { CreateContender, Metrics } from "../contender.ts";
import { startHttpServers, stdioServers, type ServerPlan } from "../start-servers.ts";
import { heapMb } from "../heap.ts";
import type { Workload } from "./workload.ts";

/** How fast a host is ready. */
export const startWorkloads: readonly Workload[] = [
  {
    id: "cold-stdio-1",
    title: "Cold start, one stdio server to all tools listed",
    metrics: [{ name: "readyMs", label: "over floor", as: "ratio", aim: 1.7 }],
    run: (create) => coldStdio(create, { count: 1, tools: 10 }),
  },
  {
    id: "cold-stdio-32",
    title: "Cold start, 32 stdio servers to all tools listed",
    metrics: [{ name: "readyMs", label: "over floor", as: "ratio", aim: 1.15 }],
    run: (create) => coldStdio(create, { count: 32, tools: 10 }),
  },
  {
    id: "cold-http-32",
    title: "Cold start, 32 HTTP servers to all tools listed",
    metrics: [{ name: "readyMs", label: "over floor", as: "ratio", aim: 3.2 }],
    run: async (create) => {
      const { servers, stop } = await startHttpServers({ count: 32, tools: 10 });
      try {
        return await timeToReady(create, servers);
      } finally {
        stop();
      }
    },
  },
  {
    id: "slow-start-8",
    title: "8 stdio servers that each need 0.5 s to start",
    metrics: [{ name: "readyMs", label: "ms to all tools", as: "absolute", unit: "ms", aim: 650 }],
    run: (create) => coldStdio(create, { count: 8, tools: 10, startMs: 500 }),
  },
  {
    id: "list-10000",
    title: "10,000 tools over HTTP, connect and list",
    metrics: [
      { name: "readyMs", label: "over floor", as: "ratio", aim: 2.3 },
      { name: "heapMb", label: "heap held", as: "absolute", unit: "MB", aim: 18 },
      { name: "bytesPerTool", label: "heap held per tool", as: "absolute", unit: "B" },
    ],
    run: listTenThousand,
  },
];

async function coldStdio(create: CreateContender, plan: ServerPlan): Promise<Metrics> {
  return timeToReady(create, stdioServers(plan));
}

async function timeToReady(create: CreateContender, servers: ReturnType<typeof stdioServers>): Promise<Metrics> {
  const contender = await create();
  const startedAt = performance.now();
  await contender.connect(servers);
  const tools = await contender.listTools();
  const readyMs = performance.now() - startedAt;
  await contender.close();
  if (tools.length < servers.length) throw new Error(`${tools.length} tools of ${servers.length} servers`);
  return { readyMs };
}

async function listTenThousand(create: CreateContender): Promise<Metrics> {
  const total = 10_000;
  const { servers, stop } = await startHttpServers({ tools: total, pageSize: 500 });
  const before = heapMb();
  const contender = await create();
  try {
    const startedAt = performance.now();
    await contender.connect(servers);
    const tools = await contender.listTools();
    const readyMs = performance.now() - startedAt;
    if (tools.length !== total) throw new Error(`listed ${tools.length} of ${total} tools`);
    const heap = heapMb() - before;
    // Used after the heap was read, so that nobody's tools were collected before.
    if (tools.some(({ definition }) => definition === undefined)) throw new Error("a tool without a definition");
    return { readyMs, heapMb: heap, bytesPerTool: (heap * 1e6) / total };
  } finally {
    await contender.close();
    stop();
  }
}
