import { Agent, run, RunContext, RunState, setTracingDisabled, tool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel, type ScriptedModelInput } from "@openai/agents/testing";
import { HostsideError, type CallContext, type CallOptions } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { createPolicy } from "@hostside/policy";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgentsTools, type AgentsTools } from "../src/openai-agents.ts";
import { bank } from "./paying.ts";
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

  it("runs a call that a policy wants approved when the run has approved it, on behalf of whom it was asked", async () => {
    const { tool: pay, paid } = bank();
    const policy = createPolicy({ approval: { mode: "all" } });
    const toolbox = createToolbox({ tools: [pay], interceptors: policy.interceptors, admit: policy.admit });
    const source = { ...toolbox.view(), approval: policy.frameworkApproval() };
    interface User {
      readonly user: string;
    }
    const mcp = createAgentsTools<User>(source, { contextOf: ({ context }) => ({ principal: context.user }) });
    const model = new ScriptedModel([[call("pay", '{"amount":5}')], done]);
    const agent = new Agent<User>({ name: "a", model, tools: mcp.tools });
    const first = await run(agent, "go", { context: { user: "ada" } });
    const kept = first.state.toString();
    const approvedBy = async (user: string): Promise<unknown> => {
      const state = await RunState.fromStringWithContext(agent, kept, new RunContext({ user }));
      for (const item of state.getInterruptions()) state.approve(item);
      await run(agent, state);
      return outputsIn(model).get("pay");
    };
    expect(await approvedBy("bob")).toMatchObject({ text: expect.stringContaining("nobody was asked") });
    expect(paid).toEqual([]);
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
