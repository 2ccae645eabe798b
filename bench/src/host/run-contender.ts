import type { CreateContender } from "./contender.ts";
import { allWorkloads } from "./workloads/all-workloads.ts";

// Usage: node --expose-gc run-contender.js <adapter file URL> <workload>; prints one line of JSON.
// One process for each measurement, so that no contender pays for another one's garbage or warm code.
const [adapter = "", id = ""] = process.argv.slice(2);
const importedAt = performance.now();
const { create } = (await import(adapter)) as { readonly create: CreateContender };
const importMs = performance.now() - importedAt;
const workload = allWorkloads.find((candidate) => candidate.id === id);
if (workload === undefined) throw new TypeError(`no workload ${JSON.stringify(id)}`);
let identity = { name: "?", version: "?" };
const metrics = await workload.run(async () => {
  const contender = await create();
  identity = { name: contender.name, version: contender.version };
  return contender;
});
process.stdout.write(`${JSON.stringify({ ...identity, importMs, metrics })}\n`, () => process.exit(0));
