import { createEvent } from "@hostside/core/implement";
import type { ServerState, ServerStatus } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { fakeTerminal } from "../../../test/fake-terminal.ts";
import { followStart } from "./start-servers.ts";
import { useManualClock } from "../../../../../test/manual-clock.ts";

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

function follow(states: Readonly<Record<string, ServerState>>, programs: Readonly<Record<string, string>> = {}) {
  const changed = createEvent<ServerStatus>();
  const logged = createEvent<{ serverId: string; source: "stderr"; text: string }>();
  const clock = useManualClock();
  const terminal = fakeTerminal();
  const servers = Object.entries(programs).map(([id, command]) => ({ id, command }));
  const host = {
    config: { servers } as never,
    statuses: () => Object.entries(states).map(([id, state]) => statusOf(id, state)),
    onStatusChanged: changed.on,
  };
  const provider = { onServerLog: logged.on, refreshServer: async () => undefined };
  const ended = followStart({ host, provider: provider as never }, { terminal, options: {} });
  const change = (id: string, state: ServerState): void => changed.emit(statusOf(id, state));
  const log = (serverId: string, text: string): void => logged.emit({ serverId, source: "stderr", text });
  const linesOf = (): readonly string[] => terminal.written.err.split("\n").slice(0, -1);
  return {
    end: ended.then(({ end }) => end),
    linesOf,
    change,
    log,
    clock,
    changed,
    interrupt: () => terminal.interrupt(),
  };
}

describe("followStart()", () => {
  it("says of each when it came up or failed, and ends with the last", async () => {
    const { end, linesOf, change, clock, changed } = follow({ a: "connecting", b: "idle", off: "disabled" });
    change("b", "connecting");
    change("b", "failed");
    // It is tried again, and that is no news here.
    change("b", "connecting");
    change("b", "failed");
    change("a", "ready");
    expect(await end).toBe("settled");
    expect(linesOf()).toEqual(["1 of 2 servers: b failed", "2 of 2 servers: a ready"]);
    expect([clock.pending(), changed.hasListeners]).toEqual([0, false]);
  });

  it("waits no longer than it was given for one that hangs", async () => {
    const { end, linesOf, change, clock } = follow({ a: "connecting", hang: "connecting" });
    change("a", "ready");
    clock.advance(30_000);
    expect(await end).toBe("late");
    expect(linesOf()).toEqual(["1 of 2 servers: a ready"]);
  });

  it("ends at once when somebody interrupts it, and where nothing is on its way", async () => {
    const { end, interrupt, clock } = follow({ hang: "connecting" });
    interrupt();
    expect(await end).toBe("interrupted");
    expect(clock.pending()).toBe(0);
    expect(await follow({}).end).toBe("settled");
  });

  it("waits for an install beyond the time of the others, says so once, and ends in the end", async () => {
    const states = { npx: "connecting", plain: "connecting" } as const;
    const { end, linesOf, log, clock } = follow(states, { npx: "npx", plain: "node" });
    log("npx", "fetch GET 200");
    clock.advance(30_000);
    await expect.poll(linesOf).toEqual(["npx is still installing: fetch GET 200; --timeout SECONDS ends the wait"]);
    clock.advance(300_000);
    expect([await end, clock.pending()]).toEqual(["late", 0]);
  });
});
