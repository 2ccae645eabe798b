// Makes 100,000 calls through one gateway, of clients of both eras that come and go, and says
// whether the heap stays as it is. `pnpm --filter @hostside/bench gateway:soak [calls]`; exits with
// 1 when it grew.
import type { JsonObject } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { fixtureServer } from "@hostside/fixtures";
import { createGateway } from "@hostside/gateway";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { countArgument } from "../count-argument.ts";

const calls = countArgument(0, 100_000);
const callsOfClient = 1000;
const inFlight = 32;
const mostGrowth = 4 * 1024 * 1024;

const server = fixtureServer("legacy-stdio");
const provider = createProvider({
  connector: createConnector(),
  servers: [{ id: "soak", type: "stdio", ...server }],
});
const toolbox = createToolbox({ providers: [provider] });
await toolbox.init();
const gateway = createGateway({
  name: "soak-gateway",
  version: "1.0.0",
  expose: "search",
  tools: "all",
  open: ({ view }) => ({ tools: toolbox.view(view) }),
});

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One client's life. */
async function live(isModern: boolean): Promise<void> {
  const waiting = new Map<unknown, (answer: JsonObject) => void>();
  const connection = gateway.connect((text) => {
    const message = JSON.parse(text) as JsonObject;
    waiting.get(message["id"])?.(message);
    waiting.delete(message["id"]);
    return true;
  });
  let id = 0;
  const ask = (method: string, params: JsonObject): Promise<JsonObject> => {
    id += 1;
    const own = isModern ? { ...params, _meta: { ...meta, progressToken: id } } : params;
    const answered = new Promise<JsonObject>((resolve) => waiting.set(id, resolve));
    connection.receive(JSON.stringify({ jsonrpc: "2.0", id, method, params: own }));
    return answered;
  };
  if (!isModern) await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {} });
  await ask("tools/list", {});
  await ask("tools/call", { name: "tools_search", arguments: { query: "echo" } });
  let left = callsOfClient;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const answer = await ask("tools/call", { name: "mcp_soak_echo", arguments: { text: "x".repeat(200) } });
      if (answer["result"] === undefined) throw new Error(JSON.stringify(answer));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  await connection.close("done");
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const marks: number[] = [];
for (let made = 0; made < calls; made += callsOfClient) {
  await live((made / callsOfClient) % 2 === 1);
  if ((made / callsOfClient) % 10 === 9) marks.push(heapBytes());
}
// What is made once, such as compiled code, is made by then.
const [start = 0] = marks.slice(Math.floor(marks.length / 3));
const growth = (marks.at(-1) ?? 0) - start;
const shown = marks.map((bytes) => (bytes / 1024 / 1024).toFixed(1)).join(" ");
process.stdout.write(`${calls.toLocaleString("en")} calls; MiB of heap every 10,000: ${shown}\n`);
process.stdout.write(`${JSON.stringify(gateway.stats())}\n`);
await gateway.close();
await provider.close();
if (growth > mostGrowth) {
  process.stdout.write(`grew by ${(growth / 1024 / 1024).toFixed(1)} MiB\n`);
  process.exitCode = 1;
}
