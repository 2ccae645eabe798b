import type { Cancel, ServerSpec } from "@hostside/core";
import type { useClock } from "@hostside/core/implement";
import { watchConfig, type ConfigChange, type ConfigReport, type ConfigWatch } from "@hostside/config/node";
import type { WatchConfigOptions } from "../src/node/watch-config.ts";
import { onTestFinished } from "vitest";
import { createFakeHome, mcpServers, type FakeHome } from "./fake-home.ts";
import { useTestClock } from "../../../test/manual-clock.ts";

/** What a watch of a test is started with. */
export interface Start extends Pick<WatchConfigOptions, "trust" | "files" | "check"> {
  /** Given how many sets there were, this one among them. */
  readonly onApply?: (count: number) => Promise<Partial<ConfigChange> | undefined>;
  readonly home?: FakeHome;
}

/** A watch of a fake home, and what it did. */
export interface Started {
  readonly home: FakeHome;
  readonly watch: ConfigWatch;
  readonly clock: TestClock;
  /** Ids of the sets that the target was given. */
  readonly applied: string[][];
  readonly reports: ConfigReport[];
  readonly nextReport: () => Promise<ConfigReport>;
  /** Has files looked at twice: a change is read once two looks see the same. */
  readonly look: () => Promise<void>;
  /** Does something to files, has them looked at, and resolves to the report. */
  readonly edit: (change: () => unknown) => Promise<ConfigReport>;
}

/** Starts one; it is closed when the test is over. */
export async function startWatch(
  prepare = (home: FakeHome): void => void home.write("home/.cursor/mcp.json", mcpServers({ a: "a" })),
  { onApply, home = createFakeHome(), ...options }: Start = {},
): Promise<Started> {
  prepare(home);
  const clock = openTestClock();
  const applied: string[][] = [];
  const reports: ConfigReport[] = [];
  let set: readonly ServerSpec[] = [];
  const target = {
    async applyServers(specs: readonly ServerSpec[]): Promise<ConfigChange> {
      applied.push(specs.map(({ id }) => id));
      const result = await onApply?.(applied.length);
      const before = new Map(set.map((spec) => [spec.id, JSON.stringify(spec)]));
      set = specs;
      const ids = new Set(specs.map(({ id }) => id));
      return {
        added: specs.filter(({ id }) => !before.has(id)).map(({ id }) => id),
        updated: specs
          .filter((spec) => (before.get(spec.id) ?? JSON.stringify(spec)) !== JSON.stringify(spec))
          .map(({ id }) => id),
        removed: [...before.keys()].filter((id) => !ids.has(id)),
        failed: [],
        ...result,
      };
    },
  };
  const watch = await watchConfig({ ...home.place, target, ...options });
  onTestFinished(() => watch.close());
  watch.onReport((report) => void reports.push(report));
  const nextReport = (): Promise<ConfigReport> =>
    new Promise((resolve) => {
      const end = watch.onReport((report) => {
        end();
        resolve(report);
      });
    });
  const look = async (): Promise<void> => {
    for (let turn = 0; turn < 2; turn++) {
      await clock.waiting();
      clock.pass();
    }
  };
  return {
    home,
    watch,
    clock,
    applied,
    reports,
    nextReport,
    look,
    async edit(change) {
      const report = nextReport();
      change();
      await look();
      return report;
    },
  };
}

/** A clock that stands still. */
type Clock = NonNullable<Parameters<typeof useClock>[0]>;

export interface TestClock extends Clock {
  /** Resolves to the delay when something waits. */
  waiting(): Promise<number>;
  /** Lets all that waits happen. */
  pass(): void;
  tasks(): number;
}

/** Puts one at 0 in the place of the real time until the test ends. */
export function openTestClock(): TestClock {
  const waiting = new Map<() => void, number>();
  let heard: ((delayMs: number) => void)[] = [];
  let now = 0;
  const clock: TestClock = {
    now: () => now,
    date: () => now,
    schedule(delayMs, task): Cancel {
      const run = (): void => task();
      waiting.set(run, delayMs);
      for (const hear of heard) hear(delayMs);
      heard = [];
      return () => void waiting.delete(run);
    },
    waiting: () => {
      const [first] = waiting.values();
      return first === undefined ? new Promise((resolve) => heard.push(resolve)) : Promise.resolve(first);
    },
    pass() {
      for (const [run, delayMs] of waiting) {
        waiting.delete(run);
        now += delayMs;
        run();
      }
    },
    tasks: () => waiting.size,
  };
  useTestClock(clock);
  return clock;
}
