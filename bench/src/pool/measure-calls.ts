// Prints how fast a thousand conversations call eight shared servers beside one that calls as much,
// and how even their shares are: `node measure-calls.js <conversations> <rounds>`.
import type { ToolboxView } from "@hostside/discovery";
import { median } from "../host/statistics.ts";
import type { Shares } from "./shares.ts";
import { echoOf, openSharedStage, plan } from "./shared-stage.ts";

const [, , conversations = "1000", rounds = "7"] = process.argv;
const inFlight = 256;
const callsInRound = 10_000;
// Enough that one call more or less is little beside what each gets.
const callsForShares = 25_000;

await using stage = await openSharedStage();
const views = Array.from({ length: Number(conversations) }, (_, index) => stage.viewOf(`conversation ${index}`));
const [alone] = views;
if (alone === undefined) throw new TypeError("no conversation");

/** How fast calls are. */
interface Speed {
  readonly callsPerSecond: number;
  /** CPU time of this process for one call, in microseconds. */
  readonly cpuMicros: number;
}

/** Makes so many calls at a time, by these conversations in turn. */
async function throughput(callers: readonly ToolboxView[]): Promise<Speed> {
  let next = 0;
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const loop = async (): Promise<void> => {
    for (let index = next++; index < callsInRound; index = next++) {
      await callers[index % callers.length]?.call(echoOf(index), { text: "x" });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  const { user, system } = process.cpuUsage(before);
  return {
    callsPerSecond: callsInRound / ((performance.now() - startedAt) / 1000),
    cpuMicros: (user + system) / callsInRound,
  };
}

/**
 * Each conversation calls again when it has its answer, until there were enough calls; the greedy
 * one has so many more under way at a time.
 */
async function shares(greedy: number): Promise<Shares> {
  const counts = views.map(() => 0);
  const times: number[] = [];
  const refused = views.map(() => 0);
  let made = 0;
  const loop = async (view: ToolboxView, caller: number, first: number): Promise<void> => {
    for (let index = first; made < callsForShares; index += 1) {
      const startedAt = performance.now();
      try {
        await view.call(echoOf(index), { text: "x" });
        counts[caller] = (counts[caller] ?? 0) + 1;
        made += 1;
        if (caller > 0) times.push(performance.now() - startedAt);
      } catch {
        refused[caller] = (refused[caller] ?? 0) + 1;
        // A product that is refused waits a moment.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  };
  const flood = Array.from({ length: greedy }, (_, index) => loop(alone as ToolboxView, 0, index));
  await Promise.all([...views.map((view, caller) => loop(view, caller, caller)), ...flood]);
  const [ofGreedy = 0, ...others] = counts;
  return {
    jain:
      others.reduce((sum, one) => sum + one, 0) ** 2 /
      (others.length * others.reduce((sum, one) => sum + one * one, 0)),
    worst: Math.min(...others) / median(others),
    greedy: ofGreedy / median(others),
    medianMs: median(times),
    refused: refused.slice(1).reduce((sum, one) => sum + one, 0),
  };
}

await throughput(views);
await throughput([alone]);
const many: Speed[] = [];
const one: Speed[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  many.push(await throughput(views));
  one.push(await throughput([alone]));
}
const ofOne = (what: keyof Speed): number =>
  median(many.map((speed, round) => speed[what] / (one[round]?.[what] ?? Number.NaN)));
const medianOf = (what: keyof Speed): number => median(many.map((speed) => speed[what]));
const even = await shares(0);
const flooded = await shares(250 * plan.count);
process.stdout.write(
  JSON.stringify({
    inFlight,
    callsPerSecond: medianOf("callsPerSecond"),
    cpuMicros: medianOf("cpuMicros"),
    speedRatio: ofOne("callsPerSecond"),
    cpuRatio: ofOne("cpuMicros"),
    even,
    flooded,
  }),
);
