// Prints the CPU time of one call of a tool that does nothing, in microseconds:
// `node measure-policy.js <name> <calls>`, where the name is that of a policy of policies.ts, or of
// what stands in for none.
import type { Interceptor } from "@hostside/core";
import { createToolbox, type ToolboxOptions } from "@hostside/discovery";
import { createPolicy } from "@hostside/policy";
import { policies, tool } from "./policies.ts";

const [, , name = "", calls = "0"] = process.argv;
const passOn: Interceptor = (call, next) => next(call);
const options = { context: { principal: "ann", conversation: "c-1" } };
const toolbox = createToolbox({ tools: [tool], ...layersOf(name) });

function layersOf(wanted: string): Pick<ToolboxOptions, "admit" | "interceptors"> {
  if (wanted === "no policy") return {};
  if (wanted === "an interceptor that does nothing") return { interceptors: [passOn] };
  const { admit, interceptors } = createPolicy(policies[wanted]);
  return { admit, interceptors };
}

async function run(count: number): Promise<void> {
  for (let call = 0; call < count; call += 1) {
    await toolbox.call("bench_echo", { text: "hello", count: call, nested: { flag: true } }, options);
  }
}

await run(Number(calls) / 2);
const before = process.cpuUsage();
await run(Number(calls));
const { user, system } = process.cpuUsage(before);
process.stdout.write(String((user + system) / Number(calls)));
