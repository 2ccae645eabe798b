import {
  HostsideError,
  type CallHandler,
  type CallOptions,
  type Interceptor,
  type ToolCall,
  type ToolOutcome,
} from "@hostside/core";
import { createCallPipeline, createDeadline } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { useManualClock, type ManualClock } from "../../../test/manual-clock.ts";

const origin = { serverId: "s", toolName: "t", qualifiedName: "mcp::s::t" };
const definition = { name: "mcp_s_t", description: "", inputSchema: {} };
const outcome: ToolOutcome = { content: [], isError: false, origin, raw: {} };
const never = new Promise<never>(() => {});

function callWith(options: CallOptions = {}): ToolCall {
  return { origin, definition, args: {}, options };
}

interface Trial {
  readonly pipeline: { readonly run: CallHandler; readonly end: ReturnType<typeof createCallPipeline>["end"] };
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

describe("the time of a call with interceptors", () => {
  it("stands still while one of them asks a human, but not for ever", async () => {
    const answers: (() => void)[] = [];
    const ask: Interceptor = async (call, next) => {
      const resume = call.options.deadline?.pause();
      await new Promise<void>((resolve) => answers.push(resolve));
      resume?.();
      return next(call);
    };
    const { pipeline, clock } = tryOut([ask], { mostPausedMsOf: () => 60_000 });
    const approved = pipeline.run(callWith({ timeoutMs: 500 }));
    await settle();
    clock.advance(59_999);
    answers[0]?.();
    expect(await approved).toBe(outcome);
    const ignored = failureOf(pipeline.run(callWith({ timeoutMs: 500 })));
    await settle();
    clock.advance(60_000);
    clock.advance(500);
    expect(await ignored).toMatchObject({ code: "call_timeout", outcome: "not-sent" });
    expect(clock.pending()).toBe(0);
  });

  it("is a part of the deadline that its caller gives: no longer than that, and the one stops with the other", async () => {
    const { pipeline, handled } = tryOut([pass]);
    const whole = createDeadline({ timeoutMs: 300, onTimeout: () => "late" });
    await pipeline.run(callWith({ timeoutMs: 5000, deadline: whole }));
    const given = handled[0]?.options.deadline;
    expect(given?.remainingMs()).toBe(300);
  });

  it("ends with the deadline that its caller gives", async () => {
    const { pipeline, clock } = tryOut([hang]);
    const whole = createDeadline({ timeoutMs: 300, onTimeout: () => "late" });
    const call = failureOf(pipeline.run(callWith({ timeoutMs: 5000, deadline: whole })));
    clock.advance(300);
    expect(await call).toMatchObject({ code: "call_timeout" });
    expect(clock.pending()).toBe(0);
  });

  it("has a second for its layers when the pipeline ends while it is with the handler", async () => {
    let answer = (): void => {};
    const handler: CallHandler = () => new Promise((resolve) => (answer = () => resolve(outcome)));
    const { pipeline, clock } = tryOut([hangAfter], { handler });
    const call = failureOf(pipeline.run(callWith()));
    await settle();
    pipeline.end(new HostsideError("over", { code: "closed" }));
    answer();
    await settle();
    clock.advance(1000);
    expect(await call).toMatchObject({ code: "closed", outcome: "unknown" });
    expect(clock.pending()).toBe(0);
  });
});
