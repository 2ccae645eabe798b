import fc from "fast-check";
import { createMemoryStore } from "@hostside/core";
import { createMemorySink, createStoreSink, type BlobSink } from "@hostside/results";
import { createFolderSink } from "@hostside/results/node";
import { describe, expect } from "vitest";
import { test } from "../../../test/property-test.ts";
import { useVirtualClock, type VirtualClock } from "../../provider/test/simulation/virtual-clock.ts";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ttlMs = 100;
const maxBytes = 50;
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("put" as const), size: fc.integer({ min: 0, max: 60 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), which: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("read" as const), which: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 120 }) }) },
);

interface Kept {
  readonly key: string;
  readonly size: number;
  readonly at: number;
}

/**
 * Sends commands that overlap; a read must bring all of a blob, or nothing, and nothing once it is
 * too old.
 */
async function run(
  sink: BlobSink,
  commands: readonly (typeof command extends fc.Arbitrary<infer T> ? T : never)[],
  clock: VirtualClock,
): Promise<void> {
  const kept: Kept[] = [];
  const work: Promise<unknown>[] = [];
  for (const step of commands) {
    if (step.do === "wait") clock.advance(step.ms);
    else if (step.do === "put") {
      const data = new Uint8Array(step.size).fill(step.size);
      const put = async (): Promise<void> => {
        const result = await sink.put({ data, mimeType: "x/y" });
        if (result.kept) kept.push({ key: result.key, size: step.size, at: clock.now() });
        else expect(result.reason).toBe(step.size > maxBytes ? "too-large" : "full");
      };
      work.push(put());
    } else {
      const one = kept[step.which];
      if (one === undefined) await Promise.resolve();
      else if (step.do === "delete") work.push(sink.delete(one.key));
      else {
        const isOver = clock.now() - one.at >= ttlMs;
        const read = async (): Promise<void> => {
          const data = await sink.read(one.key);
          if (data === undefined) return;
          expect(isOver).toBe(false);
          expect(data).toEqual(new Uint8Array(one.size).fill(one.size));
        };
        work.push(read());
      }
    }
  }
  await Promise.all(work);
}

describe("a sink", () => {
  test.prop([fc.array(command, { maxLength: 25 })], { numRuns: 30 })(
    "of a folder never has more bytes than its quota, whatever puts, deletes and expiries overlap",
    async (commands) => {
      const directory = await mkdtemp(join(tmpdir(), "hostside-results-"));
      const clock = useVirtualClock();
      const sink = createFolderSink({ directory, maxBytes, ttlMs });
      await run(sink, commands, clock);
      const sizes = await Promise.all((await readdir(directory)).map(async (name) => stat(join(directory, name))));
      expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(maxBytes);
      await sink.close();
      expect(await readdir(directory)).toEqual([]);
      await rm(directory, { recursive: true });
    },
  );

  test.prop([fc.array(command, { maxLength: 25 })], { numRuns: 60 })(
    "in memory gives all of a blob or nothing",
    async (commands) => {
      const clock = useVirtualClock();
      const sink = createMemorySink({ maxBytes, ttlMs });
      await run(sink, commands, clock);
      await sink.close();
      expect(await sink.put({ data: new Uint8Array(1), mimeType: "x/y" })).toEqual({ kept: false, reason: "closed" });
    },
  );

  test.prop([fc.array(command, { maxLength: 25 })], { numRuns: 60 })(
    "in a store gives all of a blob or nothing, to whoever has the store",
    async (commands) => {
      const clock = useVirtualClock();
      const store = createMemoryStore();
      const options = { store, maxBlobBytes: maxBytes, ttlMs };
      const [sink, other] = [createStoreSink(options), createStoreSink(options)];
      await run({ ...sink, read: (key) => other.read(key) }, commands, clock);
    },
  );
});
