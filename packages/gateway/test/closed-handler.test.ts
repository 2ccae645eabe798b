import type { JsonObject } from "@hostside/core";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HttpHandler } from "@hostside/gateway";
import { envelope } from "./raw-client.ts";
import { serveTools, tool } from "./static-world.ts";

const clientInfo = { name: "raw", version: "1" };
const messages: Readonly<Record<string, JsonObject>> = {
  "a session": {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  },
  "a client of 2026-07-28": { method: "tools/list", params: { _meta: envelope() } },
};

function serve() {
  const opening: (() => void)[] = [];
  const reasons: (string | undefined)[] = [];
  const { gateway, toolbox } = serveTools([tool("echo", () => "hi")], {
    open: ({ view }) =>
      new Promise((resolve) => {
        const close = (reason?: string): void => void reasons.push(reason);
        opening.push(() => resolve({ tools: toolbox.view(view), close }));
      }),
  });
  onTestFinished(() => gateway.close());
  return { gateway, handler: gateway.http({ auth: "none" }), opening, reasons };
}

/** A request whose body comes when `end` is called. */
function post(message: JsonObject): { readonly request: Request; readonly end: () => void } {
  const method = message["method"] as string;
  const isModern = method !== "initialize";
  const headers = {
    "content-type": "application/json",
    ...(isModern && { "mcp-protocol-version": "2026-07-28", "mcp-method": method }),
  };
  let end: () => void = () => {};
  const body = new ReadableStream({
    start(controller) {
      end = () => {
        controller.enqueue(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id: 1, ...message })));
        controller.close();
      };
    },
  });
  return { request: new Request("http://127.0.0.1/mcp", { method: "POST", headers, body, duplex: "half" }), end };
}

describe.each(Object.entries(messages))("a handler that is closed opens no client any more: %s", (_what, message) => {
  it("whose message came late", async () => {
    const { gateway, handler, opening } = serve();
    const { request, end } = post(message);
    const answer = handler.fetch(request);
    await new Promise((resolve) => setImmediate(resolve));
    await handler.close();
    end();
    expect((await answer).status).toBe(503);
    expect([opening.length, gateway.stats().clients]).toEqual([0, 0]);
  });

  it("whose conversation came late", async () => {
    const { gateway, handler, opening, reasons } = serve();
    const { request, end } = post(message);
    const answer = handler.fetch(request);
    end();
    await expect.poll(() => opening.length).toBe(1);
    await handler.close("moved");
    opening[0]?.();
    expect((await answer).status).toBe(503);
    expect([gateway.stats().clients, reasons.length]).toEqual([0, 1]);
  });
});

describe("an answer that cannot be written", () => {
  const exchange = (gone: AbortSignal, replies: number[]): Parameters<HttpHandler["handle"]>[0] => ({
    method: "GET",
    path: "/elsewhere",
    header: (name) => (name === "host" ? "localhost" : undefined),
    readBody: () => Promise.reject(new Error("there is none")),
    gone,
    reply(status) {
      replies.push(status);
      if (replies.length === 1) throw new TypeError("this header has a character that no header may have");
    },
    stream: () => ({ write: () => false, end: () => undefined }),
  });

  it("becomes one that can, and nothing is thrown at the server", async () => {
    const { handler } = serve();
    const replies: number[] = [];
    await handler.handle(exchange(new AbortController().signal, replies));
    expect(replies).toEqual([404, 500]);
  });

  it("is left at that where the client is gone", async () => {
    const { handler } = serve();
    const replies: number[] = [];
    await handler.handle(exchange(AbortSignal.abort(), replies));
    expect(replies).toEqual([404]);
  });
});
