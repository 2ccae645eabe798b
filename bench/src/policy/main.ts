// Measures what a policy adds to the CPU time of a call, and prints the table of docs/internals/costs.md.
// `pnpm --dir bench policy [rounds]`
import { execFileSync } from "node:child_process";
import { quantile } from "../host/statistics.ts";
import { policies } from "./policies.ts";
import { countArgument } from "../count-argument.ts";

const rounds = countArgument(0, 9);
const callsInRound = 50_000;
const program = new URL("./measure-policy.js", import.meta.url).pathname;

// Each in a process of its own, as a product has one policy: where one process has ten, the engine
// knows less of each. One after the other within a round, so that what the machine does besides
// meets them all.
const measure = (name: string): number =>
  Number(execFileSync(process.execPath, [program, name, String(callsInRound)], { encoding: "utf8" }));
const contenders = ["no policy", "an interceptor that does nothing", ...Object.keys(policies)];
const times = new Map(contenders.map((name) => [name, [] as number[]]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, known] of times) known.push(measure(name));
}
const [bare, empty] = Array.from(times.values());
const cell = (value: number): string => value.toFixed(1);
const rows = Array.from(times, ([name, known]) => {
  const over = (base: readonly number[] = []): string =>
    cell(
      quantile(
        known.map((time, round) => time - (base[round] ?? 0)),
        0.5,
      ),
    );
  return `| ${name} | ${cell(quantile(known, 0.5))} | ${over(bare)} | ${over(empty)} |`;
});
process.stdout.write(
  `| | µs of CPU a call | more than no policy | more than such an interceptor |\n| --- | ---: | ---: | ---: |\n${rows.join("\n")}\n\nNode ${process.versions.node}, ${rounds} rounds of ${callsInRound.toLocaleString("en")} calls.\n`,
);
