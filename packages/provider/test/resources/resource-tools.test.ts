import { readFileSync } from "node:fs";
import { HostsideError, type JsonObject, type JsonValue, type ToolProvider, type ToolsChange } from "@hostside/core";
import { createResourceTools, createToolbox, type ResourceToolsOptions } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import {
  createWorld,
  failureOf,
  listing,
  settle,
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
  readonly tool: string;
  readonly args: JsonObject;
  readonly isError?: boolean;
  readonly text: string;
}

interface Vectors {
  readonly servers: Readonly<Record<string, VectorServer>>;
  readonly calls: readonly Vector[];
}

const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8")) as Vectors;

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
  it.each(vectors.calls)("$id", async ({ tool, args, isError = false, text }) => {
    const { resources } = await createToolWorld();
    const tools = createResourceTools(resources);
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
  });

  it("have the names that a product gives them, in their descriptions too", async () => {
    const { resources } = await createToolWorld();
    const names = { list: "list_mcp_resources", read: "read_mcp_resource" };
    const tools = createResourceTools(resources, { names });
    expect(namesOf(tools)).toEqual(["list_mcp_resources", "read_mcp_resource", "resources_templates"]);
    expect(tools.tools()[0]?.description).toContain("read_mcp_resource reads them");
    const { content } = await tools.call("list_mcp_resources", { server: "docs" });
    expect(JSON.stringify(content)).toContain("doc://a");
    await expect(tools.call("resources_list", {})).rejects.toMatchObject({ code: "unknown_tool" });
  });
});

describe("what a model gets", () => {
  it("is at most 200 entries, and says that there are more", async () => {
    const uris = Array.from({ length: 250 }, (_, index) => `note://${String(index).padStart(3, "0")}`);
    const world = await connected(listing(...uris));
    const first = JSON.parse(await ask(world, {}, ["resources_list", {}]));
    expect([first.resources.length, first.total, first.next]).toEqual([200, 250, 200]);
    const second = JSON.parse(await ask(world, {}, ["resources_list", { offset: 200 }]));
    expect([second.resources.length, second.total, second.next]).toEqual([50, 250, undefined]);
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
    const answer = await ask(world, {}, ["resources_list", {}]);
    expect(Buffer.byteLength(answer)).toBeLessThan(67_000);
    expect(answer).not.toMatch(/\u202E|\\u001b/);
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

  it("gives a read the time that its caller gives", async () => {
    const world = createWorld();
    const toolbox = createToolbox({ providers: [world.provider, createResourceTools(world.resources)] });
    await toolbox.init();
    let answer = (): void => {};
    world.server("a").answer = async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return { contents: [{ uri: "note://one", text: "late" }] };
    };
    const reading = toolbox.call("resources_read", { server: "a", uri: "note://one" }, { timeoutMs: 300_000 });
    await settle();
    world.clock.advance(299_000);
    answer();
    expect(await reading).toMatchObject({ isError: false, content: [{ resource: { text: "late" } }] });
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
    ["shape", '{"shape":"evva"}'],
    ["lists", '{"names":{"lists":"a"}}'],
    ["a b", '{"names":{"list":"a b"}}'],
    ["differ", '{"names":{"list":"a","read":"A"}}'],
    ["saveBlobs", '{"saveBlobs":true}'],
  ])("refuses an option that it cannot use: %s", (name, options) => {
    const { resources } = createWorld();
    expect(() => createResourceTools(resources, JSON.parse(options))).toThrow(name);
  });
});
