import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { HostsideError, type JsonObject } from "@hostside/core";
import { createAnswerer, portable, type ToolSource } from "@hostside/adapters";
import { createMastraTools, type MastraOptions, type MastraTools } from "@hostside/adapters/mastra";
import { createToolbox } from "@hostside/discovery";
import { createPolicy } from "@hostside/policy";
import { describe, expect, it } from "vitest";
import { resultsIn } from "./mock-model.ts";
import { scriptedMastra } from "./mock-mastra-model.ts";
import { definitionOf, png, results, resultSource, withFiles } from "./outcomes.ts";
import { bank, payment } from "./paying.ts";
import { sampleSource } from "./sample-source.ts";
import { searchingSource } from "./searching-source.ts";

type Model = ReturnType<typeof scriptedMastra>["model"];

const maxSteps = 8;
const text = (value: string): JsonObject => ({ type: "text", text: value });
const media = { type: "media", mediaType: "image/png", data: png };

function agentOf(model: Model, tools: MastraTools["tools"]): Agent {
  const agent = new Agent({ id: "agent", name: "agent", instructions: "Help.", model, tools });
  // A run that stops to ask is kept there.
  return new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false }).getAgent("agent");
}

/** What reaches the model of calls of these tools, all in one turn. */
async function shown(source: ToolSource, options: MastraOptions = {}, provider?: string): Promise<readonly unknown[]> {
  const { tools, prepareStep } = createMastraTools(source, options);
  const names = source.tools().map(({ name }) => name);
  const { model, mock } = scriptedMastra([names.map((name) => [name, { q: "x" }] as const), "done"], provider);
  await agentOf(model, tools).generate("go", { maxSteps, prepareStep });
  return resultsIn(mock.doGenerateCalls[1]?.prompt);
}

describe("a result, as the model of an agent gets it", () => {
  const failed = "the tool says that it failed";
  const expected: Readonly<Record<keyof typeof results, unknown>> = {
    success: { type: "content", value: [text("boom"), media, text('{"code":7}')] },
    error: { type: "error-json", value: { message: "boom", structured: { code: 7 }, omitted: ["image/png"] } },
    structuredOnly: { type: "text", value: '{"code":7}' },
    structuredTwice: { type: "error-json", value: { message: '{"code": 7}' } },
    imageOnly: { type: "content", value: [media] },
    imageError: { type: "error-json", value: { message: failed, omitted: ["image/png"] } },
    audio: { type: "content", value: [{ type: "media", mediaType: "audio/wav", data: "UklGRg==" }] },
    link: { type: "text", value: "Resource: file:///a.txt\nName: a" },
    pdf: { type: "content", value: [{ type: "media", mediaType: "application/pdf", data: "JVBERi0=" }] },
    unknownKind: { type: "text", value: '[a block of the kind "hologram" is not shown: nobody here knows it]' },
    nothing: { type: "text", value: "[the tool returned nothing]" },
  };

  it("is what each kind should be, and files by type and size where results are texts alone", async () => {
    const presenter = withFiles;
    expect(await shown(resultSource(), { presenter })).toEqual(Object.values(expected));
    const named = [text("boom"), text("[image: image/png, 70 bytes; not shown]"), text('{"code":7}')];
    const one = sampleSource(results.success);
    expect(await shown(one, {}, "openai.chat")).toEqual([{ type: "content", value: named }]);
    expect(await shown(one, { files: "none" })).toEqual([{ type: "content", value: named }]);
    expect(await shown(one, { files: "result" }, "openai.chat")).toEqual([expected.success]);
  });

  it("an error of the host, with where the arguments are wrong", async () => {
    const violations = [{ path: "/q", message: "must be a number" }];
    const source = sampleSource(() => {
      throw new HostsideError("the arguments are wrong", { code: "invalid_arguments", details: { violations } });
    });
    const value = { message: "the arguments are wrong", violations: [{ pointer: "/q", message: "must be a number" }] };
    expect(await shown(source)).toMatchObject([{ type: "error-json", value }]);
  });
});

describe("a call by an agent", () => {
  it("has the schema and the arguments as they are, whatever the vendor, and leads to the whole outcome", async () => {
    const inputSchema = {
      type: "object",
      properties: { q: { type: "string" }, n: { type: "number" } },
      additionalProperties: true,
    };
    const source = sampleSource({ ...results.success, _meta: { secret: "never for a model" } }, { inputSchema });
    const hostside = createMastraTools(source);
    const { model, mock } = scriptedMastra([[["probe", { more: 1 }]], "done"], "openai.responses");
    const { toolResults } = await agentOf(model, hostside.tools).generate("go", { maxSteps });
    const { name, inputSchema: sent } = { name: "", inputSchema: {}, ...mock.doGenerateCalls[0]?.tools?.[0] };
    expect([name, sent]).toEqual(["probe", createAnswerer(source, portable).declare().tools[0]?.inputSchema]);
    expect(source.calls.map(({ args }) => args)).toEqual([{ more: 1 }]);
    const answer = toolResults[0]?.payload.result;
    expect(JSON.stringify(answer)).not.toMatch(/secret|iVBOR/);
    expect(hostside.outcomeOf(answer)?.meta).toEqual({ secret: "never for a model" });
  });

  it("hears of it when the run is aborted", async () => {
    const abort = new AbortController();
    const heard: unknown[] = [];
    const source = sampleSource((_, options) => {
      abort.abort();
      heard.push(options?.signal?.aborted);
      throw new Error("stopped");
    });
    const { model, mock } = scriptedMastra([[["probe", {}]], "done"]);
    await agentOf(model, createMastraTools(source).tools).generate("go", { maxSteps, abortSignal: abort.signal });
    expect([heard, mock.doGenerateCalls.length]).toEqual([[true], 1]);
  });

  it("finds a tool that the model searched, declared in the next step behind what was there", async () => {
    const turns = [
      [["tools_search", { query: "weather forecast" }]],
      [["weather_forecast", { q: "Rome" }]],
      "done",
    ] as const;
    const { model, mock } = scriptedMastra(turns);
    const mine = createMastraTools(sampleSource(results.link)).tools["probe"];
    if (mine === undefined) throw new Error("no tool");
    const { tools, prepareStep } = createMastraTools(searchingSource(), { tools: { mine } });
    await agentOf(model, tools).generate("go", { maxSteps, prepareStep });
    const before = ["mine", "tools_groups", "tools_select", "tools_search", "book_table"];
    const names = mock.doGenerateCalls.map((call) => call.tools?.map(({ name }) => name));
    expect(names).toEqual([before, [...before, "weather_forecast"], [...before, "weather_forecast"]]);
    expect(resultsIn(mock.doGenerateCalls[2]?.prompt)[1]).toEqual({ type: "text", value: 'weather_forecast: "Rome"' });
  });

  it("is not offered any more what the source has no more", async () => {
    const source = sampleSource(() => {
      source.offered = source.offered.slice(0, 1);
      return results.structuredOnly;
    });
    source.offered = [...source.offered, definitionOf("other")];
    const { model, mock } = scriptedMastra([[["probe", {}]], "done"]);
    const { tools, prepareStep } = createMastraTools(source);
    await agentOf(model, tools).generate("go", { maxSteps, prepareStep });
    const names = mock.doGenerateCalls.map((call) => call.tools?.map(({ name }) => name));
    expect(names).toEqual([["probe", "other"], ["probe"]]);
  });

  it("cannot reach a tool under a name that the product has given to one of its own", () => {
    const mine = createMastraTools(sampleSource(results.link)).tools["probe"];
    if (mine === undefined) throw new Error("no tool");
    const hostside = createMastraTools(sampleSource(results.success), { tools: { probe: mine } });
    expect(hostside.tools["probe"]).toBe(mine);
    expect(hostside.prepareStep({ tools: { probe: mine } }).tools["probe"]).toBe(mine);
    expect(hostside.leftOut()).toMatchObject([{ definition: { name: "probe" }, reason: /of its own/ }]);
  });
});

describe("an approval of a run", () => {
  /** Runs an agent to the question, answers it, and lets it go on. */
  async function askAndAnswer({ tools, prepareStep }: MastraTools, approved: boolean): Promise<readonly unknown[]> {
    const { model, mock } = scriptedMastra([[["pay", payment]], "done"]);
    const agent = agentOf(model, tools);
    const { runId = "", suspendPayload, finishReason } = await agent.generate("pay", { maxSteps, prepareStep });
    expect(finishReason).toBe("suspended");
    const question = { runId, toolCallId: suspendPayload?.toolCallId };
    await (approved ? agent.approveToolCallGenerate(question) : agent.declineToolCallGenerate(question));
    return resultsIn(mock.doGenerateCalls[1]?.prompt);
  }

  it("is asked for what its definition wants confirmed, before anything is sent", async () => {
    const { tool, paid } = bank({ requireApproval: true });
    const hostside = createMastraTools(createToolbox({ tools: [tool] }).view());
    expect(await askAndAnswer(hostside, false)).toMatchObject([{ value: expect.stringContaining("not approved") }]);
    expect(paid).toEqual([]);
    expect(await askAndAnswer(hostside, true)).toEqual([{ type: "text", value: "paid 1" }]);
    expect(paid).toEqual([payment]);
  });

  it("that a policy wants is asked once, by the run, and used once", async () => {
    const { tool, paid } = bank();
    const policy = createPolicy({ approval: { mode: "all" } });
    const toolbox = createToolbox({ tools: [tool], interceptors: policy.interceptors, admit: policy.admit });
    const hostside = createMastraTools({ ...toolbox.view(), approval: policy.frameworkApproval() });
    expect(await askAndAnswer(hostside, true)).toEqual([{ type: "text", value: "paid 1" }]);
    expect(await askAndAnswer(hostside, true)).toEqual([{ type: "text", value: "paid 2" }]);
    expect(paid).toEqual([payment, payment]);

    // What the run did not ask about, the policy refuses.
    const { model, mock } = scriptedMastra([[["pay", payment]], "done"]);
    await agentOf(model, createMastraTools(toolbox.view()).tools).generate("pay", { maxSteps });
    expect(resultsIn(mock.doGenerateCalls[1]?.prompt)).toMatchObject([{ value: { code: "approval_required" } }]);
    expect(paid).toHaveLength(2);
  });
});

describe("createMastraTools()", () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ tool: {} }, 'createMastraTools() has no option "tool"'],
    [{ tools: [] }, "tools must be an object"],
    [{ needsApproval: true }, 'createMastraTools() has no option "needsApproval"'],
    [{ files: "message" }, "files must be"],
  ];
  it.each(wrong)("throws a TypeError that names the option: %j", (options, message) => {
    expect(() => createMastraTools(sampleSource({}), options as MastraOptions)).toThrow(TypeError);
    expect(() => createMastraTools(sampleSource({}), options as MastraOptions)).toThrow(message);
  });
});
