import { HostsideError, type Diagnostic, type HostsideErrorCode } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createToolbox, type StaticTool } from "../src/index.ts";
import { fakeProvider, outage, toolOf } from "./fake-provider.ts";
import { useTestClock } from "../../../test/manual-clock.ts";

function staticTool(name: string, more: Partial<StaticTool> = {}): StaticTool {
  return { definition: toolOf(name), run: () => `static/${name}`, ...more };
}

/** As a limit of the host refuses a call. */
function refusedBy(code: HostsideErrorCode): HostsideError {
  return new HostsideError("no", { code, outcome: "not-sent", details: { policy: "a limit" } });
}

describe("precedence", () => {
  const setUp = (precedence: "static" | "provider" | "fallback", tool: StaticTool = staticTool("echo")) => {
    const provider = fakeProvider("mcp");
    provider.offer([toolOf("echo", { description: "the provider's" })]);
    const diagnostics: Diagnostic[] = [];
    const onDiagnostic = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
    return {
      provider,
      diagnostics,
      toolbox: createToolbox({ tools: [tool], providers: [provider], precedence, onDiagnostic }),
    };
  };
  const failing = (error: unknown, annotations = {}): StaticTool => ({
    definition: toolOf("echo", { annotations }),
    run: () => Promise.reject(error),
  });

  it("provider: the provider's tool is listed where its provider's tools are, and called", async () => {
    const { toolbox, provider } = setUp("provider");
    expect(toolbox.tools().map(({ description }) => description)).toEqual(["the provider's"]);
    await toolbox.call("echo");
    expect(provider.calls).toHaveLength(1);
  });

  it("asks a custom rule with both definitions", async () => {
    const provider = fakeProvider("mcp");
    provider.offer([toolOf("mine"), toolOf("yours")]);
    const toolbox = createToolbox({
      tools: [staticTool("mine"), staticTool("yours")],
      providers: [provider],
      precedence: ({ name, provider: from, staticTool: a, providerTool: b }) =>
        from === "mcp" && a.name === b.name && name === "yours" ? "provider" : "static",
    });
    await toolbox.call("mine");
    await toolbox.call("yours");
    expect(provider.calls.map(({ name }) => name)).toEqual(["yours"]);
  });

  it("throws TypeError when a custom rule answers nonsense", () => {
    const provider = fakeProvider("mcp");
    provider.offer([toolOf("echo")]);
    // @ts-expect-error Not one of the rules.
    const toolbox = createToolbox({ tools: [staticTool("echo")], providers: [provider], precedence: () => "both" });
    expect(() => toolbox.tools()).toThrow(TypeError);
  });

  it("fallback: calls the provider's tool when the static call provably never left", async () => {
    const { toolbox, provider, diagnostics } = setUp("fallback", failing(outage("not-sent")));
    expect(toolbox.tools().map(({ description }) => description)).toEqual(["Does echo."]);
    const outcome = await toolbox.call("echo", { text: "x" }, { selected: toolOf("echo") });
    expect(outcome.origin.serverId).toBe("mcp");
    expect(provider.calls).toMatchObject([{ name: "echo", args: { text: "x" } }]);
    expect(provider.calls[0]?.options.selected).toBeUndefined();
    expect(diagnostics).toMatchObject([{ kind: "fallback", toolName: "echo" }]);
  });

  it.each([
    ["read-only", { readOnlyHint: true }],
    ["idempotent", { idempotentHint: true }],
  ])("fallback: calls the provider's tool after an unknown outcome of a tool that is %s", async (_, annotations) => {
    const { toolbox, provider } = setUp("fallback", failing(outage("unknown"), annotations));
    await toolbox.call("echo");
    expect(provider.calls).toHaveLength(1);
  });

  it.each([
    ["an unknown outcome of a tool with effects", outage("unknown"), {}],
    ["wrong arguments", new HostsideError("bad", { code: "invalid_arguments" }), { readOnlyHint: true }],
    ["missing credentials", new HostsideError("who?", { code: "auth_required" }), { readOnlyHint: true }],
    ["an abort", new HostsideError("stop", { code: "aborted", outcome: "not-sent" }), { readOnlyHint: true }],
    ["a refusal by a rule or a person", new HostsideError("no", { code: "call_refused" }), { readOnlyHint: true }],
    ["a server that asks to slow down", new HostsideError("slow", { code: "rate_limited" }), { readOnlyHint: true }],
    ["a question nobody answers", new HostsideError("?", { code: "input_required" }), { readOnlyHint: true }],
    ["a tool that is not allowed", new HostsideError("no", { code: "not_allowed" }), { readOnlyHint: true }],
    ["an approval that is missing", new HostsideError("no", { code: "approval_required" }), { readOnlyHint: true }],
    ["an approval that was denied", new HostsideError("no", { code: "approval_denied" }), { readOnlyHint: true }],
    ["a tool in quarantine", new HostsideError("no", { code: "tool_quarantined" }), { readOnlyHint: true }],
    ["a rate of the host", refusedBy("rate_limited"), { readOnlyHint: true }],
    ["places of the host that are taken", refusedBy("overloaded"), { readOnlyHint: true }],
    ["a budget that is used up", refusedBy("budget_exceeded"), { readOnlyHint: true }],
  ])("fallback: does not call twice after %s", async (_, error, annotations) => {
    const { toolbox, provider } = setUp("fallback", failing(error, annotations));
    await expect(toolbox.call("echo")).rejects.toMatchObject({ code: error.code });
    expect(provider.calls).toEqual([]);
  });

  it.each<HostsideErrorCode>(["unreachable", "connect_timeout", "overloaded", "spawn_failed", "circuit_open"])(
    "fallback: calls the provider's tool after %s, not sent",
    async (code) => {
      const { toolbox, provider } = setUp("fallback", failing(new HostsideError("out", { code, outcome: "not-sent" })));
      await toolbox.call("echo");
      expect(provider.calls).toHaveLength(1);
    },
  );

  it("fallback: has what the first left of the time, and nothing when none is left", async () => {
    let now = 0;
    useTestClock({ now: () => now, schedule: () => () => {} });
    const provider = fakeProvider("mcp");
    provider.offer([toolOf("echo")]);
    const slow = (ms: number): StaticTool => ({
      definition: toolOf("echo"),
      run() {
        now += ms;
        throw outage("not-sent");
      },
    });
    const toolboxOf = (ms: number) =>
      createToolbox({ tools: [slow(ms)], providers: [provider], precedence: "fallback" });
    await toolboxOf(150).call("echo", {}, { timeoutMs: 200 });
    expect(provider.calls).toMatchObject([{ options: { timeoutMs: 50 } }]);
    await expect(toolboxOf(200).call("echo", {}, { timeoutMs: 200 })).rejects.toMatchObject({ outcome: "not-sent" });
    expect(provider.calls).toHaveLength(1);
  });

  it("fallback: shares one deadline with the first, also when the caller set no time, and a human's answer uses none of it", async () => {
    let now = 0;
    useTestClock({ now: () => now, schedule: () => () => {} });
    const provider = fakeProvider("mcp");
    provider.offer([toolOf("echo")]);
    const first: StaticTool = {
      definition: toolOf("echo"),
      run(_, { deadline }) {
        now += 400_000;
        const resume = deadline?.pause();
        now += 500_000;
        resume?.();
        throw outage("not-sent");
      },
    };
    const toolbox = createToolbox({ tools: [first], providers: [provider], precedence: "fallback" });
    await toolbox.call("echo");
    // 10 minutes is what a call has when nobody says.
    expect(provider.calls[0]?.options.deadline?.remainingMs()).toBe(200_000);
    expect(provider.calls[0]?.options.timeoutMs).toBeUndefined();
    await toolbox.call("echo", {}, { timeoutMs: 450_000 });
    expect(provider.calls[1]?.options.deadline?.remainingMs()).toBe(50_000);
    expect(provider.calls[1]?.options.timeoutMs).toBe(50_000);
  });

  it("fallback: a tool's own failure is an answer, not an outage", async () => {
    const tool = staticTool("echo", { run: () => ({ content: [], isError: true }) });
    const { toolbox, provider } = setUp("fallback", tool);
    expect((await toolbox.call("echo")).isError).toBe(true);
    expect(provider.calls).toEqual([]);
  });
});
