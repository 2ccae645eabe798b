import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAuditFile } from "../src/node.ts";
import { lockFile } from "../src/node/lock-file.ts";

async function emptyFolder(): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), "hostside-audit-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { folder, path: join(folder, "audit.jsonl") };
}

const lockOf = (pid: number, more: object = {}): string => JSON.stringify({ pid, host: hostname(), ...more });

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid ?? 0;
}

describe("the file of an audit log", () => {
  it("is one process's at a time, and the next one's after it was closed", async () => {
    const { folder, path } = await emptyFolder();
    const first = await openAuditFile({ path });
    await expect(openAuditFile({ path })).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining(`process ${process.pid} writes to it: give each process a file of its own`),
    });
    await first.close();
    const second = await openAuditFile({ path });
    await second.close();
    expect(await readdir(folder)).toEqual(["audit.jsonl"]);
  });

  it("passes on from one that has died, also where its number is another one's now", async () => {
    const { folder, path } = await emptyFolder();
    await writeFile(`${path}.lock.3`, lockOf(await deadPid()));
    const next = await openAuditFile({ path });
    expect(await readdir(folder)).toEqual(["audit.jsonl", "audit.jsonl.lock.4"]);
    await next.close();
    if (process.platform !== "linux") return;
    await writeFile(`${path}.lock.1`, lockOf(process.pid, { startedAt: "1" }));
    await (await openAuditFile({ path })).close();
    expect(await readdir(folder)).toEqual(["audit.jsonl"]);
  });

  it("stays that of another machine, and of what cannot be read, until somebody deletes the lock", async () => {
    const { path } = await emptyFolder();
    await writeFile(`${path}.lock.1`, JSON.stringify({ pid: 1, host: "elsewhere" }));
    await expect(openAuditFile({ path })).rejects.toThrow(/process 1 on "elsewhere" .*delete .*audit\.jsonl\.lock\.1/);
    await writeFile(`${path}.lock.1`, "");
    await expect(openAuditFile({ path })).rejects.toThrow("is not the lock of an audit log");
    expect(await readFile(`${path}.lock.1`, "utf8")).toBe("");
  });

  it("is never two's of those who take it at once from one that has died", async () => {
    const { folder, path } = await emptyFolder();
    const pid = await deadPid();
    for (let round = 1; round <= 20; round += 1) {
      await writeFile(`${path}.lock.${round}`, lockOf(pid));
      const taken = await Promise.allSettled(Array.from({ length: 8 }, () => lockFile(path)));
      const unlocks = taken.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(unlocks).toHaveLength(1);
      for (const unlock of unlocks) await unlock();
      expect(await readdir(folder)).toEqual([]);
    }
  });
});
