import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createLangChainTools, type LangChainTools } from "../src/langchain.ts";
import type { ToolSource } from "../src/declare/tool-source.ts";
import { definitionOf, outcomeOf, png, results, resultSource } from "./outcomes.ts";

type FakeModel = ReturnType<typeof fakeModel>;

const use = (name: string): { name: string; args: object; id: string } => ({ name, args: {}, id: `call_${name}` });

/** The loop of a product. */
async function run(model: FakeModel, mcp: LangChainTools): Promise<readonly BaseMessage[]> {
  const messages: BaseMessage[] = [new HumanMessage("go")];
  for (;;) {
    const reply = await model.bindTools(mcp.tools()).invoke(messages);
    const answers = await mcp.answer(reply);
    if (answers.length === 0) return messages;
    messages.push(reply, ...answers);
  }
}

/** What a model is sent after it has called these. */
async function answersTo(mcp: LangChainTools, ...names: readonly string[]): Promise<readonly ToolMessage[]> {
  const model = fakeModel().respondWithTools(names.map(use)).respond(new AIMessage("done"));
  await run(model, mcp);
  return (model.calls[1]?.messages ?? []).filter((message) => ToolMessage.isInstance(message));
}

const find = (mcp: LangChainTools, name: string): ReturnType<LangChainTools["tools"]>[number] => {
  const tool = mcp.tools().find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
};

describe("LangChain", () => {
  it("is handed each kind of result as a message, with the outcome whole as its artifact", async () => {
    const names = Object.keys(results);
    const mcp = createLangChainTools(resultSource(), { media: ["image/png"] });
    const messages = await answersTo(mcp, ...names);
    const message = (name: keyof typeof results): ToolMessage | undefined => messages[names.indexOf(name)];
    expect(messages.map(({ tool_call_id: id }) => id)).toEqual(names.map((name) => `call_${name}`));
    expect(messages.map(({ artifact }) => artifact)).toEqual(
      Object.values(results).map((raw) => ({ outcome: outcomeOf(raw) })),
    );
    const picture = { type: "image", mimeType: "image/png", data: png };
    const block = (text: string): object => ({ type: "text", text });
    const failed = /^\[tool error\] boom\n\[image.*not shown.*\]\n\{"code":7\}$/;
    expect(message("error")).toMatchObject({ status: "error", content: expect.stringMatching(failed) });
    expect(message("success")).toMatchObject({
      status: "success",
      content: [block("boom"), picture, block('{"code":7}')],
    });
    expect(message("structuredOnly")).toMatchObject({ status: "success", content: '{"code":7}' });
    expect(message("structuredTwice")).toMatchObject({ status: "error", content: '[tool error] {"code": 7}' });
    expect(message("imageOnly")).toMatchObject({ content: [picture] });
    expect(message("imageError")).toMatchObject({
      content: expect.stringMatching(/^\[tool error\] \[image.*not shown/),
    });
    expect(message("audio")).toMatchObject({ content: expect.stringMatching(/audio\/wav.*not shown/) });
    expect(message("link")).toMatchObject({ content: expect.stringContaining("file:///a.txt") });
    expect(message("pdf")).toMatchObject({ content: expect.stringMatching(/application\/pdf.*not shown/) });
    expect(message("unknownKind")).toMatchObject({ content: expect.stringContaining("hologram") });
    expect(message("nothing")).toMatchObject({ content: expect.stringMatching(/\S/) });
  });

  it("gives the same message from a tool that an agent runs", async () => {
    const names = ["success", "error"] as const;
    const mcp = createLangChainTools(resultSource(), { media: ["image/png"] });
    const answers = await answersTo(mcp, ...names);
    for (const [at, name] of names.entries()) {
      const message = await find(mcp, name).invoke({ ...use(name), type: "tool_call" });
      expect(ToolMessage.isInstance(message)).toBe(true);
      const { content, artifact, status, tool_call_id: id } = message;
      expect({ content, artifact, status, id }).toEqual({
        content: answers[at]?.content,
        artifact: answers[at]?.artifact,
        status: answers[at]?.status,
        id: `call_${name}`,
      });
    }
  });

  it("gives the content alone where there is no call", async () => {
    const mcp = createLangChainTools(resultSource());
    expect(await find(mcp, "structuredOnly").invoke({})).toBe('{"code":7}');
    expect(await find(mcp, "structuredTwice").invoke({})).toBe('[tool error] {"code": 7}');
  });

  it("shows the media that the model is said to take, and no other", async () => {
    const [unseen] = await answersTo(createLangChainTools(resultSource()), "imageOnly");
    expect(unseen?.content).toMatch(/image.*not shown/);
    const mcp = createLangChainTools(resultSource(), { media: ["audio/wav"] });
    const [audio, image] = await answersTo(mcp, "audio", "imageOnly");
    expect(audio?.content).toEqual([{ type: "audio", mimeType: "audio/wav", data: "UklGRg==" }]);
    expect(image?.content).toMatch(/image.*not shown/);
  });

  it("checks no arguments itself, not by the pattern of a server, nor by a schema that it cannot read", async () => {
    const inputSchema = {
      type: "object",
      properties: { a: { type: "string", pattern: "^(a+)+$" }, b: { $ref: "#/nowhere" } },
      required: ["c"],
    };
    const source = resultSource();
    const mcp = createLangChainTools({
      ...source,
      tools: () => [definitionOf("structuredOnly", { inputSchema })],
    });
    const args = { a: `${"a".repeat(60)}!`, b: 1 };
    expect(await find(mcp, "structuredOnly").invoke(args)).toBe('{"code":7}');
    expect(source.calls).toEqual([{ name: "structuredOnly", args }]);
  });

  it("does not take a server's schema for one of Zod", async () => {
    const inputSchema = { type: "object", properties: {}, _zod: { def: {} }, _def: { typeName: "ZodObject" } };
    const mcp = createLangChainTools({ ...resultSource(), tools: () => [definitionOf("link", { inputSchema })] });
    expect(find(mcp, "link").schema).toEqual({ type: "object", properties: {} });
  });

  it("answers what went wrong with a call, and every other call as well", async () => {
    const source = resultSource();
    const gone = new HostsideError("the server is gone", { code: "connection_closed", serverId: "s" });
    const failing: ToolSource = {
      ...source,
      async call(name, args) {
        if (name !== "audio") return await source.call(name, args);
        throw gone;
      },
    };
    const messages = await answersTo(createLangChainTools(failing), "audio", "never_declared", "structuredOnly");
    expect(messages).toMatchObject([
      {
        status: "error",
        content: expect.stringMatching(/^\[tool error\].*the server is gone/),
        artifact: { error: { code: "connection_closed" } },
      },
      { status: "error", content: expect.stringMatching(/^\[tool error\].*never_declared/) },
      { status: "success" },
    ]);
  });

  it("answers calls that could not be read when there are no others", async () => {
    const source = resultSource();
    const mcp = createLangChainTools(source);
    const invalid = [{ name: "link", args: "{no json", id: "a", error: "?", type: "invalid_tool_call" as const }];
    const [answer] = await mcp.answer({ invalid_tool_calls: invalid });
    expect(answer).toMatchObject({
      tool_call_id: "a",
      status: "error",
      content: expect.stringContaining("not valid JSON"),
    });
    const answers = await mcp.answer({ tool_calls: [use("link")], invalid_tool_calls: invalid });
    expect(answers.map(({ tool_call_id: id }) => id)).toEqual(["call_link"]);
  });

  it.each([
    { stop_reason: "max_tokens" },
    { stop_reason: "refusal" },
    { finish_reason: "length" },
    { finish_reason: "content_filter" },
    { status: "incomplete" },
    { finishReason: "MAX_TOKENS" },
  ])("does not run the call at which the output ended: %o", async (metadata) => {
    const source = resultSource();
    const message = new AIMessage({
      content: "",
      tool_calls: [use("link"), use("pdf")],
      response_metadata: metadata,
    });
    expect(await createLangChainTools(source).answer(message)).toMatchObject([
      { tool_call_id: "call_link", status: "success" },
      { tool_call_id: "call_pdf", status: "error", content: expect.stringMatching(/^\[tool error\].*did not run/) },
    ]);
    expect(source.calls.map(({ name }) => name)).toEqual(["link"]);
  });

  it("runs what came before a call of the product's own at which the output ended", async () => {
    const tool_calls = [use("link"), use("mine")];
    const mcp = createLangChainTools(resultSource(), { ownFunctions: ["mine"] });
    const answers = await mcp.answer({ tool_calls, response_metadata: { finish_reason: "length" } });
    expect(answers).toMatchObject([{ tool_call_id: "call_link", status: "success" }]);
  });

  it("leaves the product's own tools to the product", async () => {
    const source = resultSource();
    const mcp = createLangChainTools(source, { ownFunctions: ["link"] });
    expect(mcp.tools().map(({ name }) => name)).not.toContain("link");
    expect(mcp.leftOut()).toMatchObject([{ definition: { name: "link" } }]);
    expect(await mcp.answer({ tool_calls: [use("link")] })).toEqual([]);
  });

  it("hands the signal of the config on, and rejects with aborted", async () => {
    const controller = new AbortController();
    const source: ToolSource = {
      ...resultSource(),
      async call(_name, _args, options) {
        controller.abort();
        options?.signal?.throwIfAborted();
        return outcomeOf(results.nothing);
      },
    };
    const mcp = createLangChainTools(source);
    const { signal } = controller;
    await expect(find(mcp, "link").invoke({}, { signal })).rejects.toMatchObject({ code: "aborted" });
    await expect(mcp.answer({ tool_calls: [use("link")] }, { signal })).rejects.toMatchObject({ code: "aborted" });
  });

  it("says where a tool is from in the metadata of its runs, and nowhere else", () => {
    const origin = { serverId: "s", toolName: "t", qualifiedName: "mcp::s::t" };
    const mcp = createLangChainTools({ ...resultSource(), tools: () => [definitionOf("link", { origin })] });
    expect(find(mcp, "link")).toMatchObject({ metadata: { serverId: "s", toolName: "t" }, description: "Does link." });
  });

  it("refuses options that it cannot use", () => {
    const typo = { medium: [] };
    const source = resultSource();
    expect(() => createLangChainTools(source, { maxTools: 9, ...typo })).toThrow(/medium/);
    expect(() => createLangChainTools(source, { media: "image/png" as never })).toThrow(/media/);
  });
});
