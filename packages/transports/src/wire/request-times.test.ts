import { HostsideError } from "@hostside/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, lastId, openWire } from "../../test/open-wire.ts";

const answer = (host: ReturnType<typeof openWire>["host"], id = lastId(host)): void =>
  host.receive({ jsonrpc: "2.0", id, result: {} });

describe("the times of requests", () => {
  it("are kept by one timer, and each request is given up in its own time", async () => {
    const { wire, host, clock } = openWire();
    const codes: string[] = [];
    for (const timeoutMs of [300, 100, 200]) {
      wire.request(call({ timeoutMs })).catch((error: { code: string }) => codes.push(`${timeoutMs} ${error.code}`));
    }
    expect(clock.pending()).toBe(1);
    clock.advance(99);
    const late = wire
      .request(call({ timeoutMs: 50 }))
      .catch((error: { code: string }) => codes.push(`50 ${error.code}`));
    clock.advance(1);
    await vi.waitFor(() => expect(codes).toEqual(["100 call_timeout"]), 60_000);
    clock.advance(49);
    await late;
    clock.advance(200);
    await vi.waitFor(
      () => expect(codes).toEqual(["100 call_timeout", "50 call_timeout", "200 call_timeout", "300 call_timeout"]),
      60_000,
    );
    expect(clock.pending()).toBe(0);
    expect(host.sent.filter(({ message }) => message["method"] === "notifications/cancelled")).toHaveLength(4);
  });

  it("last as long for a request that follows one which was answered", async () => {
    const { wire, host, clock } = openWire();
    const first = wire.request(call({ timeoutMs: 100 }));
    clock.advance(60);
    answer(host);
    await first;
    const second = wire.request(call({ timeoutMs: 100 }));
    const outcome = second.catch((error: { code: string }) => error.code);
    clock.advance(99);
    answer(host);
    expect(await outcome).toEqual({});
    const third = wire.request(call({ timeoutMs: 100 })).catch((error: { code: string }) => error.code);
    clock.advance(100);
    expect(await third).toBe("call_timeout");
  });
});

describe("the times of requests, on the real time", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("cost one timer however many requests come one after another, and none once the wire is closed", async () => {
    const { wire, host } = openWire({}, { isRealTime: true });
    for (let index = 0; index < 50; index += 1) {
      const request = wire.request(call({ timeoutMs: 1000 }));
      answer(host);
      await request;
      expect(vi.getTimerCount()).toBe(1);
    }
    await wire.close(new HostsideError("closed", { code: "closed" }), "done");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are over when the timer that was set for an earlier request has run out, and not before", async () => {
    const { wire, host } = openWire({}, { isRealTime: true });
    const first = wire.request(call({ timeoutMs: 1000 }));
    answer(host);
    await first;
    vi.advanceTimersByTime(500);
    const second = wire.request(call({ timeoutMs: 1000 })).catch((error: { code: string }) => error.code);
    vi.advanceTimersByTime(999);
    answer(host);
    expect(await second).toEqual({});
    const third = wire.request(call({ timeoutMs: 1000 })).catch((error: { code: string }) => error.code);
    vi.advanceTimersByTime(1000);
    expect(await third).toBe("call_timeout");
  });
});
