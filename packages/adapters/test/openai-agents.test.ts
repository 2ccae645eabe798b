import { Agent, run, RunState, setTracingDisabled, tool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel, type ScriptedModelInput } from "@openai/agents/testing";
import {
  HostsideError,
  type CallContext,
  type CallOptions,
  type SuspendedCall,
  type ToolDefinition,
} from "@hostside/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgentsTools, type AgentsTools } from "../src/openai-agents.ts";
import { definitionOf, outcomeOf, png, results, resultSource, withFiles } from "./outcomes.ts";

setTracingDisabled(true);

const call = (name: string, args = "{}"): ReturnType<typeof functionCall> =>
  functionCall(name, args, { callId: `call_${name}` });
const done = [assistantMessage("done")];

function agentOf(mcp: AgentsTools, ...steps: readonly ScriptedModelInput[]): { agent: Agent; model: ScriptedModel } {
  const model = new ScriptedModel(steps);
  return { agent: new Agent({ name: "a", model, tools: mcp.tools }), model };
}

/** What the model was given of its calls in its second turn, by the name of the tool. */
function outputsIn(model: ScriptedModel): Map<string, unknown> {
  const input = model.calls[1]?.request.input ?? [];
  if (typeof input === "string") return new Map();
  return new Map(input.flatMap((item) => (item.type === "function_call_result" ? [[item.name, item.output]] : [])));
}

const toolNames = (model: ScriptedModel, turn: number): string[] =>
  (model.calls[turn]?.request.tools ?? []).map(({ name }) => name);

describe("the OpenAI Agents SDK", () => {
  it("gives the model each kind of result in the parts that it takes", async () => {
    const names = Object.keys(results);
    const { agent, model } = agentOf(
      createAgentsTools(resultSource(), { presenter: withFiles }),
      names.map((name) => call(name)),
      done,
    );
    expect((await run(agent, "go")).finalOutput).toBe("done");
    const outputs = outputsIn(model);
    const text = (name: keyof typeof results): unknown => outputs.get(name);
    const picture = { type: "input_image", image: `data:image/png;base64,${png}` };
    const part = (said: string): object => ({ type: "input_text", text: said });
    expect(outputs.get("error")).toEqual([part("[tool error] boom"), part('{"code":7}'), picture]);
    expect(outputs.get("success")).toEqual([part("boom"), part('{"code":7}'), picture]);
    expect(outputs.get("imageOnly")).toEqual([picture]);
    expect(outputs.get("imageError")).toEqual([part("[tool error]"), picture]);
    expect(outputs.get("pdf")).toEqual([
      { type: "input_file", file: "data:application/pdf;base64,JVBERi0=", filename: expect.stringMatching(/\.pdf$/) },
    ]);
    expect(text("structuredOnly")).toEqual({ type: "text", text: '{"code":7}' });
    expect(text("structuredTwice")).toEqual({ type: "text", text: '[tool error] {"code": 7}' });
    expect(text("audio")).toMatchObject({ text: expect.stringMatching(/audio.*not shown/) });
    expect(text("link")).toMatchObject({ text: expect.stringContaining("file:///a.txt") });
    expect(text("unknownKind")).toMatchObject({ text: expect.stringContaining("hologram") });
    expect(text("nothing")).toMatchObject({ text: expect.stringMatching(/./) });
  });

  it("declares in the next turn what a call has found, beside the agent's own tools", async () => {
    const offered = [definitionOf("find"), definitionOf("mine")];
    const source = {
      tools: () => [...offered],
      async call(name: string) {
        if (name === "find") offered.push(definitionOf("found"));
        return outcomeOf(results.structuredOnly);
      },
    };
    const mcp = createAgentsTools(source);
    const ran: string[] = [];
    const execute = (): string => (ran.push("mine"), "ok");
    const parameters = { type: "object", properties: {}, required: [], additionalProperties: true } as const;
    mcp.tools.push(
      tool({
        name: "mine",
        description: "The product's.",
        strict: false,
        parameters: { ...parameters, required: [] },
        execute,
      }),
    );
    const { agent, model } = agentOf(mcp, [call("find")], [call("found"), call("mine")], done);
    await run(agent, "go");
    expect(toolNames(model, 0)).toEqual(["find", "mine"]);
    expect(toolNames(model, 1)).toEqual(["find", "found", "mine"]);
    expect(ran).toEqual(["mine"]);
    expect(mcp.leftOut()).toMatchObject([{ definition: { name: "mine" } }]);
  });

  it("may enforce a schema that strict mode takes, and sends any other as it is", async () => {
    const fits = { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"] };
    const open = { type: "object", properties: {}, additionalProperties: { type: "string" } };
    const source = resultSource();
    const definitions = [definitionOf("link", { inputSchema: fits }), definitionOf("audio", { inputSchema: open })];
    const mcp = createAgentsTools({ ...source, tools: () => definitions }, { strict: "where-possible" });
    const { agent, model } = agentOf(mcp, [call("link", '{"a":"x","b":null}')], done);
    await run(agent, "go");
    expect(model.firstCall?.request.tools).toMatchObject([
      { name: "link", strict: true, parameters: { required: ["a", "b"], additionalProperties: false } },
      { name: "audio", strict: false, parameters: open },
    ]);
    expect(source.calls).toEqual([{ name: "link", args: { a: "x" } }]);
  });

  it("gives no more tools than a request may have, the agent's own counted", () => {
    const definitions = Array.from({ length: 130 }, (_, at) => definitionOf(`t${at}`));
    const mcp = createAgentsTools({ ...resultSource(), tools: () => definitions });
    expect(mcp.tools).toHaveLength(128);
    mcp.tools.push(tool({ name: "own", description: "", parameters: z.object({}), execute: () => "" }));
    expect([...mcp.tools].map(({ name }) => name)).toEqual([
      ...definitions.slice(0, 127).map(({ name }) => name),
      "own",
    ]);
    expect(
      mcp
        .leftOut()
        .map(({ definition }) => definition.name)
        .toSorted(),
    ).toEqual(["t127", "t128", "t129"]);
  });

  it("gives every tool a name that stays its own when the framework writes it anew", async () => {
    const called: string[] = [];
    const source = {
      tools: () => [definitionOf("a.b"), definitionOf("a-b"), definitionOf("a_b")],
      async call(name: string) {
        called.push(name);
        return outcomeOf(results.structuredOnly);
      },
    };
    const mcp = createAgentsTools(source);
    const names = mcp.tools.map(({ name }) => name);
    const { agent } = agentOf(
      mcp,
      names.map((name) => call(name)),
      done,
    );
    await run(agent, "go", { toolNameCollisionPolicy: "error" });
    expect(called.toSorted()).toEqual(["a-b", "a.b", "a_b"]);
    expect(names).toContain("a_b");
  });

  it("interrupts the run before a call that is to be confirmed, and goes on once somebody said yes", async () => {
    const source = resultSource();
    const guarded = { ...source, tools: () => [definitionOf("success", { requireApproval: true })] };
    const { agent, model } = agentOf(createAgentsTools(guarded), [call("success")], done);
    const first = await run(agent, "go");
    expect(first.interruptions.map(({ name }) => name)).toEqual(["success"]);
    expect(source.calls).toEqual([]);
    // In another process, perhaps.
    const state = await RunState.fromString(agent, first.state.toString());
    for (const item of state.getInterruptions()) state.approve(item);
    expect((await run(agent, state)).finalOutput).toBe("done");
    expect(source.calls).toHaveLength(1);
    expect(model.calls).toHaveLength(2);
  });

  it("asks by a rule of the product's, for each call by its arguments", async () => {
    const needsApproval = ({ name }: ToolDefinition) =>
      name === "success" && (async (_run: unknown, args: unknown) => JSON.stringify(args) === '{"pay":1}');
    const source = resultSource();
    const calls = [
      functionCall("success", '{"pay":1}', { callId: "1" }),
      functionCall("success", "{}", { callId: "2" }),
    ];
    const { agent } = agentOf(createAgentsTools(source, { needsApproval }), [...calls, call("link")], done);
    const { interruptions } = await run(agent, "go");
    expect(interruptions.map(({ arguments: args }) => args)).toEqual(['{"pay":1}']);
    expect(source.calls.map(({ args }) => args)).toEqual([{}, {}]);
  });

  it("lets a call go on that a policy suspends, when the run has approved it, and no other one", async () => {
    const tokens: (string | undefined)[] = [];
    const source = {
      tools: () => [definitionOf("pay"), definitionOf("peek")],
      async call(name: string, _args: unknown, options: CallOptions = {}) {
        tokens.push(options.context?.approval);
        if (options.context?.approval === `token for ${name}`) return outcomeOf(results.structuredOnly);
        const details = { approval: suspended(name) };
        throw new HostsideError("somebody has to approve it", { code: "approval_required", details });
      },
    };
    const mcp = createAgentsTools(source, {
      needsApproval: ({ name }) => name === "pay",
      approveCall: ({ localName }) => `token for ${localName}`,
    });
    const { agent, model } = agentOf(mcp, [call("pay"), call("peek")], done);
    const first = await run(agent, "go");
    const asked = first.interruptions;
    expect(asked.map(({ name }) => name)).toEqual(["pay"]);
    for (const item of asked) first.state.approve(item);
    await run(agent, first.state);
    expect(tokens).toEqual([undefined, undefined, "token for pay"]);
    const outputs = outputsIn(model);
    expect(outputs.get("pay")).toMatchObject({ text: '{"code":7}' });
    expect(outputs.get("peek")).toMatchObject({ text: expect.stringContaining("somebody has to approve it") });
  });

  it("calls on behalf of whom the run is for", async () => {
    const contexts: (CallContext | undefined)[] = [];
    const source = {
      tools: () => [definitionOf("t")],
      async call(_name: string, _args?: unknown, { context }: CallOptions = {}) {
        contexts.push(context);
        return outcomeOf(results.nothing);
      },
    };
    const mcp = createAgentsTools<{ readonly user: string }>(source, {
      context: { role: "agent" },
      contextOf: ({ context }) => ({ principal: context.user }),
    });
    const model = new ScriptedModel([[call("t")], done]);
    await run(new Agent<{ readonly user: string }>({ name: "a", model, tools: mcp.tools }), "go", {
      context: { user: "ada" },
    });
    expect(contexts).toEqual([{ role: "agent", principal: "ada" }]);
  });

  it("aborts the call that is under way when the run is aborted", async () => {
    const controller = new AbortController();
    let seen: AbortSignal | undefined;
    const source = {
      tools: () => [definitionOf("t")],
      async call(_name: string, _args?: unknown, { signal }: CallOptions = {}): Promise<never> {
        seen = signal;
        controller.abort(new Error("the user left"));
        throw new HostsideError("aborted", { code: "aborted" });
      },
    };
    const { agent, model } = agentOf(createAgentsTools(source), [call("t")], done);
    await expect(run(agent, "go", { signal: controller.signal })).rejects.toThrow("the user left");
    expect(seen?.aborted).toBe(true);
    expect(model.calls).toHaveLength(1);
  });

  it("refuses options that it does not know", () => {
    const wrong: object = { aprove: () => "" };
    expect(() => createAgentsTools(resultSource(), wrong)).toThrow(/aprove/);
    const noFunction: object = { contextOf: { principal: "ada" } };
    expect(() => createAgentsTools(resultSource(), noFunction)).toThrow(/contextOf must be a function/);
  });
});

function suspended(localName: string): SuspendedCall {
  return {
    id: localName,
    serverId: "s",
    toolName: localName,
    localName,
    fingerprint: null,
    definition: "d",
    effect: "external",
    args: {},
    hint: "",
    why: "",
    context: {},
    suspendedAt: 0,
    expiresAt: 1,
    seal: "",
  };
}
