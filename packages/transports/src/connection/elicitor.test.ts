import type { Diagnostic, ElicitationRequest, ElicitationResult } from "@toolport/core";
import { describe, expect, it, vi } from "vitest";
import { createManualClock } from "../../test/manual-clock.ts";
import { createElicitor } from "./elicitor.ts";

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
});

function open(onElicit: Answer) {
  const clock = createManualClock();
  const diagnostics: Diagnostic[] = [];
  let pauses = 0;
  const elicitor = createElicitor({
    serverId: "srv",
    onElicit,
    onDiagnostic: (each) => diagnostics.push(each),
    timeoutMs: 1000,
    clock,
    pause() {
      pauses += 1;
      return () => (pauses -= 1);
    },
  });
  return {
    ask: (params: Parameters<typeof elicitor.ask>[0], signal = new AbortController().signal) =>
      elicitor.ask(params, signal),
    clock,
    diagnostics,
    running: () => pauses === 0,
  };
}
