import { describe, expect, it } from "vitest";
import { openWire } from "../../test/open-wire.ts";

describe("notifications on the wire", () => {
  it("says that tools changed when the server does, or when a stream of notifications was interrupted", () => {
    const { host, changed } = openWire();
    host.receive({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    host.oninterrupted?.();
    host.receive({ jsonrpc: "2.0", method: "notifications/prompts/list_changed" });
    expect(changed).toHaveBeenCalledTimes(2);
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

  it("maps log messages to the levels of RFC 5424, cleaned and bounded (NX-15)", () => {
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
});
