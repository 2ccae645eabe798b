import { getEventListeners } from "node:events";
import { HostsideError, type JsonObject } from "@hostside/core";
import { describe, expect, it, vi } from "vitest";
import { call, lastId, openWire } from "../../test/open-wire.ts";

describe("a request on the wire", () => {
  it("has a numeric id and resolves with the result of that id, in any order", async () => {
    const { wire, host } = openWire();
    const first = wire.request(call({ params: { name: "a" } }));
    const second = wire.request(call({ params: { name: "b" } }));
    const [a, b] = host.sent.map(({ message }) => message["id"]);
    expect([a, b]).toEqual([0, 1]);
    host.receive({ jsonrpc: "2.0", id: b, result: { of: "b" } });
    host.receive({ jsonrpc: "2.0", id: a, result: { of: "a" } });
    expect([await first, await second]).toEqual([{ of: "a" }, { of: "b" }]);
  });

  it.each([
    { name: "both a result and an error", answer: { result: {}, error: { code: 1, message: "x" } } },
    { name: "neither a result nor an error", answer: {} },
    { name: "a null result", answer: { result: null } },
    { name: "a result that is an array", answer: { result: [] } },
    { name: "an error code that is a string", answer: { error: { code: "1", message: "x" } } },
    { name: "an error message that is a number", answer: { error: { code: 1, message: 2 } } },
    { name: "an error that is a string", answer: { error: "no" } },
  ])("rejects at once with protocol_error, outcome unknown, when answered with $name", async ({ answer }) => {
    const { wire, host } = openWire();
    const request = wire.request(call());
    host.receive({ jsonrpc: "2.0", id: lastId(host), ...answer });
    await expect(request).rejects.toMatchObject({ code: "protocol_error", outcome: "unknown", toolName: "search" });
  });

  it("takes a result beside a null error, an id that came back as text, and an answer without jsonrpc", async () => {
    const { wire, host } = openWire();
    const requests = [wire.request(call()), wire.request(call()), wire.request(call())];
    const [a, b, c] = host.sent.map(({ message }) => message["id"]);
    host.receive({ jsonrpc: "2.0", id: a, result: { ok: 1 }, error: null });
    host.receive({ jsonrpc: "2.0", id: `${Number(b)}`, result: { ok: 2 } });
    host.receive({ id: c, result: { ok: 3 } });
    await expect(Promise.all(requests)).resolves.toEqual([{ ok: 1 }, { ok: 2 }, { ok: 3 }]);
  });

  it("rejects with server_error, outcome failed, when the server answers with an error", async () => {
    const { wire, host } = openWire();
    const request = wire.request(call());
    host.receive({
      jsonrpc: "2.0",
      id: lastId(host),
      error: { code: -32_603, message: "boom\u001B[31m", data: { a: 1 } },
    });
    await expect(request).rejects.toMatchObject({
      code: "server_error",
      outcome: "failed",
      message: '[server_error] server "srv" refused tools/call of "search" with JSON-RPC error -32603: boom',
      details: { rpcCode: -32_603, rpcData: { a: 1 }, operation: "tools/call" },
    });
  });

  it("is settled by an error with id null when it is the only one, and not when it is one of several", async () => {
    const { wire, host, diagnostics } = openWire();
    const parseError = { jsonrpc: "2.0", id: null, error: { code: -32_700, message: "Parse error" } };
    const only = wire.request(call());
    host.receive(parseError);
    await expect(only).rejects.toMatchObject({ code: "server_error", details: { rpcCode: -32_700 } });
    const two = [wire.request(call()), wire.request(call())];
    host.receive(parseError);
    expect(diagnostics).toMatchObject([{ kind: "protocol-anomaly" }]);
    for (const { message } of host.sent.slice(1)) host.receive({ id: message["id"], result: {} });
    await Promise.all(two);
  });

  it("is never settled by an answer to an id that was not sent, which is told", async () => {
    const { wire, host, diagnostics } = openWire();
    const request = wire.request(call());
    const id = Number(lastId(host));
    host.receive({ jsonrpc: "2.0", id: id + 1, result: { wrong: true } });
    host.receive({ jsonrpc: "2.0", id: "unknown", result: { wrong: true } });
    host.receive({ jsonrpc: "2.0", id, result: { right: true } });
    await expect(request).resolves.toEqual({ right: true });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      `server "srv" answered a request that was never sent (id ${id + 1})`,
      'server "srv" answered a request that was never sent (id "unknown")',
    ]);
  });

  it("is never settled by what is no message, which is quoted", async () => {
    const { wire, host, diagnostics } = openWire();
    const request = wire.request(call());
    host.receive({ level: "info", msg: "listening" });
    host.receive({ id: lastId(host), result: { right: true } });
    await expect(request).resolves.toEqual({ right: true });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'server "srv" sent something that is no JSON-RPC message: {"level":"info","msg":"listening"}',
    ]);
  });

  it("goes by the first of two answers and is silent on the second", async () => {
    const { wire, host, diagnostics } = openWire();
    const request = wire.request(call());
    host.receive({ jsonrpc: "2.0", id: lastId(host), result: { n: 1 } });
    host.receive({ jsonrpc: "2.0", id: lastId(host), result: { n: 2 } });
    await expect(request).resolves.toEqual({ n: 1 });
    expect(diagnostics).toEqual([]);
  });

  it("rejects with the transport's own error, and what was asked in it, when sending fails", async () => {
    const { wire, host } = openWire();
    host.failSends(new HostsideError("down", { code: "unreachable" }));
    await expect(wire.request(call())).rejects.toMatchObject({
      code: "unreachable",
      outcome: "not-sent",
      serverId: "srv",
      toolName: "search",
      details: { operation: "tools/call" },
    });
  });

  it("rejects with connection_closed, outcome unknown, when the transport throws something of its own", async () => {
    const { wire, host } = openWire();
    host.failSends(new Error("EPIPE"));
    await expect(wire.request(call())).rejects.toMatchObject({ code: "connection_closed", outcome: "unknown" });
  });

  it("rejects with invalid_arguments, not-sent, when its parameters cannot be written as JSON", async () => {
    const { wire } = openWire();
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    // What a caller without types may hand in.
    const params = cycle as never;
    await expect(wire.request(call({ params }))).rejects.toMatchObject({
      code: "invalid_arguments",
      outcome: "not-sent",
    });
  });

  it("ends however deep the answer is nested (fault 48)", async () => {
    const { wire, host } = openWire();
    const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    const requests = [wire.request(call()), wire.request(call())];
    const [a, b] = host.sent.map(({ message }) => message["id"]);
    host.receive({ id: a, error: { code: 1, message: "x", data: deep } });
    host.receive({ id: b, error: { code: deep, message: "x" } });
    host.receive({ id: deep, result: {} });
    host.receive({ method: "notifications/message", params: { data: deep } });
    await expect(requests[0]).rejects.toMatchObject({ code: "server_error", details: { rpcCode: 1 } });
    await expect(requests[1]).rejects.toMatchObject({ code: "protocol_error" });
  });

  it("rejects alone when the transport says that its answer will not come", async () => {
    const { wire, host } = openWire();
    const requests = [wire.request(call()), wire.request(call())];
    const [a, b] = host.sent.map(({ message }) => message["id"]);
    host.onrequestfailed?.(Number(a), new HostsideError("cut", { code: "connection_closed", outcome: "unknown" }));
    host.receive({ id: b, result: {} });
    await expect(requests[0]).rejects.toMatchObject({ code: "connection_closed" });
    await expect(requests[1]).resolves.toEqual({});
  });
});

describe("giving a request up", () => {
  it("rejects with the timeout's code when the time is up, tells the server, and ignores the late answer", async () => {
    const { wire, host, clock, diagnostics } = openWire();
    const request = wire.request(call({ timeoutMs: 100 }));
    const id = lastId(host);
    clock.advance(99);
    expect(host.sent).toHaveLength(1);
    clock.advance(1);
    await expect(request).rejects.toMatchObject({
      code: "call_timeout",
      outcome: "unknown",
      toolName: "search",
      details: { timeoutMs: 100 },
    });
    expect(host.sent[1]?.message).toEqual({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: id, reason: "timed out" },
    });
    host.receive({ id, result: {} });
    expect(diagnostics).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it("rejects with aborted, outcome unknown, when the signal aborts, and leaves no listener and no timer", async () => {
    const { wire, host, clock } = openWire();
    const controller = new AbortController();
    const request = wire.request(call({ signal: controller.signal }));
    controller.abort("enough");
    await expect(request).rejects.toMatchObject({ code: "aborted", outcome: "unknown", cause: "enough" });
    expect(host.sent[1]?.message).toMatchObject({ method: "notifications/cancelled" });
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it("sends nothing at all when the signal is aborted already", async () => {
    const { wire, host } = openWire();
    const request = wire.request(call({ signal: AbortSignal.abort() }));
    await expect(request).rejects.toMatchObject({ code: "aborted", outcome: "not-sent" });
    expect(host.sent).toEqual([]);
  });

  it("closes the response stream, and sends nothing, on 2026-07-28 over HTTP", async () => {
    const { wire, host } = openWire({ hasPerRequestStream: true });
    wire.setProtocolVersion("2026-07-28");
    const controller = new AbortController();
    const request = wire.request(call({ signal: controller.signal }));
    controller.abort();
    await expect(request).rejects.toMatchObject({ code: "aborted" });
    expect(host.sent).toHaveLength(1);
    expect(host.sent[0]?.options?.requestSignal?.aborted).toBe(true);
  });

  it("tells the server and closes the response stream on a legacy revision over HTTP", async () => {
    const { wire, host } = openWire({ hasPerRequestStream: true });
    wire.setProtocolVersion("2025-11-25");
    const controller = new AbortController();
    const request = wire.request(call({ signal: controller.signal }));
    controller.abort();
    await expect(request).rejects.toMatchObject({ code: "aborted" });
    expect(host.sent[1]?.message).toMatchObject({ method: "notifications/cancelled" });
    expect(host.sent[0]?.options?.requestSignal?.aborted).toBe(true);
  });

  it("takes the request back by its id where the transport can, without a signal per request", async () => {
    const takeBack = vi.fn<(id: number | string) => void>();
    const { wire, host } = openWire({ hasPerRequestStream: true, takeBack });
    const controller = new AbortController();
    const request = wire.request(call({ signal: controller.signal }));
    controller.abort();
    await expect(request).rejects.toMatchObject({ code: "aborted" });
    expect(host.sent[0]?.options?.requestSignal).toBeUndefined();
    expect(takeBack).toHaveBeenCalledExactlyOnceWith(host.sent[0]?.message["id"]);
  });
});

describe("the time of a request", () => {
  it("asks for progress only when it is wanted, and hands it on by token", () => {
    const { wire, host } = openWire();
    const reports: unknown[] = [];
    void wire.request(call());
    void wire.request(
      call({ onProgress: (progress) => reports.push(progress), params: { name: "a", _meta: { trace: 1 } } }),
    );
    const [plain, wanted] = host.sent.map(({ message }) => message);
    const token = wanted?.["id"];
    expect(plain?.["params"]).not.toHaveProperty("_meta");
    expect(wanted?.["params"]).toEqual({ name: "a", _meta: { trace: 1, progressToken: token } });
    const report = (params: JsonObject): void => host.receive({ method: "notifications/progress", params });
    report({ progressToken: token ?? 0, progress: 1, total: 2, message: "half", extra: true });
    report({ progressToken: token ?? 0, progress: "2" });
    report({ progressToken: 7, progress: 3 });
    expect(reports).toEqual([{ progress: 1, total: 2, message: "half" }]);
  });

  it("ends after idleMs of silence; progress starts that anew, but not the total", async () => {
    const { wire, host, clock } = openWire();
    const silent = wire.request(call({ timeoutMs: 1000, idleMs: 100 }));
    clock.advance(100);
    await expect(silent).rejects.toMatchObject({ code: "call_timeout" });
    const lively = wire.request(call({ timeoutMs: 250, idleMs: 100 }));
    const token = host.sent.at(-1)?.message["id"];
    for (let step = 0; step < 4; step += 1) {
      clock.advance(60);
      host.receive({ method: "notifications/progress", params: { progressToken: token, progress: step } });
    }
    const before = host.sent.length;
    clock.advance(9);
    expect(host.sent).toHaveLength(before);
    clock.advance(1);
    await expect(lively).rejects.toMatchObject({ code: "call_timeout" });
  });

  it("stands still while a human answers", async () => {
    const { wire, host, clock, context } = openWire();
    const request = wire.request(call({ timeoutMs: 100 }));
    clock.advance(60);
    const resume = context.pauses.begin(undefined);
    clock.advance(10_000);
    resume();
    clock.advance(39);
    expect(host.sent).toHaveLength(1);
    clock.advance(1);
    await expect(request).rejects.toMatchObject({ code: "call_timeout" });
  });
});

describe("2026-07-28 on the wire", () => {
  it("carries the envelope on each request and notification, and the caller's own _meta beside it", async () => {
    const { wire, host } = openWire();
    wire.setProtocolVersion("2026-07-28");
    void wire.request(call({ params: { name: "a" } }));
    void wire.request(call({ params: { name: "b", _meta: { trace: 1 } } }));
    await wire.notify("notifications/x", undefined);
    const envelope = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    expect(host.sent.map(({ message }) => message["params"])).toEqual([
      { name: "a", _meta: envelope },
      { name: "b", _meta: { ...envelope, trace: 1 } },
      { _meta: envelope },
    ]);
  });

  it("passes headers on over HTTP", () => {
    const { wire, host } = openWire({ hasPerRequestStream: true });
    void wire.request(call({ headers: { "Mcp-Param-Region": "eu" } }));
    expect(host.sent[0]?.options?.headers).toEqual({ "Mcp-Param-Region": "eu" });
  });
});

describe("a notification of the host", () => {
  it("is refused with a code when it cannot be sent, or when the wire is closed", async () => {
    const { wire, host } = openWire();
    host.failSends(new Error("EPIPE"));
    await expect(wire.notify("notifications/x", {})).rejects.toMatchObject({ code: "connection_closed" });
    await wire.close(new HostsideError("closed", { code: "closed" }), "bye");
    await expect(wire.notify("notifications/x", {})).rejects.toMatchObject({ code: "closed", outcome: "not-sent" });
  });
});

describe("the end of a wire", () => {
  it("rejects everything with the transport's reason before onDown, once, and refuses what comes as not-sent", async () => {
    const { wire, host, clock, down } = openWire();
    const order: string[] = [];
    const request = wire.request(call()).catch((error: unknown) => {
      order.push("request");
      return error;
    });
    down.mockImplementation(() => queueMicrotask(() => order.push("down")));
    host.die(new HostsideError("it exited with code 3", { code: "server_exited" }));
    await expect(request).resolves.toMatchObject({ code: "server_exited", outcome: "unknown", toolName: "search" });
    await Promise.resolve();
    expect(order).toEqual(["request", "down"]);
    expect(down).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "server_exited" }));
    await expect(wire.request(call())).rejects.toMatchObject({ code: "server_exited", outcome: "not-sent" });
    expect(clock.pending()).toBe(0);
  });

  it("takes every request back on close, with a clean and short reason, and tells no one but the callers", async () => {
    const { wire, host, down, changed } = openWire();
    const request = wire.request(call());
    const id = lastId(host);
    const error = new HostsideError("closed", { code: "closed", outcome: "unknown" });
    await wire.close(error, `bye\u0007${"x".repeat(300)}`);
    await expect(request).rejects.toMatchObject({ code: "closed", outcome: "unknown" });
    const { params } = host.sent[1]?.message ?? {};
    expect(params).toEqual({ requestId: id, reason: `bye${"x".repeat(196)}…` });
    expect(host.isClosed).toBe(true);
    host.receive({ method: "notifications/tools/list_changed" });
    host.oninterrupted?.();
    expect([down.mock.calls, changed.mock.calls]).toEqual([[], []]);
    await expect(wire.request(call())).rejects.toMatchObject({ code: "closed", outcome: "not-sent" });
  });

  it.each([
    { name: "with a session goes down when an answer says that it expired", members: { sessionId: "1" }, downs: 1 },
    { name: "without one does not take a tool's error about some session for its own", members: {}, downs: 0 },
  ])("$name", async ({ members, downs }) => {
    const { wire, host, down } = openWire(members);
    const request = wire.request(call());
    host.receive({ id: lastId(host), error: { code: -32_001, message: "Session not found" } });
    await expect(request).rejects.toMatchObject({ code: downs === 1 ? "session_expired" : "server_error" });
    await Promise.resolve();
    expect(down).toHaveBeenCalledTimes(downs);
  });

  it("lets requests under way end by themselves when the session expired, and only then goes down", async () => {
    const { wire, host, down } = openWire();
    const requests = [wire.request(call()), wire.request(call()), wire.request(call())];
    const [a, b, c] = host.sent.map(({ message }) => Number(message["id"]));
    const expired = new HostsideError("no such session", { code: "session_expired", outcome: "failed" });
    host.onrequestfailed?.(a ?? 0, expired);
    host.onrequestfailed?.(b ?? 0, expired);
    await expect(requests[0]).rejects.toMatchObject({ code: "session_expired", outcome: "failed" });
    await expect(requests[1]).rejects.toMatchObject({ code: "session_expired", outcome: "failed" });
    await expect(wire.request(call())).rejects.toMatchObject({ code: "session_expired", outcome: "not-sent" });
    expect(down).not.toHaveBeenCalled();
    host.receive({ id: c, result: {} });
    await expect(requests[2]).resolves.toEqual({});
    await vi.waitFor(
      () => expect(down).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "session_expired" })),
      60_000,
    );
    expect(host.isClosed).toBe(true);
  });
});
