import { createToolbox } from "@hostside/discovery";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { heapMb } from "./heap.ts";
import { stdioServers } from "./start-servers.ts";
import { countArgument } from "../count-argument.ts";

// Usage: node --expose-gc run-soak.js [calls] [refreshes]; fails when the heap grows. One process,
// as a host that runs for weeks: calls whose results have an output schema, and listings of tools
// with schemas.
const calls = countArgument(0, 100_000);
const refreshes = countArgument(1, 10_000);
const samples = 10;
// What ten samples of a flat heap may differ by, code that is compiled late included.
const allowedMb = 2;

const provider = createProvider({
  connector: createConnector(),
  servers: stdioServers({ tools: 20, outputSchemas: true }).flatMap((server) =>
    server.type === "stdio"
      ? [{ id: server.id, type: "stdio" as const, command: server.command, args: server.args }]
      : [],
  ),
});
await provider.init();
const toolbox = createToolbox({ providers: [provider] });
const [tool] = toolbox.tools();
const flat = [
  await soak("calls", calls, async () => void (await toolbox.call(tool?.name ?? "", { text: "x" }))),
  await soak("refreshes", refreshes, () => toolbox.refresh()),
];
toolbox.close();
await provider.close();
process.exitCode = flat.every(Boolean) ? 0 : 1;

async function soak(what: string, total: number, operation: () => Promise<void>): Promise<boolean> {
  const heaps: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    for (let index = 0; index < total / samples; index += 1) await operation();
    heaps.push(heapMb());
  }
  const growth = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0);
  const path = heaps.map((mb) => mb.toFixed(2)).join(" ");
  process.stdout.write(
    `${total} ${what}: heap in MB ${path}; from the first tenth to the last ${growth.toFixed(2)} MB\n`,
  );
  return growth < allowedMb;
}
