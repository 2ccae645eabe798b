import { createEvent } from "@hostside/core/implement";
import type { ServerState, ServerStatus } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { followServers } from "./start-servers.ts";
import { useTestClock } from "../../../../../test/manual-clock.ts";

function statusOf(id: string, state: ServerState): ServerStatus {
  return {
    id,
    state,
    transport: "stdio",
    since: 0,
    toolCount: 0,
    stale: false,
    droppedTools: 0,
    attempts: 1,
    failures: 0,
    inFlight: 0,
    waiting: 0,
  };
}

function follow(states: Readonly<Record<string, ServerState>>) {
  const changed = createEvent<ServerStatus>();
  const controller = new AbortController();
  const settled: string[] = [];
  const timers = new Set<() => void>();
  useTestClock({
    schedule(_, task) {
      timers.add(task);
      return () => void timers.delete(task);
    },
  });
  const end = followServers(
    {
      statuses: () => Object.entries(states).map(([id, state]) => statusOf(id, state)),
      onStatusChanged: (listener) => changed.on(listener),
    },
    { timeoutMs: 1000, signal: controller.signal, onSettled: ({ id, state }) => settled.push(`${id} ${state}`) },
  );
  const change = (id: string, state: ServerState): void => changed.emit(statusOf(id, state));
  return { end, settled, change, timers, changed, interrupt: () => controller.abort() };
}

describe("followServers()", () => {
  it("says of each when it came up or failed, and ends with the last", async () => {
    const { end, settled, change, timers, changed } = follow({ a: "connecting", b: "idle", off: "disabled" });
    expect(settled).toEqual(["off disabled"]);
    change("b", "connecting");
    change("b", "failed");
    // It is tried again, and that is no news here.
    change("b", "connecting");
    change("b", "failed");
    change("a", "ready");
    expect(await end).toBe("settled");
    expect(settled).toEqual(["off disabled", "b failed", "a ready"]);
    expect([timers.size, changed.hasListeners]).toEqual([0, false]);
  });

  it("waits no longer than it was given for one that hangs", async () => {
    const { end, settled, change, timers } = follow({ a: "connecting", hang: "connecting" });
    change("a", "ready");
    for (const task of timers) task();
    expect(await end).toBe("late");
    expect(settled).toEqual(["a ready"]);
  });

  it("ends at once when somebody interrupts it, and where nothing is on its way", async () => {
    const { end, interrupt, timers } = follow({ hang: "connecting" });
    interrupt();
    expect(await end).toBe("interrupted");
    expect(timers.size).toBe(0);
    expect(await follow({}).end).toBe("settled");
  });
});
