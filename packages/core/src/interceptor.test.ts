import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import {
  applyInterceptors,
  createCallPipeline,
  type CallHandler,
  type Interceptor,
  type ToolCall,
} from "./call-pipeline.ts";
import type { ToolOutcome } from "./tool.ts";
import { isHostsideError, HostsideError } from "./hostside-error.ts";

const origin = { serverId: "s", toolName: "t", qualifiedName: "mcp::s::t" };
const call: ToolCall = {
  origin,
  definition: { name: "mcp_s_t", description: "", inputSchema: {} },
  args: { n: 1 },
  options: {},
};
const outcome: ToolOutcome = { content: [], isError: false, origin, raw: {} };

describe("applyInterceptors()", () => {
  it("has a layer look at the call that cannot tell whether it passes it, and keeps no timer", async () => {
    const clock = useManualClock();
    const boom = (): never => {
      throw new Error("boom");
    };
    const layer: Interceptor = Object.assign((call: ToolCall, next: CallHandler) => next(call), { passes: boom });
    await expect(applyInterceptors([layer], async () => outcome)(call)).resolves.toBe(outcome);
    expect([clock.pending(), createCallPipeline({ interceptors: [layer] }).passes(call)]).toEqual([0, false]);
  });

  it("is the handler itself without interceptors", () => {
    const handler = async (): Promise<ToolOutcome> => outcome;
    expect(applyInterceptors([], handler)).toBe(handler);
  });

  it.each<[string, unknown, unknown]>([
    ["a text for layers", "x", async () => outcome],
    ["a layer that is none", [{}], async () => outcome],
    ["a Set of layers", new Set(), async () => outcome],
    ["no handler", [], undefined],
  ])("throws a TypeError for %s", (_, interceptors, handler) => {
    const apply = (): unknown => applyInterceptors(interceptors as never, handler as never);
    expect(apply).toThrow(TypeError);
    expect(apply).toThrow(/^applyInterceptors\(\): (interceptors must be an array of|the handler must be a) function/);
  });

  it("goes in from the first to the last and out the other way round", async () => {
    const steps: string[] = [];
    const record =
      (name: string): Interceptor =>
      async (call, next) => {
        steps.push(`${name} in`);
        const result = await next(call);
        steps.push(`${name} out`);
        return result;
      };
    const handle = applyInterceptors([record("outer"), record("inner")], async () => {
      steps.push("handler");
      return outcome;
    });
    await expect(handle(call)).resolves.toBe(outcome);
    expect(steps).toEqual(["outer in", "inner in", "handler", "inner out", "outer out"]);
  });

  it("lets an interceptor change the call for those behind it", async () => {
    const seen: unknown[] = [];
    const handle = applyInterceptors(
      [(call, next) => next({ ...call, args: { n: 2 } })],
      async ({ args }) => (seen.push(args), outcome),
    );
    await handle(call);
    expect(seen).toEqual([{ n: 2 }]);
    expect(call.args).toEqual({ n: 1 });
  });

  it("starts nothing behind an interceptor that refuses or answers itself", async () => {
    const reached: string[] = [];
    const handler = async (): Promise<ToolOutcome> => (reached.push("handler"), outcome);
    const answered = { ...outcome, isError: true };
    await expect(applyInterceptors([async () => answered], handler)(call)).resolves.toBe(answered);
    const refuse = async (): Promise<ToolOutcome> => {
      throw new Error("refused");
    };
    const cause = expect.objectContaining({ message: "refused" });
    await expect(applyInterceptors([refuse], handler)(call)).rejects.toMatchObject({ code: "internal_error", cause });
    expect(reached).toEqual([]);
  });

  it("rejects when an interceptor throws instead of returning a promise, so that one outside can catch it", async () => {
    const recover: Interceptor = (call, next) => next(call).catch(() => outcome);
    const careless: Interceptor = () => {
      throw new Error("careless");
    };
    const handler = async (): Promise<ToolOutcome> => outcome;
    const cause = expect.objectContaining({ message: "careless" });
    await expect(applyInterceptors([careless], handler)(call)).rejects.toMatchObject({ cause });
    await expect(applyInterceptors([recover, careless], handler)(call)).resolves.toBe(outcome);
  });

  it("does not let a layer tell those around it that a call was not sent which ran beneath it", async () => {
    const heard: unknown[] = [];
    const listen: Interceptor = async (given, next) => {
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        await next(given).catch((error: unknown) => heard.push(isHostsideError(error) && error.outcome));
      }
      return outcome;
    };
    const claims: boolean[] = [true, false];
    const claim: Interceptor = async (given, next) => {
      if (claims.shift() === true) await next(given);
      throw new HostsideError("no room", { code: "overloaded" });
    };
    await applyInterceptors([listen, claim], async () => outcome)(call);
    // The second time nothing was sent, whatever became of the first.
    expect(heard).toEqual(["unknown", "not-sent"]);
  });

  it("folds once: calls share nothing", async () => {
    let folds = 0;
    const handle = applyInterceptors([(call, next) => ((folds += 1), next(call))], async () => outcome);
    await Promise.all([handle(call), handle(call)]);
    expect(folds).toBe(2);
  });
});
