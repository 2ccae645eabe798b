// Measures what limits in Redis add to a call, beside none, those in memory and a bare INCR, and
// prints the table of docs/internals/costs.md. `pnpm --dir bench limits redis://localhost:6379 [rounds]`
import { createMemoryLimitStore, type LimitRule, type LimitStore } from "@hostside/policy";
import { createRedisState } from "@hostside/cluster/redis";
import { createClient } from "redis";
import { quantile } from "../host/statistics.ts";
import { countArgument } from "../count-argument.ts";

const [, , url] = process.argv;
if (url === undefined) throw new TypeError("say where a Redis is: redis://localhost:6379");
const rounds = countArgument(1, 9);
const callsInRound = 2000;

const redis = createClient({ url });
redis.on("error", (error: unknown) => process.stderr.write(`${String(error)}\n`));
await redis.connect();
const prefix = `hostside:bench:${process.pid}`;
const many = 1_000_000_000;
const rate: LimitRule = { name: "rate", rate: { calls: many, perMs: 1000, burst: many }, waitMs: 0 };
const budget: LimitRule = { name: "budget", budget: { calls: many, perMs: 60_000 }, waitMs: 0 };
const shared = createRedisState(redis, { prefix: `${prefix}:` }).limitStore;

async function limited(store: LimitStore, ...rules: readonly LimitRule[]): Promise<void> {
  const wants = rules.map((rule) => ({ rule, key: "ada" }));
  const result = await store.take(wants, undefined);
  if (!result.granted) throw new Error(`a limit of the measurement refused: ${result.part}`);
  result.settle(true);
}

const memory = createMemoryLimitStore();
const contenders: Readonly<Record<string, () => Promise<unknown>>> = {
  "no limit": async () => {},
  "a rate and a budget in memory": () => limited(memory, rate, budget),
  "a bare `INCR`": () => redis.incr(`${prefix}:bare`),
  "a rate in Redis": () => limited(shared, rate),
  "a rate and a budget in Redis": () => limited(shared, rate, budget),
};

/** Microseconds for each call, so many at a time. */
async function measure(call: () => Promise<unknown>, together: number): Promise<number> {
  const startedAt = performance.now();
  const one = async (): Promise<void> => {
    for (let index = 0; index < callsInRound / together; index += 1) await call();
  };
  await Promise.all(Array.from({ length: together }, one));
  return ((performance.now() - startedAt) * 1000) / callsInRound;
}

const times = new Map(
  Object.keys(contenders).map((name) => [name, { alone: [] as number[], together: [] as number[] }]),
);
for (let round = -1; round < rounds; round += 1) {
  for (const [name, call] of Object.entries(contenders)) {
    const alone = await measure(call, 1);
    const together = await measure(call, 50);
    // The first is for warming up.
    if (round >= 0) {
      times.get(name)?.alone.push(alone);
      times.get(name)?.together.push(together);
    }
  }
}
const bare = times.get("a bare `INCR`");
const cells = (all: readonly number[], base: readonly number[] = []): string => {
  const ratio = quantile(
    all.map((time, round) => time / (base[round] ?? Number.NaN)),
    0.5,
  );
  return `${quantile(all, 0.5).toFixed(1)} | ${ratio.toFixed(2)}`;
};
const rows = Array.from(
  times,
  ([name, { alone, together }]) => `| ${name} | ${cells(alone, bare?.alone)} | ${cells(together, bare?.together)} |`,
);
const head =
  "| | µs a call, one after the other | of an `INCR` | µs a call, 50 together | of an `INCR` |\n| --- | ---: | ---: | ---: | ---: |";
const foot = `Node ${process.versions.node}, ${rounds} rounds of ${callsInRound.toLocaleString("en")} calls.`;
process.stdout.write(`${head}\n${rows.join("\n")}\n\n${foot}\n`);
for await (const keys of redis.scanIterator({ MATCH: `${prefix}:*` })) if (keys.length > 0) await redis.del(keys);
await redis.close();
