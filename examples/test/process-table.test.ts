import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { descendantsOf, readProcessTable } from "../src/demo/process-table.ts";

describe("readProcessTable()", () => {
  it("shows a child and a grandchild while they run, and neither afterwards", async () => {
    const grandchild = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"])`;
    const program = `console.log(${grandchild}.pid); setInterval(() => {}, 1e6)`;
    const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"], detached: true });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const pids = [child.pid, Number(line.toString())];

    const running = descendantsOf(process.pid, await readProcessTable());
    expect(running.map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
    expect(running.filter(({ pid }) => pids.includes(pid)).map(({ groupId }) => groupId)).toEqual([
      child.pid,
      child.pid,
    ]);

    const exited = once(child, "exit");
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await exited;
    await expect.poll(async () => (await readProcessTable()).filter(({ pid }) => pids.includes(pid))).toEqual([]);
  });
});
