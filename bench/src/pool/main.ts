// Measures many conversations, and prints the tables of docs/internals/costs.md:
// `pnpm --filter @hostside/bench pool [rounds]`.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "../host/statistics.ts";
import type { Shares } from "./shares.ts";
import { toExpectations, type Costs } from "./to-expectations.ts";
import { countArgument } from "../count-argument.ts";

const rounds = countArgument(0, 5);

interface Calls {
  readonly inFlight: number;
  readonly callsPerSecond: number;
  readonly cpuMicros: number;
  readonly speedRatio: number;
  readonly cpuRatio: number;
  readonly even: Shares;
  readonly flooded: Shares;
}

interface Start {
  readonly cold: number;
  readonly saved: number;
  readonly ratio: number;
  readonly savedOffer: number;
}

interface Idle {
  readonly bytes: number;
  readonly sweepMs: number;
  readonly blockedMs: number;
}

interface OwnProcess {
  readonly heapBytes: number;
  readonly startMs: number;
  readonly residentMb: number;
  readonly ownMb: number;
}

// Each measurement has a process of its own: what one leaves in the heap or in the code of the
// engine is not another one's.
function run(program: string, ...args: readonly (string | number)[]): unknown {
  const file = fileURLToPath(new URL(`./measure-${program}.js`, import.meta.url));
  const output = execFileSync(process.execPath, ["--expose-gc", file, ...args.map(String)], { encoding: "utf8" });
  process.stderr.write(`${program} ${args.join(" ")}: ${output}\n`);
  return JSON.parse(output);
}

function runs(program: string, ...args: readonly (string | number)[]): readonly unknown[] {
  return Array.from({ length: rounds }, () => run(program, ...args));
}

const bytesOf = (way: string): number => {
  const found = runs("memory", way, 1000) as readonly { readonly bytes: number }[];
  return median(found.map(({ bytes }) => bytes));
};
const [view, toolbox, facade] = [bytesOf("view"), bytesOf("toolbox"), bytesOf("facade")];
const idles = runs("idle", 10_000) as readonly Idle[];
const idleOf = (what: keyof Idle): number => median(idles.map((idle) => idle[what]));
const calls = run("calls", 1000, Math.max(3, rounds)) as Calls;
const starts = run("start", 3 * rounds) as { readonly http: Start; readonly stdio: Start };
const own = run("processes", 20) as OwnProcess;

const kb = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`;
const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const fairness = ({ jain, worst, refused }: Shares): string =>
  `Jain index ${jain.toFixed(3)}; the worst off has ${worst.toFixed(2)} of the median; ${refused} refused`;
const beside = ({ greedy, medianMs }: Shares, even: Shares): string =>
  `an answer takes ${(medianMs / even.medianMs).toFixed(2)} of the time without it, and it has ${greedy.toFixed(0)} times the median`;
const start = ({ cold, saved, ratio, savedOffer }: Start): string =>
  `${ms(saved)} instead of ${ms(cold)}: ${ratio.toFixed(2)} of it; tools on offer after ${ms(savedOffer)}`;
const measured: readonly (readonly [string, string])[] = [
  ["memory of a conversation over 8 shared servers with 64 tools, of 1,000: a view, with a lease", kb(view)],
  ["the same, with a toolbox of its own", kb(toolbox)],
  ["the same, of `conversation()`", kb(facade)],
  ["memory of an idle conversation with a provider of its own and no connection, of 10,000", kb(idleOf("bytes"))],
  ["a sweep over 10,000 of them, none of which ends", ms(idleOf("sweepMs"))],
  [
    "a sweep when all 10,000 are to end: a hundred, while nothing else runs; the rest follows by hundreds",
    ms(idleOf("blockedMs")),
  ],
  [
    `calls of 1,000 conversations, ${calls.inFlight} under way at a time, beside as many of one`,
    `${calls.speedRatio.toFixed(2)} as many a second, ${calls.cpuRatio.toFixed(2)} of the CPU time for each`,
  ],
  ["CPU time of the host for one of these calls over HTTP", `${calls.cpuMicros.toFixed(0)} µs`],
  ["shares of 1,000 conversations that all call all the time", fairness(calls.even)],
  [
    "the same beside one that has 2,000 calls under way",
    `${fairness(calls.flooded)}; ${beside(calls.flooded, calls.even)}`,
  ],
  ["first answer from a saved catalogue over HTTP, 2026-07-28", start(starts.http)],
  ["the same over stdio, where the process starts either way", start(starts.stdio)],
  [
    "a stdio process of a conversation's own, a small server on the official SDK",
    `${ms(own.startMs)} to its first answer; ${own.ownMb.toFixed(0)} MB of its own (${own.residentMb.toFixed(0)} MB resident), ${kb(own.heapBytes)} in the host`,
  ],
];
const costs: Costs = {
  sharedBytes: facade,
  ownBytes: facade + idleOf("bytes"),
  processBytes: own.ownMb * 1e6 + own.heapBytes,
  callMicros: calls.cpuMicros,
};
process.stdout.write(
  `| measured | |\n| --- | --- |\n${measured.map(([what, value]) => `| ${what} | ${value} |`).join("\n")}\n\n${toExpectations(costs)}\n\nNode ${process.versions.node}, medians of ${rounds} runs.\n`,
);
