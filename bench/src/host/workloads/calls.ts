import type { Contender, Metrics } from "../contender.ts";
import { quantile } from "../statistics.ts";
import { startHttpServers, stdioServers, type ServerPlan } from "../start-servers.ts";
import type { Workload } from "./workload.ts";

const small = "x".repeat(100);
const large = "x".repeat(64 * 1024);

/** How fast calls are, once everything is connected. */
export const callWorkloads: readonly Workload[] = [
  {
    id: "stdio-sequential",
    title: "stdio, 100 B echo, one after another",
    metrics: [
      { name: "p50Us", label: "p50 over floor", as: "ratio", aim: 1.24 },
      { name: "cpuUs", label: "host CPU per call over floor", as: "ratio", aim: 1.6 },
    ],
    run: (create) => overStdio(create, (contender) => sequential(contender, { calls: 4000, text: small })),
  },
  {
    id: "stdio-64",
    title: "stdio, 100 B echo, 64 in flight",
    metrics: [{ name: "callsPerSecond", label: "calls/s as share of floor", as: "share", aim: 0.65 }],
    run: (create) => overStdio(create, (contender) => inFlight(contender, { calls: 15_000, width: 64 })),
  },
  {
    id: "stdio-8x8",
    title: "stdio, 8 servers with 8 in flight each",
    metrics: [{ name: "callsPerSecond", label: "calls/s as share of floor", as: "share", aim: 0.75 }],
    run: (create) => overStdio(create, (contender) => inFlight(contender, { calls: 15_000, width: 64 }), 8),
  },
  {
    id: "stdio-64k",
    title: "stdio, 64 KiB echo, one after another",
    metrics: [{ name: "p50Us", label: "p50 over floor", as: "ratio", aim: 1.07 }],
    run: (create) => overStdio(create, (contender) => sequential(contender, { calls: 400, text: large })),
  },
  {
    id: "http-sequential",
    title: "Streamable HTTP, 100 B echo, one after another",
    metrics: [
      { name: "p50Us", label: "p50 over floor", as: "ratio", aim: 1.09 },
      { name: "cpuUs", label: "host CPU per call over floor", as: "ratio" },
    ],
    run: (create) => overHttp(create, (contender) => sequential(contender, { calls: 2000, text: small })),
  },
  {
    id: "http-64",
    title: "Streamable HTTP, 100 B echo, 64 in flight",
    metrics: [{ name: "callsPerSecond", label: "calls/s as share of floor", as: "share", aim: 1.5 }],
    run: (create) => overHttp(create, (contender) => inFlight(contender, { calls: 4000, width: 64 })),
  },
  {
    id: "http-8x8",
    title: "Streamable HTTP, 8 servers with 8 in flight each",
    metrics: [{ name: "callsPerSecond", label: "calls/s as share of floor", as: "share", aim: 1.5 }],
    run: (create) => overHttp(create, (contender) => inFlight(contender, { calls: 4000, width: 64 }), { count: 8 }),
  },
  {
    id: "http-events",
    title: "Streamable HTTP, 100 B echo, answers as event streams, one after another",
    metrics: [{ name: "p50Us", label: "p50 over floor", as: "ratio", aim: 1.09 }],
    run: (create) =>
      overHttp(create, (contender) => sequential(contender, { calls: 2000, text: small }), { events: true }),
  },
];

type Create = Parameters<Workload["run"]>[0];
type Measure = (contender: Contender) => Promise<Metrics>;

async function overStdio(create: Create, measure: Measure, count = 1): Promise<Metrics> {
  const contender = await create();
  await contender.connect(stdioServers({ count }));
  try {
    return await measure(contender);
  } finally {
    await contender.close();
  }
}

async function overHttp(create: Create, measure: Measure, plan?: ServerPlan): Promise<Metrics> {
  const { servers, stop } = await startHttpServers(plan);
  const contender = await create();
  try {
    await contender.connect(servers);
    return await measure(contender);
  } finally {
    await contender.close();
    stop();
  }
}

async function sequential(contender: Contender, { calls, text }: { calls: number; text: string }): Promise<Metrics> {
  const [tool] = await contender.listTools();
  const name = tool?.name ?? "";
  const once = async (): Promise<void> => assertEcho(await contender.call(name, { text }), text);
  // As many to warm up: what is measured is a host that has run for a while, not its compiler.
  for (let warmUp = 0; warmUp < calls; warmUp += 1) await once();
  const times = new Float64Array(calls);
  const cpu = process.cpuUsage();
  for (let index = 0; index < calls; index += 1) {
    const startedAt = performance.now();
    await once();
    times[index] = performance.now() - startedAt;
  }
  const { user, system } = process.cpuUsage(cpu);
  const micros = Array.from(times, (ms) => ms * 1000);
  return { p50Us: quantile(micros, 0.5), p99Us: quantile(micros, 0.99), cpuUs: (user + system) / calls };
}

async function inFlight(contender: Contender, { calls, width }: { calls: number; width: number }): Promise<Metrics> {
  const names = (await contender.listTools()).map(({ name }) => name);
  const burst = async (total: number): Promise<void> => {
    let left = total;
    const worker = async (index: number): Promise<void> => {
      const name = names[index % names.length] ?? "";
      while (left-- > 0) assertEcho(await contender.call(name, { text: small }), small);
    };
    await Promise.all(Array.from({ length: width }, (_, index) => worker(index)));
  };
  await burst(calls);
  const startedAt = performance.now();
  await burst(calls);
  return { callsPerSecond: calls / ((performance.now() - startedAt) / 1000) };
}

// Fast and wrong is worthless: every answer is looked at.
function assertEcho(answer: string, text: string): void {
  if (answer !== text) throw new Error(`expected ${text.length} characters back, got ${answer.length}`);
}
