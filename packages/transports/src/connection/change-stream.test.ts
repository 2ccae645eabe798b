import { HostsideError, type Diagnostic } from "@hostside/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { ChangeStream, type ChangeFilter, type ChangeStreamInit, type OpenedStream } from "./change-stream.ts";
import { createServerContext } from "../../test/server-context.ts";

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(1));
afterEach(() => vi.restoreAllMocks());

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
    await vi.waitFor(() => expect(onGap).toHaveBeenCalledOnce(), 60_000);
  });

  it.each(["graceful", "remote"] as const)(
    "is opened again after a %s end, with a gap before and after",
    async (end) => {
      const { accept, onGap, clock, diagnostics, listens } = open();
      const first = await accept();
      first.end(end);
      await vi.waitFor(() => expect(onGap).toHaveBeenCalledTimes(1), 60_000);
      expect(diagnostics.map(({ kind }) => kind)).toEqual(["stream-lost"]);
      await vi.waitFor(() => expect(clock.pending()).toBe(1), 60_000);
      clock.advance(500);
      await vi.waitFor(() => expect(listens()).toBe(2), 60_000);
      await accept();
      await vi.waitFor(() => expect(onGap).toHaveBeenCalledTimes(2), 60_000);
    },
  );

  it("waits longer from loss to loss, up to half a minute, and tells of one gap once", async () => {
    const { refuse, clock, onGap, diagnostics, listens } = open();
    const waits: number[] = [];
    for (let round = 1; round <= 9; round += 1) {
      await refuse(new Error("no"));
      await vi.waitFor(() => expect(clock.pending()).toBeGreaterThan(0), 60_000);
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
    await refuse(refusal(-32_601, "Method not found"));
    await stream.ready;
    await vi.waitFor(() => expect(diagnostics[0]?.message).toContain("offers no stream"), 60_000);
    expect([clock.pending(), onGap.mock.calls.length]).toEqual([0, 0]);
  });

  it("ends when it is closed, whether open, being opened, or waiting", async () => {
    const opened = open();
    const { signal } = await opened.accept();
    opened.stream.close();
    expect(signal.aborted).toBe(true);

    const waiting = open();
    await waiting.refuse(new Error("no"));
    await vi.waitFor(() => expect(waiting.clock.pending()).toBe(1), 60_000);
    waiting.stream.close();
    await vi.waitFor(() => expect(waiting.clock.pending()).toBe(0), 60_000);
    expect(waiting.listens()).toBe(1);
  });
});

describe("a change stream with resources", () => {
  it("is opened by the first resource, left after the last, and costs nothing in between", async () => {
    const { stream, accept, filters, clock } = open({ lists: {} });
    await stream.ready;
    expect([filters(), clock.pending()]).toEqual([[], 0]);
    const adding = stream.addResource("note://a");
    const first = await accept();
    await adding;
    stream.removeResource("note://a");
    await vi.waitFor(() => expect(first.signal.aborted).toBe(true), 60_000);
    expect([filters(), clock.pending()]).toEqual([[{ resourceSubscriptions: ["note://a"] }], 0]);
  });

  it("asks for all that is wanted at once, and leaves the stream before only when there is another", async () => {
    const { stream, accept, filters, onGap } = open();
    const first = await accept();
    await stream.ready;
    const adding = Promise.all(["note://a", "note://b", "note://c"].map((uri) => stream.addResource(uri)));
    await vi.waitFor(() => expect(filters()).toHaveLength(2), 60_000);
    expect(first.signal.aborted).toBe(false);
    // What comes meanwhile is asked for next.
    const late = stream.addResource("note://d");
    await accept();
    await adding;
    expect(first.signal.aborted).toBe(true);
    await accept();
    await late;
    expect(filters().map(({ resourceSubscriptions }) => resourceSubscriptions)).toEqual([
      undefined,
      ["note://a", "note://b", "note://c"],
      ["note://a", "note://b", "note://c", "note://d"],
    ]);
    expect(onGap).not.toHaveBeenCalled();
  });

  it("wants a resource that the server did not agree to no longer", async () => {
    const { stream, accept } = open();
    await accept();
    const adding = [stream.addResource("note://a"), stream.addResource("note://b")];
    await accept({ toolsListChanged: true, resourceSubscriptions: ["note://b"] });
    await expect(adding[0]).rejects.toMatchObject({ code: "unsupported_operation", serverId: "srv" });
    await adding[1];
  });

  it("keeps the stream that there is when the server refuses a resource, and finds out which one it is", async () => {
    const { stream, accept, refuse, filters, onGap } = open();
    const first = await accept();
    const adding = ["note://a", "note://bad", "note://c"].map((uri) => stream.addResource(uri));
    for (const each of adding) each.catch(() => undefined);
    const refused = refusal(-32_602, "no such resource");
    await refuse(refused);
    await accept();
    await adding[0];
    await refuse(refused);
    await expect(adding[1]).rejects.toMatchObject({ code: "server_error", details: { rpcCode: -32_602 } });
    await accept();
    await adding[2];
    expect(filters().at(-1)).toEqual({ toolsListChanged: true, resourceSubscriptions: ["note://a", "note://c"] });
    expect([onGap.mock.calls.length, first.signal.aborted]).toEqual([0, true]);
  });

  it("does without its resources rather than without everything when the server refuses them later", async () => {
    const { stream, accept, refuse, filters, clock, diagnostics, onGap } = open();
    await accept();
    const adding = stream.addResource("note://a");
    const { end } = await accept();
    await adding;
    end("remote");
    await vi.waitFor(() => expect(clock.pending()).toBe(1), 60_000);
    clock.advance(500);
    await refuse(refusal(-32_602, "no such resource"));
    await vi.waitFor(() => expect(clock.pending()).toBe(1), 60_000);
    clock.advance(1000);
    await accept();
    await vi.waitFor(() => expect(diagnostics).toHaveLength(2), 60_000);
    expect(filters().at(-1)).toEqual({ toolsListChanged: true });
    expect(diagnostics[1]?.message).toContain("1 resources");
    expect(onGap).toHaveBeenCalledTimes(2);
    // With the next change it is asked for again.
    void stream.addResource("note://b");
    await accept();
    expect(filters().at(-1)?.resourceSubscriptions).toEqual(["note://a", "note://b"]);
  });

  it("rejects what waits when it is closed, and whatever comes then", async () => {
    const { stream, accept } = open();
    await accept();
    const adding = stream.addResource("note://a");
    stream.close();
    await expect(adding).rejects.toMatchObject({ code: "closed" });
    await expect(stream.addResource("note://b")).rejects.toMatchObject({ code: "closed" });
  });

  it("has none when the server knows no streams", async () => {
    const { stream, refuse, clock } = open({ lists: {} });
    const adding = stream.addResource("note://a");
    adding.catch(() => undefined);
    await refuse(refusal(-32_601, "Method not found"));
    await expect(adding).rejects.toMatchObject({ code: "unsupported_operation" });
    await expect(stream.addResource("note://a")).rejects.toMatchObject({ code: "unsupported_operation" });
    expect(clock.pending()).toBe(0);
  });
});

function open(members: Partial<ChangeStreamInit> = {}) {
  const clock = useManualClock();
  const onGap = vi.fn<() => void>();
  const diagnostics: Diagnostic[] = [];
  const listening: { settle: PromiseWithResolvers; signal: AbortSignal }[] = [];
  const filters: ChangeFilter[] = [];
  const stream = new ChangeStream({
    listen: (filter, signal) => {
      filters.push(filter);
      const settle = withResolvers();
      listening.push({ settle, signal });
      return settle.promise;
    },
    context: createServerContext({ onDiagnostic: (each) => diagnostics.push(each) }),
    lists: { toolsListChanged: true },
    onGap,
    ...members,
  });
  const next = async () => {
    await vi.waitFor(() => expect(listening).not.toHaveLength(0), 60_000);
    const each = listening.shift();
    if (each === undefined) throw new Error("nobody listens");
    return each;
  };
  return {
    stream,
    clock,
    onGap,
    diagnostics,
    filters: () => filters,
    listens: () => filters.length,
    accept: async (honoredFilter?: unknown) => {
      const { settle, signal } = await next();
      let end: (how: End) => void = () => undefined;
      settle.resolve({ closed: new Promise<End>((resolve) => (end = resolve)), honoredFilter });
      await Promise.resolve();
      return { end: (how: End) => end(how), signal };
    },
    refuse: async (error: Error) => (await next()).settle.reject(error),
  };
}

interface PromiseWithResolvers {
  readonly promise: Promise<OpenedStream>;
  readonly resolve: (value: OpenedStream) => void;
  readonly reject: (error: Error) => void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve: PromiseWithResolvers["resolve"] = () => undefined;
  let reject: PromiseWithResolvers["reject"] = () => undefined;
  const promise = new Promise<OpenedStream>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

function refusal(rpcCode: number, message: string): HostsideError {
  return new HostsideError(message, { code: "server_error", details: { rpcCode } });
}
