import { beforeEach, describe, expect, it } from "vitest";
import { drainOutput } from "./output-pipe.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

/**
 * A pipe from which something is read in each of the next turns of the event loop, as many as
 * `turns` says.
 */
function createPipe(turns: number, readableEnded = false) {
  const pipe = { bytesRead: 0, readableEnded };
  const read = (left: number): void => {
    if (left === 0) return;
    pipe.bytesRead += 10;
    setImmediate(read, left - 1);
  };
  setImmediate(read, turns);
  return pipe;
}

beforeEach(() => useTestClock({ now: () => 0, schedule: () => () => {} }));

describe("drainOutput()", () => {
  it("waits as long as something is read from any of the pipes", async () => {
    const pipes = [createPipe(3), createPipe(20)];
    await drainOutput(pipes);
    expect(pipes.map((pipe) => pipe.bytesRead)).toEqual([30, 200]);
  });

  it("does not wait when all have ended", async () => {
    const pipes = [createPipe(5, true), createPipe(5, true)];
    await drainOutput(pipes);
    expect(pipes.map((pipe) => pipe.bytesRead)).toEqual([0, 0]);
  });

  it("waits no longer than 500 ms when a grandchild writes on", async () => {
    let now = 0;
    useTestClock({ now: () => (now += 50), schedule: () => () => {} });
    const pipe = createPipe(1000);
    await drainOutput([pipe]);
    expect(now).toBeLessThanOrEqual(600);
    expect(pipe.bytesRead).toBeLessThan(200);
  });
});
