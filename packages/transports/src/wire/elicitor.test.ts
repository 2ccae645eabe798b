import type { Diagnostic, ElicitationRequest, ElicitationResult } from "@hostside/core";
import { describe, expect, it, vi } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { createElicitor } from "./elicitor.ts";
import { createServerContext } from "../../test/server-context.ts";

type Answer = (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;

describe("an elicitation", () => {
  it("hands the human a clean message and the wire's own parameters", async () => {
    const onElicit = vi.fn<Answer>(async () => ({ action: "decline" }));
    const params = { message: "Sure?\u001B[31m", requestedSchema: { type: "object", properties: {} } };
    await expect(open(onElicit).ask(params)).resolves.toEqual({ action: "decline" });
    expect(onElicit.mock.calls[0]?.[0]).toEqual({ serverId: "srv", mode: "form", message: "Sure?", params });
    expect(onElicit.mock.calls[0]?.[0].params).toBe(params);
  });

  it("fills the schema's defaults into an accepted form (SEP-1034)", async () => {
    const properties = {
      name: { type: "string", default: "Ada" },
      age: { type: "integer", default: 36 },
      score: { type: "number", default: 0 },
      color: { type: "string", enum: ["red"], default: "red" },
      sure: { type: "boolean", default: false },
      open: { type: "string" },
    };
    const { ask } = open(async () => ({ action: "accept", content: { age: 40 } }));
    await expect(ask({ message: "?", requestedSchema: { type: "object", properties } })).resolves.toEqual({
      action: "accept",
      content: { name: "Ada", age: 40, score: 0, color: "red", sure: false },
    });
  });

  it("sends no content for a page that was opened, or for a refusal", async () => {
    const accept = open(async () => ({ action: "accept", content: { a: 1 } }));
    await expect(accept.ask({ mode: "url", url: "https://x.test" })).resolves.toEqual({ action: "accept" });
    const cancel = open(async () => ({ action: "cancel", content: { a: 1 } }));
    await expect(cancel.ask({ message: "?" })).resolves.toEqual({ action: "cancel" });
  });

  it("is cancelled when nobody answers in time, and the deadlines of calls run on", async () => {
    const { ask, clock, diagnostics, running } = open(() => new Promise(() => undefined));
    const answer = ask({ message: "?" });
    expect(running()).toBe(false);
    clock.advance(1000);
    await expect(answer).resolves.toEqual({ action: "cancel" });
    expect(running()).toBe(true);
    expect(diagnostics[0]?.message).toContain("nobody answered in time");
    expect(clock.pending()).toBe(0);
  });

  it("is cancelled when the handler fails, and the server does not learn how", async () => {
    const { ask, diagnostics } = open(async () => {
      throw new Error("database password is wrong");
    });
    await expect(ask({ message: "?" })).resolves.toEqual({ action: "cancel" });
    expect(diagnostics[0]?.message).toContain("database password");
  });

  it("is cancelled when its call is aborted, and so is the handler", async () => {
    const controller = new AbortController();
    let handed: AbortSignal | undefined;
    const { ask, clock } = open((_request, signal) => {
      handed = signal;
      return new Promise(() => undefined);
    });
    const answer = ask({ message: "?" }, controller.signal);
    controller.abort();
    await expect(answer).resolves.toEqual({ action: "cancel" });
    expect(handed?.aborted).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  it("has as much time as its call has, where that is less", async () => {
    const { elicitor, clock } = open(() => new Promise(() => undefined));
    const answer = elicitor.ask({ message: "?" }, { signal: new AbortController().signal, withinMs: 300 });
    clock.advance(300);
    await expect(answer).resolves.toEqual({ action: "cancel" });
    expect(clock.pending()).toBe(0);
  });
});

describe("a question too many", () => {
  const { signal } = new AbortController();

  it("of one call is cancelled, told once, and reaches nobody", async () => {
    const onElicit = vi.fn<Answer>(async () => ({ action: "decline" }));
    const { elicitor, diagnostics } = open(onElicit);
    const tally = { asked: 0 };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => elicitor.ask({ message: "?" }, { signal, tally })),
    );
    expect(answers.map(({ action }) => action)).toEqual([...Array(3).fill("decline"), ...Array(7).fill("cancel")]);
    expect(onElicit).toHaveBeenCalledTimes(3);
    expect(diagnostics).toMatchObject([
      { kind: "elicitation-refused", serverId: "srv", message: expect.stringContaining("more than 3 questions") },
    ]);
    await expect(elicitor.ask({ message: "?" }, { signal, tally: { asked: 0 } })).resolves.toEqual({
      action: "decline",
    });
  });

  it("in a minute is cancelled, whatever it belongs to; in the next minute it is not", async () => {
    const onElicit = vi.fn<Answer>(async () => ({ action: "decline" }));
    const { ask, clock, diagnostics } = open(onElicit);
    for (let n = 0; n < 100; n += 1) await ask({ message: "?" });
    expect([onElicit.mock.calls.length, diagnostics.length]).toEqual([5, 1]);
    clock.advance(60_000);
    for (let n = 0; n < 100; n += 1) await ask({ message: "?" });
    expect([onElicit.mock.calls.length, diagnostics.length]).toEqual([10, 2]);
  });

  it("that nobody needs any more reaches nobody", async () => {
    const onElicit = vi.fn<Answer>();
    await expect(open(onElicit).ask({ message: "?" }, AbortSignal.abort())).resolves.toEqual({ action: "cancel" });
    expect(onElicit).not.toHaveBeenCalled();
  });
});

const limited = {
  timeouts: { elicitMs: 1000 },
  limits: { maxElicitationsPerCall: 3, maxElicitationsPerMinute: 5 },
};

function open(onElicit: Answer) {
  const clock = useManualClock();
  const diagnostics: Diagnostic[] = [];
  const context = createServerContext({ onDiagnostic: (each) => diagnostics.push(each) }, limited);
  const elicitor = createElicitor(context, onElicit);
  return {
    ask: (params: Parameters<typeof elicitor.ask>[0], signal = new AbortController().signal) =>
      elicitor.ask(params, { signal }),
    elicitor,
    clock,
    diagnostics,
    running: () => !context.pauses.isPaused(undefined),
  };
}
