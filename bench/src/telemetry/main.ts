// Measures what telemetry adds to the CPU time of a call, and prints the table of
// docs/internals/costs.md. `pnpm --dir bench telemetry [rounds]`
import { execFileSync } from "node:child_process";
import { quantile } from "../host/statistics.ts";
import { contenders } from "./contenders.ts";
import { countArgument } from "../count-argument.ts";

const rounds = countArgument(0, 9);
const callsInRound = 50_000;
const program = new URL("./measure-telemetry.js", import.meta.url).pathname;

// Each in a process of its own, one after the other within a round, so that what the machine does
// besides meets them all.
const times = new Map<string, number[]>(contenders.map((name) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, known] of times) {
    known.push(Number(execFileSync(process.execPath, [program, name, String(callsInRound)], { encoding: "utf8" })));
  }
}
const [, empty = []] = Array.from(times.values());
const rows = Array.from(times, ([name, known]) => {
  const ratio = quantile(
    known.map((time, round) => time / (empty[round] ?? time)),
    0.5,
  );
  return `| ${name} | ${quantile(known, 0.5).toFixed(1)} | ${ratio.toFixed(2)} |`;
});
process.stdout.write(
  `| | µs of CPU a call | times such an interceptor |\n| --- | ---: | ---: |\n${rows.join("\n")}\n\nNode ${process.versions.node}, ${rounds} rounds of ${callsInRound.toLocaleString("en")} calls.\n`,
);
