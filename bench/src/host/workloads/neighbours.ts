import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { floods, type Flood } from "@toolport/fixtures";
import type { BenchServer, Contender, CreateContender, Metrics } from "../contender.ts";
import { stdioServers } from "../start-servers.ts";
import { median, quantile } from "../statistics.ts";
import type { Workload } from "./workload.ts";

/** What the calls of one server cost while another server does its worst, and what is left when the host is closed meanwhile. */
export const neighbourWorkloads: readonly Workload[] = floods.map((flood) => ({
  id: `neighbour-${flood.id}`,
  title: `A neighbour floods: ${flood.title}`,
  metrics: [
    { name: "p99Times", label: "p99 of the other's calls, times quiet", as: "absolute", aim: 3 },
    { name: "exitMs", label: "from close() to an idle process", as: "absolute", unit: "ms" },
  ],
  run: (create) => besideFlood(create, flood),
}));

const calls = 500;
// A series ends with this time, so that a host that hardly gets to answer is measured, too.
const seriesMs = 4000;
const series = 3;
// A host may count, coalesce and give up on a flood; what is measured is how it lives with one that has been there for a while.
const rampMs = 500;

async function besideFlood(create: CreateContender, flood: Flood): Promise<Metrics> {
  const { server, stop } = await startFlood(flood);
  const contender = await create();
  const [good] = stdioServers({ count: 1 });
  if (good === undefined) throw new TypeError("no server");
  await contender.connect([{ ...good, id: "good" }, server]);
  const tools = await contender.listTools();
  const nameOf = (serverId: string, toolName: string): string =>
    tools.find((tool) => tool.serverId === serverId && tool.toolName === toolName)?.name ?? "";
  const echo = nameOf("good", "echo");
  await p99Of(contender, echo);
  const quiet = await medianP99(contender, echo);

  const over = new AbortController();
  const append = nameOf("flood", "append");
  const call = async (): Promise<void> => {
    do await contender.call(append, { text: "flood" }).catch(() => {});
    while (flood.called === "again" && !over.signal.aborted);
  };
  const flooding = Promise.all(Array.from({ length: flood.called === "again" ? 4 : 1 }, call));
  await new Promise((resolve) => setTimeout(resolve, rampMs));
  const flooded = await medianP99(contender, echo);

  over.abort();
  const closedAt = performance.now();
  await contender.close();
  await flooding;
  await stop();
  // Nothing keeps the process alive any more.
  await new Promise((resolve) => process.once("beforeExit", resolve));
  return { p99Times: flooded / quiet, exitMs: performance.now() - closedAt, quietUs: quiet, floodedUs: flooded };
}

async function medianP99(contender: Contender, name: string): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < series; round += 1) all.push(await p99Of(contender, name));
  return median(all);
}

async function p99Of(contender: Contender, name: string): Promise<number> {
  const times: number[] = [];
  const endsAt = performance.now() + seriesMs;
  for (let index = 0; index < calls && performance.now() < endsAt; index += 1) {
    const text = `call ${index}`;
    const startedAt = performance.now();
    const answer = await contender.call(name, { text });
    times.push((performance.now() - startedAt) * 1000);
    if (answer !== text) throw new Error(`expected ${text}, got ${answer.slice(0, 100)}`);
  }
  return quantile(times, 0.99);
}

interface RunningFlood {
  readonly server: BenchServer;
  readonly stop: () => Promise<unknown>;
}

// Started by hand, without the handles of a test, which would keep this process alive.
async function startFlood({ transport, script }: Flood): Promise<RunningFlood> {
  const folder = dirname(createRequire(import.meta.url).resolve("@toolport/fixtures/package.json"));
  const program = join(folder, "bin/toolport-fault-server.js");
  const args = [program, "--transport", transport, "--script", JSON.stringify(script)];
  if (transport === "stdio") {
    return { server: { id: "flood", kind: "stdio", command: process.execPath, args }, stop: async () => {} };
  }
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString("utf8")) as { readonly url: string };
  return {
    server: { id: "flood", kind: "http", url },
    stop() {
      const ended = once(child, "close");
      child.kill("SIGKILL");
      return ended;
    },
  };
}
