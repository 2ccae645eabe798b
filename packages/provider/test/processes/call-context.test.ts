import type { CallContext, RequestInterceptor } from "@hostside/core";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { startSubject, transportRows } from "./transport-rows.ts";

const slow = { timeout: 60_000 };
const context: CallContext = {
  principal: "only-for-the-host-1",
  role: "only-for-the-host-2",
  conversation: "only-for-the-host-3",
  correlationId: "only-for-the-host-4",
  causationId: "only-for-the-host-5",
  idempotencyKey: "only-for-the-host-6",
  approval: "only-for-the-host-7",
};

describe.each(transportRows)("the context of a call over $name", (row) => {
  it("reaches the host's layers, and no server, which gets `meta` alone", slow, async () => {
    await using subject = await startSubject(row);
    const seen: unknown[] = [];
    const audit: RequestInterceptor = (request, next) => {
      seen.push(request.options.context);
      return next(request);
    };
    await using provider = createProvider({
      connector: createConnector(),
      servers: [subject.spec()],
      requestInterceptors: [audit],
    });
    await provider.init();
    await provider.call("mcp_s_echo", { text: "hello" }, { context, meta: { "example.com/for": "the-server" } });
    const connection = await provider.connection("s");
    await connection.request("tools/list", {}, { context });
    expect(seen).toEqual([context]);
    const received = JSON.stringify(subject.control.trace());
    expect(received).toContain("the-server");
    expect(received).not.toContain("only-for-the-host");
  });
});
