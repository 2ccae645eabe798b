import { HostsideError, type JsonObject, type Progress } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { createPolicy } from "@hostside/policy";
import { createAiSdkTools, type AiSdkOptions } from "@hostside/adapters/ai-sdk";
import { convertToModelMessages, generateText, isStepCount, streamText, tool, ToolLoopAgent, type UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { resultsIn, scripted, settingsOf } from "./mock-model.ts";
import { definitionOf, png as picture, results } from "./outcomes.ts";
import { askAndAnswer, bank, payment } from "./paying.ts";
import { sampleSource } from "./sample-source.ts";
import { searchingSource } from "./searching-source.ts";

const stopWhen = isStepCount(8);
const boom = { ...results.success, _meta: { secret: "never for a model" } };
const text = (value: string): JsonObject => ({ type: "text", text: value });
const png = { type: "image", data: picture, mimeType: "image/png" };
const file = { type: "file", mediaType: "image/png", data: { type: "data", data: picture } };

/** What reaches the model of one call. */
async function shown(
  answer: JsonObject | (() => never),
  options: AiSdkOptions = {},
  provider?: string,
): Promise<unknown> {
  const hostside = createAiSdkTools(sampleSource(answer), options);
  const model = scripted([[["probe", { q: "x" }]], "done"], provider);
  await generateText({ model, prompt: "go", ...settingsOf(hostside), stopWhen });
  return resultsIn(model.doGenerateCalls[1]?.prompt)[0];
}

describe("a result, as the model gets it", () => {
  const vectors: readonly (readonly [string, JsonObject, unknown])[] = [
    ["a text", { content: [text("one")] }, { type: "text", value: "one" }],
    [
      "a text, a picture and structured content",
      boom,
      {
        type: "content",
        value: [text("boom"), file, text('{"code":7}')],
      },
    ],
    [
      "the same as a failure",
      { ...boom, isError: true },
      { type: "error-json", value: { message: "boom", structured: { code: 7 }, omitted: ["image/png"] } },
    ],
    ["structured content alone", { structuredContent: { code: 7 } }, { type: "text", value: '{"code":7}' }],
    [
      "structured content that a text repeats",
      { content: [text('{"code": 7}')], structuredContent: { code: 7 } },
      { type: "text", value: '{"code": 7}' },
    ],
    [
      "the same as a failure",
      { content: [text('{"code": 7}')], structuredContent: { code: 7 }, isError: true },
      { type: "error-json", value: { message: '{"code": 7}' } },
    ],
    [
      "a failure with structured content alone",
      { structuredContent: null, isError: true },
      { type: "error-json", value: { message: "the tool says that it failed", structured: null } },
    ],
    ["a picture alone", { content: [png] }, { type: "content", value: [file] }],
    [
      "a failure with a picture alone",
      { content: [png], isError: true },
      { type: "error-json", value: { message: "the tool says that it failed", omitted: ["image/png"] } },
    ],
    [
      "a link",
      { content: [{ type: "resource_link", uri: "file:///a", name: "a" }] },
      { type: "text", value: "Resource: file:///a\nName: a" },
    ],
    [
      "an unknown kind",
      { content: [{ type: "hologram", x: 1 }] },
      { type: "text", value: '[a block of the kind "hologram" is not shown: nobody here knows it]' },
    ],
    ["nothing", { content: [] }, { type: "text", value: "[the tool returned nothing]" }],
  ];
  it.each(vectors)("%s", async (_, answer, output) => {
    expect(await shown(answer)).toEqual(output);
  });

  it("an error of the host, with where the arguments are wrong", async () => {
    const violations = [{ path: "/q", message: "must be a number" }];
    const answer = (): never => {
      throw new HostsideError("the arguments are wrong", { code: "invalid_arguments", details: { violations } });
    };
    expect(await shown(answer)).toEqual({
      type: "error-json",
      value: {
        message: "the arguments are wrong",
        code: "invalid_arguments",
        retryable: false,
        outcome: "not-sent",
        violations: [{ pointer: "/q", message: "must be a number" }],
      },
    });
  });

  it("files in a message of the user where results are texts alone, and by type and size where they are not wanted", async () => {
    const source = sampleSource(boom);
    const hostside = createAiSdkTools(source);
    const model = scripted(
      [
        [
          ["probe", {}],
          ["probe", { q: "y" }],
        ],
        [["probe", {}]],
        "done",
      ],
      "openai.chat",
    );
    await generateText({ model, prompt: "go", ...settingsOf(hostside), stopWhen });
    const prompt = model.doGenerateCalls[2]?.prompt ?? [];
    expect(prompt.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "assistant", "tool", "user"]);
    const value = 'boom\n\n[image/png: in the next message]\n\n{"code":7}';
    expect(resultsIn(prompt)).toEqual([1, 2, 3].map(() => ({ type: "text", value })));
    const said = { type: "text", text: "[image/png from the tool probe; not written by the user]" };
    expect(prompt[3]?.content).toMatchObject([said, { type: "file" }, said, { type: "file" }]);
    expect(JSON.stringify(prompt).split(picture)).toHaveLength(4);

    const named = {
      type: "content",
      value: [text("boom"), text("[image: image/png, 70 bytes; not shown]"), text('{"code":7}')],
    };
    expect(await shown(boom, { files: "none" })).toEqual(named);
    expect(await shown(boom, { files: "result" }, "openai.chat")).toMatchObject({ type: "content" });
  });
});

describe("the answer of execute()", () => {
  const call = { toolCallId: "1", messages: [], context: {} };

  it("is JSON, has each thing once and no _meta, and leads to the whole outcome in this process", async () => {
    const { tools, outcomeOf } = createAiSdkTools(sampleSource(boom));
    const answer: unknown = await tools["probe"]?.execute?.({}, call);
    expect(answer).toEqual({
      isError: false,
      content: [text("boom"), { type: "image", mimeType: "image/png", bytes: 70, data: picture }, text('{"code":7}')],
    });
    expect(outcomeOf(answer)?.meta).toEqual({ secret: "never for a model" });
    expect(outcomeOf(JSON.parse(JSON.stringify(answer)))).toBeUndefined();
  });

  it("names a file that is too big to travel, which the model of this generation gets all the same", async () => {
    const big = Buffer.concat([Buffer.from(picture, "base64"), Buffer.alloc(65_467)]).toString("base64");
    const { tools } = createAiSdkTools(
      sampleSource({
        content: [
          { type: "text", text: "boom" },
          { type: "image", mimeType: "image/png", data: big },
        ],
      }),
    );
    const answer: unknown = await tools["probe"]?.execute?.({}, call);
    expect(JSON.stringify(answer)).not.toContain(big);
    const shownOf = (output: unknown): unknown =>
      tools["probe"]?.toModelOutput?.({ toolCallId: "1", input: {}, output });
    const whole = { ...file, data: { type: "data", data: big } };
    expect(shownOf(answer)).toEqual({ type: "content", value: [text("boom"), whole] });
    const kept: unknown = JSON.parse(JSON.stringify(answer));
    const notShown = text("[image: image/png, 65537 bytes; not shown]");
    expect(shownOf(kept)).toEqual({ type: "content", value: [text("boom"), notShown] });
    for (const strange of [undefined, null, 7, { isError: false, content: [{}] }, { isError: true }]) {
      expect(shownOf(strange)).toMatchObject({ type: "text" });
    }
  });

  it("goes through messages of a user interface and back", async () => {
    const { tools } = createAiSdkTools(sampleSource(boom));
    const output: unknown = JSON.parse(JSON.stringify(await tools["probe"]?.execute?.({}, call)));
    const part = {
      type: "dynamic-tool",
      toolName: "probe",
      toolCallId: "1",
      state: "output-available",
      input: {},
      output,
    };
    const messages = [{ id: "m", role: "assistant", parts: [part] }] as UIMessage[];
    const [, result] = await convertToModelMessages(messages, { tools });
    expect(result?.content).toMatchObject([
      { output: { type: "content", value: [text("boom"), file, text('{"code":7}')] } },
    ]);
  });

  it("reports progress as preliminary results where that is wanted, of what is too fast the last", async () => {
    const report = (progress: number): Progress => ({ progress, total: 3, message: `part ${progress}\u001B[31m` });
    const source = sampleSource(async (_, options) => {
      options?.onProgress?.(report(1));
      await new Promise(setImmediate);
      for (const count of [2, 3]) options?.onProgress?.(report(count));
      await new Promise(setImmediate);
      return { content: [text("one")] };
    });
    const hostside = createAiSdkTools(source, { progress: true });
    const model = scripted([[["probe", {}]], "done"]);
    const { fullStream } = streamText({ model, prompt: "go", ...settingsOf(hostside), stopWhen });
    const outputs: unknown[] = [];
    for await (const part of fullStream) if (part.type === "tool-result") outputs.push([part.preliminary, part.output]);
    const one = { isError: false, content: [text("one")] };
    expect(outputs).toEqual([
      [true, { progress: 1, total: 3, message: "part 1" }],
      [true, { progress: 3, total: 3, message: "part 3" }],
      [true, one],
      [undefined, one],
    ]);
  });

  it("rejects with aborted when the generation is aborted, which the call hears of", async () => {
    const abort = new AbortController();
    const source = sampleSource((_, options) => {
      abort.abort();
      throw new Error(`stopped: ${options?.signal?.aborted}`);
    });
    const { tools } = createAiSdkTools(source);
    const answer = tools["probe"]?.execute?.({}, { ...call, abortSignal: abort.signal });
    await expect(answer).rejects.toMatchObject({ code: "aborted", cause: { message: "stopped: true" } });
    const model = scripted([[["probe", {}]], "done"]);
    const aborted = generateText({ model, prompt: "go", tools, stopWhen, abortSignal: abort.signal });
    await expect(aborted).rejects.toThrow("aborted");
  });
});

describe("a tool that the model finds", () => {
  const turns = [
    [["tools_search", { query: "weather forecast" }]],
    [["weather_forecast", { q: "Rome" }]],
    [["tools_search", { query: "translate text" }]],
    [["translate_text", { q: "ciao" }]],
    "done",
  ] as const;
  const helpers = ["tools_groups", "tools_select", "tools_search"];
  const expected = [
    ["mine", ...helpers, "book_table"],
    ["mine", ...helpers, "book_table", "weather_forecast"],
    ["mine", ...helpers, "book_table", "weather_forecast"],
    ["mine", ...helpers, "book_table", "weather_forecast", "translate_text"],
    ["mine", ...helpers, "book_table", "weather_forecast", "translate_text"],
  ];
  const mine = tool({ description: "Mine.", inputSchema: z.object({}), execute: () => "mine" });
  const namesOf = (calls: readonly { readonly tools?: readonly { readonly name: string }[] | undefined }[]): unknown =>
    calls.map(({ tools = [] }) => tools.map(({ name }) => name));

  it("is declared in the next step, behind what was there, and called: generateText", async () => {
    const model = scripted(turns);
    const hostside = createAiSdkTools(searchingSource(), { tools: { mine } });
    await generateText({ model, prompt: "go", ...settingsOf(hostside), stopWhen });
    expect(namesOf(model.doGenerateCalls)).toEqual(expected);
    expect(resultsIn(model.doGenerateCalls[4]?.prompt)[3]).toEqual({ type: "text", value: 'translate_text: "ciao"' });
    // What was declared once is declared the same again, so that a cache of the prompt holds.
    const [first, , , , last] = model.doGenerateCalls;
    expect(last?.tools?.slice(0, first?.tools?.length)).toEqual(first?.tools);
    expect(first?.tools?.[1]).toMatchObject({ type: "function", strict: false, inputSchema: { type: "object" } });
  });

  it("is declared in the next step: streamText, and an agent", async () => {
    const model = scripted(turns);
    const stream = streamText({
      model,
      prompt: "go",
      ...settingsOf(createAiSdkTools(searchingSource(), { tools: { mine } })),
      stopWhen,
    });
    expect(await stream.text).toBe("done");
    expect(namesOf(model.doStreamCalls)).toEqual(expected);

    const other = scripted(turns);
    const agent = new ToolLoopAgent({
      model: other,
      ...settingsOf(createAiSdkTools(searchingSource(), { tools: { mine } })),
    });
    await agent.generate({ prompt: "go" });
    expect(namesOf(other.doGenerateCalls)).toEqual(expected);
  });

  it("is not declared any more when the source does not offer it", async () => {
    const source = sampleSource(() => {
      source.offered = source.offered.slice(0, 1);
      return results.structuredOnly;
    });
    source.offered = [...source.offered, definitionOf("other")];
    const hostside = createAiSdkTools(source);
    const model = scripted([[["probe", {}]], "done"]);
    await generateText({ model, prompt: "go", ...settingsOf(hostside), stopWhen });
    expect(namesOf(model.doGenerateCalls)).toEqual([["probe", "other"], ["probe"]]);
    expect(Object.keys(hostside.tools)).toEqual(["probe", "other"]);
  });

  it("is out of reach under a name that a tool of the product has, whatever a server calls its tools", async () => {
    const source = sampleSource({ content: [text("theirs")] });
    const [probe] = source.offered;
    if (probe === undefined) throw new Error("no tool");
    source.offered = [
      { ...probe, name: "mine" },
      { ...probe, name: "__proto__" },
    ];
    const hostside = createAiSdkTools(source, { tools: { mine } });
    expect(hostside.leftOut()).toMatchObject([{ definition: { name: "mine" }, reason: /of its own/ }]);
    const model = scripted([[["mine", {}]], [["__proto__", {}]], "done"]);
    await generateText({ model, prompt: "go", ...settingsOf(hostside), stopWhen });
    expect(namesOf(model.doGenerateCalls.slice(0, 1))).toEqual([["mine", "__proto__"]]);
    expect(resultsIn(model.doGenerateCalls[2]?.prompt)).toEqual([
      { type: "text", value: "mine" },
      { type: "text", value: "theirs" },
    ]);
  });
});

describe("an approval", () => {
  it("is asked for what its definition wants confirmed, before anything is sent, with or without the setting", async () => {
    const { tool: pay, paid } = bank({ requireApproval: true });
    const hostside = createAiSdkTools(createToolbox({ tools: [pay] }).view());
    const yes = await askAndAnswer(hostside, true);
    expect([yes, paid]).toEqual([{ asked: [payment], results: [{ type: "text", value: "paid 1" }] }, [payment]]);
    const no = await askAndAnswer(hostside, false);
    expect([no.results, paid.length]).toEqual([[{ type: "execution-denied", reason: undefined }], 1]);
    const { content } = await generateText({
      model: scripted([[["pay", payment]]]),
      prompt: "go",
      tools: hostside.tools,
    });
    expect([content.map(({ type }) => type), paid.length]).toEqual([["tool-call", "tool-approval-request"], 1]);
  });

  it("that a policy wants is asked once, by the SDK, and used once", async () => {
    const { tool: pay, paid } = bank();
    const events: string[] = [];
    const policy = createPolicy({ approval: { mode: "all" }, onEvent: ({ type }) => void events.push(type) });
    const toolbox = createToolbox({ tools: [pay], interceptors: policy.interceptors, admit: policy.admit });
    const context = { principal: "ada" };
    const view = { ...toolbox.view({ context }), approval: policy.frameworkApproval(context) };
    const hostside = createAiSdkTools(view);
    const { asked, results } = await askAndAnswer(hostside, true);
    expect([asked, results, paid]).toEqual([[payment], [{ type: "text", value: "paid 1" }], [payment]]);
    expect(events).toEqual(["approval-asked", "invoked", "approval-answered", "succeeded"]);
    const streamed = await askAndAnswer(hostside, true, "streamText");
    expect([streamed.results, paid.length]).toEqual([[{ type: "text", value: "paid 2" }], 2]);

    // What nobody was asked about, the policy refuses.
    const held = await hostside.tools["pay"]?.execute?.({ ...payment }, { toolCallId: "1", messages: [], context: {} });
    expect([held, paid.length]).toMatchObject([{ isError: true, code: "approval_denied" }, 2]);
  });

  it("of a tool of the product's own is as that tool says", async () => {
    const inputSchema = z.object({ n: z.number() });
    const own = tool({ inputSchema, execute: () => "ran", needsApproval: ({ n }) => n > 1 });
    const hostside = createAiSdkTools(sampleSource(boom), { tools: { own } });
    const { content } = await generateText({
      model: scripted([
        [
          ["own", { n: 1 }],
          ["own", { n: 2 }],
        ],
      ]),
      prompt: "go",
      ...settingsOf(hostside),
    });
    expect(content.map(({ type }) => type)).toEqual(["tool-call", "tool-call", "tool-result", "tool-approval-request"]);
  });
});

describe("createAiSdkTools()", () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ tool: {} }, 'createAiSdkTools() has no option "tool"'],
    [{ tools: [] }, "tools must be an object"],
    [{ needsApproval: true }, 'createAiSdkTools() has no option "needsApproval"'],
    [{ progress: 1 }, "progress must be"],
    [{ files: "all" }, "files must be"],
  ];
  it.each(wrong)("throws a TypeError that names the option: %j", (options, message) => {
    expect(() => createAiSdkTools(sampleSource(boom), options as AiSdkOptions)).toThrow(TypeError);
    expect(() => createAiSdkTools(sampleSource(boom), options as AiSdkOptions)).toThrow(message);
  });
});
