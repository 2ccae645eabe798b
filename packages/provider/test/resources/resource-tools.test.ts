import { readFileSync } from "node:fs";
import { HostsideError, type JsonObject, type JsonValue, type ToolProvider, type ToolsChange } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { createResourceTools, type ResourceToolsOptions } from "@hostside/discovery/resource-tools";
import { describe, expect, it } from "vitest";
import {
  createWorld,
  failureOf,
  listing,
  settle,
  specOf,
  type Answer,
  type World,
  type WorldOptions,
} from "./scripted-world.ts";

interface VectorServer {
  readonly capabilities: JsonObject;
  readonly resources?: JsonValue;
  readonly templates?: JsonValue;
  readonly reads?: Readonly<Record<string, JsonValue>>;
}

interface Vector {
  readonly id: string;
  readonly shape: NonNullable<ResourceToolsOptions["shape"]>;
  readonly tool: string;
  readonly args: JsonObject;
  readonly savedAt?: string;
  readonly isError?: boolean;
  readonly text: string;
}

interface Vectors {
  readonly servers: Readonly<Record<string, VectorServer>>;
  readonly calls: readonly Vector[];
}

const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8")) as Vectors;
const evva = { shape: "evva" } as const;
const nexo = { shape: "nexo" } as const;

const rpc = (rpcCode: number): HostsideError =>
  new HostsideError("no such luck", { code: "server_error", details: { rpcCode } });

async function createToolWorld(options: WorldOptions = {}): Promise<World> {
  const world = createWorld({ servers: Object.keys(vectors.servers), ...options });
  for (const [id, { capabilities, resources, templates, reads = {} }] of Object.entries(vectors.servers)) {
    const server = world.server(id);
    server.capabilities = capabilities;
    server.answer = ({ method, params }) => {
      if (resources === undefined || templates === undefined) throw rpc(-32_603);
      if (method === "resources/list") return { resources };
      if (method === "resources/templates/list") return { resourceTemplates: templates };
      const contents = new Map(Object.entries(reads)).get(JSON.stringify(params["uri"]).slice(1, -1));
      if (contents === undefined) throw rpc(-32_002);
      return { contents };
    };
  }
  await world.provider.init();
  return world;
}

async function connected(answer: Answer, options: WorldOptions = {}): Promise<World> {
  const world = createWorld(options);
  world.server("a").answer = answer;
  await world.provider.init();
  return world;
}

const reading =
  (...contents: readonly JsonValue[]): Answer =>
  () => ({ contents });

async function ask(world: World, options: ResourceToolsOptions, call: readonly [string, JsonObject]): Promise<string> {
  const { content } = await createResourceTools(world.resources, options).call(...call);
  const [block] = content;
  return block?.type === "text" ? block.text : "";
}

const namesOf = (tools: ToolProvider): readonly string[] => tools.tools().map(({ name }) => name);

describe("the tools for resources", () => {
  it.each(vectors.calls)("$shape: $id", async ({ shape, tool, args, savedAt, isError = false, text }) => {
    const { resources } = await createToolWorld();
    const tools = createResourceTools(resources, {
      shape,
      ...(savedAt !== undefined && { saveBlob: () => savedAt }),
    });
    const outcome = await tools.call(tool, args);
    expect(outcome).toMatchObject({ content: [{ type: "text", text }], isError });
    expect(outcome.content).toHaveLength(1);
    expect(JSON.stringify(outcome)).not.toMatch(/AAEC|secret/);
  });

  it("give whole blocks by default, with their server's id, and no _meta", async () => {
    const { resources } = await createToolWorld();
    const call = ["resources_read", { server: "docs", uri: "doc://b" }] as const;
    const { content, origin } = await createResourceTools(resources).call(...call);
    expect(origin).toEqual({
      serverId: "docs",
      toolName: "resources/read",
      qualifiedName: "mcp::docs::resources/read",
    });
    expect(content).toEqual([
      { type: "resource", resource: { uri: "doc://b/1", mimeType: "text/plain", text: "one" } },
      { type: "resource", resource: { uri: "doc://b/2", mimeType: "image/png", blob: "AAECAw==" } },
    ]);
    const saving = createResourceTools(resources, { saveBlob: async ({ serverId, uri }) => `${serverId}+${uri}` });
    const saved = await saving.call(...call);
    expect(saved.content[1]).toEqual({ type: "text", text: '["doc://b/2" is saved at docs+doc://b/2]' });
  });

  it("leave servers alone in evva's shape that are not connected, and say their state", async () => {
    const world = await createToolWorld();
    await world.provider.disconnectServer("docs");
    expect(await ask(world, evva, ["list_mcp_resources", {}])).toMatch(/^No resources found/);
    expect(await ask(world, evva, ["read_mcp_resource", { server: "docs", uri: "doc://a" }])).toMatch(
      /^MCP server "docs" is not connected \(status: \w+\)$/,
    );
    expect(world.server("docs").asked).toEqual([]);
  });
});

describe("what a model gets", () => {
  it("is at most 200 entries, and says that there are more", async () => {
    const uris = Array.from({ length: 250 }, (_, index) => `note://${String(index).padStart(3, "0")}`);
    const world = await connected(listing(...uris));
    const list = JSON.parse(await ask(world, nexo, ["ListMcpResources", {}]));
    expect([list.resources.length, list.truncated]).toEqual([200, true]);
    const first = JSON.parse(await ask(world, {}, ["resources_list", {}]));
    expect([first.resources.length, first.total, first.next]).toEqual([200, 250, 200]);
    const second = JSON.parse(await ask(world, {}, ["resources_list", { offset: 200 }]));
    expect([second.resources.length, second.total, second.next]).toEqual([50, 250, undefined]);
    expect(await ask(world, evva, ["list_mcp_resources", {}])).toMatch(/\n\n\[truncated 50 resources\]$/);
  });

  it("is bounded in bytes, whatever is listed, and free of what hides in texts", async () => {
    const text = `\u202E\u001B[31m${"é".repeat(2000)}`;
    const values = Array.from({ length: 200 }, (_, index) => ({
      uri: `n:${index}`,
      name: text,
      title: text,
      description: text,
      mimeType: text,
    }));
    const world = await connected(() => ({ resources: values }));
    for (const [options, call] of [
      [{}, "resources_list"],
      [evva, "list_mcp_resources"],
      [nexo, "ListMcpResources"],
      [nexo, "mcp_a_list_resources"],
    ] as const) {
      const answer = await ask(world, options, [call, {}]);
      expect(Buffer.byteLength(answer)).toBeLessThan(67_000);
      expect(answer).not.toMatch(/\u202E|\\u001b/);
    }
  });

  it("is at most 256 KiB of one resource, cut between characters and never within one", async () => {
    const world = await connected(
      reading({ uri: "n:1", text: `${"x".repeat(262_138)}😀😀` }, { uri: "n:2", text: "y" }),
    );
    const read = JSON.parse(await ask(world, nexo, ["ReadMcpResource", { server: "a", uri: "n:1" }]));
    expect(read.truncated).toBe(true);
    expect(read.contents).toEqual([{ uri: "n:1", text: "x".repeat(262_138) }]);
    expect(await ask(world, nexo, ["mcp_a_read_resource", { uri: "n:1" }])).toMatch(/x\n\n\[truncated\]$/);
    expect(await ask(world, evva, ["read_mcp_resource", { server: "a", uri: "n:1" }])).toMatch(
      /\n\n\[truncated 2 chars\]\n\n\[truncated 1 contents\]$/,
    );
    const fits = await connected(reading({ uri: "n:1", text: `${"x".repeat(262_137)}😀` }));
    const whole = JSON.parse(await ask(fits, nexo, ["ReadMcpResource", { server: "a", uri: "n:1" }]));
    expect([whole.truncated, whole.contents[0].text.length]).toEqual([false, 262_139]);
  });

  it("is bounded for a thousand pieces with long URIs, too, and says what bytes are that nobody keeps", async () => {
    const uri = `n:${"u".repeat(8000)}`;
    const pieces = Array.from({ length: 1000 }, () => ({ uri, blob: "AAEC" }));
    const world = await connected(reading(...pieces));
    const saveBlob = (): never => {
      throw new Error("the disk is full");
    };
    for (const options of [nexo, { ...nexo, saveBlob }]) {
      const text = await ask(world, options, ["ReadMcpResource", { server: "a", uri: "n:1" }]);
      expect(Buffer.byteLength(text)).toBeLessThan(300_000);
      expect(text).toContain("[binary: application/octet-stream, 3 bytes]");
    }
  });

  it("of a hostile blob costs no more time than its length", async () => {
    // To look for its padding from every place would take hours.
    const world = await connected(reading({ uri: "n:1", blob: `${"=".repeat(2_000_000)}x` }));
    expect(await ask(world, nexo, ["ReadMcpResource", { server: "a", uri: "n:1" }])).toContain("1500000 bytes");
  });

  it("is no app, whatever the case of its scheme, and nothing is sent for one", async () => {
    const world = await connected(listing("ui://a/page", "UI:b", "note://1"));
    const list = JSON.parse(await ask(world, {}, ["resources_list", {}]));
    expect(list.resources).toMatchObject([{ uri: "note://1" }]);
    const { asked } = world.server("a");
    const before = asked.length;
    const tools = createResourceTools(world.resources);
    expect(await tools.call("resources_read", { server: "a", uri: "uI:b" })).toMatchObject({ isError: true });
    expect(asked).toHaveLength(before);
  });

  it("is nothing of a call that was given up, and nothing after the resources are closed", async () => {
    const world = await connected(() => new Promise(() => {}));
    const abort = new AbortController();
    const tools = createResourceTools(world.resources);
    const work = failureOf(tools.call("resources_read", { server: "a", uri: "n:1" }, { signal: abort.signal }));
    await settle();
    abort.abort();
    expect(await work).toMatchObject({ code: "aborted" });
    expect(world.server("a").asked[0]?.signal?.aborted).toBe(true);
    await world.resources.close();
    await expect(tools.call("resources_list", {})).rejects.toMatchObject({ code: "unknown_tool" });
  });

  it("comes of requests that the layers see, with context and _meta of the call and without its approval", async () => {
    const seen: unknown[] = [];
    const world = await connected(reading({ uri: "n:1", text: "t" }), {
      provider: {
        requestInterceptors: [
          (request, next) => {
            seen.push(request.options.context);
            if (seen.length > 1) throw new HostsideError("ask first", { code: "approval_required" });
            return next(request);
          },
        ],
      },
    });
    const context = { principal: "p", approval: "token" };
    const tools = createResourceTools(world.resources);
    const call = (): Promise<unknown> =>
      tools.call("resources_read", { server: "a", uri: "n:1" }, { context, meta: { agent_id: "x" } });
    await call();
    expect(seen).toEqual([{ principal: "p" }]);
    expect(world.server("a").asked.at(-1)?.params).toEqual({ uri: "n:1", _meta: { agent_id: "x" } });
    await expect(call()).rejects.toMatchObject({ code: "approval_required" });
  });
});

describe("createResourceTools()", () => {
  it("has tools only while some server has resources, and says so", async () => {
    const world = createWorld({ servers: ["a", "b"] });
    world.server("a").capabilities = { tools: {} };
    world.server("b").capabilities = { resources: {} };
    const tools = createResourceTools(world.resources);
    const changes: ToolsChange[] = [];
    tools.onToolsChanged((change) => changes.push(change));
    expect([namesOf(tools), tools.groups()]).toEqual([[], []]);
    await world.provider.connection("a");
    expect(namesOf(tools)).toEqual([]);
    await world.provider.connection("b");
    expect(namesOf(tools)).toEqual(["resources_list", "resources_read", "resources_templates"]);
    expect(tools.groups()).toMatchObject([{ id: "resources", members: namesOf(tools) }]);
    const { revision } = tools;
    world.server("b").crash();
    await settle();
    expect([tools.revision, namesOf(tools).length]).toEqual([revision, 3]);
    await world.provider.removeServer("b");
    expect([namesOf(tools), tools.groups()]).toEqual([[], []]);
    const added = ["resources_list", "resources_read", "resources_templates"];
    expect(changes).toEqual([
      { added, removed: [], changed: [] },
      { added: [], removed: added, changed: [] },
    ]);
  });

  it("has nexo's tools of a server as long as the server is there, next to those of others", async () => {
    const world = createWorld({ servers: ["a", "b"] });
    const tools = createResourceTools(world.resources, nexo);
    await world.provider.init();
    const of = (id: string): readonly string[] =>
      ["list_resource_templates", "list_resources", "read_resource"].map((tool) => `mcp_${id}_${tool}`);
    expect(namesOf(tools)).toEqual(["ListMcpResources", "ReadMcpResource", ...of("a"), ...of("b")]);
    await world.provider.removeServer("a");
    expect(namesOf(tools)).toEqual(["ListMcpResources", "ReadMcpResource", ...of("b")]);
    await expect(tools.call("mcp_a_read_resource", { uri: "n:1" })).rejects.toMatchObject({ code: "unknown_tool" });
    await world.provider.addServer(specOf("c"));
    expect(tools.has("MCP_C_READ_RESOURCE")).toBe(true);
    await world.provider.close();
    expect(namesOf(tools)).toEqual([]);
  });

  it("gives nexo's tools names that model APIs take, also for ids that they would not", async () => {
    const world = createWorld({ servers: ["a b", "a+c", "x".repeat(60)] });
    await world.provider.init();
    const names = namesOf(createResourceTools(world.resources, nexo));
    expect(names).toHaveLength(11);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it("is a provider that a toolbox takes, and a view sees it change", async () => {
    const world = createWorld();
    const tools = createResourceTools(world.resources);
    const toolbox = createToolbox({ providers: [world.provider, tools] });
    await toolbox.init();
    expect(toolbox.tools().map(({ name }) => name)).toContain("resources_read");
    const { content } = await toolbox.call("resources_read", { server: "a", uri: "note://one" });
    expect(content).toEqual([{ type: "resource", resource: { uri: "note://one", text: "text of note://one" } }]);
    await world.provider.removeServer("a");
    expect(toolbox.tools()).toEqual([]);
    toolbox.close();
  });

  it("holds to what was selected, and to what a provider is", async () => {
    const world = createWorld();
    await world.provider.init();
    const tools = createResourceTools(world.resources);
    const [selected] = tools.tools(["RESOURCES_READ"]);
    const args = { server: "a", uri: "note://one" };
    await tools.call("resources_read", args, { ...(selected && { selected }) });
    const changed = { ...(selected ?? { name: "", inputSchema: {} }), description: "other" };
    await expect(tools.call("resources_read", args, { selected: changed })).rejects.toMatchObject({
      code: "tool_changed",
      outcome: "not-sent",
    });
    await expect(tools.call("resources_read", "text")).rejects.toMatchObject({ code: "invalid_arguments" });
    await expect(tools.call("none")).rejects.toMatchObject({ code: "unknown_tool" });
    await tools.init();
    await tools.refresh();
    await tools.close();
    await tools.close();
    expect([tools.closed, tools.tools(), tools.has("resources_read")]).toEqual([true, [], false]);
    await expect(tools.call("resources_read", args)).rejects.toMatchObject({ code: "closed" });
    expect((await world.resources.list()).failures).toEqual([]);
  });

  it.each<[string, string]>([
    ["shape", '{"shape":"other"}'],
    ["saveBlob", '{"saveBlob":true}'],
    ["saveBlobs", '{"saveBlobs":true}'],
  ])("refuses an option that it cannot use: %s", (name, options) => {
    const { resources } = createWorld();
    expect(() => createResourceTools(resources, JSON.parse(options))).toThrow(name);
  });
});
