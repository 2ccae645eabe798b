import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { childPath, processesOfGroup, until } from "./open-child.ts";

// These hosts run the built package: a host in the test's own process could not end.
async function runHost(
  host: string,
  server: string,
  ...how: readonly string[]
): Promise<{ readonly exitCode: number | undefined; readonly signal: string | undefined; readonly group: number }> {
  const { exitCode, signal, stdout } = await execa({
    reject: false,
    timeout: 15_000,
  })`${process.execPath} ${childPath(host)} ${childPath(server)} ${how}`;
  const group = Number(stdout);
  expect(group).toBeGreaterThan(0);
  return { exitCode, signal, group };
}

describe("a host of stdio servers", () => {
  it.each(["echo.mjs", "crash-on-first-message.mjs", "ignores-sigterm.mjs", "grandchild-outlives-server.mjs"])(
    "exits by itself after close(): %s",
    async (server) => {
      const { exitCode, group } = await runHost("host-closes.mjs", server);
      expect(exitCode).toBe(0);
      expect(processesOfGroup(group)).toEqual([]);
    },
  );

  it("exits by itself also when a daemon holds the server's pipes", async () => {
    const { exitCode, group } = await runHost("host-closes.mjs", "daemon-holds-pipes.mjs");
    expect(exitCode).toBe(0);
    expect(processesOfGroup(group)).toEqual([]);
  });

  it("exits by itself also when a server cannot be ended", async () => {
    const { exitCode, group } = await runHost("host-cannot-signal.mjs", "ignores-stdin-end.mjs");
    expect(exitCode).toBe(0);
    expect(processesOfGroup(group)).toHaveLength(1);
    process.kill(-group, "SIGKILL");
    await until(() => processesOfGroup(group).length === 0);
  });

  it("leaves no server behind when it calls process.exit(), also one that ignores the end of its stdin", async () => {
    const { exitCode, group } = await runHost("host-exits.mjs", "ignores-stdin-end.mjs");
    expect(exitCode).toBe(0);
    await until(() => processesOfGroup(group).length === 0);
  });

  it("leaves no server behind when it calls process.exit() while it closes, also one that ignores SIGTERM", async () => {
    const { exitCode, group } = await runHost("host-exits.mjs", "ignores-sigterm.mjs", "while-closing");
    expect(exitCode).toBe(0);
    await until(() => processesOfGroup(group).length === 0);
  });

  it.each(["ignores-stdin-end.mjs", "ignores-sigterm.mjs"])(
    "leaves no server behind when SIGTERM ends it and it closes on signals: %s",
    async (server) => {
      const { signal, group } = await runHost("host-gets-signal.mjs", server);
      expect(signal).toBe("SIGTERM");
      expect(processesOfGroup(group)).toEqual([]);
    },
  );

  it("leaves no server behind when SIGKILL ends it, because a server's stdin ends with it", async () => {
    const { signal, group } = await runHost("host-is-killed.mjs", "echo.mjs");
    expect(signal).toBe("SIGKILL");
    await until(() => processesOfGroup(group).length === 0);
  });
});
