// Measures what a policy adds to the CPU time of a call, and prints the table of docs/policy.md. `pnpm --dir bench policy [rounds]`
import type { Interceptor } from "@toolport/core";
import { createToolbox, type Toolbox } from "@toolport/discovery";
import { createPolicy } from "@toolport/policy";
import { quantile } from "../host/statistics.ts";
import { policies, tool } from "./policies.ts";

const rounds = Number(process.argv[2] ?? 15);
const callsInRound = 20_000;

/** CPU time of one call, in microseconds. */
async function measureRound(toolbox: Toolbox): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < callsInRound; call += 1) {
    await toolbox.call("bench_echo", { text: "hello", count: call, nested: { flag: true } }, options);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / callsInRound;
}

const passOn: Interceptor = (call, next) => next(call);
const options = { context: { principal: "ann", conversation: "c-1" } };
const contenders = Object.entries({
  "no policy": {},
  "an interceptor that does nothing": { interceptors: [passOn] },
  ...Object.fromEntries(
    Object.entries(policies).map(([name, given]) => {
      const { admit, interceptors } = createPolicy(given);
      return [name, { admit, interceptors }];
    }),
  ),
}).map(([name, layers]) => ({ name, toolbox: createToolbox({ tools: [tool], ...layers }), times: [] as number[] }));

for (const { toolbox } of contenders) await measureRound(toolbox);
for (let round = 0; round < rounds; round += 1) {
  // One after the other within a round, so that what the machine does besides meets them all.
  for (const contender of contenders) contender.times.push(await measureRound(contender.toolbox));
}
const [bare, empty] = contenders;
const cell = (value: number): string => value.toFixed(1);
const rows = contenders.map(({ name, times }) => {
  const over = (base: readonly number[] = []): string =>
    cell(
      quantile(
        times.map((time, round) => time - (base[round] ?? 0)),
        0.5,
      ),
    );
  return `| ${name} | ${cell(quantile(times, 0.5))} | ${over(bare?.times)} | ${over(empty?.times)} |`;
});
process.stdout.write(
  `| | µs of CPU a call | more than no policy | more than such an interceptor |\n| --- | ---: | ---: | ---: |\n${rows.join("\n")}\n\nNode ${process.versions.node}, ${rounds} rounds of ${callsInRound.toLocaleString("en")} calls.\n`,
);
