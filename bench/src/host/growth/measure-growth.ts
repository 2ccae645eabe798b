import type { JsonObject } from "@hostside/core";
import { createToolbox, type ToolboxView } from "@hostside/discovery";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { startHttpServers } from "../start-servers.ts";
import { median } from "../statistics.ts";

/** What one operation costs at one size, in microseconds of the host's CPU. */
export interface GrowthPoint {
  readonly series: string;
  /** What the size counts. */
  readonly of: "servers" | "tools";
  readonly size: number;
  readonly micros: number;
}

/** Sizes that are measured. */
export const sizes: readonly number[] = [1, 10, 100, 1000];

/**
 * What everything that depends on a size costs, at every size: Hostside over Streamable HTTP,
 * through its public API.
 */
export async function measureGrowth(): Promise<readonly GrowthPoint[]> {
  const points: GrowthPoint[] = [];
  // Once for nothing: what is loaded with the first connection does not grow.
  await measureSize("servers", 1);
  for (const size of sizes) points.push(...(await measureSize("servers", size)), ...(await measureSize("tools", size)));
  return points;
}

const batches = 5;

async function measureSize(of: "servers" | "tools", size: number): Promise<readonly GrowthPoint[]> {
  const point = (series: string, micros: number): GrowthPoint => ({ series, of, size, micros });
  const { servers, stop } = await startHttpServers(of === "tools" ? { tools: size, pageSize: 500 } : {});
  const [server] = servers;
  if (server?.type !== "http") throw new TypeError("no server");
  const specs = Array.from({ length: of === "servers" ? size : 1 }, (_, index) => ({
    id: `s${index}`,
    type: "http" as const,
    url: server.url,
  }));
  const provider = createProvider({ connector: createConnector(), servers: specs });
  try {
    const connect = await cpuOf(() => provider.init());
    const names = provider.tools().map(({ name }) => name);
    if (names.length !== size) throw new Error(`${names.length} tools, not ${size}`);
    const few = Math.max(2, Math.min(50, 500 / size));
    return [
      point("connect and list", connect),
      point("refresh", await typical(few, () => provider.refresh())),
      point("one call", await costOfCalls(provider, names)),
      point("catalogue: all definitions", await typical(10_000, () => provider.tools())),
      ...(await discovery(provider, point)),
    ];
  } finally {
    await provider.close();
    stop();
  }
}

async function discovery(
  provider: McpProvider,
  point: (series: string, micros: number) => GrowthPoint,
): Promise<readonly GrowthPoint[]> {
  const fresh = (): ToolboxView => createToolbox({ providers: [provider] }).view();
  const view = fresh();
  return [
    point("toolbox and first view", await typical(20, () => fresh().tools({ maxToolTokens: 8000 }))),
    point("groups", await typical(100, () => view.listGroups({ query: "*" }))),
    point("search", await typical(100, () => view.searchTools({ query: "return the text unchanged" }))),
    point("select one", await typical(100, () => view.selectTools({ tools: [firstName(provider)] }))),
  ];
}

function firstName(provider: McpProvider): string {
  return provider.tools()[0]?.name ?? "";
}

function costOfCalls(provider: McpProvider, names: readonly string[]): Promise<number> {
  const args: JsonObject = { text: "x" };
  let index = 0;
  // At least as many as there are tools: every connection is used before anything counts, as in a
  // host that runs for a while.
  return typical(Math.max(300, names.length), () => provider.call(names[index++ % names.length] ?? "", args));
}

/** Microseconds of CPU for one run: the median of several batches, after one to warm up. */
async function typical(runs: number, operation: () => unknown): Promise<number> {
  const batch = async (): Promise<void> => {
    for (let run = 0; run < runs; run += 1) await operation();
  };
  await batch();
  const costs: number[] = [];
  for (let round = 0; round < batches; round += 1) costs.push((await cpuOf(batch)) / runs);
  return median(costs);
}

/**
 * Microseconds of CPU that this process spends. Unlike time, it says little about what else the
 * machine does.
 */
async function cpuOf(operation: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await operation();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
