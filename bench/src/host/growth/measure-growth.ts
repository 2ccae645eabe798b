import type { JsonObject } from "@toolport/core";
import { createToolbox, type ToolboxView } from "@toolport/discovery";
import { createProvider, type McpProvider } from "@toolport/provider";
import { createConnector } from "@toolport/transports";
import { startHttpServers } from "../start-servers.ts";
import { median } from "../statistics.ts";

/** What one operation costs at one size. */
export interface GrowthPoint {
  readonly series: string;
  /** What the size counts. */
  readonly of: "servers" | "tools";
  readonly size: number;
  readonly micros: number;
}

/** Sizes that are measured. */
export const sizes: readonly number[] = [1, 10, 100, 1000];

/** What everything that depends on a size costs, at every size: Toolport over Streamable HTTP, through its public API. */
export async function measureGrowth(): Promise<readonly GrowthPoint[]> {
  const points: GrowthPoint[] = [];
  for (const size of sizes) points.push(...(await measureSize("servers", size)), ...(await measureSize("tools", size)));
  return points;
}

async function measureSize(of: "servers" | "tools", size: number): Promise<readonly GrowthPoint[]> {
  const point = (series: string, micros: number): GrowthPoint => ({ series, of, size, micros });
  const { servers, stop } = await startHttpServers(of === "tools" ? { tools: size, pageSize: 500 } : {});
  const [server] = servers;
  if (server?.kind !== "http") throw new TypeError("no server");
  const specs = Array.from({ length: of === "servers" ? size : 1 }, (_, index) => ({
    id: `s${index}`,
    transport: { kind: "http", url: server.url } as const,
  }));
  const provider = createProvider({ connector: createConnector(), servers: specs });
  try {
    const connect = await timed(() => provider.init());
    const names = provider.definitions().map(({ name }) => name);
    if (names.length !== size) throw new Error(`${names.length} tools, not ${size}`);
    const few = Math.max(3, Math.min(30, 300 / size));
    return [
      point("connect and list", connect),
      point("refresh", await typical(few, () => provider.refresh())),
      point("one call", await timeCalls(provider, names)),
      point("catalogue: all definitions", await typical(50, () => provider.definitions())),
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
    point("toolbox and first view", await typical(7, () => fresh().definitions({ budget: 8000 }))),
    point("groups", await typical(50, () => view.listGroups({ query: "*" }))),
    point("search", await typical(50, () => view.searchTools({ query: "return the text unchanged" }))),
    point("select one", await typical(50, () => view.selectTools({ tools: [firstName(provider)] }))),
  ];
}

function firstName(provider: McpProvider): string {
  return provider.definitions()[0]?.name ?? "";
}

async function timeCalls(provider: McpProvider, names: readonly string[]): Promise<number> {
  const args: JsonObject = { text: "x" };
  const call = async (index: number): Promise<void> =>
    void (await provider.call(names[index % names.length] ?? "", args));
  // Every connection is used once before, as in a host that runs for a while.
  for (let index = 0; index < Math.max(200, names.length); index += 1) await call(index);
  const times: number[] = [];
  for (let index = 0; index < 1000; index += 1) times.push(await timed(() => call(index)));
  return median(times);
}

/** The median of several runs, after as many to warm up. */
async function typical(runs: number, operation: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs * 2; run += 1) times.push(await timed(operation));
  return median(times.slice(runs));
}

/** Microseconds. */
async function timed(operation: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await operation();
  return (performance.now() - startedAt) * 1000;
}
