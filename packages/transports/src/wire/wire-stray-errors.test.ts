import { describe, expect, it } from "vitest";
import { call, lastId, openWire } from "../../test/open-wire.ts";

type Opened = ReturnType<typeof openWire>;

describe("an error without an id", () => {
  it.each([
    { name: "ends the handshake", notify: ({ wire }: Opened) => wire.notify("notifications/initialized", undefined) },
    { name: "the caller sent", notify: ({ wire }: Opened) => wire.notify("notifications/x", {}) },
    {
      name: "was not sent when a handshake's request was given up",
      async notify({ wire, clock }: Opened) {
        const probe = wire.request(call({ timeoutMs: 100, isCancellable: false }));
        clock.advance(100);
        await expect(probe).rejects.toMatchObject({ code: "call_timeout" });
      },
    },
    {
      name: "cancels another request",
      async notify({ wire }: Opened) {
        const aborted = wire.request(call({ signal: AbortSignal.timeout(0) }));
        await expect(aborted).rejects.toMatchObject({ code: "aborted" });
      },
    },
  ])("is not the answer to a request when a notification may have provoked it: one that $name", async ({ notify }) => {
    const opened = openWire();
    const { wire, host, diagnostics } = opened;
    await notify(opened);
    const request = wire.request(call());
    const unknownMethod = { jsonrpc: "2.0", id: null, error: { code: -32_601, message: "Method not found" } };
    host.receive(unknownMethod);
    expect(diagnostics).toMatchObject([{ kind: "protocol-anomaly" }]);
    host.receive({ id: lastId(host), result: { ok: true } });
    await expect(request).resolves.toEqual({ ok: true });
    // By then the server is past the notification, so that such an error can only mean what was
    // asked since.
    const next = wire.request(call());
    host.receive(unknownMethod);
    await expect(next).rejects.toMatchObject({ code: "server_error", details: { rpcCode: -32_601 } });
  });
});
