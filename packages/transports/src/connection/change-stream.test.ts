import { ProtocolError } from "@modelcontextprotocol/client";
import type { Diagnostic } from "@toolport/core";
import { describe, expect, it, vi } from "vitest";
import { createManualClock } from "../../test/manual-clock.ts";
import { openChangeStream } from "./change-stream.ts";

type End = "local" | "graceful" | "remote";

describe("a change stream", () => {
  it("is ready when the server opened it, without a gap", async () => {
    const { stream, accept, onGap, clock } = open();
    await accept();
    await stream.ready;
    expect(onGap).not.toHaveBeenCalled();
    expect(clock.pending()).toBe(0);
  });

  it("is not waited for longer than a second; opening later counts as a gap", async () => {
    const { stream, accept, onGap, clock } = open();
    clock.advance(1000);
    await stream.ready;
    expect(onGap).not.toHaveBeenCalled();
    await accept();
    await vi.waitFor(() => expect(onGap).toHaveBeenCalledOnce());
  });

  it.each(["graceful", "remote"] as const)(
    "is opened again after a %s end, with a gap before and after",
    async (end) => {
      const { accept, onGap, clock, diagnostics, listens } = open();
      const first = await accept();
      first.end(end);
      await vi.waitFor(() => expect(onGap).toHaveBeenCalledTimes(1));
      expect(diagnostics.map(({ kind }) => kind)).toEqual(["stream-lost"]);
      await vi.waitFor(() => expect(clock.pending()).toBe(1));
      clock.advance(500);
      await vi.waitFor(() => expect(listens()).toBe(2));
      await accept();
      await vi.waitFor(() => expect(onGap).toHaveBeenCalledTimes(2));
    },
  );

  it("waits longer from loss to loss, up to half a minute, and tells of one gap once", async () => {
    const { refuse, clock, onGap, diagnostics, listens } = open();
    const waits: number[] = [];
    for (let round = 1; round <= 9; round += 1) {
      await refuse(new Error("no"));
      await vi.waitFor(() => expect(clock.pending()).toBeGreaterThan(0));
      const before = clock.now();
      while (listens() === round) {
        clock.advance(250);
        await new Promise((resolve) => setImmediate(resolve));
      }
      waits.push(clock.now() - before);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(onGap).toHaveBeenCalledTimes(1);
    expect(diagnostics).toHaveLength(1);
  });

  it("is given up when the server has none (-32601), and says so", async () => {
    const { stream, refuse, clock, onGap, diagnostics } = open();
    await refuse(new ProtocolError(-32_601, "Method not found"));
    await stream.ready;
    await vi.waitFor(() => expect(diagnostics[0]?.message).toContain("offers no stream"));
    expect([clock.pending(), onGap.mock.calls.length]).toEqual([0, 0]);
  });

  it("ends when it is closed, whether open, being opened, or waiting", async () => {
    const opened = open();
    const { signal } = await opened.accept();
    opened.stream.close();
    expect(signal.aborted).toBe(true);

    const waiting = open();
    await waiting.refuse(new Error("no"));
    await vi.waitFor(() => expect(waiting.clock.pending()).toBe(1));
    waiting.stream.close();
    await vi.waitFor(() => expect(waiting.clock.pending()).toBe(0));
    expect(waiting.listens()).toBe(1);
  });
});

function open() {
  const clock = createManualClock();
  const onGap = vi.fn<() => void>();
  const diagnostics: Diagnostic[] = [];
  const listening: { settle: PromiseWithResolvers; signal: AbortSignal }[] = [];
  let count = 0;
  const stream = openChangeStream({
    client: {
      listen: (_filter, { signal }) => {
        count += 1;
        const settle = withResolvers();
        listening.push({ settle, signal });
        return settle.promise;
      },
    },
    serverId: "srv",
    clock,
    random: () => 1,
    redact: (text) => text,
    openMs: 1000,
    onGap,
    onDiagnostic: (each) => diagnostics.push(each),
  });
  const next = async () => {
    await vi.waitFor(() => expect(listening).not.toHaveLength(0));
    const each = listening.shift();
    if (each === undefined) throw new Error("nobody listens");
    return each;
  };
  return {
    stream,
    clock,
    onGap,
    diagnostics,
    listens: () => count,
    accept: async () => {
      const { settle, signal } = await next();
      let end: (how: End) => void = () => undefined;
      settle.resolve({ closed: new Promise<End>((resolve) => (end = resolve)) });
      await Promise.resolve();
      return { end: (how: End) => end(how), signal };
    },
    refuse: async (error: Error) => (await next()).settle.reject(error),
  };
}

interface PromiseWithResolvers {
  readonly promise: Promise<{ readonly closed: Promise<End> }>;
  readonly resolve: (value: { readonly closed: Promise<End> }) => void;
  readonly reject: (error: Error) => void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve: PromiseWithResolvers["resolve"] = () => undefined;
  let reject: PromiseWithResolvers["reject"] = () => undefined;
  const promise = new Promise<{ readonly closed: Promise<End> }>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
