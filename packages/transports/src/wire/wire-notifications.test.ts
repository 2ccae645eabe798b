import { describe, expect, it } from "vitest";
import { call, lastId, openWire } from "../../test/open-wire.ts";

describe("notifications on the wire", () => {
  it("says what changed when the server does, and that changes may be missed when a stream of notifications was interrupted", () => {
    const { host, changed, updated, notified } = openWire();
    for (const kind of ["tools", "resources", "prompts"])
      host.receive({ jsonrpc: "2.0", method: `notifications/${kind}/list_changed` });
    host.receive({ method: "notifications/resources/updated", params: { uri: "note://a" } });
    expect(changed.mock.calls).toEqual([["tools"], ["resources"], ["prompts"]]);
    expect(updated.mock.calls).toEqual([["note://a"]]);
    host.oninterrupted?.();
    expect([changed.mock.calls.at(-1), changed.mock.calls.length]).toEqual([["tools"], 4]);
    expect(updated.mock.calls).toEqual([["note://a"], ["note://first"]]);
    expect(notified.mock.calls.at(-1)).toEqual([
      { method: "notifications/resources/updated", params: { uri: "note://a" } },
    ]);
  });

  it.each([undefined, {}, { uri: 7 }, { uri: "" }, { uri: "x".repeat(8193) }, "note://a"])(
    "takes no update of a resource whose URI is none: %o",
    (params) => {
      const { host, updated } = openWire();
      host.receive({ method: "notifications/resources/updated", params });
      expect(updated).not.toHaveBeenCalled();
    },
  );

  it("joins updates of a flood into one for each resource, and into one for all where there are too many", () => {
    const { host, updated, changed, clock } = openWire({}, { maxNotificationsPerSecond: 2 });
    const update = (uri: string): void => host.receive({ method: "notifications/resources/updated", params: { uri } });
    for (let time = 0; time < 1000; time += 1) for (const uri of ["note://a", "note://b"]) update(uri);
    host.receive({ method: "notifications/prompts/list_changed" });
    expect(updated).toHaveBeenCalledTimes(2);
    clock.advance(1000);
    expect(updated.mock.calls.slice(2)).toEqual([["note://a"], ["note://b"]]);
    expect(changed.mock.calls).toEqual([["prompts"]]);
    for (let name = 0; name < 10_000; name += 1) update(`note://${name}`);
    clock.advance(1000);
    expect(updated.mock.calls.slice(6)).toEqual([["note://first"]]);
  });

  it("joins change notifications of a flood into one at the end of the second, drops the others, and says so once", () => {
    const { host, changed, clock, diagnostics, log } = openWire({}, { maxNotificationsPerSecond: 3 });
    for (let count = 0; count < 10_000; count += 1) {
      host.receive({ method: "notifications/tools/list_changed" });
      host.receive({ method: "notifications/message", params: { level: "info", data: "spam" } });
    }
    expect([changed.mock.calls.length, log.mock.calls.length]).toEqual([2, 1]);
    clock.advance(1000);
    expect(changed).toHaveBeenCalledTimes(3);
    expect(diagnostics.map(({ kind }) => kind)).toEqual(["notification-flood"]);
    host.receive({ method: "notifications/tools/list_changed" });
    expect(changed).toHaveBeenCalledTimes(4);
    expect(clock.pending()).toBe(0);
  });

  it("maps log messages to the levels of RFC 5424, cleaned and bounded", () => {
    const { host, log } = openWire();
    const send = (params: unknown): void => host.receive({ method: "notifications/message", params });
    send({ level: "warning", logger: "db", data: "slow\u001B[2J" });
    send({ level: "loud", data: { a: 1 } });
    send(undefined);
    expect(log.mock.calls.map(([entry]) => entry)).toEqual([
      { source: "notification", level: "warning", text: "db: slow" },
      { source: "notification", level: "info", text: '{"a":1}' },
      { source: "notification", level: "info", text: "" },
    ]);
  });

  it("counts the progress of a call as its sign of life, whatever flood it comes in", async () => {
    const { wire, host, clock } = openWire({}, { maxNotificationsPerSecond: 5 });
    const calling = wire.request(call({ timeoutMs: 60_000, idleMs: 300 }));
    const progressToken = lastId(host);
    for (let step = 0; step < 100; step += 1) {
      for (let count = 0; count < 50; count += 1) host.receive({ method: "notifications/message", params: {} });
      host.receive({ method: "notifications/progress", params: { progressToken, progress: step } });
      clock.advance(50);
    }
    host.receive({ jsonrpc: "2.0", id: progressToken, result: {} });
    await expect(calling).resolves.toEqual({});
  });

  it("passes on no more progress than is sensible, and the latest in any case", async () => {
    const { wire, host, clock, diagnostics } = openWire({}, { maxNotificationsPerSecond: 5 });
    const seen: number[] = [];
    const onProgress = ({ progress }: { readonly progress: number }): void => void seen.push(progress);
    const calling = wire.request(call({ timeoutMs: 60_000, onProgress }));
    const progressToken = lastId(host);
    const report = (progress: number): void =>
      host.receive({ method: "notifications/progress", params: { progressToken, progress } });
    for (let step = 1; step <= 1000; step += 1) report(step);
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    clock.advance(1000);
    expect(seen).toEqual([1, 2, 3, 4, 5, 1000]);
    for (let step = 1001; step <= 2000; step += 1) report(step);
    host.receive({ jsonrpc: "2.0", id: progressToken, result: {} });
    await calling;
    expect(seen.slice(-2)).toEqual([1005, 2000]);
    clock.advance(5000);
    expect([seen.at(-1), clock.pending()]).toEqual([2000, 0]);
    expect(diagnostics).toMatchObject([{ kind: "notification-flood" }, { kind: "notification-flood" }]);
  });

  it("takes progress of nobody's for noise", () => {
    const { host, diagnostics } = openWire({}, { maxNotificationsPerSecond: 5 });
    for (let count = 0; count < 10; count += 1)
      host.receive({ method: "notifications/progress", params: { progressToken: 12345, progress: count } });
    expect(diagnostics).toMatchObject([{ kind: "notification-flood", message: expect.stringContaining("dropped") }]);
  });
});
