import { spawnSync } from "node:child_process";
import type { Contender, CreateContender, Metrics } from "../contender.ts";
import { heapMb } from "../heap.ts";
import { startHttpServers, stdioServers } from "../start-servers.ts";
import { median } from "../statistics.ts";
import type { Workload } from "./workload.ts";

/** What a host weighs while nothing is called. */
export const footprintWorkloads: readonly Workload[] = [
  {
    id: "import",
    title: "Import of everything that is needed",
    metrics: [{ name: "importMs", label: "over an empty process", as: "absolute", unit: "ms", aim: 60 }],
    run: importTime,
  },
  {
    id: "lookup-10000",
    title: "A name looked up among 10,000 tools",
    metrics: [{ name: "lookupNs", label: "one lookup", as: "absolute", unit: "ns", aim: 60 }],
    run: lookup,
  },
  {
    id: "instance",
    title: "An instance that does nothing",
    metrics: [{ name: "heapKb", label: "heap held", as: "absolute", unit: "kB", aim: 200 }],
    run: instance,
  },
  {
    id: "idle-stdio",
    title: "An idle connection over stdio",
    metrics: [{ name: "heapKb", label: "heap held", as: "absolute", unit: "kB", aim: 42 }],
    run: (create) => idle(create, 16, async (count) => ({ servers: stdioServers({ count }), stop: () => {} })),
  },
  {
    id: "idle-http",
    title: "An idle connection over Streamable HTTP",
    metrics: [{ name: "heapKb", label: "heap held", as: "absolute", unit: "kB", aim: 42 }],
    run: (create) => idle(create, 100, manyHttp),
  },
];

async function importTime(create: CreateContender, adapterUrl: string): Promise<Metrics> {
  const empty: number[] = [];
  const full: number[] = [];
  const url = JSON.stringify(adapterUrl);
  for (let round = 0; round < 3; round += 1) {
    empty.push(processTime("0"));
    full.push(processTime(`await import(${url})`));
  }
  // Made once, so that the contender can say who it is.
  await create();
  return { importMs: median(full) - median(empty) };
}

function processTime(program: string): number {
  const startedAt = performance.now();
  // What an import leaves running is not waited for.
  const end = "process.exit(0)";
  const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", `${program};${end}`]);
  if (status !== 0) throw new Error(`the import ended with ${status}`);
  return performance.now() - startedAt;
}

async function lookup(create: CreateContender): Promise<Metrics> {
  const { servers, stop } = await startHttpServers({ tools: 10_000, pageSize: 500 });
  const contender = await create();
  try {
    await contender.connect(servers);
    const names = (await contender.listTools()).map(({ name }) => name);
    if (contender.lookup === undefined) return {};
    const find = contender.lookup.bind(contender);
    const times = Array.from({ length: 30 }, () => lookAll(find, names));
    return { lookupNs: median(times.slice(10)) };
  } finally {
    await contender.close();
    stop();
  }
}

function lookAll(find: (name: string) => unknown, names: readonly string[]): number {
  let found = 0;
  const startedAt = performance.now();
  // 7,919 is a prime: every name, in an order that no cache foresees.
  for (let index = 0; index < names.length; index += 1) {
    if (find(names[(index * 7919) % names.length] ?? "")) found += 1;
  }
  const ns = ((performance.now() - startedAt) * 1e6) / names.length;
  if (found !== names.length) throw new Error(`found ${found} of ${names.length} names`);
  return ns;
}

async function instance(create: CreateContender): Promise<Metrics> {
  // As many before the first reading: what is loaded and compiled once is not what an instance costs.
  const count = 10;
  const warm = await emptyOnes(create, count);
  const before = heapMb();
  const own = await emptyOnes(create, count);
  const heapKb = ((heapMb() - before) * 1000) / count;
  await Promise.all([...warm, ...own].map((one) => one.close()));
  return { heapKb };
}

async function emptyOnes(create: CreateContender, count: number): Promise<readonly Contender[]> {
  const made: Contender[] = [];
  for (let index = 0; index < count; index += 1) {
    const one = await create();
    await one.connect([]);
    made.push(one);
  }
  return made;
}

type Start = (count: number) => ReturnType<typeof startHttpServers>;

async function idle(create: CreateContender, count: number, start: Start): Promise<Metrics> {
  const [first, rest] = [await start(count), await start(count)];
  // As many connections before the first reading: what is loaded and compiled once is not what a
  // connection costs.
  const warm = await create();
  await warm.connect(first.servers);
  await warm.listTools();
  const contender = await create();
  const before = heapMb();
  await contender.connect(rest.servers);
  const tools = await contender.listTools();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const heapKb = ((heapMb() - before) * 1000) / count;
  if (tools.length < count) throw new Error(`${tools.length} tools of ${count} servers`);
  await Promise.all([warm.close(), contender.close()]);
  first.stop();
  rest.stop();
  return { heapKb };
}

/** One process that answers for all: what is measured is the host. */
async function manyHttp(count: number): ReturnType<typeof startHttpServers> {
  const { servers, stop } = await startHttpServers();
  const [server] = servers;
  if (server === undefined) throw new TypeError("no server");
  return { servers: Array.from({ length: count }, (_, index) => ({ ...server, id: `s${index}` })), stop };
}
