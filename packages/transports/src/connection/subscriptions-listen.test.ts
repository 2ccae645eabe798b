import { HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { call, lastId, openWire } from "../../test/open-wire.ts";
import type { Transport } from "../message/transport.ts";
import { createListen } from "./change-stream.ts";

const acknowledged = "notifications/subscriptions/acknowledged";

describe("a subscription", () => {
  it("is asked for with a number, the filter and the envelope, and is open when the server says so", async () => {
    const { host, listening, acknowledge } = listen();
    const { id, params } = host.sent[0]?.message ?? {};
    expect(host.sent[0]?.message).toMatchObject({ method: "subscriptions/listen", id: expect.any(Number) });
    expect(params).toEqual({
      notifications: { toolsListChanged: true },
      _meta: expect.objectContaining({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" }),
    });
    acknowledge(id);
    await expect(listening).resolves.toMatchObject({ honoredFilter: { toolsListChanged: true } });
  });

  it("is open also when the server writes the id as text, but not for somebody else's id", async () => {
    const { host, listening, acknowledge, clock } = listen();
    const id = Number(host.sent[0]?.message["id"]);
    acknowledge(id + 1);
    acknowledge(undefined);
    expect(clock.pending()).toBe(1);
    acknowledge(`${id}`);
    await listening;
    expect(clock.pending()).toBe(0);
  });

  it.each([
    { name: "graceful", how: "graceful", end: { result: {} } },
    { name: "remote, with an error", how: "remote", end: { error: { code: -32_603, message: "no" } } },
    { name: "remote, with nonsense", how: "remote", end: { result: 7 } },
  ])("ends when it is answered: $name", async ({ how, end }) => {
    const { host, listening, acknowledge } = listen();
    const id = host.sent[0]?.message["id"];
    acknowledge(id);
    const { closed } = await listening;
    host.receive({ jsonrpc: "2.0", id, ...end });
    await expect(closed).resolves.toBe(how);
  });

  it.each([
    {
      name: "cancelled by the server",
      end: ({ host, id }: Listening) =>
        host.receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }),
    },
    {
      name: "cancelled by a server that writes ids as text",
      end: ({ host, id }: Listening) =>
        host.receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: `${Number(id)}` } }),
    },
    {
      name: "cut off",
      end: ({ host, id }: Listening) =>
        host.onrequestfailed?.(Number(id), new HostsideError("cut", { code: "connection_closed", serverId: "srv" })),
    },
    { name: "lost with its connection", end: ({ host }: Listening) => host.die() },
  ])("ends as remote when it is $name, whether or not it was open", async ({ end }) => {
    const open = listen();
    open.acknowledge(open.id);
    const { closed } = await open.listening;
    end(open);
    await expect(closed).resolves.toBe("remote");

    const opening = listen();
    end(opening);
    await expect(opening.listening).rejects.toMatchObject({ code: "connection_closed", serverId: "srv" });
    expect(opening.clock.pending()).toBe(0);
  });

  it("is refused with what the server says", async () => {
    const { host, listening, id } = listen();
    host.receive({ jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } });
    await expect(listening).rejects.toMatchObject({ code: "server_error", details: { rpcCode: -32_601 } });
  });

  it.each([-32_600, -32_022])("says nothing of the session when it is refused with %d", async (code) => {
    const { host, wire, down, start } = prepare();
    const request = wire.request(call());
    host.receive({ jsonrpc: "2.0", id: lastId(host), result: {} });
    await request;
    const listening = start();
    const refusal = { jsonrpc: "2.0", error: { code, message: "no" } };
    host.receive({ ...refusal, id: lastId(host) });
    await Promise.race([listening, new Promise((resolve) => setImmediate(resolve))]).catch(() => {});
    expect(host.sent.map(({ message }) => message["method"])).toEqual(["tools/call", "subscriptions/listen"]);
    await expect(listening).rejects.toMatchObject({ details: { rpcCode: code } });
    await Promise.resolve();
    expect(down).not.toHaveBeenCalled();
  });

  it("is refused when it cannot be sent", async () => {
    const { host, start } = prepare();
    host.failSends(new HostsideError("down", { code: "unreachable" }));
    await expect(start()).rejects.toMatchObject({ code: "unreachable" });
  });

  it("is given up with request_timeout when the server does not say that it listens, and is told so", async () => {
    const { host, listening, clock, id } = listen();
    clock.advance(60_000);
    await expect(listening).rejects.toMatchObject({ code: "request_timeout", serverId: "srv" });
    expect(host.sent[1]?.message).toMatchObject({ method: "notifications/cancelled", params: { requestId: id } });
  });

  it.each([
    { name: "over one channel by telling the server", members: {}, sent: 2, aborted: undefined },
    {
      name: "over HTTP by closing the response stream",
      members: { hasPerRequestStream: true },
      sent: 1,
      aborted: true,
    },
  ])("is left $name", async ({ members, sent, aborted }) => {
    const { host, listening, acknowledge, controller, id } = listen(members);
    acknowledge(id);
    const { closed } = await listening;
    controller.abort();
    await expect(closed).resolves.toBe("local");
    expect(host.sent).toHaveLength(sent);
    expect(host.sent[0]?.options?.requestSignal?.aborted).toBe(aborted);
  });

  it("is not asked for when it is not wanted any more", async () => {
    const { host, controller, start } = prepare();
    controller.abort(new Error("no"));
    await expect(start()).rejects.toThrow("no");
    expect(host.sent).toEqual([]);
  });

  it("does not keep a connection that is left, once it is open", async () => {
    const { host, wire, listening, acknowledge, id, down } = listen();
    wire.leave(new HostsideError("another one", { code: "session_expired" }));
    await Promise.resolve();
    expect(down).not.toHaveBeenCalled();
    acknowledge(id);
    const { closed } = await listening;
    await expect(closed).resolves.toBe("remote");
    expect(down).toHaveBeenCalledTimes(1);
    expect(host.sent).toHaveLength(1);
  });

  it("does not count as the one request that an error without an id can mean", async () => {
    const { host, wire, listening, acknowledge, id } = listen();
    acknowledge(id);
    await listening;
    const request = wire.request({ method: "x", params: {}, timeoutMs: 1000, timeoutCode: "request_timeout" });
    host.receive({ jsonrpc: "2.0", id: null, error: { code: -32_600, message: "Invalid Request" } });
    await expect(request).rejects.toMatchObject({ details: { rpcCode: -32_600 } });
  });
});

type Listening = ReturnType<typeof listen>;

function prepare(members: Partial<Transport> = {}) {
  const opened = openWire(members);
  opened.wire.setProtocolVersion("2026-07-28");
  const controller = new AbortController();
  return {
    ...opened,
    controller,
    start: () => createListen(opened.wire, opened.context, undefined)({ toolsListChanged: true }, controller.signal),
    acknowledge: (id: unknown) =>
      opened.host.receive({
        jsonrpc: "2.0",
        method: acknowledged,
        params: { notifications: { toolsListChanged: true }, _meta: { "io.modelcontextprotocol/subscriptionId": id } },
      }),
  };
}

function listen(members: Partial<Transport> = {}) {
  const prepared = prepare(members);
  const listening = prepared.start();
  listening.catch(() => undefined);
  return { ...prepared, listening, id: prepared.host.sent[0]?.message["id"] };
}
