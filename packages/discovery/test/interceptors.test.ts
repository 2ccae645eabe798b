import {
  HostsideError,
  type CallContext,
  type Interceptor,
  type ToolCall,
  type ToolOutcome,
  type ToolProvider,
} from "@hostside/core";
import { createToolbox, type EmbeddingRanker, type StaticTool, type Toolbox } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import { fakeProvider, outage, outcomeOf, serverTool, staticTool, toolOf, type FakeProvider } from "./fake-provider.ts";
import { useManualClock, type ManualClock } from "../../../test/manual-clock.ts";

const never = new Promise<never>(() => {});
const context: CallContext = { principal: "ada", conversation: "c1" };
const pass: Interceptor = (call, next) => next(call);

interface World {
  readonly toolbox: Toolbox;
  readonly provider: FakeProvider;
  readonly clock: ManualClock;
  /** How often the static tool ran. */
  readonly runs: unknown[];
}

/** A static tool `mine` and a server's tool `mcp_s_theirs`. */
function setUp(interceptors: readonly Interceptor[], more: Partial<StaticTool> = {}): World {
  const runs: unknown[] = [];
  const run: StaticTool["run"] = (args) => (runs.push(args), "ran");
  const provider = fakeProvider("mcp");
  provider.offer([serverTool("s", "theirs")]);
  const clock = useManualClock();
  const tools = [staticTool("mine", { run, ...more })];
  return { provider, runs, clock, toolbox: createToolbox({ tools, providers: [provider], interceptors }) };
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (reason) {
    return reason;
  }
  throw new Error("it did not reject");
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe("a toolbox with interceptors", () => {
  it("asks for approval before a tool of its own and before a server's alike", async () => {
    const asked: string[] = [];
    const approval: Interceptor = async (call, next) => {
      asked.push(call.definition.name);
      if (call.args["amount"] === 5) return next(call);
      throw new HostsideError("a person said no", { code: "approval_denied" });
    };
    const { toolbox, provider, runs } = setUp([approval]);
    for (const name of ["mine", "mcp_s_theirs"]) {
      expect(await failureOf(toolbox.call(name, { amount: 500 }))).toMatchObject({ code: "approval_denied" });
      expect(await toolbox.view().call(name, { amount: 5 })).toMatchObject({ isError: false });
    }
    expect(asked).toEqual(["mine", "mine", "mcp_s_theirs", "mcp_s_theirs"]);
    expect([runs, provider.calls.map(({ args }) => args)]).toEqual([[{ amount: 5 }], [{ amount: 5 }]]);
  });

  it("hands who watches a call to a static tool, for what that calls itself", async () => {
    const observer = { onRecord: () => undefined };
    const seen: unknown[] = [];
    const tools = [staticTool("mine", { run: (_args, options) => (seen.push(options.observer), "done") })];
    await createToolbox({ tools }).call("mine", {}, { observer });
    expect(seen).toEqual([observer]);
  });

  it("hands the token of an approval to its layers, and to no static tool", async () => {
    const seen: unknown[] = [];
    const look: Interceptor = (call, next) => (seen.push(call.options.context?.approval), next(call));
    const tools = [staticTool("mine", { run: (_args, options) => (seen.push(options.context), "done") })];
    await createToolbox({ tools, interceptors: [look] }).call("mine", {}, { context: { ...context, approval: "t" } });
    expect(seen).toEqual(["t", context]);
  });

  it("shows an audit who asks, of which tool and what came of it; a view says it for all its calls", async () => {
    const log: unknown[] = [];
    const audit: Interceptor = async (call, next) => {
      const outcome = await next(call);
      log.push([call.options.context, call.origin.qualifiedName, outcome.isError]);
      return outcome;
    };
    const { toolbox, provider } = setUp([audit]);
    await toolbox.call("mine", {}, { context });
    const view = toolbox.view({ context });
    await view.call("mcp_s_theirs", {}, { context: { conversation: "c2", correlationId: "r" } });
    await view.call("mcp_s_theirs");
    expect(log).toEqual([
      [context, "local::mine", false],
      [{ principal: "ada", conversation: "c2", correlationId: "r" }, "mcp::s::theirs", false],
      [context, "mcp::s::theirs", false],
    ]);
    expect(provider.calls[1]?.options.context).toEqual(context);
    expect(provider.calls[1]?.options.meta).toBeUndefined();
    expect(() => toolbox.view({ context: { pricipal: "ada" } as never })).toThrow(/context has no member "pricipal"/);
    expect(() => toolbox.view({ context: { approval: "t" } as never })).toThrow(/context.approval is for one call/);
  });

  it("tells a ranker who asks, in a search by a model and by code", async () => {
    const seen: (CallContext | undefined)[] = [];
    const embeddingRanker = async (request: Parameters<EmbeddingRanker>[0]): ReturnType<EmbeddingRanker> => (
      seen.push(request.context),
      []
    );
    const view = createToolbox({ tools: [staticTool("mine")], embeddingRanker }).view({ context });
    await view.call("tools_search", { query: "does it" });
    await view.searchTools({ query: "does it" }, { context: { principal: "eve" } });
    expect(seen).toEqual([context, { ...context, principal: "eve" }]);
    await expect(view.searchTools({ query: "x" }, { who: "eve" } as never)).rejects.toThrow(/has no option "who"/);
  });

  it("ends a call that a layer keeps: by its time, its caller's abort and close(), with its reason", async () => {
    const { toolbox, clock, runs } = setUp([() => never]);
    const abort = new AbortController();
    const timed = failureOf(toolbox.call("mine", {}, { timeoutMs: 500 }));
    const aborted = failureOf(toolbox.call("mcp_s_theirs", {}, { signal: abort.signal }));
    const closed = failureOf(toolbox.call("mine"));
    await settle();
    clock.advance(500);
    abort.abort();
    expect(await timed).toMatchObject({ code: "call_timeout", outcome: "not-sent", toolName: "mine" });
    expect(await aborted).toMatchObject({ code: "aborted", outcome: "not-sent", serverId: "s" });
    toolbox.close("the user logged out");
    const why = { code: "closed", outcome: "not-sent", rawMessage: "the toolbox is closed: the user logged out" };
    expect(await closed).toMatchObject(why);
    expect(await failureOf(toolbox.call("mine"))).toMatchObject(why);
    expect([runs, clock.pending()]).toEqual([[], 0]);
    expect(() => toolbox.close(1 as never)).toThrow(new TypeError("the reason must be a text"));
  });

  it("stands outside of the layers of a provider, and each runs once", async () => {
    const order: string[] = [];
    const named =
      (name: string): Interceptor =>
      (call, next) => (order.push(name), next(call));
    const { toolbox, provider } = setUp([named("first"), named("second")]);
    provider.answer = (name) => (order.push("provider"), Promise.resolve(outcomeOf(name, "s")));
    await toolbox.call("mcp_s_theirs");
    expect(order).toEqual(["first", "second", "provider"]);
  });

  it("runs what its layers looked at, or refuses: changed, removed and replaced meanwhile", async () => {
    let approve = (): void => {};
    const slow: Interceptor = async (call, next) => {
      await new Promise<void>((resolve) => (approve = resolve));
      return next(call);
    };
    const { toolbox, provider } = setUp([slow]);
    const changed = failureOf(toolbox.call("mcp_s_theirs"));
    await settle();
    provider.offer([serverTool("s", "theirs", "Deletes everything.")]);
    approve();
    expect(await changed).toMatchObject({ code: "tool_changed", outcome: "not-sent" });
    const removed = failureOf(toolbox.call("mcp_s_theirs"));
    await settle();
    provider.offer([]);
    approve();
    expect(await removed).toMatchObject({ code: "tool_removed", outcome: "not-sent", serverId: "s" });
    expect(provider.calls).toEqual([]);
    provider.offer([serverTool("s", "theirs")]);
    const kept = toolbox.call("mcp_s_theirs");
    await settle();
    approve();
    await kept;
    expect(provider.calls[0]?.options.selected).toBe(provider.tools()[0]);
  });

  it("asks about a fallback by itself, which is another tool", async () => {
    const seen: ToolCall[] = [];
    const onlyOwn: Interceptor = async (call, next) => {
      seen.push(call);
      if (call.origin.serverId === "") return next(call);
      throw new HostsideError("servers are not to be asked", { code: "call_refused" });
    };
    const provider = fakeProvider("mcp");
    provider.offer([{ ...serverTool("s", "echo"), name: "echo" }]);
    const toolbox = createToolbox({
      tools: [staticTool("echo", { run: () => Promise.reject(outage("not-sent")) })],
      providers: [provider],
      precedence: "fallback",
      interceptors: [onlyOwn],
    });
    expect(await failureOf(toolbox.call("echo"))).toMatchObject({ code: "call_refused" });
    expect(seen.map(({ origin }) => origin.qualifiedName)).toEqual(["local::echo", "mcp::s::echo"]);
    expect(provider.calls).toEqual([]);
  });

  it("is led to the fallback by a breaker that is open", async () => {
    const breaker: Interceptor = async (call, next) => {
      if (call.origin.serverId !== "") return next(call);
      throw new HostsideError("open", { code: "circuit_open" });
    };
    const provider = fakeProvider("mcp");
    provider.offer([{ ...serverTool("s", "echo"), name: "echo" }]);
    const tools = [staticTool("echo")];
    const toolbox = createToolbox({ tools, providers: [provider], precedence: "fallback", interceptors: [breaker] });
    expect((await toolbox.call("echo")).origin.serverId).toBe("s");
  });

  it("wraps what a layer or tool throws, and fixes the origin of whatever answers", async () => {
    const cause = new RangeError("its own");
    const { toolbox } = setUp([() => Promise.reject(cause)]);
    expect(await failureOf(toolbox.call("mine"))).toMatchObject({ code: "internal_error", cause, toolName: "mine" });
    const forger: Interceptor = async () => outcomeOf("x", "elsewhere");
    expect((await setUp([forger]).toolbox.call("mcp_s_theirs")).origin.serverId).toBe("s");
    expect(() => createToolbox({ interceptors: [1] as never })).toThrow(
      new TypeError("interceptors must be an array of functions"),
    );
  });
});

describe("a provider of the product's own", () => {
  const callOf = (provider: ToolProvider, layers: readonly Interceptor[] = []): Toolbox =>
    createToolbox({ providers: [provider], interceptors: layers });
  const brought = (answer: FakeProvider["answer"]): FakeProvider => {
    const provider = fakeProvider("own");
    provider.offer([toolOf("task")]);
    provider.answer = answer;
    return provider;
  };

  it.each<[string, readonly Interceptor[]]>([
    ["without layers", []],
    ["with layers", [pass]],
  ])("is bounded though it ignores its signal, %s", async (_, layers) => {
    const clock = useManualClock();
    const toolbox = callOf(
      brought(() => never),
      layers,
    );
    const abort = new AbortController();
    const timed = failureOf(toolbox.call("task", {}, { timeoutMs: 100 }));
    const aborted = failureOf(toolbox.call("task", {}, { signal: abort.signal }));
    const byDefault = failureOf(toolbox.call("task"));
    await settle();
    clock.advance(100);
    abort.abort();
    expect(await timed).toMatchObject({ code: "call_timeout", outcome: "unknown" });
    expect(await aborted).toMatchObject({ code: "aborted", outcome: "unknown" });
    clock.advance(600_000);
    expect(await byDefault).toMatchObject({ code: "call_timeout", details: { timeoutMs: 600_000 } });
    expect(clock.pending()).toBe(0);
  });

  it.each<[string, () => Promise<ToolOutcome>]>([
    ["throws something of its own", () => Promise.reject(new TypeError("undefined is not a function"))],
    [
      "throws at once",
      () => {
        throw new Error("boom");
      },
    ],
  ])("is told of as internal_error, and by name, when it %s", async (_, answer) => {
    const toolbox = callOf(brought(answer));
    expect(await failureOf(toolbox.call("task"))).toMatchObject({
      code: "internal_error",
      outcome: "unknown",
      toolName: "task",
      rawMessage: expect.stringContaining('"task" of provider "own"'),
    });
  });

  it("stops its own time while it asks a human, and that of the whole call", async () => {
    const clock = useManualClock();
    let answer = (): void => {};
    const provider = brought(async (name) => {
      const resume = provider.calls[0]?.options.deadline?.pause();
      await new Promise<void>((resolve) => (answer = resolve));
      resume?.();
      return outcomeOf(name, "own");
    });
    const call = callOf(provider, [pass]).call("task", {}, { timeoutMs: 100 });
    await settle();
    clock.advance(60_000);
    answer();
    expect(await call).toMatchObject({ isError: false });
    expect(clock.pending()).toBe(0);
  });

  it("keeps its time itself when it says so, and gets no clock from the toolbox", async () => {
    const clock = useManualClock();
    const provider = Object.assign(
      brought(() => never),
      { callTimeoutMs: () => 300 },
    );
    void callOf(provider).call("task", {}, { timeoutMs: 100 });
    await settle();
    expect([clock.pending(), provider.calls[0]?.options]).toEqual([0, { timeoutMs: 100 }]);
    const layered = failureOf(callOf(provider, [() => never]).call("task"));
    await settle();
    clock.advance(300);
    expect(await layered).toMatchObject({ code: "call_timeout", details: { timeoutMs: 300 } });
  });
});
