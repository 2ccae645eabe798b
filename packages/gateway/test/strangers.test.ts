import type { JsonObject } from "@hostside/core";
import type { GatewayOptions, HttpHandler, GatewayHttpOptions } from "@hostside/gateway";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import { connectRaw, connectSession, envelope } from "./raw-client.ts";
import { serveTools, tool } from "./static-world.ts";

const url = "http://127.0.0.1:7777/mcp";
const [ann, bob] = ["ann-0123456789abcdef", "bob-0123456789abcdef"];
const clientInfo = { name: "raw", version: "1" };

function serve(http: GatewayHttpOptions, options: Partial<GatewayOptions> = {}) {
  const clients: string[] = [];
  const { gateway, toolbox } = serveTools([tool("echo", () => "hi")], {
    open: (client) => {
      clients.push(client.id);
      return { tools: toolbox.view(client.view) };
    },
    ...options,
  });
  return { gateway, clients, handler: gateway.http(http) };
}

function send(handler: HttpHandler, token: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
    ...(init.headers as Record<string, string> | undefined),
  };
  return handler.fetch(new Request(url, { method: "POST", ...init, headers }));
}

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
});
const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const modern: RequestInit = {
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: envelope() } }),
};

describe("who has another token is another client", () => {
  it("and may neither use, hear nor end a session of the first", async () => {
    const { handler, gateway } = serve({ auth: { token: [ann, bob] } });
    const opened = await send(handler, ann, { body: initialize });
    const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    expect((await send(handler, bob, { headers, body: ping })).status).toBe(404);
    expect((await send(handler, bob, { headers, method: "GET" })).status).toBe(404);
    expect((await send(handler, bob, { headers, method: "DELETE" })).status).toBe(404);
    expect((await send(handler, ann, { headers, body: ping })).status).toBe(200);
    await gateway.close();
  });

  it("and has a conversation of its own in 2026-07-28, whatever program it says to be", async () => {
    const { handler, gateway, clients } = serve({ auth: { token: [ann, bob] } });
    for (const token of [ann, bob, ann]) expect((await send(handler, token, modern)).status).toBe(200);
    expect(clients.length).toBe(2);
    await gateway.close();
  });

  it("and takes no more than its share of the places", async () => {
    const { handler, gateway } = serve(
      { auth: { verifyToken: (token) => ({ principal: token }) } },
      { limits: { maxSessions: 4, maxSessionsPerPrincipal: 2 } },
    );
    const statuses: number[] = [];
    for (const token of [ann, ann, ann, bob]) {
      statuses.push((await send(handler, token, { body: initialize })).status);
    }
    expect(statuses).toEqual([200, 200, 503, 200]);
    await gateway.close();
  });

  it.each([undefined, "", 7])("a principal that is %j lets nobody in", async (principal) => {
    const verifyToken = (): never => ({ principal }) as never;
    const { handler, gateway } = serve({ auth: { verifyToken } });
    expect((await send(handler, ann, { body: initialize })).status).toBe(503);
    await gateway.close();
  });
});

describe("http() refuses", () => {
  it.each<[string, unknown]>([
    ["a token that no header can carry", { token: "it's a secret, is it?" }],
    ["a token and verifyToken at a time", { token: ann, verifyToken: () => ({ principal: "ann" }) }],
    ["an unknown member", { token: ann, resorce: {} }],
  ])("%s", async (_what, auth) => {
    const { gateway } = serve({ auth: "none" });
    expect(() => gateway.http({ auth: auth as GatewayHttpOptions["auth"] })).toThrow(TypeError);
    await gateway.close();
  });
});

describe("a page from elsewhere", () => {
  it.each([
    "https://evil.example",
    "null",
    "http://localhost.evil.example",
    "http://localhost.",
    "capacitor://localhost",
  ])("of origin %s is refused, and cannot read that", async (origin) => {
    const { handler, gateway } = serve({ auth: "none" });
    for (const method of ["POST", "GET", "OPTIONS"]) {
      const answer = await send(handler, ann, {
        method,
        headers: { origin },
        ...(method === "POST" && { body: ping }),
      });
      expect(answer.status).toBe(403);
      expect(answer.headers.get("access-control-allow-origin")).toBe(null);
    }
    await gateway.close();
  });

  it.each(["evil.example", "127.0.0.1.evil.example:7777", "localhost.:7777", "[::1", "::1", "0x7f.1"])(
    "that calls this machine %s is refused",
    async (host) => {
      const { handler, gateway } = serve({ auth: "none" });
      expect((await send(handler, ann, { headers: { host }, body: initialize })).status).toBe(403);
      await gateway.close();
    },
  );

  it.each(["LOCALHOST:1", "[::1]:7777", "127.0.0.1"])("%s is a name of this machine", async (host) => {
    const { handler, gateway } = serve({ auth: "none" });
    expect((await send(handler, ann, { headers: { host }, body: initialize })).status).toBe(200);
    await gateway.close();
  });
});

describe("a body that never ends", () => {
  it("is waited for no longer than requestMs", async () => {
    const clock = useManualClock();
    const { handler, gateway } = serve({ auth: { token: ann } }, { limits: { requestMs: 1000 } });
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) });
    const answer = send(handler, ann, { body, duplex: "half" });
    await expect.poll(() => clock.pending()).toBe(1);
    clock.advance(1000);
    expect((await answer).status).toBe(408);
    expect(clock.pending()).toBe(0);
    await gateway.close();
  });
});

describe("a batch of 2025-03-26", () => {
  it("has an answer to each message that is none", async () => {
    const { handler, gateway } = serve({ auth: { token: ann } });
    const opened = await send(handler, ann, { body: initialize.replace("2025-11-25", "2025-03-26") });
    const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    const body = JSON.stringify([{ jsonrpc: "2.0", id: 4, method: 7 }, { nonsense: true }, JSON.parse(ping)]);
    const answer = await send(handler, ann, { headers, body });
    expect(answer.status).toBe(200);
    const lines = (await answer.text()).split("\n").filter((line) => line.startsWith("data: "));
    const answers = lines.map((line) => JSON.parse(line.slice(6)) as JsonObject);
    expect(answers).toEqual([
      expect.objectContaining({ id: 4, error: expect.objectContaining({ code: -32_600 }) }),
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) }),
      { jsonrpc: "2.0", id: 1, result: {} },
    ]);
    await gateway.close();
  });
});

describe("the end of the gateway", () => {
  it("answers what it gives up, in both eras", async () => {
    const { gateway } = serveTools([
      tool("hold", (_args, { signal }) => {
        return new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason as Error));
        });
      }),
    ]);
    const [old, young] = [await connectSession(gateway), connectRaw(gateway)];
    const calls = [
      old.request("tools/call", { name: "hold" }),
      young.request("tools/call", { name: "hold", _meta: envelope() }),
    ];
    await expect.poll(() => gateway.stats().busy).toBe(2);
    await gateway.close("over", { drainMs: 1 });
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ error: { code: -32_000 } });
  });
});

describe("a question for a request that is over", () => {
  it("is put to nobody, though another request of its client is under way", async () => {
    const uids: string[] = [];
    const { gateway, toolbox } = serveTools(
      [
        tool("quick", (_args, { context }) => {
          uids.push(context?.causationId ?? "");
          return "done";
        }),
        tool("hold", (_args, { signal }) => {
          return new Promise((_resolve, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason as Error));
          });
        }),
      ],
      {
        open: (client) => {
          conversation = client.id;
          return { tools: toolbox.view(client.view) };
        },
      },
    );
    let conversation = "";
    const client = await connectSession(gateway, { capabilities: { elicitation: {} } });
    await client.request("tools/call", { name: "quick" });
    void client.request("tools/call", { name: "hold" });
    await expect.poll(() => gateway.stats().busy).toBe(1);
    const context = { conversation, causationId: uids[0] ?? "" };
    const question = { serverId: "", mode: "form", message: "Which?", params: { message: "Which?" }, context } as const;
    await expect(gateway.elicit(question, new AbortController().signal)).rejects.toMatchObject({
      code: "unsupported_operation",
    });
    expect(client.received.some((message) => message["method"] === "elicitation/create")).toBe(false);
    await gateway.close("over", { drainMs: 1 });
  });
});
