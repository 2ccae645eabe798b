import {
  createAnswerer,
  openai,
  openaiAgents,
  type AdapterOptions,
  type Declaration,
  type ToolSource,
} from "@hostside/adapters";
import { createAiSdkTools } from "@hostside/adapters/ai-sdk";
import { createAnthropicTools } from "@hostside/adapters/anthropic";
import { createLangChainTools } from "@hostside/adapters/langchain";
import { HostsideError, type CallOptions, type ToolDefinition, type ToolOutcome } from "@hostside/core";
import { describe, expect, it } from "vitest";

const object = { type: "object", properties: { q: { type: "string" } }, additionalProperties: false };

function define(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, description: `Does ${name}.`, inputSchema: object, ...more };
}

function say(text: string): ToolOutcome {
  const origin = { serverId: "s", toolName: "t", qualifiedName: "mcp::s::t" };
  return { content: [{ type: "text", text }], isError: false, origin, raw: {} };
}

interface Sent {
  readonly name: string;
  readonly args: unknown;
  readonly options: CallOptions;
}

/** A source that answers with its arguments, and what was called. */
function createSource(
  definitions: readonly ToolDefinition[],
  answer: (sent: Sent) => ToolOutcome | Promise<ToolOutcome> = ({ name }) => say(name),
): ToolSource & { readonly sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    tools: () => definitions,
    call: async (name, args, options = {}) => {
      sent.push({ name, args, options });
      return await answer({ name, args, options });
    },
  };
}

describe("createAnswerer()", () => {
  it.each([undefined, null, {}, { tools: () => [] }, Promise.resolve({})])("refuses %j as a source", (source) => {
    expect(() => Reflect.apply(createAnswerer, undefined, [source, openai])).toThrow(/^source must be a view/);
  });
});

describe("answer()", () => {
  it("calls the tool by its local name, with the definition that was declared and the arguments as text or object", async () => {
    const tool = define("web-search");
    const source = createSource([tool]);
    const answerer = createAnswerer(source, openaiAgents, { context: { principal: "ada" } });
    expect(answerer.declare().tools.map(({ name }) => name)).toEqual(["web_search"]);
    await answerer.answer({ name: "web_search", args: '{"q":"rain"}', context: { correlationId: "7" } });
    await answerer.answer({ name: "web_search", args: { q: "sun" } });
    await answerer.answer({ name: "web_search", args: "" });
    const context = { principal: "ada" };
    expect(source.sent.map(({ name, args }) => [name, args])).toEqual([
      ["web-search", { q: "rain" }],
      ["web-search", { q: "sun" }],
      ["web-search", {}],
    ]);
    expect(source.sent[0]?.options).toEqual({
      selected: tool,
      context: { ...context, correlationId: "7" },
      signal: undefined,
    });
    expect(source.sent[1]?.options.context).toEqual(context);
    expect(source.sent[0]?.options.selected).toBe(tool);
  });

  it.each([
    [{ name: "web_serch", args: "{}" }, "unknown_tool", 'did you mean \\"web_search\\"?'],
    [{ name: "web.search", args: "{}" }, "unknown_tool", 'did you mean \\"web_search\\"?'],
    [{ name: "rain", args: "{}" }, "unknown_tool", "is not declared; call one that is, by its exact name"],
    [{ name: "web_search", args: '{"q":"a",}' }, "invalid_arguments", "error at position 9"],
    [{ name: "web_search", args: '"{}"' }, "invalid_arguments", "a JSON text inside a text"],
  ])("answers %j by %s, and calls nothing", async (call, code, words) => {
    const source = createSource([define("web_search")]);
    const presented = await createAnswerer(source, openai).answer(call);
    expect(presented).toMatchObject({ isError: true, error: { code } });
    expect(JSON.stringify(presented.blocks)).toContain(words);
    expect(source.sent).toEqual([]);
  });

  it("says by which tool one is brought that is not declared, and believes no server's of that name", async () => {
    const read = async (tools: readonly ToolDefinition[], name = "mcp_demo_echo"): Promise<string> => {
      const { blocks } = await createAnswerer(createSource(tools), openai).answer({ name });
      return blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    };
    const toolsOf = (serverId: string): ToolDefinition[] =>
      ["tools_search", "tools_select"].map((name) =>
        define(name, { origin: { serverId, toolName: name, qualifiedName: name } }),
      );
    const echo = define("mcp_a_echo", { origin: { serverId: "a", toolName: "echo", qualifiedName: "mcp::a::echo" } });
    const advice = "The call did not run. Do not repeat the same call before the tool is declared.";
    const helpers = '"tools_search" or "tools_select" brings a tool that is there and not declared';
    expect(await read(toolsOf(""))).toBe(
      `[error unknown_tool, contract] tool "mcp_demo_echo" is not declared; ${helpers}\n${advice}`,
    );
    expect(await read([...toolsOf(""), echo], "echo")).toContain(`declared; did you mean "mcp_a_echo"? ${helpers}\n`);
    expect(await read(toolsOf("a"))).not.toContain("brings");
    expect(await read([])).toContain('tool "mcp_demo_echo" is not declared; no tool is\n');
    const long = await read([echo], "x".repeat(100_000));
    expect(long.length).toBeLessThan(500);
  });

  it("has a notice where a presenter shows nothing", async () => {
    const presenter = {
      present: ({ isError }: ToolOutcome) => ({ blocks: [], isError, omitted: [] }),
      presentError: () => ({ blocks: [], isError: true, omitted: [] }),
    };
    const answerer = createAnswerer(createSource([define("t")]), openai, { presenter });
    expect(await answerer.answer({ name: "t" })).toMatchObject({
      blocks: [{ type: "text", part: "notice", text: "[nothing of the result is shown]" }],
      isError: false,
    });
    expect(await answerer.answer({ name: "u" })).toMatchObject({
      blocks: [{ type: "text", part: "error", text: "[the call failed, and nothing is shown of why]" }],
      isError: true,
    });
  });

  it("shows results as the presenter of the source does, unless the options name another one", async () => {
    const shows = (text: string): NonNullable<AdapterOptions["presenter"]> => ({
      present: ({ isError }) => ({ blocks: [{ type: "text", part: "content", text }], isError, omitted: [] }),
      presentError: () => ({ blocks: [{ type: "text", part: "error", text }], isError: true, omitted: [] }),
    });
    const source = { ...createSource([define("t")]), presenter: shows("of the source") };
    const texts = async (options?: AdapterOptions): Promise<string> => {
      const answerer = createAnswerer(source, openai, options);
      return JSON.stringify([await answerer.answer({ name: "t" }), await answerer.answer({ name: "u" })]);
    };
    expect((await texts()).match(/of the source/g)).toHaveLength(2);
    expect((await texts({ presenter: shows("of the options") })).match(/of the options/g)).toHaveLength(2);

    const [langchain] = createLangChainTools(source).tools();
    expect(await langchain?.invoke({})).toBe("of the source");
    const content = [{ type: "tool_use", id: "1", name: "t", input: {}, caller: { type: "direct" } } as const];
    expect(JSON.stringify(await createAnthropicTools(source).answer({ content }))).toContain("of the source");
    const options = { toolCallId: "1", messages: [], context: {} };
    const answer: unknown = await createAiSdkTools(source).tools["t"]?.execute?.({}, options);
    expect(answer).toMatchObject({ content: [{ text: "of the source" }] });
  });

  it.each([null, {}, { requires: () => true }])("refuses a source whose approval is %o", (approval) => {
    const source = { ...createSource([]), approval } as unknown as ToolSource;
    expect(() => createAnswerer(source, openai)).toThrow(
      new TypeError("the approval of source must have requires(), note() and answer()"),
    );
  });

  it.each([null, {}, { present: () => undefined }])("refuses a source whose presenter is %o", (presenter) => {
    const source = { ...createSource([]), presenter } as unknown as ToolSource;
    expect(() => createAnswerer(source, openai)).toThrow(
      new TypeError("the presenter of source must have present() and presentError()"),
    );
  });

  it("says why a tool that was left out is not there", async () => {
    const source = createSource([define("one"), define("two")]);
    const presented = await createAnswerer(source, openai, { maxTools: 1 }).answer({ name: "two" });
    expect(JSON.stringify(presented.blocks)).toContain("at most 1 tools");
  });

  it("presents what the call throws, and rejects with aborted only when its own signal aborted", async () => {
    const failing = createSource([define("t")], ({ options: { signal } }) => {
      signal?.throwIfAborted();
      throw new HostsideError("stop", { code: "aborted" });
    });
    const answerer = createAnswerer(failing, openai);
    expect(await answerer.answer({ name: "t" })).toMatchObject({ isError: true, error: { code: "aborted" } });
    await expect(answerer.answer({ name: "t", signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
    await expect(answerer.answer({ name: "t", context: { who: "x" } as never })).rejects.toThrow(
      /context has no member/,
    );
  });

  it("says that a call ran whose result a presenter cannot show", async () => {
    const presenter = {
      present: () => {
        throw new Error("secret");
      },
      presentError: () => ({ blocks: [], isError: true, omitted: [] }),
    };
    const presented = await createAnswerer(createSource([define("t")]), openai, { presenter }).answer({
      name: "t",
    });
    expect(presented).toMatchObject({ isError: true, error: { code: "internal_error", retryable: false } });
    expect(JSON.stringify(presented)).not.toContain("secret");
  });

  it("answers all the same when a presenter cannot show an error", async () => {
    const presenter = {
      present: () => ({ blocks: [], isError: false, omitted: [] }),
      presentError: () => {
        throw new Error("secret");
      },
    };
    const presented = await createAnswerer(createSource([]), openai, { presenter }).answer({ name: "t" });
    expect(presented).toMatchObject({ isError: true, error: { code: "unknown_tool" } });
    expect(JSON.stringify(presented)).not.toContain("secret");
  });
});

describe("answerAll()", () => {
  it("runs the calls of a response at once and answers in their order, whatever one of them does", async () => {
    const order: string[] = [];
    const source = createSource([define("slow"), define("bad"), define("fast")], async ({ name }) => {
      if (name === "bad") throw new HostsideError("no", { code: "server_error" });
      for (let turn = name === "slow" ? 5 : 0; turn > 0; turn--) await Promise.resolve();
      order.push(name);
      return say(name);
    });
    const calls = ["slow", "bad", "fast", "fast"].map((name) => ({ name }));
    const presented = await createAnswerer(source, openai).answerAll(calls);
    expect(order).toEqual(["fast", "fast", "slow"]);
    expect(presented.map(({ isError }) => isError)).toEqual([false, true, false, false]);
  });
});

function reasonsOf({ leftOut }: Declaration): string[] {
  return leftOut.map(({ definition, reason }) => `${definition.name}: ${reason}`);
}

describe("declare()", () => {
  it("gives the same object back until the source offers something else, and says what is left out", () => {
    let definitions = [define("a"), define("b", { inputSchema: { type: "array" } })];
    const source: ToolSource = { tools: () => [...definitions], call: async () => say("") };
    const answerer = createAnswerer(source, openai);
    const first = answerer.declare();
    expect(answerer.declare()).toBe(first);
    definitions = [...definitions, define("c")];
    const second = answerer.declare();
    expect(second.tools.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(second.tools[0]?.inputSchema).toBe(first.tools[0]?.inputSchema);
    expect(reasonsOf(second)).toEqual(["b: the API does not take arguments that are no object"]);
  });

  it("counts the product's own tools, and gives no other their names", () => {
    const source = createSource(["a", "b", "c", "d"].map((name) => define(name)));
    const answerer = createAnswerer(source, openai, { maxTools: 3 });
    const first = answerer.declare(new Set(["a", "mine"]));
    expect(first.tools.map(({ name }) => name)).toEqual(["b"]);
    expect(first.find("a")).toBeUndefined();
    expect(answerer.declare(new Set(["a", "mine"]))).toBe(first);
    const tooMany = "one request takes at most 3 tools, the product's own included";
    const taken = "the product has a tool of its own with this name";
    expect(reasonsOf(first).toSorted()).toEqual([`a: ${taken}`, `c: ${tooMany}`, `d: ${tooMany}`]);
    expect(answerer.declare().tools.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  it("declares one of two tools with the same name, which an API would refuse", () => {
    const { tools, leftOut } = createAnswerer(createSource([define("t"), define("t")]), openai).declare();
    expect(tools).toHaveLength(1);
    expect(leftOut).toMatchObject([{ definition: { name: "t" }, reason: "a tool before it has the same name" }]);
  });

  it("cuts a description to what the API takes, and leaves out what is beyond its number of tools", () => {
    const definitions = Array.from({ length: 130 }, (_, at) => define(`t${at}`, { description: "x".repeat(2000) }));
    const { tools, leftOut } = createAnswerer(createSource(definitions), openai).declare();
    expect(tools).toHaveLength(128);
    expect(tools[0]?.description).toHaveLength(1024);
    expect(leftOut.map(({ definition, reason }) => [definition.name, reason])).toEqual([
      ["t128", "one request takes at most 128 tools"],
      ["t129", "one request takes at most 128 tools"],
    ]);
    expect(createAnswerer(createSource(definitions), openai, { maxTools: Infinity }).declare().tools).toHaveLength(130);
  });

  it.each([
    [{ strict: true }, "strict"],
    [{ maxTools: 0 }, "maxTools"],
    [{ presenter: {} }, "presenter"],
    [{ context: { approval: "t" } }, "approval"],
    [{ timeout: 1 }, "timeout"],
  ])("refuses %j at once", (options, field) => {
    expect(() => createAnswerer(createSource([]), openai, options as never)).toThrow(new RegExp(field));
  });
});
