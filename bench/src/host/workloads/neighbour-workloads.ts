import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { floods, type Flood } from "@hostside/fixtures";
import type { BenchServer, Contender, CreateContender, Metrics } from "../contender.ts";
import { stdioServers } from "../start-servers.ts";
import { median, quantile } from "../statistics.ts";
import type { Workload } from "./workload.ts";

/**
 * What the calls of one server cost while another server does its worst, and what is left when the
 * host is closed meanwhile.
 */
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
// A host may count, coalesce and give up on a flood; what is measured is how it lives with one that
// has been there for a while.
const rampMs = 500;

async function besideFlood(create: CreateContender, flood: Flood): Promise<Metrics> {
  const { server, stop } = await startServer("flood", flood);
  // Whoever makes calls without end has less time for others, also when each is answered in a few
  // bytes: that is not the server's doing.
  const calm =
    flood.called === "again" ? await startServer("calm", { ...flood, script: { era: "legacy" } }) : undefined;
  const contender = await create();
  const [good] = stdioServers({ count: 1 });
  if (good === undefined) throw new TypeError("no server");
  await contender.connect([{ ...good, id: "good" }, server, ...(calm === undefined ? [] : [calm.server])]);
  const tools = await contender.listTools();
  const nameOf = (serverId: string, toolName: string): string =>
    tools.find((tool) => tool.serverId === serverId && tool.toolName === toolName)?.name ?? "";
  const echo = nameOf("good", "echo");
  const callOf = (serverId: string): (() => Promise<unknown>) => {
    const append = nameOf(serverId, "append");
    return () => contender.call(append, { text: serverId }).catch(() => {});
  };
  await p99Of(contender, echo);
  const calling = calm === undefined ? undefined : callWithoutEnd(callOf("calm"));
  await pause(rampMs);
  const quiet = await medianP99(contender, echo);
  await calling?.();

  const end = flood.called === "again" ? callWithoutEnd(callOf("flood")) : callOnce(callOf("flood"));
  await pause(rampMs);
  const flooded = await medianP99(contender, echo);

  const closedAt = performance.now();
  const ended = end();
  await contender.close();
  await ended;
  await stop();
  await calm?.stop();
  // Nothing keeps the process alive any more.
  await new Promise((resolve) => process.once("beforeExit", resolve));
  return { p99Times: flooded / quiet, exitMs: performance.now() - closedAt, quietUs: quiet, floodedUs: flooded };
}

/** Makes four calls at a time, again and again, until the function that it returns is called. */
function callWithoutEnd(call: () => Promise<unknown>): () => Promise<unknown> {
  const over = new AbortController();
  const repeat = async (): Promise<void> => {
    while (!over.signal.aborted) await call();
  };
  const all = Promise.all(Array.from({ length: 4 }, repeat));
  return () => {
    over.abort();
    return all;
  };
}

function callOnce(call: () => Promise<unknown>): () => Promise<unknown> {
  const answer = call();
  return () => answer;
}

function pause(ms: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, ms));
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

interface RunningServer {
  readonly server: BenchServer;
  readonly stop: () => Promise<unknown>;
}

// Started by hand, without the handles of a test, which would keep this process alive.
async function startServer(id: string, { transport, script }: Flood): Promise<RunningServer> {
  const folder = dirname(createRequire(import.meta.url).resolve("@hostside/fixtures/package.json"));
  const program = join(folder, "bin/hostside-fault-server.js");
  const args = [program, "--transport", transport, "--script", JSON.stringify(script)];
  if (transport === "stdio") {
    return { server: { id, type: "stdio", command: process.execPath, args }, stop: async () => {} };
  }
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString("utf8")) as { readonly url: string };
  return {
    server: { id, type: "http", url },
    stop() {
      const ended = once(child, "close");
      child.kill("SIGKILL");
      return ended;
    },
  };
}
