import { applyInterceptors, type CallHandler, type ToolOutcome } from "@toolport/core";
import { createToolbox, type Toolbox } from "@toolport/discovery";
import {
  createPolicy,
  type ApprovalQuestion,
  type Policy,
  type PolicyEvent,
  type PolicyOptions,
} from "@toolport/policy";
import type { McpProvider } from "@toolport/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, type CalmWorld } from "../../provider/test/calm-world.ts";
import { specOf } from "../../provider/test/simulation/simulated-server.ts";
import { answerOk, callOf, failureOf, rejectionOf } from "./stage-world.ts";

interface Recorded {
  readonly policy: Policy;
  readonly events: PolicyEvent[];
  readonly steps: () => readonly string[];
}

function record(options: PolicyOptions = {}): Recorded {
  const events: PolicyEvent[] = [];
  const policy = createPolicy({ ...options, onEvent: (event) => void events.push(event) });
  return {
    policy,
    events,
    steps: () => events.map((event) => ("stage" in event ? `${event.type} ${event.stage}` : event.type)),
  };
}

const send = ({ policy }: Recorded, handler: CallHandler = answerOk, init: Parameters<typeof callOf>[0] = {}) =>
  applyInterceptors(policy.interceptors, handler)(callOf(init));

const textOnly = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

describe("createPolicy()", () => {
  it("with nothing in it offers everything, lets every call pass, and tells of it", async () => {
    const made = record();
    await expect(send(made)).resolves.toMatchObject({ isError: false });
    expect(made.steps()).toEqual(["invoked", "succeeded"]);
    const { definition, server } = callOf();
    expect(made.policy.admit(definition, server)).toBe("offer");
  });

  it("looks at the arguments before anybody is asked, and asks before anything is counted (AF-6)", async () => {
    const asked: ApprovalQuestion[] = [];
    let answer: "once" | "no" = "no";
    const made = record({
      approval: { mode: "all", handler: (question) => (asked.push(question), answer) },
      validation: {},
      limits: [{ rate: { calls: 1, perMs: 60_000 } }],
    });
    const definition = { inputSchema: textOnly };
    const wrong = await rejectionOf(send(made, answerOk, { definition, args: { text: 1 } }));
    expect([wrong.code, asked.length]).toEqual(["invalid_arguments", 0]);
    const denied = await rejectionOf(send(made, answerOk, { definition, args: { text: "a" } }));
    expect([denied.code, asked.length]).toEqual(["approval_denied", 1]);
    answer = "once";
    await send(made, answerOk, { definition, args: { text: "a" } });
    const late = await rejectionOf(send(made, answerOk, { definition, args: { text: "a" } }));
    expect([late.code, late.details.policy]).toEqual(["rate_limited", "limits[0]"]);
    expect(made.steps().filter((step) => step.startsWith("refused"))).toEqual([
      "refused input",
      "refused approval",
      "refused limits",
    ]);
  });

  it("counts a call once against its limits, and each of its tries for the breaker (AF-7)", async () => {
    let tries = 0;
    const made = record({
      limits: [{ rate: { calls: 1, perMs: 60_000 } }],
      retry: { attempts: 2, baseMs: 0, jitter: 0 },
      breaker: { failures: 2 },
    });
    const failing: CallHandler = () => {
      tries += 1;
      return Promise.reject(failureOf("unreachable", { outcome: "not-sent" }));
    };
    const error = await rejectionOf(send(made, failing));
    expect([error.code, error.details.attempts, tries]).toEqual(["unreachable", 2, 2]);
    expect(made.policy.circuits()).toMatchObject([{ serverId: "s", state: "open" }]);
    expect(made.events.find(({ type }) => type === "failed")).toMatchObject({ attempts: 2, code: "unreachable" });
  });

  it("marks a result that is not what was promised, and delivers it (AF-5)", async () => {
    const made = record({ validation: { output: "warn" } });
    const bad = async (): Promise<ToolOutcome> => ({ ...(await answerOk(callOf())), structuredContent: { text: 5 } });
    const outcome = await send(made, bad, { definition: { outputSchema: textOnly } });
    expect(outcome.structuredContent).toEqual({ text: 5 });
    expect(outcome.meta?.["toolport/output-problems"]).toMatchObject([{ path: "/text", keyword: "type" }]);
    expect(made.steps()).toEqual(["invoked", "applied output", "succeeded"]);
  });

  it("masks secrets in results and errors, and in nothing that is sent (AF-11, EV-65)", async () => {
    const made = record({ redact: {} });
    const sent: unknown[] = [];
    const echo: CallHandler = async ({ args, origin }) => {
      sent.push(args["password"]);
      return { ...(await answerOk(callOf())), origin, structuredContent: args };
    };
    const outcome = await send(made, echo, { args: { password: "hunter2-hunter2" } });
    expect(JSON.stringify(outcome)).not.toContain("hunter2");
    expect(outcome.structuredContent).toEqual({ password: expect.stringMatching(/^\[secret:[0-9a-f]+\]$/) });
    expect(sent).toEqual(["hunter2-hunter2"]);
    expect(made.policy.redactText("password=hunter2-hunter2")).not.toContain("hunter2");
  });

  it("tells no listener the arguments or the result", async () => {
    const made = record({ approval: { mode: "all", handler: () => "once" }, validation: {}, retry: {}, breaker: {} });
    await send(made, async () => ({ ...(await answerOk(callOf())), content: [{ type: "text", text: "res-7713" }] }), {
      args: { note: "arg-7713" },
    });
    expect(JSON.stringify(made.events)).not.toContain("7713");
  });

  it("is not stopped by a listener that throws", async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown): void => void uncaught.push(error);
    process.on("uncaughtException", note);
    const policy = createPolicy();
    policy.onEvent(() => {
      throw new Error("a listener");
    });
    await applyInterceptors(policy.interceptors, answerOk)(callOf());
    await new Promise((resolve) => setImmediate(resolve));
    process.off("uncaughtException", note);
    expect(uncaught.length).toBeGreaterThan(0);
  });

  it.each<[string, object, string]>([
    ["an unknown option", { allows: [] }, "allows"],
    ["a store of limits without limits", { limitStore: {} }, "limitStore"],
    ["a rule that is none", { deny: ["github"] }, "deny[0]"],
    ["an unknown effect", { effects: [{ tools: "a/b", effect: "safe" }] }, "effects[0].effect"],
    ["an option of a stage that there is not", { breaker: { failure: 1 } }, "failure"],
    ["a negative limit", { limits: [{ rate: { calls: -1, perMs: 1 } }] }, "limits[0].rate.calls"],
    ["a lock of another format", { pins: { locks: { a: '{\n"version": 99\n}' } } }, 'pins.locks["a"]'],
    ["a contradiction", { allow: ["a/b"], deny: ["a/b"] }, "allow[0]"],
  ])("refuses %s at once, by name", (_what, options, name) => {
    expect(() => createPolicy(options)).toThrow(TypeError);
    expect(() => createPolicy(options)).toThrow(name);
  });
});

interface Both {
  readonly world: CalmWorld;
  readonly provider: McpProvider;
  readonly toolbox: Toolbox;
}

async function around({ policy }: Recorded, tools: readonly string[] = ["echo", "drop"]): Promise<Both> {
  const world = createCalmWorld();
  world.server("s", ...tools);
  const { admit, interceptors } = policy;
  const provider = world.provider({ servers: [specOf("s")], admit, interceptors });
  const toolbox = createToolbox({ providers: [provider], admit, interceptors, clock: world.clock });
  policy.attach(toolbox);
  await toolbox.init();
  return { world, provider, toolbox };
}

describe("a policy around a toolbox and its provider", () => {
  it("looks at each call once, and at two calls with the same arguments twice", async () => {
    const asked: ApprovalQuestion[] = [];
    const made = record({
      approval: { mode: "all", handler: (question) => (asked.push(question), "once") },
      limits: [{ budget: { calls: 3 } }],
    });
    const { toolbox, provider } = await around(made);
    const args = { id: "1" };
    await Promise.all([toolbox.call("mcp_s_echo", args), toolbox.call("mcp_s_echo", args)]);
    expect(asked.length).toBe(2);
    expect(made.steps().filter((step) => step === "succeeded").length).toBe(2);
    await provider.call("mcp_s_echo", args);
    expect(asked.length).toBe(3);
    expect(await rejectionOf(toolbox.call("mcp_s_echo", args))).toMatchObject({ code: "budget_exceeded" });
    await provider.close();
  });

  it("asks about a call with arguments of the caller's that are under way elsewhere", async () => {
    const asked: string[] = [];
    const made = record({ deny: ["s/drop"], approval: { mode: "none" }, defaultDecision: "allow" });
    const { world, provider, toolbox } = await around(made);
    const release = world.hold("s");
    const args = { id: "1" };
    made.policy.onEvent(({ type }) => void asked.push(type));
    const first = toolbox.call("mcp_s_echo", args);
    await world.settle();
    const second = toolbox.call("mcp_s_echo", args);
    release();
    await Promise.all([first, second]);
    expect(asked.filter((type) => type === "invoked").length).toBe(2);
    await provider.close();
  });

  it("hides what is denied everywhere, and explains it all the same (AF-2)", async () => {
    const made = record({ allow: ["s/echo"], deny: [{ server: "s", tool: "drop", reason: "it cannot be undone" }] });
    const { provider, toolbox } = await around(made);
    expect(toolbox.definitions().map(({ name }) => name)).toEqual(["mcp_s_echo"]);
    expect(await rejectionOf(toolbox.call("mcp_s_drop"))).toMatchObject({ code: "unknown_tool" });
    for (const name of ["mcp_s_drop", "MCP_S_DROP", "s/drop", "mcp::s::drop"]) {
      const text = made.policy.explain(name);
      expect(text).toContain("denied by deny[0]");
      expect(text).toContain("it cannot be undone");
    }
    expect(made.policy.explain("mcp_s_other")).toBe('No tool "mcp_s_other" was ever listed where this policy decides.');
    await provider.close();
  });

  it("refuses a call of a definition that a layer before it let through, with a reason and an event (AF-14)", async () => {
    const made = record({ deny: ["s/echo"] });
    const error = await rejectionOf(send(made));
    expect(error).toMatchObject({
      code: "not_allowed",
      kind: "auth",
      outcome: "not-sent",
      details: { policy: "deny[0]" },
    });
    expect(made.events.find(({ type }) => type === "refused")).toMatchObject({
      stage: "rules",
      reason: expect.stringContaining('deny[0] ("s/echo")'),
    });
  });

  it("answers an invocation with an envelope that says what held (AF-9)", async () => {
    const made = record({ ask: ["s/drop"], defaultDecision: "allow", retry: {} });
    const { provider, toolbox } = await around(made);
    const ok = await made.policy.invoke(toolbox, { toolName: "mcp::s::echo", input: { id: "1" }, versionRange: "*" });
    expect(ok).toMatchObject({ status: "ok", attempts: 1, origin: { serverId: "s", toolName: "echo" } });
    expect(ok.policySnapshot.join("\n")).toContain("By the rules");
    const refused = await made.policy.invoke(toolbox, { toolName: "mcp_s_drop", input: { id: "2" } });
    expect(refused).toMatchObject({ status: "error", error: { code: "PolicyError", subcode: "approval_required" } });
    expect(await made.policy.invoke(toolbox, null)).toMatchObject({
      status: "error",
      error: { code: "ContractError" },
    });
    await provider.close();
  });
});
