import { Agent, run, setTracingDisabled } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import { createAgentsTools } from "@hostside/adapters/openai-agents";
import { createToolbox, type Toolbox } from "@hostside/discovery";
import { createPolicy, type ApprovalOptions, type Policy } from "@hostside/policy";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask as askAgent } from "../src/frameworks/openai-agents.ts";
import { ask as askChat } from "../src/frameworks/openai-chat.ts";
import { ask as askResponses } from "../src/frameworks/openai-responses.ts";
import { everythingServer } from "./everything-server.ts";
import { conversationOf, startTwoServers, turns } from "./two-servers.ts";

let provider: McpProvider;
beforeAll(async () => {
  setTracingDisabled(true);
  provider = await startTwoServers();
});
afterAll(() => provider.close());

interface Call {
  readonly name: string;
  readonly args: object;
}

/** A client whose model takes those turns, and what was sent to it. */
function fakeClient(answerTo: (turn: readonly Call[] | undefined) => object): { client: OpenAI; sent: string[] } {
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    sent.push(typeof init?.body === "string" ? init.body : "");
    return Response.json(answerTo(turns[sent.length - 1]));
  };
  return { client: new OpenAI({ apiKey: "none", fetch, maxRetries: 0 }), sent };
}

function expectTurns(sent: readonly string[]): void {
  expect(sent).toHaveLength(3);
  expect(sent[0]).toContain('"tools_select"');
  expect(sent[0]).not.toContain("mcp_other_get_sum");
  const declared = [...(sent[1]?.matchAll(/"name":"(mcp_\w+)","description"/g) ?? [])].map(([, name]) => name);
  expect(new Set(declared)).toEqual(new Set(["mcp_every_get_tiny_image", "mcp_other_get_sum"]));
  expect(sent[2]).toContain("data:image/png;base64,iVBOR");
  expect(sent[2]).toContain("The sum of 2 and 3 is 5.");
  expect(sent[2]).toMatch(/(\[tool error\]|\{\\"error\\":).*(number|a)/);
}

describe("OpenAI with real servers", () => {
  it("finds tools, calls them and reads what they bring through the Responses API", async () => {
    const { client, sent } = fakeClient((turn) => ({
      object: "response",
      output: turn?.map(({ name, args }, at) => ({
        type: "function_call",
        call_id: `call_${at}`,
        name,
        arguments: JSON.stringify(args),
      })) ?? [
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "five", annotations: [] }] },
      ],
    }));
    expect(await askResponses(client, conversationOf(provider), "go")).toBe("five");
    expectTurns(sent);
  });

  it("does so through Chat Completions", async () => {
    const { client, sent } = fakeClient((turn) => {
      const tool_calls = turn?.map(({ name, args }, at) => ({
        type: "function",
        id: `call_${at}`,
        function: { name, arguments: JSON.stringify(args) },
      }));
      return { choices: [{ message: { role: "assistant", content: "five", ...(tool_calls && { tool_calls }) } }] };
    });
    expect(await askChat(client, conversationOf(provider), "go")).toBe("five");
    expectTurns(sent);
  });

  it("does so with an agent of the Agents SDK", async () => {
    const calls = turns.map((turn) =>
      turn.map(({ name, args }, at) => functionCall(name, JSON.stringify(args), { callId: `${name}_${at}` })),
    );
    const model = new ScriptedModel([...calls, [assistantMessage("five")]]);
    expect(await askAgent(model, conversationOf(provider), "go")).toBe("five");
    expectTurns(model.calls.map(({ request: { input, tools } }) => JSON.stringify({ input, tools })));
  });
});

describe("an agent of the Agents SDK with a policy", () => {
  const sum = functionCall("mcp_every_get_sum", '{"a":2,"b":3}', { callId: "sum" });

  async function guarded(
    approval: ApprovalOptions,
  ): Promise<{ policy: Policy; provider: McpProvider; own: Toolbox; events: string[] }> {
    const events: string[] = [];
    const policy = createPolicy({
      requireApproval: ["every/get-sum"],
      defaultDecision: "allow",
      approval,
      onEvent: ({ type }) => void events.push(type),
    });
    const { admit, interceptors } = policy;
    const servers = [{ id: "every", ...(await everythingServer()) }];
    const guardedProvider = createProvider({ connector: createConnector(), servers, admit });
    const own = createToolbox({ providers: [guardedProvider], admit, interceptors });
    await own.init();
    return { policy, provider: guardedProvider, own, events };
  }

  it("asks once: by an interruption of the run, whose answer the policy takes", async () => {
    const { policy, provider: guardedProvider, own, events } = await guarded({});
    await using _provider = guardedProvider;
    const { tools } = createAgentsTools({ ...own, approval: policy.frameworkApproval() });
    const model = new ScriptedModel([[sum], [assistantMessage("five")]]);
    const agent = new Agent({ name: "a", model, tools });
    const first = await run(agent, "go");
    expect(first.interruptions.map(({ name }) => name)).toEqual(["mcp_every_get_sum"]);
    expect(events).not.toContain("invoked");
    for (const item of first.interruptions) first.state.approve(item);
    expect((await run(agent, first.state)).finalOutput).toBe("five");
    expect(JSON.stringify(model.lastCall?.request.input)).toContain("The sum of 2 and 3 is 5.");
    expect(events).toEqual(["approval-asked", "invoked", "approval-answered", "succeeded"]);
  });

  it("asks once: by the policy's own handler, when the run is to ask nobody", async () => {
    const asked: string[] = [];
    const handler: ApprovalOptions["handler"] = async ({ hint }) => (asked.push(hint), "no");
    const { policy, provider: guardedProvider, own } = await guarded({ handler });
    await using _provider = guardedProvider;
    const { tools } = createAgentsTools({ ...own, approval: policy.frameworkApproval() });
    const model = new ScriptedModel([[sum], [assistantMessage("never mind")]]);
    const result = await run(new Agent({ name: "a", model, tools }), "go");
    expect(result.interruptions).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(model.lastCall?.request.input)).toMatch(/\[tool error\].*approval_denied/);
  });
});
