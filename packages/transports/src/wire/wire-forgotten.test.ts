import { HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { call, lastId, openWire } from "../../test/open-wire.ts";

describe("a wire whose server speaks another revision now", () => {
  it.each([-32_022, -32_021])(
    "goes down when an answer says that it speaks another revision now (%d)",
    async (code) => {
      const { wire, host, down } = openWire();
      const request = wire.request(call());
      host.receive({ id: lastId(host), error: { code, message: "no", data: { supported: ["2026-07-28"] } } });
      await expect(request).rejects.toMatchObject({ code: "unsupported_protocol", outcome: "failed" });
      await Promise.resolve();
      expect(down).toHaveBeenCalledTimes(1);
      await expect(wire.request(call())).rejects.toMatchObject({ code: "unsupported_protocol", outcome: "not-sent" });
    },
  );

  it("reads the same from an HTTP refusal that has it in its body", async () => {
    const { wire, host } = openWire({ hasPerRequestStream: true });
    const refusal = { code: "http_error", outcome: "failed", details: { httpStatus: 400, rpcCode: -32_020 } } as const;
    const request = wire.request(call());
    host.onrequestfailed?.(Number(lastId(host)), new HostsideError("no", refusal));
    await expect(request).rejects.toMatchObject({ code: "unsupported_protocol", outcome: "failed" });
  });

  it("leaves what a handshake meets to the handshake", async () => {
    const { wire, host, down } = openWire();
    const request = wire.request({ ...call(), method: "server/discover" });
    host.receive({ id: lastId(host), error: { code: -32_022, message: "no", data: { supported: [] } } });
    await expect(request).rejects.toMatchObject({ code: "unsupported_protocol" });
    await Promise.resolve();
    expect(down).not.toHaveBeenCalled();
  });
});

describe("the end of a wire", () => {
  it("tells the server why in one line", async () => {
    const { wire, host } = openWire();
    const request = wire.request(call({}));
    await wire.close(new HostsideError("closed", { code: "closed" }), "bye\r\n now\n\u2028then");
    await expect(request).rejects.toMatchObject({ code: "closed" });
    expect(host.sent.at(-1)?.message).toMatchObject({ params: { reason: "bye now then" } });
  });
});
