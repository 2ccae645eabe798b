import { describe, expect, it, vi } from "vitest";
import {
  createCallPipeline,
  type CallPipeline,
  type CallHandler,
  type Interceptor,
  type ToolCall,
} from "./call-pipeline.ts";
import type { CallOptions } from "./connection.ts";
import type { ToolOutcome } from "./tool.ts";
import { HostsideError } from "./hostside-error.ts";
import { useManualClock, type ManualClock } from "../../../test/manual-clock.ts";

const origin = { serverId: "s", toolName: "t", qualifiedName: "mcp::s::t" };
const definition = { name: "mcp_s_t", description: "", inputSchema: {} };
const outcome: ToolOutcome = { content: [], isError: false, origin, raw: {} };
const never = new Promise<never>(() => {});

function callWith(options: CallOptions = {}): ToolCall {
  return { origin, definition, args: {}, options };
}

interface Trial {
  readonly pipeline: { readonly run: CallHandler; readonly end: CallPipeline["end"] };
  readonly clock: ManualClock;
  /** The calls that reached the handler. */
  readonly handled: ToolCall[];
}

function tryOut(
  interceptors: readonly Interceptor[],
  { handler, ...rest }: Partial<Parameters<typeof createCallPipeline>[0]> & { readonly handler?: CallHandler } = {},
): Trial {
  const clock = useManualClock();
  const handled: ToolCall[] = [];
  const answer: CallHandler = async (call) => (handled.push(call), outcome);
  const pipeline = createCallPipeline({ interceptors, ...rest });
  return { clock, handled, pipeline: { ...pipeline, run: (call) => pipeline.run(call, handler ?? answer) } };
}

const hang: Interceptor = () => never;
const pass: Interceptor = (call, next) => next(call);
const hangAfter: Interceptor = async (call, next) => {
  await next(call);
  return never;
};

const refuse = (): Promise<never> =>
  Promise.reject(new HostsideError("no", { code: "call_refused", outcome: "not-sent" }));

/**
 * What a promise rejects with; taken care of at once, so that it may reject long before it is
 * looked at.
 */
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

describe("a call with interceptors", () => {
  it("leaves out the layers that pass a call, and tells when all do", async () => {
    const entered: string[] = [];
    const layer = (name: string, passes?: Interceptor["passes"]): Interceptor =>
      Object.assign((call: ToolCall, next: CallHandler) => (entered.push(name), next(call)), { passes });
    const plain = (call: ToolCall): boolean => call.options.timeoutMs === undefined;
    const always = layer("always");
    const [some, other] = [layer("some", plain), layer("other", () => true)];
    await tryOut([always, some, other]).pipeline.run(callWith());
    await tryOut([always, some]).pipeline.run(callWith({ timeoutMs: 1000 }));
    expect(entered).toEqual(["always", "always", "some"]);
    const hears = (interceptors: readonly Interceptor[], options?: CallOptions): boolean =>
      createCallPipeline({ interceptors }).passes(callWith(options));
    expect([hears([]), hears([some, other]), hears([some, other], { timeoutMs: 1000 }), hears([always, some])]).toEqual(
      [true, true, false, false],
    );
  });

  it("ends with call_timeout when one of them never answers, and says that nothing was sent", async () => {
    const { pipeline, clock, handled } = tryOut([pass, hang]);
    const call = failureOf(pipeline.run(callWith({ timeoutMs: 500 })));
    await settle();
    clock.advance(500);
    expect(await call).toMatchObject({
      code: "call_timeout",
      outcome: "not-sent",
      serverId: "s",
      toolName: "t",
      rawMessage: expect.stringContaining("interceptor 2 (hang)"),
    });
    expect([handled.length, clock.pending()]).toEqual([0, 0]);
  });

  it("ends with call_timeout and outcome unknown when one hangs after the handler answered", async () => {
    const { pipeline, clock } = tryOut([hangAfter]);
    const call = failureOf(pipeline.run(callWith({ timeoutMs: 500 })));
    await settle();
    clock.advance(500);
    expect(await call).toMatchObject({
      code: "call_timeout",
      outcome: "unknown",
    });
    expect(clock.pending()).toBe(0);
  });

  it("ends with aborted at once when its caller gives up, whatever an interceptor does", async () => {
    const { pipeline, clock } = tryOut([hang]);
    const abort = new AbortController();
    const call = failureOf(pipeline.run(callWith({ signal: abort.signal })));
    abort.abort(new Error("enough"));
    expect(await call).toMatchObject({
      code: "aborted",
      outcome: "not-sent",
    });
    expect(clock.pending()).toBe(0);
  });

  it("starts no interceptor when it is aborted already", async () => {
    let started = 0;
    const { pipeline, handled } = tryOut([(call, next) => ((started += 1), next(call))]);
    await expect(pipeline.run(callWith({ signal: AbortSignal.abort() }))).rejects.toMatchObject({ code: "aborted" });
    expect([started, handled.length]).toEqual([0, 0]);
  });

  it("goes no further once it is over: an interceptor that wakes up late reaches nothing", async () => {
    let wake = (): void => {};
    const sleepy: Interceptor = async (call, next) => {
      await new Promise<void>((resolve) => (wake = resolve));
      return next(call);
    };
    const { pipeline, clock, handled } = tryOut([sleepy]);
    const call = failureOf(pipeline.run(callWith({ timeoutMs: 500 })));
    await settle();
    clock.advance(500);
    expect(await call).toMatchObject({ code: "call_timeout" });
    wake();
    await settle();
    expect(handled).toEqual([]);
  });

  it("tells its interceptors by their signal that it is over", async () => {
    const seen: AbortSignal[] = [];
    const { pipeline, clock } = tryOut([(call) => (seen.push(call.options.signal as AbortSignal), never)]);
    const call = failureOf(pipeline.run(callWith({ timeoutMs: 500 })));
    clock.advance(500);
    await call;
    expect(seen.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("ends with the given error when the pipeline ends, and waits for the handler unless all are to end", async () => {
    const closed = new HostsideError("over", { code: "closed" });
    const { pipeline, clock } = tryOut([pass], { handler: () => never });
    const waiting = tryOut([hang]);
    const withInterceptor = failureOf(waiting.pipeline.run(callWith()));
    let settled = false;
    const withHandler = failureOf(pipeline.run(callWith()).finally(() => (settled = true)));
    await settle();
    waiting.pipeline.end(closed);
    expect(await withInterceptor).toMatchObject({
      code: "closed",
      outcome: "not-sent",
    });
    pipeline.end(closed);
    await settle();
    expect(settled).toBe(false);
    pipeline.end(closed, true);
    expect(await withHandler).toMatchObject({
      code: "closed",
      outcome: "unknown",
    });
    expect([clock.pending(), waiting.clock.pending()]).toEqual([0, 0]);
  });

  it("hears the handler's last word when its time is up, and waits no more than a second for one that has none", async () => {
    const fail = async (): Promise<never> => {
      await new Promise((resolve) => setImmediate(resolve));
      throw new HostsideError("in the queue", { code: "call_timeout", outcome: "not-sent" });
    };
    const honest = tryOut([pass], { handler: fail });
    const reported = failureOf(honest.pipeline.run(callWith({ timeoutMs: 500 })));
    honest.clock.advance(500);
    expect(await reported).toMatchObject({
      rawMessage: "in the queue",
      outcome: "not-sent",
    });
    const mute = tryOut([pass], { handler: () => never });
    const unreported = failureOf(mute.pipeline.run(callWith({ timeoutMs: 500 })));
    await settle();
    mute.clock.advance(500);
    mute.clock.advance(1000);
    expect(await unreported).toMatchObject({
      code: "call_timeout",
      outcome: "unknown",
    });
    expect([honest.clock.pending(), mute.clock.pending()]).toEqual([0, 0]);
  });

  it("rejects with internal_error when one throws something of its own, with that as the cause", async () => {
    const cause = new TypeError("a defect");
    const careless: Interceptor = () => {
      throw cause;
    };
    await expect(tryOut([careless]).pipeline.run(callWith())).rejects.toMatchObject({
      code: "internal_error",
      outcome: "not-sent",
      serverId: "s",
      toolName: "t",
      cause,
    });
    const late: Interceptor = async (call, next) => {
      await next(call);
      throw cause;
    };
    await expect(tryOut([late]).pipeline.run(callWith())).rejects.toMatchObject({ outcome: "unknown", cause });
  });

  it.each([undefined, null, {}, "done"])("rejects with internal_error when one answers %j", async (answer) => {
    const mute: Interceptor = async () => answer as never;
    await expect(tryOut([mute]).pipeline.run(callWith())).rejects.toMatchObject({
      code: "internal_error",
      rawMessage: expect.stringContaining("interceptor 1 (mute) answered nothing"),
    });
  });

  it("rejects with internal_error when one throws an error of a code that there is not", async () => {
    const careless: Interceptor = async () => {
      throw new HostsideError("no", { code: "refused" as never });
    };
    const error = await failureOf(tryOut([careless]).pipeline.run(callWith()));
    expect(error).toMatchObject({ code: "internal_error", cause: expect.any(TypeError) });
  });

  it.each<[string, (call: ToolCall) => ToolCall]>([
    ["origin", (call) => ({ ...call, origin: { ...origin, serverId: "other" } })],
    ["definition", (call) => ({ ...call, definition: { ...definition } })],
    ["args", (call) => ({ ...call, args: "text" as never })],
    ["call", () => undefined as never],
  ])("cannot be sent elsewhere or as something else: another %s is refused, and reaches nothing", async (_, change) => {
    const { pipeline, handled } = tryOut([(call, next) => next(change(call))]);
    await expect(pipeline.run(callWith())).rejects.toMatchObject({ code: "internal_error", outcome: "not-sent" });
    expect(handled).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["a time that is no number", { timeoutMs: Number.NaN }, "timeoutMs must be a number above 0"],
    ["a signal that cannot abort", { signal: {} }, "signal must be an AbortSignal"],
    ["an option that nothing reads", { timeoutMS: 5 }, 'a call has no option "timeoutMS"'],
  ])("refuses %s from an interceptor and says which, and sends nothing", async (_, options, which) => {
    const { pipeline, handled } = tryOut([(call, next) => next({ ...call, options: { ...call.options, ...options } })]);
    expect(await failureOf(pipeline.run(callWith()))).toMatchObject({
      code: "internal_error",
      outcome: "not-sent",
      rawMessage: expect.stringContaining(`gave next() options that no call may have: ${which}`),
    });
    expect(handled).toEqual([]);
  });

  it.each<[string, Interceptor, string]>([
    ["gives up before its next() has settled", (call, next) => Promise.race([next(call), refuse()]), "call_refused"],
    ["calls next() twice at once", (call, next) => Promise.race([next(call), next(call)]), "internal_error"],
    [
      "throws something of its own meanwhile",
      (call, next) => {
        void next(call);
        throw new Error("late");
      },
      "internal_error",
    ],
  ])("may have run when an interceptor %s", async (_, interceptor, code) => {
    const { pipeline } = tryOut([interceptor], { handler: () => never });
    expect(await failureOf(pipeline.run(callWith()))).toMatchObject({ code, outcome: "unknown", retryable: false });
  });

  it("refuses arguments from an interceptor whose members are not what they say", async () => {
    const { pipeline, handled } = tryOut([(call, next) => next({ ...call, args: new Map() as never })]);
    expect(await failureOf(pipeline.run(callWith()))).toMatchObject({ code: "internal_error", outcome: "not-sent" });
    expect(handled).toEqual([]);
  });

  it("has the origin of the call in its outcome, also when an interceptor answers in another server's name", async () => {
    const forged: Interceptor = async () => ({ ...outcome, origin: { ...origin, serverId: "other" } });
    expect((await tryOut([forged]).pipeline.run(callWith())).origin).toBe(origin);
  });

  it("may be tried again by an interceptor, one try after the other, within one deadline", async () => {
    let tries = 0;
    const retry: Interceptor = async (call, next) => {
      try {
        return await next(call);
      } catch {
        return next(call);
      }
    };
    const handler: CallHandler = async () => {
      tries += 1;
      if (tries === 1) throw new HostsideError("busy", { code: "overloaded" });
      return outcome;
    };
    await expect(tryOut([retry], { handler }).pipeline.run(callWith())).resolves.toBe(outcome);
    const twice: Interceptor = async (call, next) => (await Promise.all([next(call), next(call)]))[0];
    const { pipeline, handled } = tryOut([twice]);
    await expect(pipeline.run(callWith())).rejects.toMatchObject({
      code: "internal_error",
      rawMessage: expect.stringContaining("again before it had settled"),
    });
    expect(handled).toHaveLength(1);
  });

  it("claims no more than it knows after several tries: one may have run though the last was not sent", async () => {
    let tries = 0;
    const handler: CallHandler = async () => {
      tries += 1;
      throw new HostsideError("lost", { code: "unreachable", outcome: tries === 1 ? "unknown" : "not-sent" });
    };
    const retry: Interceptor = async (call, next) => {
      try {
        return await next(call);
      } catch {
        return next(call);
      }
    };
    await expect(tryOut([retry], { handler }).pipeline.run(callWith())).rejects.toMatchObject({ outcome: "unknown" });
    const refuseLate: Interceptor = async (call, next) => {
      await next(call);
      throw new HostsideError("no", { code: "call_refused" });
    };
    await expect(tryOut([refuseLate]).pipeline.run(callWith())).rejects.toMatchObject({
      code: "call_refused",
      outcome: "unknown",
    });
  });

  it("is given up at the handler when an interceptor answers without waiting for it", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const hurried: Interceptor = async (call, next) => {
      void next(call);
      return outcome;
    };
    const handler: CallHandler = ({ options }) => (signals.push(options.signal), never);
    const { pipeline, clock } = tryOut([hurried], { handler });
    await expect(pipeline.run(callWith())).resolves.toBe(outcome);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    expect(clock.pending()).toBe(0);
  });

  it("is ended by its caller also when an interceptor hands on a signal of its own", async () => {
    const own = new AbortController();
    const signals: (AbortSignal | undefined)[] = [];
    const replace: Interceptor = (call, next) => next({ ...call, options: { signal: own.signal } });
    const handler: CallHandler = ({ options: { signal } }) =>
      new Promise((_, reject) => {
        signals.push(signal);
        signal?.addEventListener("abort", () => reject(new HostsideError("gone", { code: "aborted" })));
      });
    const abort = new AbortController();
    const { pipeline } = tryOut([replace], { handler });
    const call = failureOf(pipeline.run(callWith({ signal: abort.signal })));
    await settle();
    abort.abort();
    expect(await call).toMatchObject({ code: "aborted" });
    expect(signals[0]?.aborted).toBe(true);
  });

  it("runs the definition that its interceptors were shown", async () => {
    const { pipeline, handled } = tryOut([pass]);
    await pipeline.run(callWith());
    expect(handled[0]?.options.selected).toBe(definition);
  });

  it("leaves no timer and no listener behind", async () => {
    const { pipeline, clock } = tryOut([pass]);
    const abort = new AbortController();
    const { signal } = abort;
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    await pipeline.run(callWith({ signal }));
    expect([added.mock.calls.length, clock.pending()]).toEqual([removed.mock.calls.length, 0]);
  });
});
