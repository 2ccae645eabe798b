import { loadConfig } from "@hostside/config/node";
import { describe, expect, it } from "vitest";
import { createFakeHome, mcpServers } from "./fake-home.ts";

describe('imports: ["auto"]', () => {
  it("has a user's own file in use, and everything that was in use before, with the same one of a name", async () => {
    const { write, place } = createFakeHome();
    write("home/.cursor/mcp.json", mcpServers({ one: "cursor", two: "cursor" }));
    write("home/.claude.json", mcpServers({ one: "claude" }));
    write("home/code/app/.mcp.json", mcpServers({ two: "project" }));
    const before = await loadConfig(place);
    write("home/.config/hostside/hostside.json", { imports: ["auto"] });
    const after = await loadConfig(place);
    expect(after.sources).toEqual(before.sources);
    expect(after.sources.map(({ serverId, dialect }) => [serverId, dialect])).toEqual([
      ["one", "claude-code"],
      ["two", "cursor"],
    ]);
  });

  it("brings a project nothing of the user's", async () => {
    const { write, place, root } = createFakeHome();
    write("home/.cursor/mcp.json", mcpServers({ mine: "x" }));
    write("home/code/app/.vscode/mcp.json", { servers: { theirs: { type: "stdio", command: "x" } } });
    const path = write("home/code/app/hostside.json", { imports: ["auto"] });
    const { sources } = await loadConfig({ ...place, files: [{ path, scope: "project" }] });
    expect(
      sources.map(({ serverId, file }) => [serverId, file?.slice(root.length).split("/").slice(2).join("/")]),
    ).toEqual([["theirs", "code/app/.vscode/mcp.json"]]);
  });
});
