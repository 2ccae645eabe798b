import { HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { call, lastId, openWire } from "../../test/open-wire.ts";

describe("requests that wait for an answer", () => {
  it("get the one of their whole id, while one of them waits for long", async () => {
    const { wire, host } = openWire();
    const answer = (id: unknown, text: string): void => host.receive({ jsonrpc: "2.0", id, result: { text } });
    const longest = wire.request(call());
    const longestId = lastId(host);
    const ids = new Set<unknown>([longestId]);
    for (let round = 0; round < 40; round += 1) {
      const width = 1 + (round % 7);
      const started = Array.from({ length: width }, () => ({ result: wire.request(call()), id: lastId(host) }));
      for (const id of ids) if (id !== longestId) answer(id, "late");
      for (const { id } of started.toReversed()) answer(id, `of ${String(id)}`);
      const results = await Promise.all(started.map(({ result }) => result));
      expect(results).toEqual(started.map(({ id }) => ({ text: `of ${String(id)}` })));
      for (const { id } of started) expect(ids.has(id)).toBe(false);
      for (const { id } of started) ids.add(id);
    }
    answer(longestId, "at last");
    await expect(longest).resolves.toEqual({ text: "at last" });
  });

  it("are taken back in the order in which they were sent", async () => {
    const { wire, host } = openWire();
    const started = Array.from({ length: 9 }, () => ({ result: wire.request(call()), id: lastId(host) }));
    const outcomes = Promise.allSettled(started.map(({ result }) => result));
    await wire.close(new HostsideError("closed", { code: "closed" }), "closed");
    expect((await outcomes).map(({ status }) => status)).toEqual(started.map(() => "rejected"));
    const cancelled = host.sent.flatMap(({ message: { method, params } }) =>
      method === "notifications/cancelled" ? [(params as { requestId: unknown }).requestId] : [],
    );
    expect(cancelled).toEqual(started.map(({ id }) => id));
  });
});
