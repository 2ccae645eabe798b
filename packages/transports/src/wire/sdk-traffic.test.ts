import { Client } from "@modelcontextprotocol/client";
import { ToolportError, type Diagnostic, type JsonObject } from "@toolport/core";
import { describe, expect, it, vi } from "vitest";
import { createFakeHostTransport, type FakeHostTransport } from "../../test/fake-host-transport.ts";
import { createManualClock } from "../../test/manual-clock.ts";
import type { HostTransport } from "../host-transport.ts";
import { createSdkTraffic } from "./sdk-traffic.ts";

describe("what the SDK's client sends", () => {
  it("passes with its id, except that a probe gets a number in place of its name", async () => {
    const { host, sdk } = open();
    await sdk.transport.send({ jsonrpc: "2.0", id: "server-discover-probe-1", method: "server/discover" });
    await sdk.transport.send({ jsonrpc: "2.0", id: 0, method: "initialize" });
    expect(host.sent.map(({ message }) => message["id"])).toEqual([2_000_000_000, 0]);
    expect(sdk.didInitialize).toBe(true);
  });

  it("looks like a single channel to it, unless requests are exchanges of their own", () => {
    expect(open().sdk.transport).toMatchObject({ pid: undefined, stderr: undefined });
    const { transport } = open({ hasPerRequestStream: true }).sdk;
    expect(transport.hasPerRequestStream).toBe(true);
    expect(transport).not.toHaveProperty("pid");
  });
});

describe("what the SDK's client gets", () => {
  it("is the answer to its request, without the members that its strict schemas refuse", async () => {
    const { sdk, received } = open();
    await sdk.transport.send({ jsonrpc: "2.0", id: "server-discover-probe-1", method: "server/discover" });
    expect(sdk.answer(2_000_000_000, { id: 2_000_000_000, result: { ok: true }, error: null, extra: 1 })).toBe(true);
    expect(received).toEqual([{ jsonrpc: "2.0", id: "server-discover-probe-1", result: { ok: true } }]);
    expect(sdk.isProbeAnswered).toBe(true);
    expect(sdk.answer(2_000_000_000, { result: {} })).toBe(false);
  });

  it("is an error at once for an answer that is malformed, with ours inside", async () => {
    const { sdk, received } = open();
    await sdk.transport.send({ jsonrpc: "2.0", id: 0, method: "initialize" });
    sdk.answer(0, { id: 0, result: null });
    expect(received).toMatchObject([
      { id: 0, error: { code: -32_603, data: { code: "handshake_failed", serverId: "srv" } } },
    ]);
    expect(sdk.isProbeAnswered).toBe(false);
  });

  it("is an error for a request whose answer the transport gave up on", async () => {
    const { sdk, received } = open();
    await sdk.transport.send({ jsonrpc: "2.0", id: "listen:0", method: "subscriptions/listen" });
    const error = new ToolportError("cut", { code: "connection_closed" });
    sdk.fail("listen:0", error);
    sdk.fail("listen:0", error);
    expect(received).toEqual([
      { jsonrpc: "2.0", id: "listen:0", error: { code: -32_603, message: "cut", data: error } },
    ]);
  });

  it("is nothing for a request that could not be sent, or that it cancelled", async () => {
    const { host, sdk } = open();
    await sdk.transport.send({ jsonrpc: "2.0", id: 1, method: "x" });
    await sdk.transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(sdk.answer(1, { result: {} })).toBe(false);
    host.failSends(new ToolportError("down", { code: "unreachable" }));
    await expect(sdk.transport.send({ jsonrpc: "2.0", id: 2, method: "x" })).rejects.toMatchObject({
      code: "unreachable",
    });
    expect(sdk.answer(2, { result: {} })).toBe(false);
  });

  it("is at most 32 requests of the server at once; one more is refused (NX-14)", async () => {
    const { host, sdk, received } = open();
    for (let id = 0; id < 33; id += 1) sdk.receiveRequest(id, "ping", { id, method: "ping" });
    expect(received).toHaveLength(32);
    expect(host.sent.map(({ message }) => message)).toMatchObject([{ id: 32, error: { code: -32_603 } }]);
    await sdk.transport.send({ jsonrpc: "2.0", id: 5, result: {} });
    sdk.receiveNotification("notifications/cancelled", { params: { requestId: 6 } });
    for (const id of [33, 34, 35]) sdk.receiveRequest(id, "ping", { id, method: "ping" });
    expect(host.sent.at(-1)?.message).toMatchObject({ id: 35, error: {} });
  });

  it("is no request of the server on 2026-07-28, which has none", () => {
    const { host, sdk, received } = open();
    sdk.transport.setProtocolVersion?.("2026-07-28");
    sdk.receiveRequest(1, "ping", { id: 1, method: "ping" });
    expect([received, host.sent]).toEqual([[], []]);
  });

  it("is the acknowledgement of a subscription of its own, and no other", async () => {
    const { sdk, received } = open();
    const method = "notifications/subscriptions/acknowledged";
    const acknowledge = (id: string): boolean =>
      sdk.receiveNotification(method, { method, params: { _meta: { "io.modelcontextprotocol/subscriptionId": id } } });
    await sdk.transport.send({ jsonrpc: "2.0", id: "listen:0", method: "subscriptions/listen" });
    expect([acknowledge("listen:9"), acknowledge("listen:0")]).toEqual([true, true]);
    expect(received).toHaveLength(1);
  });
});

describe("the handshake on the wire (AN-80)", () => {
  it.each([
    { name: "nothing", capabilities: {} },
    { name: "elicitation alone", capabilities: { elicitation: { form: {}, url: {} } } },
  ])("advertises $name: no roots, no sampling, no logging", async ({ capabilities }) => {
    const { host, sdk } = open();
    host.onmessage = (message) => {
      if ("id" in message && message.id !== undefined) sdk.answer(message.id, message as unknown as JsonObject);
    };
    const client = new Client({ name: "test", version: "1" }, { capabilities });
    const connecting = client.connect(sdk.transport);
    await vi.waitFor(() => expect(host.sent).toHaveLength(1));
    host.receive({
      jsonrpc: "2.0",
      id: 0,
      result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } },
    });
    await connecting;
    expect(host.sent.map(({ message }) => message)).toEqual([
      {
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "1" } },
      },
      { jsonrpc: "2.0", method: "notifications/initialized" },
    ]);
    await client.close();
  });
});

function open(members: Partial<HostTransport> = {}) {
  const host: FakeHostTransport = createFakeHostTransport(members);
  const diagnostics: Diagnostic[] = [];
  const received: unknown[] = [];
  let isModern = false;
  const sdk = createSdkTraffic({
    host,
    context: {
      serverId: "srv",
      clock: createManualClock(),
      redact: (text) => text,
      onDiagnostic: (each) => diagnostics.push(each),
    },
    isModern: () => isModern,
    onNotified: () => undefined,
    onProtocolVersion: (version) => {
      isModern = version === "2026-07-28";
    },
  });
  sdk.transport.onmessage = (message) => received.push(message);
  return { host, sdk, received, diagnostics };
}
