import type { CreateContender, Metrics } from "../contender.ts";
import { median } from "../statistics.ts";
import { startHttpServers, stdioServers } from "../start-servers.ts";
import type { Workload } from "./workload.ts";

/** What a host does with the tools that it has. */
export const toolWorkloads: readonly Workload[] = [
  {
    id: "schemas-1000",
    title: "1,000 tools with output schemas: list, then the first call",
    metrics: [
      { name: "listMs", label: "connect and list", as: "absolute", unit: "ms", aim: 110 },
      { name: "firstCallMs", label: "first call", as: "absolute", unit: "ms", aim: 3 },
    ],
    run: withSchemas,
  },
  {
    id: "relist-10000",
    title: "10,000 unchanged tools, listed again from the host's own view",
    metrics: [{ name: "relistMs", label: "again", as: "absolute", unit: "ms", aim: 1 }],
    run: relist,
  },
  {
    id: "hang-1-of-8",
    title: "One of 8 servers never answers: time until the other seven's tools are usable",
    metrics: [{ name: "usableMs", label: "usable after", as: "absolute", unit: "ms", aim: 1000 }],
    run: oneHangs,
  },
];

async function withSchemas(create: CreateContender): Promise<Metrics> {
  const contender = await create();
  const startedAt = performance.now();
  await contender.connect(stdioServers({ tools: 1000, outputSchemas: true }));
  const tools = await contender.listTools();
  const listMs = performance.now() - startedAt;
  const calledAt = performance.now();
  await contender.call(tools[0]?.name ?? "", { text: "x" });
  const firstCallMs = performance.now() - calledAt;
  await contender.close();
  return { listMs, firstCallMs };
}

async function relist(create: CreateContender): Promise<Metrics> {
  const { servers, stop } = await startHttpServers({ tools: 10_000, pageSize: 500 });
  const contender = await create();
  try {
    await contender.connect(servers);
    await contender.listTools();
    const times: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const startedAt = performance.now();
      await contender.listTools();
      times.push(performance.now() - startedAt);
    }
    return { relistMs: median(times) };
  } finally {
    await contender.close();
    stop();
  }
}

// A contender that waits for all servers before it shows any is given four seconds.
const patienceMs = 4000;

async function oneHangs(create: CreateContender): Promise<Metrics> {
  const [, ...good] = stdioServers({ count: 8 });
  const silent = {
    id: "s0",
    type: "stdio",
    command: process.execPath,
    args: ["-e", "process.stdin.resume()"],
  } as const;
  const contender = await create();
  const startedAt = performance.now();
  // Its rejection or its silence is what is measured: a call of every other server's tool has to
  // work.
  contender.connect([silent, ...good]).catch(() => {});
  let usable = 0;
  while (usable < good.length && performance.now() - startedAt < patienceMs) {
    const tools = await Promise.race([contender.listTools(), after(200)]).catch(() => []);
    usable = 0;
    for (const { name, serverId } of tools) {
      if (serverId !== silent.id && (await contender.call(name, { text: "x" }).catch(() => "")) === "x") usable += 1;
    }
    if (usable < good.length) await after(10);
  }
  const usableMs = performance.now() - startedAt;
  // What hangs in a contender must not hang the measurement: the process is ended by its parent.
  void contender.close().catch(() => {});
  if (usable < good.length) throw new Error(`not within ${patienceMs / 1000} s`);
  return { usableMs };
}

async function after(ms: number): Promise<readonly never[]> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return [];
}
