import { fixtureServer } from "@hostside/fixtures";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createHost } from "hostside";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** A program that says nothing, writes its process id to a file, and goes with its stdin. */
function silentServer(pidFile: string): { readonly command: string; readonly args: readonly string[] } {
  const write = `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))`;
  return {
    command: process.execPath,
    args: ["-e", `process.stdin.on("end", () => process.exit()).resume(); ${write}`],
  };
}

describe("createHost() with programs", () => {
  it("answers with an mcp.json beside a silent server; two conversations share one process", async () => {
    const folder = createTemporaryFolder();
    const silent = silentServer(join(folder.path, "pid"));
    const off = { command: "nothing", disabled: true };
    const config = folder.write("mcp.json", { mcpServers: { good: fixtureServer("modern-stdio"), silent, off } });
    await using host = await createHost({ config, timeoutMs: 1 });
    const [one, two] = [await host.conversation({ maxToolTokens: 8000 }), await host.conversation()];
    expect((await one.call("mcp_good_add", { a: 2, b: 3 })).content).toEqual([{ type: "text", text: "5" }]);
    expect(host.statuses().map(({ id, state }) => `${id} ${state}`)).toEqual([
      "good ready",
      "off disabled",
      "silent connecting",
    ]);
    const pids = await Promise.all([one, two].map(async (each) => (await each.call("mcp_good_pid")).content));
    expect(pids[0]).toEqual(pids[1]);
    expect(host.statuses()[0]).toMatchObject({ attempts: 1 });
  });

  it("leaves no process when it is aborted", async () => {
    const folder = createTemporaryFolder();
    const pidFile = join(folder.path, "pid");
    const controller = new AbortController();
    const opening = createHost({ servers: { silent: silentServer(pidFile) }, signal: controller.signal });
    await vi.waitFor(() => expect(existsSync(pidFile) && readFileSync(pidFile, "utf8")).toMatch(/^\d+$/), 60_000);
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: "aborted" });
    expect(() => process.kill(Number(readFileSync(pidFile, "utf8")), 0)).toThrow("ESRCH");
  });
});
