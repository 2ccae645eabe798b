import type { JsonObject } from "@hostside/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { envelope } from "./raw-client.ts";
import { serveTools, tool } from "./static-world.ts";

function serve() {
  const calls: AbortSignal[] = [];
  const hold = tool("hold", (_args, { signal = new AbortController().signal }) => {
    calls.push(signal);
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
  const { gateway } = serveTools([hold]);
  onTestFinished(() => gateway.close("test over", { drainMs: 1 }));
  return { gateway, calls, handler: gateway.http({ auth: "none" }) };
}

function post(signal: AbortSignal, body: string | ReadableStream, accept = "application/json"): Request {
  const headers = {
    "content-type": "application/json",
    accept,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "hold",
  };
  return new Request("http://127.0.0.1/mcp", { method: "POST", headers, body, signal, duplex: "half" });
}

const params: JsonObject = { name: "hold", _meta: envelope() };
const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });

describe("fetch() of a request whose signal is aborted", () => {
  it.each(["application/json", "application/json, text/event-stream"])(
    "is answered with an empty 499 under a call, which is given up (%s)",
    async (accept) => {
      const { handler, calls } = serve();
      const leaving = new AbortController();
      const answer = handler.fetch(post(leaving.signal, call, accept));
      await expect.poll(() => calls.length).toBe(1);
      leaving.abort();
      const { status, body } = await answer;
      expect([status, body]).toEqual([499, null]);
      await expect.poll(() => calls[0]?.aborted).toBe(true);
    },
  );

  it("runs nothing where it was from the start", async () => {
    const { handler, calls, gateway } = serve();
    const { status } = await handler.fetch(post(AbortSignal.abort(), call));
    expect([status, calls.length, gateway.stats().clients]).toEqual([499, 0, 0]);
  });

  it("runs nothing where its body was not there yet", async () => {
    const { handler, calls, gateway } = serve();
    const leaving = new AbortController();
    let end: () => void = () => {};
    const body = new ReadableStream({
      start(controller) {
        end = () => {
          controller.enqueue(new TextEncoder().encode(call));
          controller.close();
        };
      },
    });
    const answer = handler.fetch(post(leaving.signal, body));
    leaving.abort();
    expect((await answer).status).toBe(499);
    end();
    await new Promise((resolve) => setImmediate(resolve));
    expect([calls.length, gateway.stats().clients]).toEqual([0, 0]);
  });
});
