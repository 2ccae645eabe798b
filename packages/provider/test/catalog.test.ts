import type { Diagnostic, RemoteTool, ServerInfo, ToolGroup, ToolsChange } from "@hostside/core";
import { verbatimNaming } from "@hostside/naming";
import { describe, expect, it } from "vitest";
import { createCalmWorld } from "./calm-world.ts";
import { createSimulatedConnector } from "./simulation/simulated-connector.ts";
import { changeTools, specOf } from "./simulation/simulated-server.ts";

describe("tools()", () => {
  it("has the tools of all servers, sorted by local name, with a group for each server", async () => {
    const world = createCalmWorld();
    world.server("files", "write", "read");
    world.server("git", "log");
    const provider = world.provider({ servers: [specOf("git"), specOf("files"), specOf("off", { disabled: true })] });
    expect(provider.tools()).toEqual([]);
    await provider.init();
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_files_read", "mcp_files_write", "mcp_git_log"]);
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

  it.each<[string, Partial<ServerInfo>, Partial<ToolGroup>]>([
    ["the title that a server claims", { title: " The Files ", name: "files-server" }, { title: "The Files" }],
    ["else the name that it claims", { name: "files-server" }, { title: "files-server" }],
    ["neither where it is the id", { name: "files" }, { title: "MCP server `files`" }],
    ["the description that a server gives", { description: " Reads files. " }, { description: "Reads files." }],
    [
      "a description of its own where there is none",
      { description: " " },
      { description: "Tools provided by MCP server `files`." },
    ],
    [
      "a server's advice, trimmed",
      { instructions: " Look before you write.\n" },
      { instructions: "Look before you write." },
    ],
  ])("gives a group %s", async (_, claimed, expected) => {
    const world = createCalmWorld();
    world.server("files", "write", "read");
    world.server("empty", "echo");
    const connector = createSimulatedConnector(world);
    const provider = world.provider({
      servers: [specOf("files"), specOf("empty", { allow: ["nothing"] })],
      connector: {
        ...connector,
        async connect(spec, hooks, signal) {
          const connection = await connector.connect(spec, hooks, signal);
          const { title: _title, name: _name, description: _words, instructions: _advice, ...rest } = connection.server;
          return { ...connection, server: { ...rest, ...claimed } };
        },
      },
    });
    await provider.init();
    // Only servers that have tools have a group.
    expect(provider.groups()).toEqual([
      {
        id: "mcp:files",
        title: "MCP server `files`",
        description: "Tools provided by MCP server `files`.",
        members: ["mcp_files_read", "mcp_files_write"],
        ...expected,
      },
    ]);
    await provider.close();
  });

  it("gives a group no advice where it is blank, and the title of the spec before any other", async () => {
    const world = createCalmWorld();
    world.server("files", "read");
    const provider = world.provider({ servers: [specOf("files", { title: "My files" })] });
    await provider.init();
    expect(provider.groups()[0]).toMatchObject({ title: "My files" });
    expect(provider.groups()[0]).not.toHaveProperty("instructions");
    await provider.close();
  });

  it("looks names up regardless of ASCII case, in the order asked for, and leaves unknown ones out", async () => {
    const world = createCalmWorld();
    world.server("s", "a", "b");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    const names = provider.tools(["MCP_S_B", "mcp_s_nothing", "mcp_s_a", "\u212Acp"]).map(({ name }) => name);
    expect(names).toEqual(["mcp_s_b", "mcp_s_a"]);
    expect(provider.tools([])).toEqual([]);
    expect([provider.has("Mcp_s_A"), provider.has("mcp_s_c"), provider.has("__proto__")]).toEqual([true, false, false]);
    await provider.close();
  });

  it("keeps the server's own objects, and says where a tool comes from", async () => {
    const world = createCalmWorld();
    const raw: RemoteTool = {
      name: "issues/get",
      title: "Get issue",
      description: "  Reads one issue. ",
      inputSchema: { type: "object", properties: { n: { type: "number" } } },
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
    };
    world.server("repo").raw.push(raw);
    const provider = world.provider({ servers: [specOf("repo", { allow: ["issues/get"] })] });
    await provider.init();
    const [definition] = provider.tools();
    expect(definition).toEqual({
      name: "mcp_repo_issues_get",
      title: "Get issue",
      description: "MCP server `repo` tool `issues/get`. Title: Get issue. Reads one issue.",
      inputSchema: raw.inputSchema,
      outputSchema: raw.outputSchema,
      annotations: raw.annotations,
      effect: "external",
      origin: { serverId: "repo", toolName: "issues/get", qualifiedName: "mcp::repo::issues/get" },
      groupIds: ["mcp:repo"],
    });
    expect(definition?.inputSchema).toBe(raw.inputSchema);
    await provider.close();
  });

  it("can have the server's own descriptions and names, or the product's", async () => {
    const world = createCalmWorld();
    world.server("s").raw.push({ name: "t", description: " as it is ", inputSchema: {} });
    const verbatim = world.provider({
      servers: [specOf("s", { allow: ["t"] })],
      naming: verbatimNaming,
      description: "verbatim",
    });
    await verbatim.init();
    expect(verbatim.tools()[0]).toMatchObject({ name: "t", description: " as it is " });
    const own = world.provider({
      servers: [specOf("s", { allow: ["t"] })],
      description: ({ name }, { id }) => `${id}/${name}`,
    });
    await own.init();
    expect(own.tools()[0]?.description).toBe("s/t");
    const brief = world.provider({ servers: [specOf("s", { allow: ["t"] })], description: "brief" });
    await brief.init();
    expect(brief.tools()[0]?.description).toBe("as it is");
    await Promise.all([verbatim.close(), own.close(), brief.close()]);
  });

  it("strips what hides in a flagged description and in a name", async () => {
    const world = createCalmWorld();
    world
      .server("s")
      .raw.push({ name: "a\u001b[31mb", description: "x\u202Ey\u200B", flags: ["bidi"], inputSchema: {} });
    const provider = world.provider({ servers: [specOf("s", { deny: ["echo"] })] });
    await provider.init();
    expect(provider.tools()[0]?.description).toBe("MCP server `s` tool `ab`. xy");
    expect(provider.tools()[0]?.origin?.toolName).toBe("a\u001b[31mb");
    await provider.close();
  });

  it("offers what the spec includes and does not exclude, by exact remote name, in listing and in calling", async () => {
    const world = createCalmWorld();
    world.server("s", "Read", "read", "write");
    const provider = world.provider({ servers: [specOf("s", { allow: ["read", "write"], deny: ["write"] })] });
    await provider.init();
    expect(provider.tools().map(({ origin }) => origin?.toolName)).toEqual(["read"]);
    await expect(provider.call("mcp_s_write")).rejects.toMatchObject({ code: "unknown_tool" });
    await provider.close();
  });

  it("leaves out tools that are for the server's own interface", async () => {
    const world = createCalmWorld();
    const server = world.server("s");
    server.raw.push({ name: "app", inputSchema: {}, meta: { ui: { visibility: ["app"] } } });
    server.raw.push({ name: "both", inputSchema: {}, meta: { ui: { visibility: ["model", "app"] } } });
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_s_both", "mcp_s_echo"]);
    await provider.close();
  });

  it("keeps definitions that did not change the same objects, whatever order their members come in", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a", "b");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    const before = provider.tools();
    await provider.refresh();
    expect(provider.tools()).toBe(before);
    changeTools(server, (tools, version) => tools.set("b", version).set("c", version));
    await provider.refresh();
    expect(provider.tools()[0]).toBe(before[0]);
    expect(provider.tools()[1]).not.toBe(before[1]);
    await provider.close();
  });

  it("is frozen", async () => {
    const world = createCalmWorld();
    world.server("s", "a");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    const [definition] = provider.tools();
    for (const part of [provider.tools(), definition, definition?.origin, provider.groups(), provider.groups()[0]]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    await provider.close();
  });
});

describe("names", () => {
  it("belong to the server with the longer prefix, whichever server is quicker", async () => {
    const namesWhen = async (slow: string): Promise<readonly string[]> => {
      const world = createCalmWorld();
      world.server("github", "prod_list");
      world.server("github_prod", "list");
      const release = world.hold(slow);
      const provider = world.provider({ servers: [specOf("github"), specOf("github_prod")] });
      const diagnostics: Diagnostic[] = [];
      provider.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
      const init = provider.init();
      await world.settle();
      expect(provider.tools()).toEqual([]);
      release();
      await init;
      expect(diagnostics.map(({ kind, serverId }) => [kind, serverId])).toEqual([["name-collision", "github"]]);
      const names = provider.tools().map(({ name, origin }) => `${origin?.serverId} ${name}`);
      await provider.close();
      return names;
    };
    const names = await namesWhen("github");
    expect(names).toEqual(await namesWhen("github_prod"));
    expect(names).toEqual([
      "github_prod mcp_github_prod_list",
      expect.stringMatching(/^github mcp_github_prod_list_[0-9a-f]{8}$/),
    ]);
  });

  it("do not wait long for a slow server", async () => {
    const world = createCalmWorld();
    world.server("quick", "a");
    world.server("slow", "b");
    const release = world.hold("slow");
    const provider = world.provider({ servers: [specOf("quick"), specOf("slow")] });
    void provider.init().catch(() => undefined);
    await world.settle();
    world.clock.advance(250);
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_quick_a"]);
    expect(provider.statuses().map(({ state }) => state)).toEqual(["ready", "connecting"]);
    release();
    await provider.close();
  });

  it("stay when tools come and go, and over a restart when they are saved", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a.b");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    changeTools(server, (tools, version) => tools.set("a_b", version));
    await provider.refresh();
    const names = provider.tools().map(({ name, origin }) => [origin?.toolName, name]);
    expect(names[0]).toEqual(["a.b", "mcp_s_a_b"]);
    expect(names[1]?.[1]).toMatch(/^mcp_s_a_b_[0-9a-f]{8}$/);
    const saved: unknown = JSON.parse(JSON.stringify(provider.savedNames()));
    await provider.close();

    const again = world.provider({ servers: [specOf("s")], savedNames: saved });
    await again.init();
    expect(again.tools().map(({ name, origin }) => [origin?.toolName, name])).toEqual(names);
    await again.close();
  });

  it("are refused when they were not saved here", () => {
    expect(() => createCalmWorld().provider({ savedNames: { version: 7 } })).toThrow(
      expect.objectContaining({ code: "invalid_names" }),
    );
  });
});

describe("onToolsChanged", () => {
  it("tells added, removed and changed names after the new snapshot is in place, and the revision grows", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a", "b");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    const changes: (ToolsChange & { readonly shown: number; readonly revision: number })[] = [];
    provider.onToolsChanged((change) =>
      changes.push({ ...change, shown: provider.tools().length, revision: provider.revision }),
    );
    const { revision } = provider;
    changeTools(server, (tools, version) => {
      tools.delete("a");
      tools.set("b", version).set("c", version).set("d", version);
    });
    await provider.refresh();
    await provider.refresh();
    expect(changes).toEqual([
      { added: ["mcp_s_c", "mcp_s_d"], removed: ["mcp_s_a"], changed: ["mcp_s_b"], shown: 3, revision: revision + 1 },
    ]);
    await provider.close();
  });

  it("exchanges the tools of one server by its identity, not by the start of its names", async () => {
    const world = createCalmWorld();
    world.server("github", "a");
    world.server("github_prod", "b");
    const provider = world.provider({ servers: [specOf("github"), specOf("github_prod")] });
    await provider.init();
    await provider.removeServer("github");
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_github_prod_b"]);
    await provider.close();
  });
});
