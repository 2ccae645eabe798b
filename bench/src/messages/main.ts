// Measures what one answer of so many bytes costs its host in processor time, from the socket to
// the outcome of the call, and prints the table of docs/limits.md.
// `pnpm --dir bench messages [rounds]`
import { startFaultServer, type FaultRule } from "@hostside/fixtures";
import { createConnector } from "@hostside/transports";
import { quantile } from "../host/statistics.ts";
import { countArgument } from "../count-argument.ts";

const rounds = countArgument(0, 9);
const mebibyte = 1024 * 1024;
const sizes = [1, 8, 12] as const;
/** What is around the part that repeats; the limit is for all of it. */
const roomForTheRest = 4096;

interface Kind {
  readonly name: string;
  /** What stands before the part that repeats, the part, and what stands after. */
  readonly text: readonly [before: string, part: string, after: string];
}

const kinds: readonly Kind[] = [
  { name: "one long text", text: ['"content":[{"type":"text","text":"', "a", '"}]'] },
  {
    name: "records of four members",
    text: [
      '"content":[],"structuredContent":{"records":[',
      '{"id":1234,"name":"a name","value":1.5,"ok":true},',
      "null]}",
    ],
  },
  {
    name: "empty objects (`{}`), the worst that was found",
    text: ['"content":[],"structuredContent":{"records":[', "{},", "null]}"],
  },
];

const rules: readonly FaultRule[] = kinds.flatMap(({ name, text: [before, part, after] }) =>
  sizes.map((size) => ({
    on: "tools/call",
    where: { "params.arguments.text": `${name} ${size}` },
    do: [
      {
        type: "respond",
        text: [
          `{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete",${before}`,
          { repeat: part, times: Math.floor((size * mebibyte - roomForTheRest) / part.length) },
          `${after}}}`,
        ],
      },
    ],
  })),
);

// A process of its own, whose work is not the host's.
await using server = await startFaultServer({ transport: "http", runIn: "child", script: { era: "modern", rules } });
const hooks = { onToolsChanged: () => {}, onDown: () => {} };
const timeouts = { callMs: 60_000 };
const spec = { id: "large", ...server.spec, timeouts, limits: { maxMessageValues: 10_000_000 } };
const connection = await createConnector().connect(spec, hooks, AbortSignal.timeout(10_000));

/** Milliseconds of processor time for one call. */
async function measure(text: string): Promise<number> {
  globalThis.gc?.();
  // The collector's threads sweep on for some milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const before = process.cpuUsage();
  const { isError } = await connection.callTool("append", { text });
  const { user, system } = process.cpuUsage(before);
  if (isError) throw new Error(`the answer ${JSON.stringify(text)} is an error`);
  return (user + system) / 1000;
}

const times = new Map<string, number[]>();
for (let round = 0; round < rounds; round += 1) {
  for (const { name } of kinds) {
    for (const size of sizes) {
      const key = `${name} ${size}`;
      times.set(key, [...(times.get(key) ?? []), await measure(key)]);
    }
  }
}
await connection.close("measured");

const cell = (ms: number): string => (ms < 100 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`);
const lines = kinds.map(
  ({ name }) =>
    `| ${name} | ${sizes.map((size) => cell(quantile(times.get(`${name} ${size}`) ?? [], 0.5))).join(" | ")} |`,
);
const head = `| one message of | ${sizes.map((size) => `${size} MiB`).join(" | ")} |\n|${"---|".repeat(sizes.length + 1)}`;
process.stdout.write(`${head}\n${lines.join("\n")}\n\nNode ${process.versions.node}, medians of ${rounds} rounds.\n`);
