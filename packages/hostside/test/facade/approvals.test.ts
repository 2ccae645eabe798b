import { HumanMessage, type ToolCall } from "@langchain/core/messages";
import { Command, MemorySaver, MessagesAnnotation, Send, START, StateGraph } from "@langchain/langgraph";
import { Mastra } from "@mastra/core";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { Agent, run, RunState, setTracingDisabled } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import { generateText, isStepCount } from "ai";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createTelemetry } from "@hostside/otel";
import { createCallLog, type CallEntry } from "@hostside/otel/log";
import { createHost } from "hostside";
import { createAiSdkTools } from "hostside/ai-sdk";
import { createAnthropicTools } from "hostside/anthropic";
import { createGoogleTools } from "hostside/google";
import { createLangChainTools } from "hostside/langchain";
import { createMastraTools } from "hostside/mastra";
import { createChatTools, createResponsesTools } from "hostside/openai";
import { createAgentsTools } from "hostside/openai-agents";
import { describe, expect, it } from "vitest";
import { scriptedMastra } from "../../../adapters/test/mock-mastra-model.ts";
import { resultsIn, scripted } from "../../../adapters/test/mock-model.ts";
import { askBySdk, changed, denied, goOnBySdk, note, open, servers, tool, written } from "./asking-host.ts";
import { createFakeConnector } from "./fake-connector.ts";
import { byName } from "./by-name.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

setTracingDisabled(true);

const expected = ["approval-asked", "invoked", "approval-answered: once", "succeeded"];

describe("a policy that wants calls approved, with nothing else wired", () => {
  it("has the AI SDK ask, and tells the call as approved and run, once", async () => {
    await using opened = await open();
    const { conversation, sent } = opened;
    const messages = await askBySdk(conversation);
    expect([sent, opened.events]).toEqual([[], ["approval-asked"]]);
    expect(await goOnBySdk(conversation, messages)).toEqual([{ type: "text", value: written }]);
    expect(sent.map(({ params }) => params)).toEqual([note]);
    expect(opened.events).toEqual(expected);
    expect(await goOnBySdk(conversation, await askBySdk(conversation, false))).toMatchObject([
      { type: "execution-denied" },
    ]);
    expect(sent).toHaveLength(1);
  });

  it("shows an approved call in telemetry and in a call log as one call that was approved", async () => {
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const entries: CallEntry[] = [];
    await using host = await createHost({
      connector: createFakeConnector({ files: { tools: ["write_note"] } }),
      servers: byName(servers),
      policy: { requireApproval: ["files/write_*"] },
      telemetry: createTelemetry({ tracerProvider }),
      toolbox: { interceptors: [createCallLog({ write: (entry) => entries.push(entry) })] },
    });
    const conversation = await host.conversation();
    await goOnBySdk(conversation, await askBySdk(conversation));
    expect(entries).toMatchObject([
      { tool: "write_note", ended: "ok", decisions: [{ type: "approval-answered", decision: "once" }] },
    ]);
    const spans = exporter.getFinishedSpans().filter(({ name }) => name === "tools/call write_note");
    const decisions = spans.map(({ events }) => events.flatMap(({ attributes = {} }) => Object.values(attributes)));
    expect(decisions).toEqual([["approval-answered: once"]]);
  });

  it("has the OpenAI Agents SDK interrupt the run, which goes on from its serialized state", async () => {
    await using opened = await open();
    const { tools } = createAgentsTools(opened.conversation);
    const calls = [functionCall(tool, JSON.stringify(note), { callId: "c1" })];
    const model = new ScriptedModel([calls, [assistantMessage("done")], [assistantMessage("done")]]);
    const agent = new Agent({ name: "a", model, tools });
    const first = await run(agent, "write");
    expect(first.interruptions.map(({ arguments: args }) => args)).toEqual([JSON.stringify(note)]);
    const approved = await RunState.fromString(agent, first.state.toString());
    for (const item of approved.getInterruptions()) approved.approve(item);
    const kept = approved.toString();
    expect((await run(agent, approved)).finalOutput).toBe("done");
    expect(JSON.stringify(model.lastCall?.request.input)).toContain(written);
    expect(opened.events).toEqual(expected);

    // The same state once more does not run the call again.
    await run(agent, await RunState.fromString(agent, kept));
    expect(JSON.stringify(model.lastCall?.request.input)).toMatch(/approval_denied.*used before/);
    expect(opened.sent).toHaveLength(1);
  });

  it("has LangGraph interrupt the graph, also for several calls of one message", async () => {
    await using opened = await open();
    const calls = [
      { id: "c1", name: tool, args: note, type: "tool_call" as const },
      { id: "c2", name: tool, args: { text: "eggs" }, type: "tool_call" as const },
    ];
    const tools = createLangChainTools(opened.conversation).tools();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("tool", async (call: ToolCall) => {
        const found = tools.find(({ name }) => name === call.name);
        return { messages: [await found?.invoke({ ...call, type: "tool_call" })] };
      })
      .addConditionalEdges(START, () => calls.map((call) => new Send("tool", call)))
      .compile({ checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "1" } };
    const stopped = await graph.invoke({ messages: [new HumanMessage("write")] }, thread);
    const questions = (stopped as { __interrupt__?: readonly { id: string; value: unknown }[] }).__interrupt__ ?? [];
    expect(questions.map(({ value }) => value)).toMatchObject([
      { actionRequests: [{ name: tool, args: note }] },
      { actionRequests: [{ name: tool, args: { text: "eggs" } }] },
    ]);
    expect(opened.sent).toEqual([]);
    const answers = ["approve", "reject"].map((type, at) => [questions[at]?.id, { decisions: [{ type }] }]);
    const { messages } = await graph.invoke(new Command({ resume: Object.fromEntries(answers) }), thread);
    const results = messages.filter((message) => message.getType() === "tool").map(({ text }) => text);
    expect(results).toEqual([written, expect.stringMatching(/approval_denied.*rejected by the user/)]);
    expect(opened.sent.map(({ params }) => params)).toEqual([note]);
    expect(opened.events.filter((type) => type.startsWith("approval")).toSorted()).toEqual([
      "approval-answered: no",
      "approval-answered: once",
      "approval-asked",
      "approval-asked",
    ]);
  });

  it("has Mastra suspend the run", async () => {
    await using opened = await open();
    const { tools, prepareStep } = createMastraTools(opened.conversation);
    const { model, mock } = scriptedMastra([[[tool, note]], "done"]);
    const mastra = new MastraAgent({ id: "a", name: "a", instructions: "", model, tools });
    const agent = new Mastra({ agents: { mastra }, storage: new InMemoryStore(), logger: false }).getAgent("mastra");
    const { runId = "", suspendPayload, finishReason } = await agent.generate("write", { maxSteps: 5, prepareStep });
    expect([finishReason, opened.sent]).toEqual(["suspended", []]);
    await agent.approveToolCallGenerate({ runId, toolCallId: suspendPayload?.toolCallId });
    expect(resultsIn(mock.doGenerateCalls[1]?.prompt)).toEqual([{ type: "text", value: written }]);
    expect(opened.events).toEqual(expected);
  });

  it("lists the calls to approve where the product runs them, and runs those that were approved", async () => {
    await using opened = await open();
    const { conversation, sent } = opened;
    const args = JSON.stringify(note);
    const chat = createChatTools(conversation);
    const toolCall = (id: string, name: string) =>
      ({ id, type: "function", function: { name, arguments: args } }) as const;
    const message = { tool_calls: [toolCall("1", tool), toolCall("2", tool), toolCall("3", "mcp_files_read_note")] };
    const questions = await chat.toApprove(message);
    expect(questions).toMatchObject([
      { id: "1", name: tool, args: note, definition: { name: tool } },
      { id: "2", name: tool, args: note },
      { id: "3", name: "mcp_files_read_note" },
    ]);
    const answered = await chat.answer(message, { approved: ["1", "3"] });
    expect(answered.map(({ content }) => content)).toEqual([
      written,
      expect.stringContaining("rejected by the user"),
      "files did read_note",
    ]);
    expect(sent).toHaveLength(2);
    const again = await chat.answer(message, { approved: ["1"] });
    expect(again[0]?.content).toMatch(/approval_denied.*used before/);

    const responses = createResponsesTools(conversation);
    const output = [{ type: "function_call", call_id: "r", name: tool, arguments: args } as const];
    expect((await responses.toApprove({ output })).map(({ id }) => id)).toEqual(["r"]);
    expect(await responses.answer({ output }, { approved: ["r"] })).toMatchObject([{ output: written }]);

    const anthropic = createAnthropicTools(conversation);
    const content = [{ type: "tool_use", id: "a", name: tool, input: note, caller: { type: "direct" } } as const];
    expect((await anthropic.toApprove({ content })).map(({ id }) => id)).toEqual(["a"]);
    const { content: results } = (await anthropic.answer({ content }, { approved: ["a"] })) ?? {};
    expect(JSON.stringify(results)).toContain(written);

    const google = createGoogleTools(conversation);
    const functionCalls = [{ name: tool, args: note }];
    expect((await google.toApprove({ functionCalls })).map(({ id }) => id)).toEqual(["0"]);
    expect(JSON.stringify(await google.answer({ functionCalls }, { approved: ["0"] }))).toContain(written);

    const langchain = createLangChainTools(conversation);
    const reply = { tool_calls: [{ id: "l", name: tool, args: note }] };
    expect((await langchain.toApprove(reply)).map(({ id }) => id)).toEqual(["l"]);
    expect((await langchain.answer(reply, { approved: ["l"] }))[0]?.text).toBe(written);
    expect(sent).toHaveLength(6);
  });

  it("refuses what nobody was asked about where the product runs calls", async () => {
    await using opened = await open();
    const chat = createChatTools(opened.conversation);
    const call = { id: "1", type: "function", function: { name: tool, arguments: "{}" } } as const;
    const [unasked] = await chat.answer({ tool_calls: [call] });
    expect(unasked?.content).toMatch(/approval_required/);
    const [invented] = await chat.answer({ tool_calls: [call] }, { approved: ["1"] });
    expect(invented?.content).toMatch(/approval_denied.*nobody was asked/);
    const [outside] = createLangChainTools(opened.conversation)
      .tools()
      .filter(({ name }) => name === tool);
    expect(await outside?.invoke(note)).toMatch(/approval_required/);
    expect(opened.sent).toEqual([]);
  });

  it("asks by its own handler where it has one, and by no framework then", async () => {
    const asked: unknown[] = [];
    await using opened = await open({ approval: { handler: async ({ args }) => (asked.push(args), "once") } });
    const { conversation, sent } = opened;
    const { tools, prepareStep, toolApproval } = createAiSdkTools(conversation);
    const model = scripted([[[tool, note]], "done"]);
    const settings = { model, tools, prepareStep, toolApproval, stopWhen: isStepCount(5) };
    expect((await generateText({ ...settings, prompt: "write" })).text).toBe("done");
    const calls = [functionCall(tool, JSON.stringify(note), { callId: "c1" })];
    const agent = new Agent({
      name: "a",
      model: new ScriptedModel([calls, [assistantMessage("done")]]),
      tools: createAgentsTools(conversation).tools,
    });
    expect((await run(agent, "write")).interruptions).toEqual([]);
    const reply = { tool_calls: [{ id: "l", name: tool, args: note }] };
    expect(await createLangChainTools(conversation).toApprove(reply)).toEqual([]);
    expect([asked, sent.length]).toEqual([[note, note], 2]);
  });
});

describe("an approval that a framework gives", () => {
  it("holds for the tool and the arguments that were shown", async () => {
    await using opened = await open();
    const { conversation, sent } = opened;
    const messages = await askBySdk(conversation);
    const nobody = denied(/nobody was asked about this very call/);
    expect(await goOnBySdk(conversation, changed(messages, { input: { text: "all my money" } }))).toMatchObject([
      nobody,
    ]);
    expect(await goOnBySdk(conversation, changed(messages, { toolName: "mcp_files_write_page" }))).toMatchObject([
      nobody,
    ]);
    expect(sent).toEqual([]);
    expect(opened.events).toContain("refused");
    // What was asked about still holds.
    expect(await goOnBySdk(conversation, messages)).toEqual([{ type: "text", value: written }]);
    expect(sent).toHaveLength(1);
  });

  it("holds once", async () => {
    await using opened = await open();
    const { conversation, sent } = opened;
    const messages = await askBySdk(conversation);
    expect(await goOnBySdk(conversation, messages)).toEqual([{ type: "text", value: written }]);
    expect(await goOnBySdk(conversation, messages)).toMatchObject([denied(/used before/)]);
    expect(sent).toHaveLength(1);
  });

  it.each([
    { id: "43", principal: "ada" },
    { id: "42", principal: "bob" },
  ])("holds for no other conversation: %j", async (options) => {
    await using opened = await open();
    const messages = await askBySdk(opened.conversation);
    const other = await opened.another(options);
    expect(await goOnBySdk(other, messages)).toMatchObject([denied(/nobody was asked/)]);
    expect(opened.sent).toEqual([]);
  });

  it("holds for a day", async () => {
    let now = 1_800_000_000_000;
    useTestClock({ now: () => now, date: () => now });
    await using opened = await open();
    const messages = await askBySdk(opened.conversation);
    now += 86_400_001;
    expect(await goOnBySdk(opened.conversation, messages)).toMatchObject([denied(/nobody was asked/)]);
    expect(opened.sent).toEqual([]);
  });

  it("holds for the principal of the provider, where the conversation names none", async () => {
    const connector = createFakeConnector({ files: { tools: ["write_note"] } });
    const policy = { requireApproval: ["files/write_*"] };
    await using host = await createHost({
      connector,
      servers: byName(servers),
      policy,
      provider: { principal: "ann" },
    });
    const conversation = await host.conversation();
    const messages = await askBySdk(conversation);
    expect(await goOnBySdk(conversation, messages)).toEqual([{ type: "text", value: written }]);
  });

  /** Opens hosts that share a state. */
  const replicas = async () => {
    const { createMemoryHub } = await import("./memory-hub.ts");
    const hub = createMemoryHub();
    const connector = createFakeConnector({ files: { tools: ["write_note"] } });
    const policy = { requireApproval: ["files/write_*"] };
    const replica = () => createHost({ connector, servers: byName(servers), policy, state: hub.state() });
    return { connector, replica };
  };

  it("waits in a store that replicas share, and is used up for all of them", async () => {
    const { connector, replica } = await replicas();
    await using one = await replica();
    await using two = await replica();
    const messages = await askBySdk(await one.conversation({ id: "42" }));
    expect(await goOnBySdk(await two.conversation({ id: "42" }), messages)).toEqual([{ type: "text", value: written }]);
    expect(await goOnBySdk(await one.conversation({ id: "42" }), messages)).toMatchObject([denied(/used before/)]);
    expect(connector.sent).toHaveLength(1);
  });

  it("ends with its conversation, on every replica, and with no other one", async () => {
    const { connector, replica } = await replicas();
    await using one = await replica();
    await using two = await replica();
    const open = (host: typeof one, id: string) => host.conversation({ id, principal: "ada" });
    const [ended, other] = [await askBySdk(await open(one, "1")), await askBySdk(await open(one, "2"))];
    await (await open(two, "1")).close();
    for (const host of [one, two])
      expect(await goOnBySdk(await open(host, "1"), ended)).toMatchObject([denied(/nobody was asked/)]);
    expect(connector.sent).toEqual([]);
    const again = await askBySdk(await open(two, "1"));
    for (const [id, messages] of [
      ["1", again],
      ["2", other],
    ] as const)
      expect(await goOnBySdk(await open(one, id), messages)).toEqual([{ type: "text", value: written }]);
  });

  it("is not ended by what names no conversation: a TypeError says what is needed", async () => {
    await using opened = await open();
    for (const scope of [{ principal: "ada" }, { serverId: "files", principal: "ada" }, undefined])
      await expect(opened.host.policy.forget(scope as never)).rejects.toThrow(
        /^policy\.forget\(\) takes \{ serverId, toolName, principal \}.* or \{ conversation, principal \}/,
      );
  });
});
