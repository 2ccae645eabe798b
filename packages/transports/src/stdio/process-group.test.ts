import { ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { createProcessGroup } from "./end-process.ts";

const failing = (code: string) => () => {
  throw Object.assign(new Error(`kill ${code}`), { code });
};

describe("createProcessGroup() on POSIX", () => {
  it("signals the whole group", () => {
    const sent: unknown[] = [];
    const group = createProcessGroup({
      pid: 42,
      platform: "darwin",
      hasLeaderExited: () => true,
      spawn,
      sendSignal: (pid, signal) => sent.push([pid, signal]),
    });
    group.terminate();
    group.kill();
    expect(group.isAlive()).toBe(true);
    expect(sent).toEqual([
      [-42, "SIGTERM"],
      [-42, "SIGKILL"],
      [-42, 0],
    ]);
  });

  it("is alive as long as the leader is, gone on ESRCH, alive on EPERM; and never throws", () => {
    const init = { pid: 42, platform: "darwin", hasLeaderExited: () => true, spawn } as const;
    expect(createProcessGroup({ ...init, hasLeaderExited: () => false, sendSignal: failing("ESRCH") }).isAlive()).toBe(
      true,
    );
    expect(createProcessGroup({ ...init, sendSignal: failing("ESRCH") }).isAlive()).toBe(false);
    expect(createProcessGroup({ ...init, sendSignal: failing("EPERM") }).isAlive()).toBe(true);
    expect(() => createProcessGroup({ ...init, sendSignal: failing("ESRCH") }).kill()).not.toThrow();
  });
});

describe.runIf(process.platform === "linux")("createProcessGroup() on Linux", () => {
  it("does not count zombies, which a container may never collect", async () => {
    // The shell becomes a program that never collects its child, which leads a group of its own.
    const parent = spawn("sh", ["-c", "setsid sleep 0.5 & echo $!; exec sleep 100"]);
    const [output] = await once(parent.stdout, "data");
    const pid = Number(output);
    const group = createProcessGroup({ pid, platform: "linux", hasLeaderExited: () => true, spawn });
    await vi.waitFor(() => process.kill(-pid, 0), { timeout: 60_000, interval: 1 });
    await vi.waitFor(() => expect(group.isAlive()).toBe(false), { timeout: 60_000, interval: 10 });
    expect(process.kill(-pid, 0)).toBe(true);
    parent.kill();
    await once(parent, "exit");
  });
});

describe("createProcessGroup() on Windows", () => {
  const windows = (exited: boolean) => {
    const spawned: unknown[] = [];
    const group = createProcessGroup({
      pid: 42,
      platform: "win32",
      hasLeaderExited: () => exited,
      spawn: (command, args) => {
        spawned.push([command, ...args]);
        return new ChildProcess();
      },
    });
    return { group, spawned };
  };

  it("ends the tree with taskkill", () => {
    const { group, spawned } = windows(false);
    expect(group.isAlive()).toBe(true);
    group.kill();
    expect(spawned).toEqual([["taskkill", "/pid", "42", "/T", "/F"]]);
  });

  it("leaves a process id alone that may belong to another process by now", () => {
    const { group, spawned } = windows(true);
    group.kill();
    expect(group.isAlive()).toBe(false);
    expect(spawned).toEqual([]);
  });
});
