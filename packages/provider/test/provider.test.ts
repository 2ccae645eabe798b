import { describe, expect, it } from "vitest";
import { createCalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

describe("createProvider()", () => {
  it("hands out one catalogue of the tools of many servers, with a group for each (AN-70, AN-71)", async () => {
    const world = createCalmWorld();
    world.server("files", "write", "read");
    world.server("git", "log");
    const provider = world.provider({ servers: [specOf("git"), specOf("files"), specOf("off", { disabled: true })] });
    await provider.init();
    expect(provider.definitions().map(({ name }) => name)).toEqual([
      "mcp_files_read",
      "mcp_files_write",
      "mcp_git_log",
    ]);
    expect(provider.groups()).toEqual([
      {
        id: "mcp:files",
        title: "MCP server `files`",
        description: "Tools provided by MCP server `files`.",
        members: ["mcp_files_read", "mcp_files_write"],
      },
      {
        id: "mcp:git",
        title: "MCP server `git`",
        description: "Tools provided by MCP server `git`.",
        members: ["mcp_git_log"],
      },
    ]);
    await provider.close();
  });

  it("connects again on the call after a crash, once, with a fresh listing (AN-44, AN-45)", async () => {
    const world = createCalmWorld();
    const server = world.server("files", "read");
    const provider = world.provider({ servers: [specOf("files")] });
    await provider.init();
    for (const session of server.sessions) session.crash();
    expect(provider.statuses()[0]).toMatchObject({ state: "down", stale: true, toolCount: 1 });
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, id) => provider.call("mcp_files_read", { id })));
    expect(outcomes).toHaveLength(100);
    expect(server).toMatchObject({ connects: { started: 2, most: 1 }, listings: 2 });
    await provider.close();
    expect(server.processes).toBe(0);
    expect(world.clock.pending).toBe(0);
  });
});
