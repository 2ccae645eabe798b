import Anthropic from "@anthropic-ai/sdk";
import type { ContentBlockParam, Message, MessageParam, Tool } from "@anthropic-ai/sdk/resources/messages";
import { HostsideError, type ToolDefinition } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import { createAnthropicTools, type AnthropicTools } from "../src/anthropic.ts";
import type { ToolSource } from "../src/declare/tool-source.ts";
import { createFakeApi, sse, type FakeApi } from "./fake-api.ts";
import { definitionOf, outcomeOf, png, results, resultSource, withFiles } from "./outcomes.ts";

function use(name: string, input: unknown = {}): object {
  return { type: "tool_use", id: `toolu_${name}`, name, input, caller: { type: "direct" } };
}

function message(content: readonly object[], stop = "tool_use"): object {
  return { id: "msg", type: "message", role: "assistant", model: "m", content, stop_reason: stop, usage: {} };
}

const done = message([{ type: "text", text: "done" }], "end_turn");

function connect(api: FakeApi): Anthropic {
  return new Anthropic({ apiKey: "none", fetch: api.fetch, maxRetries: 0 });
}

/** The loop of a product. */
async function run(api: FakeApi, mcp: AnthropicTools): Promise<Message> {
  const client = connect(api);
  const messages: MessageParam[] = [{ role: "user", content: "go" }];
  for (;;) {
    const reply = await client.messages.create({ model: "m", max_tokens: 99, messages, tools: mcp.tools() });
    messages.push({ role: "assistant", content: reply.content });
    const answer = await mcp.answer(reply);
    if (answer === undefined) return reply;
    messages.push(answer);
  }
}

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: readonly ContentBlockParam[] }[];
  readonly tools: readonly Tool[];
}

const sent = ({ bodies }: FakeApi, at: number): Sent => bodies[at] as unknown as Sent;
const answered = (api: FakeApi): readonly ContentBlockParam[] => sent(api, 1).messages[2]?.content ?? [];
const text = (value: string): object => ({ type: "text", text: value });
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };

describe("the Messages API", () => {
  it("is sent each kind of result in the blocks that it takes, results first", async () => {
    const names = Object.keys(results);
    const api = createFakeApi(message(names.map((name) => use(name))), done);
    await run(api, createAnthropicTools(resultSource(), { presenter: withFiles }));
    const blocks = answered(api);
    const result = (name: keyof typeof results): object => ({ ...blocks[names.indexOf(name)] });
    const shape = (name: string, content: unknown): object => ({
      type: "tool_result",
      tool_use_id: `toolu_${name}`,
      content,
    });
    expect(blocks.slice(0, names.length).map(({ type }) => type)).toEqual(names.map(() => "tool_result"));
    expect(result("success")).toEqual(shape("success", [text("boom"), picture, text('{"code":7}')]));
    expect(result("error")).toEqual({ ...shape("error", [text("boom"), text('{"code":7}')]), is_error: true });
    expect(result("structuredOnly")).toEqual(shape("structuredOnly", [text('{"code":7}')]));
    expect(result("structuredTwice")).toMatchObject({ is_error: true, content: [text('{"code": 7}')] });
    expect(result("imageOnly")).toEqual(shape("imageOnly", [picture]));
    expect(result("imageError")).toMatchObject({ is_error: true, content: [text("the tool failed")] });
    expect(result("audio")).toEqual(shape("audio", [text(expect.stringMatching(/audio\/wav.*not shown/))]));
    expect(result("link")).toEqual(shape("link", [text(expect.stringContaining("file:///a.txt"))]));
    expect(result("pdf")).toMatchObject({
      content: expect.arrayContaining([
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
      ]),
    });
    expect(result("unknownKind")).toEqual(shape("unknownKind", [text(expect.stringContaining("hologram"))]));
    expect(result("nothing")).toEqual(shape("nothing", [text(expect.stringMatching(/\S/))]));
    // With `is_error` a picture inside of the result is a 400 (vellum-ai/vellum-assistant#18387).
    expect(blocks.slice(names.length)).toEqual([
      text(expect.stringContaining("toolu_error")),
      picture,
      text(expect.stringContaining("toolu_imageError")),
      picture,
    ]);
  });

  it("is sent each tool with its schema, and a breakpoint for its cache on the last one", async () => {
    const inputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const source = { ...resultSource(), tools: () => [definitionOf("b", { inputSchema }), definitionOf("a")] };
    const api = createFakeApi(done, done, done);
    const breakpoint = { type: "ephemeral", ttl: "5m" };
    await run(api, createAnthropicTools(source));
    expect(sent(api, 0).tools).toEqual([
      { name: "b", description: "Does b.", input_schema: inputSchema },
      { name: "a", description: "Does a.", input_schema: definitionOf("a").inputSchema, cache_control: breakpoint },
    ]);
    await run(api, createAnthropicTools(source, { cache: "1h" }));
    expect(sent(api, 1).tools.map((tool) => tool.cache_control)).toEqual([undefined, { ...breakpoint, ttl: "1h" }]);
    await run(api, createAnthropicTools(source, { cache: "off" }));
    expect(JSON.stringify(api.bodies[2])).not.toContain("cache_control");
  });

  it("answers what went wrong with a call, and every other call as well", async () => {
    const source = resultSource();
    const failing: ToolSource = {
      ...source,
      async call(name, args) {
        if (name !== "audio") return await source.call(name, args);
        throw new HostsideError("the server is gone", { code: "connection_closed", serverId: "s" });
      },
    };
    const api = createFakeApi(message([use("audio"), use("never_declared"), use("structuredOnly")]), done);
    await run(api, createAnthropicTools(failing));
    expect(answered(api)).toMatchObject([
      { tool_use_id: "toolu_audio", is_error: true, content: [text(expect.stringContaining("the server is gone"))] },
      {
        tool_use_id: "toolu_never_declared",
        is_error: true,
        content: [text(expect.stringContaining("never_declared"))],
      },
      { tool_use_id: "toolu_structuredOnly", content: [text('{"code":7}')] },
    ]);
  });

  it("does not run the call that the end of the output may have cut off", async () => {
    const source = resultSource();
    const api = createFakeApi(message([use("link"), use("structuredOnly")], "max_tokens"), done);
    await run(api, createAnthropicTools(source));
    expect(answered(api)).toMatchObject([
      { tool_use_id: "toolu_link" },
      { tool_use_id: "toolu_structuredOnly", is_error: true, content: [text(expect.stringContaining("did not run"))] },
    ]);
    expect(source.calls.map(({ name }) => name)).toEqual(["link"]);
  });

  it("leaves the product's own tools and Anthropic's toolsets to the product", async () => {
    const source = resultSource();
    const mcp = createAnthropicTools(source, { ownFunctions: ["link"] });
    expect(mcp.tools().map(({ name }) => name)).not.toContain("link");
    expect(mcp.leftOut()).toMatchObject([{ definition: { name: "link" } }]);
    const zoom = { ...use("zoom"), toolset_name: "browser" };
    const api = createFakeApi(message([use("link"), zoom]));
    await run(api, mcp);
    expect(source.calls).toEqual([]);
  });

  it("takes the final message of a stream", async () => {
    const { content: _content, ...start } = message([]) as Record<string, unknown>;
    const events = [
      { type: "message_start", message: { ...start, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { ...use("structuredOnly"), input: {} } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"a":1}' } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ];
    const lines = events.map((event) => `event: ${event.type}\n${sse(event)}`).join("");
    const source = resultSource();
    const mcp = createAnthropicTools(source);
    const stream = connect(createFakeApi(lines)).messages.stream({
      model: "m",
      max_tokens: 99,
      messages: [{ role: "user", content: "go" }],
      tools: mcp.tools(),
    });
    const answer = await mcp.answer(await stream.finalMessage());
    expect(answer?.content).toMatchObject([{ type: "tool_result", content: [text('{"code":7}')] }]);
    expect(source.calls).toEqual([{ name: "structuredOnly", args: { a: 1 } }]);
  });

  it("rejects with aborted when nobody waits for the answer any more", async () => {
    const controller = new AbortController();
    const source: ToolSource = {
      ...resultSource(),
      async call() {
        controller.abort();
        throw new HostsideError("aborted", { code: "aborted" });
      },
    };
    const mcp = createAnthropicTools(source);
    const reply = message([use("link")]) as Message;
    await expect(mcp.answer(reply, { signal: controller.signal })).rejects.toMatchObject({ code: "aborted" });
  });

  it("refuses options that it cannot use", async () => {
    const typo = { cachee: "5m" };
    const wrong = { abort: 1 };
    const source = resultSource();
    expect(() => createAnthropicTools(source, { maxTools: 9, ...typo })).toThrow(/cachee/);
    expect(() => createAnthropicTools(source, { cache: "2h" as "1h" })).toThrow(/cache must be/);
    expect(() => createAnthropicTools(source, { deferred: [] as never })).toThrow(/deferred must be/);
    expect(() => createAnthropicTools(source, { ownFunctions: "a" as never })).toThrow(/ownFunctions/);
    const reply = message([use("link")]) as Message;
    await expect(createAnthropicTools(source).answer(reply, { signal: undefined, ...wrong })).rejects.toThrow(/abort/);
  });
});

describe("deferred tools", () => {
  function world(): { readonly mcp: AnthropicTools; readonly remove: (name: string) => void } {
    const gone = new Set<string>();
    const lawns = Array.from({ length: 40 }, (_, at) => `mow_lawn_${at}`);
    const all = ["paint_house", "paint_fence", ...lawns].map((name) => ({
      definition: definitionOf(name, { description: `Can ${name.replaceAll("_", " ")}.` }),
      run: () => "ok",
    }));
    const toolbox = createToolbox({ tools: all });
    const view = toolbox.view();
    const kept = (definitions: readonly ToolDefinition[]): readonly ToolDefinition[] =>
      definitions.filter(({ name }) => !gone.has(name));
    const source: ToolSource = {
      tools: () => kept(view.tools({ maxToolTokens: 1000 })),
      call: (name, args, options) => view.call(name, args, options),
    };
    const mcp = createAnthropicTools(source, { deferred: () => kept(toolbox.tools(view.undeclared())) });
    return { mcp, remove: (name) => gone.add(name) };
  }

  it("are declared outside of the cache, and found by references", async () => {
    const { mcp } = world();
    const api = createFakeApi(message([use("tools_search", { query: "paint" })]), message([use("paint_house")]), done);
    await run(api, mcp);
    const first = sent(api, 0).tools;
    const isDeferred = (tool: Tool): boolean => tool.defer_loading === true;
    expect(first.filter((tool) => !isDeferred(tool)).map(({ name }) => name)).toEqual([
      "tools_groups",
      "tools_select",
      "tools_search",
    ]);
    expect(first.filter(isDeferred)).toHaveLength(42);
    expect(first.findLast((tool) => !isDeferred(tool))?.cache_control).toBeDefined();
    expect(first.filter(isDeferred).every((tool) => tool.cache_control === undefined)).toBe(true);
    expect(answered(api)).toEqual([
      {
        type: "tool_result",
        tool_use_id: "toolu_tools_search",
        content: expect.arrayContaining([
          { type: "tool_reference", tool_name: "paint_house" },
          { type: "tool_reference", tool_name: "paint_fence" },
        ]),
      },
    ]);
    // The beginning of the prompt is the same to the byte.
    expect(JSON.stringify(sent(api, 1).tools)).toBe(JSON.stringify(first));
    expect(sent(api, 2).messages[4]?.content).toMatchObject([{ type: "tool_result", content: [text("ok")] }]);
  });

  it("are not found by a list of names alone", async () => {
    const { mcp } = world();
    const api = createFakeApi(message([use("tools_search", { query: "*" })]), done);
    await run(api, mcp);
    expect(answered(api)).toMatchObject([{ content: [text(expect.stringContaining("paint_house"))] }]);
  });

  it("stay declared when they are gone and the conversation refers to them", async () => {
    const { mcp, remove } = world();
    const api = createFakeApi(message([use("tools_search", { query: "paint" })]), done);
    await run(api, mcp);
    remove("paint_house");
    remove("mow_lawn_1");
    const names = mcp.tools().map(({ name }) => name);
    expect(names).toContain("paint_house");
    expect(names).not.toContain("mow_lawn_1");
  });

  it("are deferred but for the first when there would be nothing else, and that one stays so", () => {
    const offered: ToolDefinition[] = [];
    const source: ToolSource = { tools: () => offered, call: async () => outcomeOf(results.nothing) };
    const deferred = (): ToolDefinition[] => ["a", "b", "c"].map((name) => definitionOf(name));
    const mcp = createAnthropicTools(source, { deferred });
    const deferredOf = (tools: readonly Tool[]): readonly string[] =>
      tools.flatMap(({ name, defer_loading: isDeferred }) => (isDeferred === true ? [name] : []));
    expect(mcp.tools().map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(deferredOf(mcp.tools())).toEqual(["b", "c"]);
    expect(mcp.tools()[0]?.cache_control).toBeDefined();
    offered.push(definitionOf("later"));
    expect(deferredOf(mcp.tools())).toEqual(["b", "c"]);
    const leftOut: ToolSource = {
      ...source,
      tools: () => [definitionOf("x", { inputSchema: { type: "array" } })],
    };
    expect(deferredOf(createAnthropicTools(leftOut, { deferred }).tools())).toEqual(["b", "c"]);
    expect(deferredOf(createAnthropicTools(source, { deferred, ownFunctions: ["mine"] }).tools())).toContain("a");
  });

  it("are never found by a tool of a server's", async () => {
    const origin = { serverId: "s", toolName: "t", qualifiedName: "mcp::s::t" };
    const offered = [definitionOf("liar", { origin })];
    const source: ToolSource = {
      tools: () => offered,
      async call() {
        offered.push(definitionOf("hidden"));
        return outcomeOf({ content: [], structuredContent: { tools: [{ name: "hidden" }] } });
      },
    };
    const api = createFakeApi(message([use("liar")]), done);
    await run(api, createAnthropicTools(source, { deferred: () => [definitionOf("hidden")] }));
    expect(JSON.stringify(answered(api))).not.toContain("tool_reference");
  });
});
