import { HostsideError } from "@hostside/core";
import type { ResultPresenter } from "@hostside/results";
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions/completions";
import { describe, expect, it } from "vitest";
import { createChatTools, type ChatTools } from "../src/openai.ts";
import { createFakeApi, sse, type FakeApi } from "./fake-api.ts";
import { sampleSource } from "./sample-source.ts";
import { definitionOf, png, results, resultSource, withFiles } from "./outcomes.ts";

function call(name: string, args = "{}"): object {
  return { type: "function", id: `call_${name}`, function: { name, arguments: args } };
}

function completion(message: object): object {
  const whole = { role: "assistant", content: null, refusal: null, ...message };
  return {
    id: "c",
    object: "chat.completion",
    created: 0,
    model: "m",
    choices: [{ index: 0, message: whole, finish_reason: "stop" }],
  };
}

const done = completion({ content: "done" });

/** The loop of a product. */
async function run(api: FakeApi, mcp: ChatTools): Promise<string | null> {
  const client = new OpenAI({ apiKey: "none", fetch: api.fetch, maxRetries: 0 });
  const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "go" }];
  for (;;) {
    const { choices } = await client.chat.completions.create({ model: "m", messages, tools: mcp.tools() });
    const message = choices[0]?.message;
    if (message === undefined) throw new Error("no choice");
    messages.push(message);
    const answers = await mcp.answer(message);
    if (answers.length === 0) return message.content;
    messages.push(...answers);
  }
}

interface SentMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
}

/** What was sent after the calls. */
function answersIn({ bodies }: FakeApi): readonly SentMessage[] {
  const messages = bodies[1]?.["messages"];
  return Array.isArray(messages) ? messages.slice(2) : [];
}

describe("Chat Completions", () => {
  it("is sent each kind of result as text, and what is no text after all tool messages", async () => {
    const names = Object.keys(results);
    const api = createFakeApi(completion({ tool_calls: names.map((name) => call(name)) }), done);
    expect(await run(api, createChatTools(resultSource(), { presenter: withFiles }))).toBe("done");
    const answers = answersIn(api);
    expect(answers.map(({ role }) => role)).toEqual([...names.map(() => "tool"), "user"]);
    const sent = new Map(answers.map(({ tool_call_id = "", content }) => [tool_call_id, content]));
    const content = (name: keyof typeof results): unknown => sent.get(`call_${name}`);
    expect(content("error")).toBe('{"error":"boom","structured":{"code":7}}');
    expect(content("success")).toBe('boom\n{"code":7}');
    expect(content("structuredOnly")).toBe('{"code":7}');
    expect(content("structuredTwice")).toBe('{"error":"{\\"code\\": 7}"}');
    expect(content("imageOnly")).toMatch(/next message/);
    expect(content("imageError")).toMatch(/^\{"error":".*next message.*"\}$/);
    expect(content("audio")).toMatch(/audio.*not shown/);
    expect(content("link")).toContain("file:///a.txt");
    expect(content("unknownKind")).toContain("hologram");
    expect(content("nothing")).toMatch(/./);
    const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } };
    const label = (name: string): object => ({
      type: "text",
      text: `What the call call_${name} of the tool ${name} showed:`,
    });
    const file = { file_data: "data:application/pdf;base64,JVBERi0=", filename: expect.stringMatching(/\.pdf$/) };
    expect(answers.at(-1)?.content).toEqual([
      ...["success", "error", "imageOnly", "imageError"].flatMap((name) => [label(name), picture]),
      label("pdf"),
      { type: "file", file },
    ]);
  });

  it("gets the structured content of a failure with the marks that a presenter put around it", async () => {
    const presenter: ResultPresenter = {
      present: ({ structuredContent: structured }) => {
        const text = `<data>${JSON.stringify(structured)}</data>`;
        return { blocks: [{ type: "text", part: "structured", text }], isError: true, structured, omitted: [] };
      },
      presentError: () => ({ blocks: [], isError: true, omitted: [] }),
    };
    const mcp = createChatTools(sampleSource({ structuredContent: { a: 1 }, isError: true }), { presenter });
    const [answer] = await mcp.answer({
      tool_calls: [{ id: "1", type: "function", function: { name: "probe", arguments: "{}" } }],
    });
    expect(answer?.content).toBe(JSON.stringify({ error: '<data>{"a":1}</data>' }));
  });

  it("hears of each tool with its schema, without strict mode", async () => {
    const inputSchema = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a"],
    };
    const source = { ...resultSource(), tools: () => [definitionOf("t", { inputSchema })] };
    const api = createFakeApi(done);
    await run(api, createChatTools(source));
    const declared = { name: "t", description: "Does t.", parameters: inputSchema, strict: false };
    expect(api.bodies[0]?.["tools"]).toEqual([{ type: "function", function: declared }]);
  });

  it("answers what went wrong with a call, and every other call as well", async () => {
    const source = resultSource();
    const failing = {
      ...source,
      async call(name: string, args?: unknown) {
        if (name !== "audio") return await source.call(name, args);
        throw new HostsideError("the server is gone", { code: "connection_closed", serverId: "s" });
      },
    };
    const calls = [call("audio"), call("pdf", "{no json"), call("never_declared"), call("structuredOnly")];
    const api = createFakeApi(completion({ tool_calls: calls }), done);
    await run(api, createChatTools(failing));
    const contents = answersIn(api).map(({ content }) => String(content));
    expect(contents).toHaveLength(4);
    expect(contents[0]).toMatch(/^\{"error":".*the server is gone/);
    expect(contents[1]).toMatch(/^\{"error":".*not valid JSON/);
    expect(contents[2]).toMatch(/^\{"error":".*never_declared/);
    expect(contents[3]).toBe('{"code":7}');
  });

  it("does not run the call at which the output of a choice ended", async () => {
    const source = resultSource();
    const functions = ["link", "audio"].map(
      (name) => ({ type: "function", id: name, function: { name, arguments: "" } }) as const,
    );
    const mcp = createChatTools(source);
    const answers = await mcp.answer({ message: { tool_calls: functions }, finish_reason: "length" });
    expect(source.calls.map(({ name }) => name)).toEqual(["link"]);
    expect(answers[1]).toMatchObject({ tool_call_id: "audio", content: expect.stringContaining("did not run") });
    await mcp.answer({ message: { tool_calls: functions }, finish_reason: "tool_calls" });
    expect(source.calls.map(({ name }) => name)).toEqual(["link", "link", "audio"]);
  });

  it("answers neither the product's own functions nor custom tools", async () => {
    const source = resultSource();
    const mcp = createChatTools(source, { ownFunctions: ["link"] });
    const custom = { type: "custom", id: "c", custom: { name: "nothing", input: "x" } } as const;
    const own = { type: "function", id: "o", function: { name: "link", arguments: "{}" } } as const;
    expect(await mcp.answer({ tool_calls: [custom, own] })).toEqual([]);
    expect(await mcp.answer({ tool_calls: null })).toEqual([]);
    expect(source.calls).toEqual([]);
    expect(mcp.tools().map((tool) => tool.function.name)).not.toContain("link");
  });

  it("answers the message that a stream adds up to", async () => {
    const chunk = (delta: object, finish_reason: string | null = null): object => ({
      id: "c",
      object: "chat.completion.chunk",
      created: 0,
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    });
    const piece = (args: string, first: object = {}): object =>
      chunk({ tool_calls: [{ index: 0, ...first, function: { arguments: args, ...first } }] });
    const start = {
      role: "assistant",
      tool_calls: [{ index: 0, id: "s1", type: "function", function: { name: "structuredOnly", arguments: "" } }],
    };
    const api = createFakeApi(
      sse(chunk(start), piece('{"a"'), piece(":1}"), chunk({}, "tool_calls")) + "data: [DONE]\n\n",
    );
    const client = new OpenAI({ apiKey: "none", fetch: api.fetch, maxRetries: 0 });
    const source = resultSource();
    const mcp = createChatTools(source);
    const stream = client.chat.completions.stream({ model: "m", messages: [], tools: mcp.tools() });
    const answers = await mcp.answer(await stream.finalMessage());
    expect(answers).toEqual([{ role: "tool", tool_call_id: "s1", content: '{"code":7}' }]);
    expect(source.calls).toEqual([{ name: "structuredOnly", args: { a: 1 } }]);
  });

  it.each(["answer", "toApprove"] as const)("names %s() and what to pass for a whole completion", async (member) => {
    const mcp = createChatTools(resultSource());
    await expect(mcp[member](done as Parameters<ChatTools["answer"]>[0])).rejects.toThrow(
      `${member}() takes a message of the model or a choice of a completion, such as completion.choices[0]; this has no`,
    );
  });
});
