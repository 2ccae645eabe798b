// Prints how long it takes from nothing to the first answer, in milliseconds, with a saved
// catalogue and without: `node measure-start.js <rounds>`.
import type { ServerSpec } from "@hostside/core";
import { fixtureServer, startHttpFixture } from "@hostside/fixtures";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { median } from "../host/statistics.ts";

const [, , count = "15"] = process.argv;
const rounds = Number(count);
const args = { text: "hello" };

/** Time to tools on offer, and to an answer. */
interface Start {
  readonly offeredMs: number;
  readonly answeredMs: number;
}

async function start(make: () => McpProvider): Promise<Start> {
  const startedAt = performance.now();
  await using provider = make();
  await provider.init();
  if (!provider.has("mcp_s_echo")) throw new Error("the tool is missing");
  const offeredMs = performance.now() - startedAt;
  await provider.call("mcp_s_echo", args);
  return { offeredMs, answeredMs: performance.now() - startedAt };
}

async function compare(spec: ServerSpec): Promise<unknown> {
  const cold = (): McpProvider => createProvider({ connector: createConnector(), servers: [spec] });
  await using before = cold();
  await before.init();
  await before.call("mcp_s_echo", args);
  const savedCatalog = before.savedCatalog();
  const saved = (): McpProvider => createProvider({ connector: createConnector(), servers: [spec], savedCatalog });
  const [colds, saveds]: [Start[], Start[]] = [[], []];
  // One for each to warm up; then by turns, so that what the machine does besides meets both.
  for (let round = -1; round < rounds; round += 1) {
    const [one, other] = [await start(cold), await start(saved)];
    if (round >= 0) {
      colds.push(one);
      saveds.push(other);
    }
  }
  return {
    cold: median(colds.map(({ answeredMs }) => answeredMs)),
    saved: median(saveds.map(({ answeredMs }) => answeredMs)),
    ratio: median(saveds.map(({ answeredMs }, round) => answeredMs / (colds[round]?.answeredMs ?? Number.NaN))),
    coldOffer: median(colds.map(({ offeredMs }) => offeredMs)),
    savedOffer: median(saveds.map(({ offeredMs }) => offeredMs)),
  };
}

const http = await startHttpFixture("modern-http", { ttlMs: 3_600_000 });
const overHttp = await compare({ id: "s", era: "2026-07-28", type: "http", url: http.url });
await http.close();
const overStdio = await compare({
  id: "s",
  era: "2026-07-28",
  type: "stdio",
  ...fixtureServer("modern-stdio"),
});
process.stdout.write(JSON.stringify({ http: overHttp, stdio: overStdio }));
