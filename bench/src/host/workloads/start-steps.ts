import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CreateContender, Metrics } from "../contender.ts";
import { recordingServer } from "../start-servers.ts";
import type { Workload } from "./workload.ts";

/**
 * Where the start of one stdio server spends its time: milliseconds from `connect()`, by the
 * server's own record. A table of its own.
 */
export const startSteps: Workload = {
  id: "start-steps",
  title: "One stdio server, step by step",
  metrics: [
    { name: "spawned", label: "its process begins", as: "absolute" },
    { name: "running", label: "its program runs", as: "absolute" },
    { name: "server/discover", label: "`server/discover` arrives", as: "absolute" },
    { name: "initialize", label: "`initialize`", as: "absolute" },
    { name: "tools/list", label: "`tools/list`", as: "absolute" },
    { name: "ready", label: "ready", as: "absolute" },
  ],
  run: timeSteps,
};

async function timeSteps(create: CreateContender): Promise<Metrics> {
  const folder = mkdtempSync(join(tmpdir(), "hostside-steps-"));
  const file = join(folder, "steps.json");
  const contender = await create();
  try {
    const startedAt = performance.timeOrigin + performance.now();
    await contender.connect([recordingServer(file)]);
    const tools = await contender.listTools();
    const ready = performance.timeOrigin + performance.now();
    if (tools.length !== 10) throw new Error(`listed ${tools.length} of 10 tools`);
    const steps = JSON.parse(readFileSync(file, "utf8")) as Metrics;
    return Object.fromEntries(Object.entries({ ...steps, ready }).map(([step, at]) => [step, at - startedAt]));
  } finally {
    await contender.close();
    rmSync(folder, { recursive: true });
  }
}
