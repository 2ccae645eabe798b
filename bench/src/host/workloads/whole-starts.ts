import { spawnSync } from "node:child_process";
import type { BenchServer, CreateContender, Metrics } from "../contender.ts";
import { startHttpServers, stdioServers } from "../start-servers.ts";
import { median } from "../statistics.ts";
import type { Workload } from "./workload.ts";

/**
 * What somebody waits for who starts a program: what a contender imports counts as much as what it
 * loads when it connects.
 */
export const wholeStartWorkloads: readonly Workload[] = [
  {
    id: "whole-stdio",
    title: "From an empty process to all tools listed, import and one stdio server",
    metrics: [{ name: "wholeMs", label: "over an empty process", as: "absolute", unit: "ms", aim: 130 }],
    run: (create, adapterUrl) => wholeStart(create, { adapterUrl, servers: stdioServers({ tools }) }),
  },
  {
    id: "whole-http",
    title: "From an empty process to all tools listed, import and one HTTP server",
    metrics: [{ name: "wholeMs", label: "over an empty process", as: "absolute", unit: "ms", aim: 150 }],
    async run(create, adapterUrl) {
      const { servers, stop } = await startHttpServers({ tools });
      try {
        return await wholeStart(create, { adapterUrl, servers });
      } finally {
        stop();
      }
    },
  },
];

const tools = 10;

interface WholeStart {
  readonly adapterUrl: string;
  readonly servers: readonly BenchServer[];
}

async function wholeStart(create: CreateContender, { adapterUrl, servers }: WholeStart): Promise<Metrics> {
  const listing = `
    const { create } = await import(${JSON.stringify(adapterUrl)});
    const contender = await create();
    await contender.connect(${JSON.stringify(servers)});
    const { length } = await contender.listTools();
    if (length !== ${tools}) throw new Error("listed " + length + " of ${tools} tools");`;
  const empty: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    empty.push(timeWithin(""));
    whole.push(timeWithin(listing));
  }
  // Made once, so that the contender can say who it is.
  await create();
  return { wholeMs: median(whole) - median(empty) };
}

/**
 * Milliseconds from the beginning of a process, by its own clock, to the end of a program in it.
 * Its servers end with it.
 */
function timeWithin(program: string): number {
  const end = 'process.stdout.write("\\n" + performance.now() + "\\n", () => process.exit(0));';
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", `${program}\n${end}`], {
    encoding: "utf8",
  });
  const time = Number.parseFloat(stdout.trim().split("\n").at(-1) ?? "");
  if (Number.isNaN(time)) throw new Error(`the start failed: ${stderr.trim().split("\n").at(-1)}`);
  return time;
}
