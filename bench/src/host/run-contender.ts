import type { CreateContender } from "./contender.ts";
import { allWorkloads } from "./workloads/all-workloads.ts";
import { startSteps } from "./workloads/start-steps.ts";

// Usage: node --expose-gc run-contender.js <adapter file URL> <workload>; prints one line of JSON.
// One process for each measurement, so that no contender pays for another one's garbage or warm
// code.
const [adapterUrl = "", id = ""] = process.argv.slice(2);
const workload = [...allWorkloads, startSteps].find((candidate) => candidate.id === id);
if (workload === undefined) throw new TypeError(`no workload ${JSON.stringify(id)}`);
const { create } = (await import(adapterUrl)) as { readonly create: CreateContender };
let identity = { name: "?", version: "?" };
const metrics = await workload.run(async () => {
  const contender = await create();
  identity = { name: contender.name, version: contender.version };
  return contender;
}, adapterUrl);
process.stdout.write(`\n${JSON.stringify({ ...identity, metrics })}\n`, () => process.exit(0));
