// Measures what a call costs through a gateway, beside the same client on the same server directly,
// and prints the table of docs/internals/costs.md.
// `pnpm --filter @hostside/bench gateway [rounds] [stdio|http]`
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fixtureServer, startHttpFixture } from "@hostside/fixtures";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { quantile } from "../host/statistics.ts";
import { countArgument } from "../count-argument.ts";

const rounds = countArgument(0, 9);
const only = process.argv[3];
/** With many in flight a call takes microseconds, and a round has to last. */
const callsInRound = (inFlight: number): number => (inFlight === 1 ? 500 : 2000);
const program = new URL("./serve-gateway.js", import.meta.url).pathname;
const relayProgram = new URL("./relay.js", import.meta.url).pathname;

interface Contender {
  readonly client: Client;
  readonly tool: string;
  readonly end: () => Promise<unknown>;
}

interface Row {
  readonly name: string;
  readonly start: () => Promise<{
    readonly direct: Contender;
    readonly through: Contender;
    /** A process in between that only copies bytes: what the way alone costs. */
    readonly relay?: Contender;
    readonly end: () => Promise<unknown>;
  }>;
}

const rows: readonly Row[] = (["legacy", "modern"] as const).flatMap((era): readonly Row[] => [
  { name: `stdio, ${era}`, start: () => startStdio(era) },
  { name: `http, ${era}`, start: () => startHttp(era) },
]);

async function connect(era: "legacy" | "modern", transport: Transport, suffix: string): Promise<Contender> {
  const versionNegotiation = { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } } as const;
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name.endsWith(suffix))?.name ?? suffix;
  return { client, tool, end: () => client.close() };
}

async function startStdio(era: "legacy" | "modern"): ReturnType<Row["start"]> {
  const server = fixtureServer(`${era}-stdio`);
  const spec = { id: "bench", type: "stdio", ...server };
  const gateway = { command: process.execPath, args: [program, JSON.stringify(spec), "stdio"] };
  const relay = { command: process.execPath, args: [relayProgram, JSON.stringify(server)] };
  return {
    direct: await connect(era, new StdioClientTransport({ ...server, stderr: "ignore" }), "echo"),
    through: await connect(era, new StdioClientTransport({ ...gateway, stderr: "ignore" }), "echo"),
    relay: await connect(era, new StdioClientTransport({ ...relay, stderr: "ignore" }), "echo"),
    end: async () => undefined,
  };
}

async function startHttp(era: "legacy" | "modern"): ReturnType<Row["start"]> {
  const server = await startHttpFixture(`${era}-http`);
  const spec = { id: "bench", type: "http", url: server.url };
  const child = spawn(process.execPath, [program, JSON.stringify(spec), "http"], { stdio: ["pipe", "pipe", "ignore"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const url = new URL(line.toString().trim());
  return {
    direct: await connect(era, new StreamableHTTPClientTransport(new URL(server.url)), "echo"),
    through: await connect(era, new StreamableHTTPClientTransport(url), "echo"),
    async end() {
      child.kill();
      await server.close();
    },
  };
}

/** Milliseconds for each of so many calls, with so many in flight. */
async function measure({ client, tool }: Contender, inFlight: number): Promise<number> {
  const calls = callsInRound(inFlight);
  const start = performance.now();
  let left = calls;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await client.callTool({ name: tool, arguments: { text: "hi" } });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return (performance.now() - start) / calls;
}

const lines: string[] = [];
for (const { name, start } of rows.filter((row) => only === undefined || row.name.startsWith(only))) {
  const { direct, through, relay, end } = await start();
  for (const inFlight of [1, 64]) {
    const times = { direct: [] as number[], through: [] as number[], ratio: [] as number[], relay: [] as number[] };
    // One after the other within a round, so that what the machine does besides meets both.
    for (let round = 0; round <= rounds; round += 1) {
      const directMs = await measure(direct, inFlight);
      const throughMs = await measure(through, inFlight);
      const relayMs = relay === undefined ? undefined : await measure(relay, inFlight);
      if (round === 0) continue;
      times.direct.push(directMs);
      times.through.push(throughMs);
      times.ratio.push(throughMs / directMs);
      if (relayMs !== undefined) times.relay.push(relayMs / directMs);
    }
    const cell = (values: readonly number[], digits: number): string => quantile(values, 0.5).toFixed(digits);
    const share = 100 / quantile(times.ratio, 0.5);
    process.stderr.write(`${name}, ${inFlight} in flight\n`);
    lines.push(
      `| ${name} | ${inFlight} | ${cell(times.direct, 3)} | ${cell(times.through, 3)} | ${cell(times.ratio, 2)} | ${share.toFixed(0)} % | ${relay === undefined ? "" : cell(times.relay, 2)} |`,
    );
  }
  await Promise.all([direct.end(), through.end(), relay?.end()]);
  await end();
}
const node = execFileSync(process.execPath, ["--version"], { encoding: "utf8" }).trim();
process.stdout.write(
  "| | in flight | ms a call, direct | through | times direct | calls a second, of direct | copying alone, times direct |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n" +
    `${lines.join("\n")}\n\nNode ${node}, the official SDK's client on the fixtures' servers, medians of ${rounds} rounds of 500 calls, of 2,000 with 64 in flight, after one that does not count.\n`,
);
process.exit(0);
