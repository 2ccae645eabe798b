// Measures how long a neighbour's call waits beside the largest messages that a server or a client
// may send, and beside those that are refused. The answers come from a process of its own.
// `pnpm --dir bench messages [rounds]`
import { startFaultServer, type FaultRule } from "@hostside/fixtures";
import { createHost, type HostOptions } from "hostside";
import { createHostGateway } from "hostside/gateway";
import { countArgument } from "../count-argument.ts";
import { quantile } from "../host/statistics.ts";

const rounds = countArgument(0, 5);
const mebibyte = 1024 * 1024;
/** What a neighbour's call may be delayed by at most, in milliseconds. */
const mostDelayMs = 100;
const password = "correct horse battery staple";

interface Input {
  readonly name: string;
  /** What stands before the part that repeats, the part, how often, and what stands after. */
  readonly answer: readonly [before: string, part: string, times: number, after: string];
  readonly policy?: HostOptions["policy"];
  readonly isRefused?: boolean;
}

const text = (part: string, bytes: number): Input["answer"] => [
  '"content":[{"type":"text","text":"',
  part,
  Math.floor(bytes / part.length),
  '"}]',
];
const numbers = (times: number): Input["answer"] => [
  '"content":[],"structuredContent":{"values":[',
  "1,",
  times,
  "null]}",
];
const redact: HostOptions["policy"] = { redact: { values: [password] } };
const inputs: readonly Input[] = [
  { name: "an answer of 700,000 numbers, refused", answer: numbers(700_000), isRefused: true },
  { name: "an answer of 99,000 numbers", answer: numbers(99_000) },
  { name: "an answer of 99,000 numbers, redacted", answer: numbers(99_000), policy: redact },
  { name: "a text of 11 MiB", answer: text("The quick brown fox jumps. ", 11 * mebibyte) },
  { name: "a text of 11 MiB, redacted", answer: text("The quick brown fox jumps. ", 11 * mebibyte), policy: redact },
  { name: "11 MiB of escapes, redacted", answer: text("%2570assword%253D", 11 * mebibyte), policy: redact },
  { name: "11 MiB of pairs, redacted", answer: text("a_token=b&", 11 * mebibyte), policy: redact },
];

const rules: readonly FaultRule[] = inputs.map(({ name, answer: [before, part, times, after] }) => ({
  on: "tools/call",
  where: { "params.arguments.text": name },
  do: [
    {
      type: "respond",
      text: [
        `{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete",${before}`,
        { repeat: part, times },
        `${after}}}`,
      ],
    },
  ],
}));

await using flood = await startFaultServer({ transport: "http", runIn: "child", script: { era: "modern", rules } });
await using near = await startFaultServer({ transport: "http", runIn: "child", script: { era: "modern", rules: [] } });

/** Calls a neighbour until the work is done. Answers with the longest call, in milliseconds. */
async function longestBeside(call: () => Promise<unknown>, work: Promise<unknown>): Promise<number> {
  const state = { isOver: false };
  const end = (): void => void (state.isOver = true);
  work.then(end, end);
  let longest = 0;
  do {
    const before = performance.now();
    await call();
    longest = Math.max(longest, performance.now() - before);
  } while (!state.isOver);
  return longest;
}

async function measureAnswer({ name, policy, isRefused = false }: Input): Promise<number> {
  const servers = { flood: flood.spec, near: near.spec } as HostOptions["servers"];
  await using host = await createHost({ servers, ...(policy && { policy }) });
  const callNear = (): Promise<unknown> => host.call("mcp_near_append", { text: "hello" });
  for (let warm = 0; warm < 20; warm += 1) await callNear();
  await using conversation = await host.conversation();
  const work = conversation.call("mcp_flood_append", { text: name }).then(
    (outcome) => {
      if (isRefused || outcome.isError) throw new Error(`${name}: was not expected to be let through`);
      return conversation.presenter.present(outcome);
    },
    (error: unknown) => {
      if (!isRefused) throw error;
    },
  );
  const [longest] = await Promise.all([longestBeside(callNear, work), work]);
  return longest;
}

async function measurePost(): Promise<number> {
  await using host = await createHost({ servers: { near: near.spec } });
  const gateway = createHostGateway(host, { name: "bench", version: "1.0.0", expose: "all" });
  const handler = gateway.http({ auth: "none" });
  const callNear = (): Promise<unknown> => host.call("mcp_near_append", { text: "hello" });
  for (let warm = 0; warm < 20; warm += 1) await callNear();
  const members = Array.from({ length: 500_000 }, (_, at) => `"${at}":null`).join();
  const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{${members}}}`;
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const request = new Request("http://127.0.0.1:7777/mcp", { method: "POST", headers, body });
  const work = handler.fetch(request);
  const [longest, { status }] = await Promise.all([longestBeside(callNear, work), work]);
  if (status !== 413) throw new Error(`a POST of 500,000 members: ${status}`);
  await gateway.close();
  return longest;
}

const rows: [name: string, measure: () => Promise<number>][] = [
  ...inputs.map((input): [string, () => Promise<number>] => [input.name, () => measureAnswer(input)]),
  ["a POST to the gateway of 500,000 members, refused", measurePost],
];
process.stdout.write("| beside | a neighbour's longest call |\n|---|---|\n");
for (const [name, measure] of rows) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    globalThis.gc?.();
    times.push(await measure());
  }
  const middle = quantile(times, 0.5);
  process.stdout.write(`| ${name} | ${middle.toFixed(0)} ms |\n`);
  if (middle > mostDelayMs) process.exitCode = 1;
}
process.stdout.write(
  `\nNode ${process.versions.node}, medians of ${rounds} rounds. The limit is ${mostDelayMs} ms; more fails.\n`,
);
