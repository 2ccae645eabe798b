import fc from "fast-check";
import {
  errorCodes,
  HostsideError,
  type CallOptions,
  type ToolDefinition,
  type ToolOutcome,
  type HostsideErrorCode,
} from "@hostside/core";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { useVirtualClock, firstDate } from "../../../provider/test/simulation/virtual-clock.ts";
import { answerOk, callOf } from "../../test/stage-world.ts";
import { invoke as invokeTool, type InvokeParts } from "./invoke.ts";

const { origin, definition } = callOf();

function setUp(
  answer: (args: unknown, options: CallOptions) => Promise<ToolOutcome> = () => answerOk(callOf()),
  { effect, ...more }: Partial<InvokeParts> & Partial<Pick<ToolDefinition, "effect">> = {},
) {
  const clock = useVirtualClock();
  const calls: { readonly name: string; readonly args: unknown; readonly options: CallOptions }[] = [];
  const tool: ToolDefinition = { ...definition, ...(effect && { effect }) };
  const target = {
    tools: (names?: readonly string[]) => (names === undefined || names.includes(tool.name) ? [tool] : []),
    call: async (name: string, args: unknown, given: CallOptions = {}) => {
      calls.push({ name, args, options: given });
      return answer(args, given);
    },
  };
  const parts: InvokeParts = {
    effectOf: ({ effect: own = "external" }) => own,
    idempotencyMetaKey: undefined,
    snapshotOf: () => [],
    serverOf: (id) => (id === "s" ? { id, labels: {}, version: "1.2.0" } : undefined),
    ...more,
  };
  const invoke = (invocation: unknown) => invokeTool(target, invocation, parts);
  return { clock, calls, invoke, tool, parts };
}

const failing =
  (code: HostsideErrorCode, init: Partial<ConstructorParameters<typeof HostsideError>[1]> = {}) =>
  () =>
    Promise.reject(new HostsideError("it failed", { code, serverId: "s", toolName: "echo", ...init }));
const toolName = definition.name;

describe("invoke()", () => {
  it("answers with an envelope, and makes a correlation id when there is none", async () => {
    const { invoke, calls, clock } = setUp(async () => {
      clock.advance(12);
      return answerOk(callOf());
    });
    const result = await invoke({ toolName, input: { text: "x" } });
    expect(result).toMatchObject({
      status: "ok",
      output: { isError: false, origin },
      durationMs: 12,
      attempts: 1,
      policySnapshot: [],
      correlationId: expect.stringMatching(/^[\da-f-]{36}$/),
      origin: { serverId: "s", toolName: "echo" },
    });
    expect(result.error).toBeUndefined();
    expect(calls).toMatchObject([
      { name: toolName, args: { text: "x" }, options: { context: { correlationId: result.correlationId } } },
    ]);
  });

  it("hands on who asks, and sends headers and metadata beside the arguments", async () => {
    const { invoke, calls } = setUp();
    const who = { principal: "p", conversation: "c", causationId: "b", idempotencyKey: "k", correlationId: "a" };
    await invoke({ toolName, ...who, agentId: "writer", headers: { trace: "1" }, metadata: { trace: "0", more: [2] } });
    await invoke({ toolName, agentId: "writer", role: "admin" });
    expect(calls[0]?.options.context).toEqual({ ...who, role: "writer" });
    expect(calls[0]?.options.meta).toEqual({ trace: "1", more: [2] });
    expect(calls[1]?.options.context?.role).toBe("admin");
  });

  it("finds a tool by its qualified name, too", async () => {
    const { invoke, calls } = setUp();
    expect(await invoke({ toolName: "mcp::s::echo" })).toMatchObject({ status: "ok" });
    expect(calls[0]?.name).toBe(toolName);
  });

  it("is a timeout at once when its deadline is over, and has no more time than is left until then", async () => {
    const { invoke, calls, clock } = setUp();
    clock.advance(1000);
    expect(await invoke({ toolName, deadline: firstDate + 1000 })).toMatchObject({
      status: "error",
      error: { code: "PolicyError", subcode: "call_timeout", isRetryable: false, cause: { outcome: "not-sent" } },
      origin: { serverId: "s", toolName: "echo" },
    });
    expect(calls).toEqual([]);
    await invoke({ toolName, deadline: new Date(firstDate + 1250) });
    expect(calls[0]?.options.deadline?.remainingMs()).toBe(250);
    expect(calls[0]?.options.timeoutMs).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it("has an error with the tool's own text when the tool says that it failed", async () => {
    const text = `boom\u202e ${"x".repeat(5000)}`;
    const { invoke } = setUp(async () => ({
      ...(await answerOk(callOf())),
      isError: true,
      content: [{ type: "text", text }],
    }));
    const result = await invoke({ toolName });
    expect(result).toMatchObject({
      status: "error",
      output: { isError: true },
      error: { code: "ExecutionError", subcode: "tool_error", isRetryable: false, origin: { serverId: "s" } },
    });
    expect(result.error?.message).toMatch(/^boom/);
    expect(result.error?.message).not.toContain("\u202e");
    expect(result.error?.message.length).toBeLessThanOrEqual(2000);
  });

  const kinds = {
    contract: "ContractError",
    auth: "AuthError",
    execution: "ExecutionError",
    policy: "PolicyError",
    system: "SystemError",
  };
  it.each(Object.entries(errorCodes))(
    "says of %s whose move it is, and invites no second run that may do harm",
    async (name, entry) => {
      const code = name as HostsideErrorCode;
      for (const outcome of ["not-sent", "unknown"] as const) {
        const { invoke } = setUp(failing(code, { outcome }));
        const { status, error } = await invoke({ toolName });
        expect(error).toMatchObject({ code: kinds[entry.kind], subcode: code, message: "it failed" });
        const isRetryable = outcome === "not-sent" && entry.retryable;
        expect(error?.isRetryable).toBe(isRetryable);
        expect(status).toBe(isRetryable ? "retryable" : "error");
      }
    },
  );

  it("calls a timeout retryable whose tool may run twice without harm, and no other", async () => {
    const statusOf = async (effect: ToolDefinition["effect"], options: Partial<InvokeParts> = {}) => {
      const { invoke } = setUp(failing("call_timeout"), { ...options, ...(effect && { effect }) });
      return (await invoke({ toolName, idempotencyKey: "k" })).status;
    };
    expect(await statusOf("pure")).toBe("retryable");
    expect(await statusOf("idempotent-write")).toBe("error");
    expect(await statusOf("idempotent-write", { idempotencyMetaKey: "com.example/key" })).toBe("retryable");
    expect(await statusOf("external", { idempotencyMetaKey: "com.example/key" })).toBe("error");
    expect(await statusOf(undefined)).toBe("error");
    expect(await statusOf("external", { effectOf: () => "pure" })).toBe("retryable");
  });

  it("takes a tool that is not there and wrong input for a contract that is broken, and a denied one for missing rights", async () => {
    const codeOf = async (code: HostsideErrorCode) => (await setUp(failing(code)).invoke({ toolName })).error?.code;
    expect(await codeOf("unknown_tool")).toBe("ContractError");
    expect(await codeOf("invalid_arguments")).toBe("ContractError");
    expect(await codeOf("not_allowed")).toBe("AuthError");
  });

  it("says how often it was tried, and what of the policy held", async () => {
    const { invoke } = setUp(failing("unreachable", { details: { attempts: 3 } }), { snapshotOf: () => ["rule 1"] });
    expect(await invoke({ toolName })).toMatchObject({ attempts: 3, policySnapshot: ["rule 1"] });
    const counted = setUp(async (_, { observer }) => {
      observer?.onDecision?.({ type: "applied", at: 0, stage: "retry" });
      return answerOk(callOf());
    });
    expect(await counted.invoke({ toolName })).toMatchObject({ status: "ok", attempts: 2 });
  });

  it("calls a server only in a version that is wanted, and the very tool that it looked at", async () => {
    const { invoke, calls, tool } = setUp();
    expect(await invoke({ toolName, versionRange: "1.2.*" })).toMatchObject({ status: "ok", resolvedVersion: "1.2.0" });
    expect(calls[0]?.options.selected).toBe(tool);
    expect(await invoke({ toolName, versionRange: "^2" })).toMatchObject({
      status: "error",
      error: { code: "ContractError", subcode: "unknown_tool" },
    });
    expect((await invoke({ toolName, versionRange: "?" })).error).toMatchObject({ subcode: "invalid_arguments" });
    expect(calls).toHaveLength(1);
  });

  const throwing = {
    get toolName(): string {
      throw new Error("a trap");
    },
  };
  it.each<[string, unknown]>([
    ["null", null],
    ["nothing", undefined],
    ["a text", "echo"],
    ["a list", []],
    ["no name", {}],
    ["a name that is no text", { toolName: 5 }],
    ["a member that nothing reads", { toolName, tool: 1 }],
    ["a getter that throws", throwing],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("a trap");
          },
        },
      ),
    ],
    ["a principal that is no text", { toolName, principal: 7 }],
    ["a deadline that is no time", { toolName, deadline: Number.NaN }],
    ["a deadline of another kind", { toolName, deadline: "soon" }],
    ["a signal that is none", { toolName, signal: {} }],
    ["headers that are none", { toolName, headers: "a: b" }],
    ["a range that is no text", { toolName, versionRange: 1 }],
  ])("resolves with a broken contract for %s, and sends nothing", async (_, invocation) => {
    const { invoke, calls } = setUp();
    expect(await invoke(invocation)).toMatchObject({
      status: "error",
      error: { code: "ContractError", subcode: "invalid_arguments" },
      attempts: 1,
      correlationId: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(calls).toEqual([]);
  });

  it("resolves whatever its target does", async () => {
    const reasons: readonly unknown[] = [undefined, null, "text", new Error("x"), new TypeError("y")];
    for (const reason of reasons) {
      const { invoke: again } = setUp(() => Promise.reject(reason));
      expect(await again({ toolName })).toMatchObject({
        status: "error",
        error: { code: "SystemError", subcode: "internal_error" },
      });
    }
    const bad = (): never => {
      throw new Error("a defect");
    };
    const gone = await invokeTool({ tools: bad, call: bad }, { toolName }, setUp().parts);
    expect(gone).toMatchObject({ status: "error", error: { code: "SystemError" } });
  });

  test.prop([fc.anything({ withNullPrototype: true, withMap: true, withDate: true })])(
    "never rejects, whatever it is given",
    async (given) => {
      const result = await setUp().invoke(given);
      expect(["ok", "error", "retryable"]).toContain(result.status);
      expect(result.attempts).toBeGreaterThanOrEqual(1);
    },
  );
});
