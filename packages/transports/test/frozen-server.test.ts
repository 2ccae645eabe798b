import type { HostsideError } from "@hostside/core";
import { fixtureServer } from "@hostside/fixtures";
import { execFileSync } from "node:child_process";
import { expect, it, vi } from "vitest";
import { createConnector } from "../src/index.ts";
import { until } from "./open-child.ts";

it.runIf(process.platform !== "win32").each(["errors-on-unknown", "modern-stdio"] as const)(
  "a process that was stopped is found out and ended after three calls in a row, once: %s",
  async (fixture) => {
    const { command, args } = fixtureServer(fixture);
    let pid = 0;
    const onDown = vi.fn<(error: HostsideError) => void>();
    const connection = await createConnector().connect(
      {
        id: "srv",
        type: "stdio",
        command: "sh",
        args: ["-c", 'echo $$ >&2; exec "$0" "$@"', command, ...args],
        timeouts: { requestMs: 100, closeMs: 100 },
      },
      { onToolsChanged: () => undefined, onDown, onLog: ({ text }) => void (pid ||= Number(text)) },
      new AbortController().signal,
    );
    await until(() => pid > 0);
    process.kill(pid, "SIGSTOP");
    for (let count = 0; count < 3; count += 1) {
      await expect(connection.callTool("echo", { text: "?" }, { timeoutMs: 50 })).rejects.toMatchObject({
        code: "call_timeout",
      });
    }
    await until(() => onDown.mock.calls.length === 1);
    expect(onDown.mock.calls[0]?.[0]).toMatchObject({
      code: "connection_closed",
      message: expect.stringContaining("answered none of 3 calls in a row, and no ping"),
    });
    await expect(connection.callTool("echo", { text: "?" })).rejects.toMatchObject({ outcome: "not-sent" });
    await connection.close();
    expect(processes()).not.toContain(pid);
    expect(onDown).toHaveBeenCalledTimes(1);
  },
);

function processes(): readonly number[] {
  return execFileSync("ps", ["-A", "-o", "pid=,stat="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => !/\sZ/.test(line))
    .map((line) => Number.parseInt(line, 10));
}
