import { applyInterceptors, createMemoryStore, type CallHandler, type ToolOutcome } from "@hostside/core";
import { createToolbox, type Toolbox } from "@hostside/discovery";
import {
  createPolicy,
  type ApprovalQuestion,
  type Policy,
  type PolicyEvent,
  type PolicyOptions,
} from "@hostside/policy";
import type { McpProvider } from "@hostside/provider";
import { describe, expect, it, vi } from "vitest";
import { createCalmWorld } from "../../provider/test/calm-world.ts";
import { specOf } from "../../provider/test/simulation/simulated-server.ts";
import { answerOk, behindSeam, callOf, createStageWorld, failureOf, rejectionOf, settle } from "./stage-world.ts";

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
  applyInterceptors(policy.interceptors, behindSeam(policy, handler))(callOf(init));

const textOnly = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

describe("createPolicy()", () => {
  it("with nothing in it offers everything, lets every call pass, and tells of it", async () => {
    const made = record();
    await expect(send(made)).resolves.toMatchObject({ isError: false });
    expect(made.steps()).toEqual(["invoked", "succeeded"]);
    const { definition, server } = callOf();
    expect(made.policy.admit(definition, server)).toBe("offer");
  });

  it("looks at the arguments before anybody is asked, and asks before anything is counted", async () => {
    const asked: ApprovalQuestion[] = [];
    let answer: "once" | "no" = "no";
    const made = record({
      approval: { mode: "all", handler: async (question) => (asked.push(question), answer) },
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

  it("counts a call once against its limits, and each of its tries for the breaker", async () => {
    let tries = 0;
    const made = record({
      limits: [{ rate: { calls: 1, perMs: 60_000 } }],
      retry: { attempts: 2 },
      breaker: { failures: 2 },
    });
    const failing: CallHandler = () => {
      tries += 1;
      return Promise.reject(failureOf("unreachable", { outcome: "not-sent" }));
    };
    const error = await rejectionOf(send(made, failing));
    expect([error.code, error.details.attempts, tries]).toEqual(["unreachable", 2, 2]);
    expect(made.events.find(({ type }) => type === "circuit-opened")).toMatchObject({ serverId: "s" });
    expect(made.events.find(({ type }) => type === "failed")).toMatchObject({ attempts: 2, code: "unreachable" });
  });

  it("counts no try that was given up before it began", async () => {
    const made = record({ retry: {} });
    const caller = new AbortController();
    const failing: CallHandler = () => {
      setImmediate(() => caller.abort());
      return Promise.reject(failureOf("unreachable", { outcome: "not-sent" }));
    };
    const error = await rejectionOf(send(made, failing, { options: { signal: caller.signal } }));
    await vi.waitFor(() => expect(made.steps()).toEqual(["invoked", "failed"]));
    expect(error.code).toBe("aborted");
    expect(made.events.at(-1)).toMatchObject({ attempts: 1 });
  });

  it("marks a result that is not what was promised, and delivers it", async () => {
    const made = record({ validation: { output: "warn" } });
    const bad = async (): Promise<ToolOutcome> => ({ ...(await answerOk(callOf())), structuredContent: { text: 5 } });
    const outcome = await send(made, bad, { definition: { outputSchema: textOnly } });
    expect(outcome.structuredContent).toEqual({ text: 5 });
    expect(outcome.meta?.["hostside/output-problems"]).toMatchObject([{ path: "/text", keyword: "type" }]);
    expect(made.steps()).toEqual(["invoked", "applied output", "succeeded"]);
  });

  it("masks secrets in results and errors, and in nothing that is sent", async () => {
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
    const made = record({
      approval: { mode: "all", handler: async () => "once" },
      validation: {},
      retry: {},
      breaker: {},
    });
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
    ["a rule that is none", { deny: ["github"] }, "deny[0]"],
    ["an unknown effect", { effects: [{ tools: "a/b", effect: "safe" }] }, "effects[0].effect"],
    ["an option of a stage that there is not", { breaker: { failure: 1 } }, "failure"],
    ["a negative limit", { limits: [{ rate: { calls: -1, perMs: 1 } }] }, "limits[0].rate.calls"],
    ["a lock of another format", { pins: { locks: { a: '{\n"version": 99\n}' } } }, 'pins.locks["a"]'],
    ...["approval", "validation", "limits", "retry", "breaker", "cache", "redact"].map(
      (name): [string, object, string] => [`null for ${name}`, { [name]: null }, name],
    ),
    ["a listener that is none", { onEvent: "x" }, "onEvent"],
    ["a store that is none", { state: { store: {}, lock: {} } }, "state.store"],
    ["a value too short to be found", { redact: { values: ["abc"] } }, "redact.values[0]"],
    ["a contradiction", { allow: ["a/b"], deny: ["a/b"] }, "allow[0]"],
  ])("refuses %s at once, by name", (_what, options, name) => {
    expect(() => createPolicy(options)).toThrow(TypeError);
    expect(() => createPolicy(options)).toThrow(name);
  });
});

describe("what is looked at", () => {
  it("is handed on as it is where no stage looks at arguments", async () => {
    const args = { to: { amount: 5 } };
    const sent: unknown[] = [];
    const made = record({ deny: ["s/other"], defaultDecision: "allow", redact: {}, breaker: {} });
    await send(made, (call) => (sent.push(call.args), answerOk(call)), { args });
    expect(sent[0]).toBe(args);
  });

  it("is what runs, in every try, whatever becomes of the caller's object meanwhile", async () => {
    const made = record({ retry: { attempts: 2 }, effects: [{ tools: "s/*", effect: "pure" }] });
    const args = { to: { amount: 5 } };
    const sent: unknown[] = [];
    await send(
      made,
      async (call) => {
        sent.push(structuredClone(call.args));
        Object.assign(args.to, { amount: 999 });
        expect(() => Object.assign(call.args["to"] as object, { amount: 998 })).toThrow(TypeError);
        if (sent.length === 1) throw failureOf("connection_closed", { outcome: "unknown" });
        return answerOk(call);
      },
      { args },
    );
    expect(sent).toEqual([{ to: { amount: 5 } }, { to: { amount: 5 } }]);
  });

  it("is not what has no end", async () => {
    const args: Record<string, unknown> = {};
    args["self"] = args;
    const error = await rejectionOf(send(record({ validation: {} }), answerOk, { args: args as never }));
    expect(error).toMatchObject({ code: "invalid_arguments", outcome: "not-sent" });
  });

  it("is a call that a tool makes with the arguments that it was given, too", async () => {
    const made = record({
      requireApproval: ["/pay"],
      defaultDecision: "allow",
      approval: { handler: async () => "no" },
    });
    let paid = 0;
    const toolbox: Toolbox = createToolbox({
      tools: [
        { definition: { name: "pay", description: "Pays.", inputSchema: {} }, run: () => `paid ${(paid += 1)}` },
        {
          definition: { name: "wrap", description: "Calls another.", inputSchema: {} },
          run: async (args) => JSON.stringify((await toolbox.call("pay", args)).content),
        },
      ],
      admit: made.policy.admit,
      interceptors: made.policy.interceptors,
    });
    await rejectionOf(toolbox.call("wrap", { x: 1 }));
    expect(paid).toBe(0);
    expect(made.steps()).toContain("refused approval");
  });

  it("goes by what was seen of a server where a toolbox does not say it", async () => {
    const made = record({
      requireApproval: [{ labels: "env:prod" }],
      defaultDecision: "allow",
      effects: [
        { tools: "s/*", effect: "pure" },
        { tools: { labels: "env:prod" }, effect: "external" },
      ],
      approval: { handler: async () => "once" },
    });
    const world = createCalmWorld();
    const { admit, interceptors } = made.policy;
    const provider = world.provider({ servers: [specOf("s", { labels: { env: "prod" } })], admit });
    const toolbox = createToolbox({ providers: [provider], interceptors });
    await toolbox.init();
    world.server("s").faults.call.push("crash");
    const result = await made.policy.invoke(toolbox, { toolName: "mcp_s_echo", input: { id: "1" } });
    expect(result).toMatchObject({ status: "error", error: { isRetryable: false, cause: { outcome: "unknown" } } });
    expect(result.policySnapshot.join("\n")).toContain("requireApproval[0]");
    const [definition] = toolbox.tools();
    expect(definition && made.policy.requiresApproval(definition)).toBe(true);
    expect(definition && made.policy.explain(definition)).toContain("Its effect is external");
    await provider.close();
  });
});

describe("what is kept of a call", () => {
  it("gives its place back when its time is up, though a layer behind never ends", async () => {
    const world = createStageWorld();
    const { interceptors } = createPolicy({ limits: [{ concurrency: 1 }] });
    const hung = rejectionOf(
      world.send(callOf({ options: { timeoutMs: 50 } }), interceptors, () => new Promise(() => {})),
    );
    await settle();
    world.clock.advance(50);
    world.clock.advance(1000);
    expect(await hung).toMatchObject({ code: "call_timeout" });
    await expect(world.send(callOf(), interceptors)).resolves.toMatchObject({ isError: false });
    expect(world.clock.pending).toBe(0);
  });

  it("loses no result to a store of limits that fails afterwards", async () => {
    const take = async () => ({
      granted: true as const,
      waitedMs: 0,
      settle: () => {
        throw new Error("no store");
      },
    });
    const made = record({ limits: [{ concurrency: 1 }], state: { store: createMemoryStore(), limitStore: { take } } });
    await expect(send(made)).resolves.toMatchObject({ isError: false });
    expect(made.events.filter(({ type }) => type === "part-failed")).toMatchObject([{ part: "limitStore" }]);
  });

  it("is nothing that was forgotten while it was under way", async () => {
    const made = record({ cache: {}, effects: [{ tools: "s/*", effect: "pure" }] });
    let runs = 0;
    const definition = { fingerprint: "sha256-1" };
    const handler: CallHandler = async (call) => ((runs += 1) === 1 && made.policy.clearCache(), answerOk(call));
    await send(made, handler, { definition });
    await send(made, handler, { definition });
    await send(made, handler, { definition });
    expect(runs).toBe(2);
  });
});

interface World {
  readonly provider: McpProvider;
  readonly toolbox: Toolbox;
}

async function around({ policy }: Recorded, tools: readonly string[] = ["echo", "drop"]): Promise<World> {
  const world = createCalmWorld();
  world.server("s", ...tools);
  const { admit, interceptors } = policy;
  const provider = world.provider({ servers: [specOf("s")], admit });
  const toolbox = createToolbox({ providers: [provider], admit, interceptors });
  policy.attach(toolbox);
  await toolbox.init();
  return { provider, toolbox };
}

describe("a policy around a toolbox", () => {
  it("looks at each call once, and at two calls with the same arguments twice", async () => {
    const asked: ApprovalQuestion[] = [];
    const made = record({
      approval: { mode: "all", handler: async (question) => (asked.push(question), "once") },
      limits: [{ budget: { calls: 3 } }],
    });
    const { toolbox, provider } = await around(made);
    const args = { id: "1" };
    await Promise.all([toolbox.call("mcp_s_echo", args), toolbox.call("mcp_s_echo", args)]);
    expect(asked.length).toBe(2);
    expect(made.steps().filter((step) => step === "succeeded").length).toBe(2);
    await toolbox.call("mcp_s_echo", args);
    expect(asked.length).toBe(3);
    expect(await rejectionOf(toolbox.call("mcp_s_echo", args))).toMatchObject({ code: "budget_exceeded" });
    await provider.close();
  });

  it("explains of tools with one name that which was listed last", () => {
    const { policy } = record();
    for (const serverId of ["old", "new"]) {
      const { definition, server } = callOf({ serverId, definition: { name: "echo" } });
      policy.admit(definition, server);
    }
    expect(policy.explain("echo")).toContain('"new"');
  });

  it("hides what is denied everywhere, and explains it all the same", async () => {
    const made = record({ allow: ["s/echo"], deny: [{ server: "s", tool: "drop", reason: "it cannot be undone" }] });
    const { provider, toolbox } = await around(made);
    expect(toolbox.tools().map(({ name }) => name)).toEqual(["mcp_s_echo"]);
    expect(await rejectionOf(toolbox.call("mcp_s_drop"))).toMatchObject({ code: "unknown_tool" });
    for (const name of ["mcp_s_drop", "MCP_S_DROP", "s/drop", "mcp::s::drop"]) {
      const text = made.policy.explain(name);
      expect(text).toContain("denied by deny[0]");
      expect(text).toContain("it cannot be undone");
      expect(text).toContain("unknown_tool");
    }
    expect(made.policy.explain("mcp_s_other")).toBe('No tool "mcp_s_other" was ever listed where this policy decides.');
    await provider.close();
  });

  it("refuses a call of a definition that a layer before it let through, with a reason and an event", async () => {
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

  it("answers an invocation with an envelope that says what held", async () => {
    const made = record({ requireApproval: ["s/drop"], defaultDecision: "allow", retry: {} });
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
