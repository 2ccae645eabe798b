import type { JsonObject } from "@hostside/core";
import type { GatewayOptions, HttpHandler, GatewayHttpOptions } from "@hostside/gateway";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import { envelope } from "./raw-client.ts";
import { serveTools, tool } from "./static-world.ts";

const secret = "0123456789abcdef0123";
const url = "http://127.0.0.1:7777/mcp";
const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };

function serve(http: Partial<GatewayHttpOptions> = {}, options: Partial<GatewayOptions> = {}) {
  const gates: (() => void)[] = [];
  const tools = [
    tool("echo", ({ text }) => (typeof text === "string" ? text : "")),
    tool("hold", (_args, { signal }) => {
      return new Promise((resolve, reject) => {
        gates.push(() => resolve("held"));
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
      });
    }),
    tool("flood", async ({ lines = 0 }, { onProgress }) => {
      for (let line = 0; line < Number(lines); line += 1) onProgress?.({ progress: line, message: "x".repeat(1000) });
      return "done";
    }),
  ];
  const { gateway } = serveTools(tools, options);
  const handler = gateway.http({ auth: { token: secret }, ...http });
  return { gateway, handler, gates };
}

interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly json: JsonObject;
}

const asks = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function post(handler: HttpHandler, body: unknown, headers: Record<string, string> = {}): Promise<Posted> {
  const response = await handler.fetch(
    new Request(url, {
      method: "POST",
      headers: { ...asks, authorization: `Bearer ${secret}`, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: text === "" ? {} : (JSON.parse(text) as JsonObject),
  };
}

async function openSession(
  handler: HttpHandler,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const opened = await post(handler, { jsonrpc: "2.0", id: 0, method: "initialize", params: initialize }, headers);
  expect(opened.status).toBe(200);
  return { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
}

const call = (name: string, args: JsonObject = {}, id: number = 1): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

function modern(message: JsonObject, headers: Record<string, string> = {}): [JsonObject, Record<string, string>] {
  const params = message["params"] as JsonObject;
  const named = typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {};
  return [
    { ...message, params: { ...params, _meta: envelope() } },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": message["method"] as string, ...named, ...headers },
  ];
}

describe("who is let in", () => {
  it.each([
    [{ authorization: "" }, 401, "Bearer"],
    [{ authorization: "Basic abc" }, 401, "Bearer"],
    [{ authorization: `Bearer ${secret}x` }, 401, 'Bearer error="invalid_token"'],
    [{ authorization: `Bearer ${secret.replace("0", "1")}` }, 401, 'Bearer error="invalid_token"'],
    [{ authorization: `bearer ${secret}` }, 200, null],
  ])("%j: %i", async (headers, status, challenge) => {
    const { handler } = serve();
    const answer = await post(handler, { jsonrpc: "2.0", id: 0, method: "initialize", params: initialize }, headers);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([status, challenge]);
    expect(JSON.stringify(answer.json)).not.toContain(secret);
    await handler.close();
  });

  it.each([
    [{ host: "attacker.example" }, 403],
    [{ host: "attacker.example:7777" }, 403],
    [{ host: "LOCALHOST:7777" }, 200],
    [{ host: "[::1]:7777" }, 200],
    [{ origin: "https://attacker.example" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "http://localhost:6274" }, 200],
  ])("not a page that rebinds its name, nor one from elsewhere: %j", async (headers, status) => {
    const { handler } = serve();
    const answer = await post(handler, { jsonrpc: "2.0", id: 0, method: "initialize", params: initialize }, headers);
    expect(answer.status).toBe(status);
    await handler.close();
  });

  it("answers a page of this machine that asks first", async () => {
    const { handler } = serve();
    const headers = {
      origin: "http://localhost:6274",
      "access-control-request-headers": "authorization,mcp-session-id",
    };
    const answer = await handler.fetch(new Request(url, { method: "OPTIONS", headers }));
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "http://localhost:6274"]);
    expect(answer.headers.get("access-control-allow-headers")).toContain("mcp-session-id");
    await handler.close();
  });

  it("is said by verifyToken, behind an authorization server that the metadata names", async () => {
    const known: Record<string, "ada" | "bob"> = { "token-of-ada": "ada", "token-of-bob": "bob" };
    const { handler, gateway } = serve({
      auth: {
        verifyToken(token) {
          if (token === "token-of-eve") return { refused: "insufficient_scope", scope: "tools" };
          if (token === "broken") throw new Error("no connection to the database at 10.0.0.1");
          const principal = known[token];
          return principal === undefined ? { refused: "invalid_token" } : { principal };
        },
        resource: {
          url: "https://tools.example/mcp",
          authorizationServers: ["https://login.example"],
          scopes: ["tools"],
        },
      },
    });
    const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}`, host: "tools.example" });
    const at = "https://tools.example/.well-known/oauth-protected-resource/mcp";
    const refused = await post(handler, call("echo"), as("nobody"));
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer error="invalid_token", resource_metadata="${at}"`,
    ]);
    const narrow = await post(handler, call("echo"), as("token-of-eve"));
    expect([narrow.status, narrow.headers.get("www-authenticate")]).toEqual([
      403,
      `Bearer error="insufficient_scope", scope="tools", resource_metadata="${at}"`,
    ]);
    const broken = await post(handler, call("echo"), as("broken"));
    expect(broken.status).toBe(503);
    expect(JSON.stringify(broken.json)).not.toContain("database");
    const metadata = await handler.fetch(new Request(at));
    expect(await metadata.json()).toMatchObject({
      resource: "https://tools.example/mcp",
      authorization_servers: ["https://login.example"],
      scopes_supported: ["tools"],
    });
    const ada = await openSession(handler, as("token-of-ada"));
    expect((await post(handler, call("echo"), ada)).status).toBe(200);
    // Somebody else's session is as if it were not there.
    expect((await post(handler, call("echo"), { ...ada, ...as("token-of-bob") })).status).toBe(404);
    await gateway.close();
  });
});

describe("what is no request is refused", () => {
  it.each([
    ["{", {}, 400, -32_700],
    [{ jsonrpc: "1.0", id: 1, method: "ping" }, {}, 400, -32_600],
    [{ jsonrpc: "2.0", id: null, method: "ping" }, {}, 400, -32_600],
    [{ jsonrpc: "2.0", id: 1.5, method: "ping" }, {}, 400, -32_600],
    [{ jsonrpc: "2.0", id: 1, method: "ping", params: [] }, {}, 400, -32_600],
    [[{ jsonrpc: "2.0", id: 1, method: "ping" }], {}, 400, -32_000],
    [call("echo"), {}, 400, -32_000],
    [call("echo"), { "mcp-session-id": "nobody" }, 404, -32_000],
    [call("echo"), { "content-type": "text/plain" }, 415, -32_000],
    ["x".repeat(2001), {}, 413, -32_000],
    [call("echo"), { "mcp-protocol-version": "2026-07-28" }, 400, -32_602],
    [call("echo"), { "mcp-protocol-version": "2099-01-01" }, 400, -32_022],
  ])("%j %j: %i, %i", async (body, headers, ...expected) => {
    const { handler } = serve({}, { limits: { maxBodyBytes: 2000 } });
    const answer = await post(handler, body, headers);
    expect([answer.status, (answer.json["error"] as JsonObject)["code"]]).toEqual(expected);
    await handler.close();
  });

  it.each([
    ["mcp-protocol-version", "2025-11-25"],
    ["mcp-method", "tools/list"],
    ["mcp-name", "hold"],
    ["mcp-name", "=?base64?%%%?="],
  ])("a header that says something else than the body: %s %s", async (name, value) => {
    const { handler } = serve();
    const [body, headers] = modern(call("echo", { text: "hi" }), { [name]: value });
    const answer = await post(handler, body, headers);
    expect([answer.status, (answer.json["error"] as JsonObject)["code"]]).toEqual([400, -32_020]);
    const { [name]: _left, ...fewer } = headers;
    expect((await post(handler, body, fewer)).status).toBe(400);
    const encoded = { "mcp-name": `=?base64?${btoa("echo")}?=` };
    expect((await post(handler, ...modern(call("echo"), encoded))).status).toBe(200);
    await handler.close();
  });

  it("a header that repeats an argument, and says something else", async () => {
    const { gateway } = serveTools([
      tool("route", () => "there", {
        inputSchema: {
          type: "object",
          properties: {
            region: { type: "string", "x-mcp-header": "Region" },
            deep: { type: "object", properties: { hops: { type: "integer", "x-mcp-header": "Hops" } } },
          },
        },
      }),
    ]);
    const handler = gateway.http({ auth: { token: secret } });
    const ask = async (args: JsonObject, headers: Record<string, string>): Promise<number> =>
      (await post(handler, ...modern(call("route", args), headers))).status;
    expect(await ask({}, {})).toBe(200);
    expect(await ask({ region: "eu", deep: { hops: 3 } }, { "mcp-param-region": "eu", "mcp-param-hops": "3.0" })).toBe(
      200,
    );
    expect(await ask({ region: "é" }, { "mcp-param-region": "=?base64?w6k=?=" })).toBe(200);
    expect(await ask({ region: "eu" }, {})).toBe(400);
    expect(await ask({ region: "eu" }, { "mcp-param-region": "us" })).toBe(400);
    expect(await ask({ deep: { hops: 3 } }, { "mcp-param-hops": "4" })).toBe(400);
    await gateway.close();
  });

  it("other paths and methods", async () => {
    const { handler } = serve();
    const headers = { authorization: `Bearer ${secret}` };
    const statusOf = async (at: string, method: string): Promise<number> =>
      (await handler.fetch(new Request(at, { method, headers }))).status;
    expect(await statusOf("http://127.0.0.1:7777/", "POST")).toBe(404);
    expect(await statusOf(url, "PUT")).toBe(405);
    expect(await statusOf(url, "GET")).toBe(400);
    await handler.close();
  });
});

describe("sessions", () => {
  it("end with DELETE, and are not found afterwards", async () => {
    const { handler, gateway } = serve();
    const session = await openSession(handler);
    const ended = await handler.fetch(
      new Request(url, { method: "DELETE", headers: { ...session, authorization: `Bearer ${secret}` } }),
    );
    expect(ended.status).toBe(200);
    expect((await post(handler, call("echo"), session)).status).toBe(404);
    expect(gateway.stats().clients).toBe(0);
    await gateway.close();
  });

  it("end after sessionIdleMs, but never under work", async () => {
    const clock = useManualClock();
    const { handler, gateway, gates } = serve({}, { limits: { sessionIdleMs: 60_000, keepAliveMs: 1_000_000 } });
    const [idle, busy] = [await openSession(handler), await openSession(handler)];
    const held = post(handler, call("hold"), busy);
    await expect.poll(() => gates.length).toBe(1);
    clock.advance(90_000);
    expect((await post(handler, call("echo"), idle)).status).toBe(404);
    expect(gateway.stats().clients).toBe(1);
    gates[0]?.();
    expect(await held).toMatchObject({ status: 200, json: { result: { content: [{ text: "held" }] } } });
    clock.advance(90_000);
    expect(gateway.stats().clients).toBe(0);
    await gateway.close();
    expect(clock.pending()).toBe(0);
  });

  it("are bounded: one more takes the place of an idle one, and is refused while none is", async () => {
    const clock = useManualClock();
    const { handler, gateway } = serve({}, { limits: { maxSessions: 2 } });
    const [first, second] = [await openSession(handler), await openSession(handler)];
    const tooMany = await post(handler, { jsonrpc: "2.0", id: 9, method: "initialize", params: initialize });
    expect(tooMany).toMatchObject({ status: 503, json: { id: 9, error: { data: { code: "overloaded" } } } });
    clock.advance(61_000);
    await post(handler, call("echo"), second);
    await openSession(handler);
    expect((await post(handler, call("echo"), first)).status).toBe(404);
    expect((await post(handler, call("echo"), second)).status).toBe(200);
    await gateway.close();
  });

  it("answer 2025-03-26's batches, and refuse those of others", async () => {
    const { handler, gateway } = serve();
    const params = { ...initialize, protocolVersion: "2025-03-26" };
    const opened = await post(handler, { jsonrpc: "2.0", id: 0, method: "initialize", params });
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    const request = new Request(url, {
      method: "POST",
      headers: { ...asks, ...session, authorization: `Bearer ${secret}` },
      body: JSON.stringify([call("echo", { text: "a" }, 1), call("echo", { text: "b" }, 2)]),
    });
    const text = await (await handler.fetch(request)).text();
    expect(Array.from(text.matchAll(/"id":(\d)/g), ([, id]) => id)).toEqual(["1", "2"]);
    expect((await post(handler, [call("echo")], await openSession(handler))).status).toBe(400);
    await gateway.close();
  });
});

describe("a client that floods", () => {
  it("has so many requests at a time, and disturbs no other", async () => {
    const { handler, gateway, gates } = serve({}, { limits: { maxRequestsPerSession: 4 } });
    const [flood, other] = [await openSession(handler), await openSession(handler)];
    const calls = Array.from({ length: 20 }, (_, n) => post(handler, call("hold", {}, n), flood));
    await expect.poll(() => gates.length).toBe(4);
    expect(await post(handler, call("echo", { text: "hi" }), other)).toMatchObject({ json: { result: {} } });
    for (const open of gates) open();
    const answers = await Promise.all(calls);
    expect(answers.filter(({ json }) => json["result"] !== undefined)).toHaveLength(4);
    expect(answers.filter(({ json }) => JSON.stringify(json).includes("overloaded"))).toHaveLength(16);
    await gateway.close();
  });

  it("and does not read has its stream ended, with no more kept for it than maxBufferedBytes", async () => {
    const { handler, gateway } = serve({}, { limits: { maxBufferedBytes: 64_000 } });
    const session = await openSession(handler);
    const message = call("flood", { lines: 10_000 });
    const params = { ...(message["params"] as JsonObject), _meta: { progressToken: 1 } };
    const response = await handler.fetch(
      new Request(url, {
        method: "POST",
        headers: { ...asks, ...session, authorization: `Bearer ${secret}` },
        body: JSON.stringify({ ...message, params }),
      }),
    );
    await expect.poll(() => gateway.stats().busy).toBe(0);
    const text = await response.text();
    // Progress is what is left out; the result is what counts.
    expect(text.length).toBeLessThan(80_000);
    expect(text).toContain('"text":"done"');
    await gateway.close();
  });
});

describe("the end", () => {
  it("waits for nobody who only listens", async () => {
    useManualClock();
    const { handler, gateway } = serve({});
    const listen = {
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true } },
    };
    const listening = post(handler, ...modern(listen, { accept: "application/json" }));
    await expect.poll(() => gateway.stats().clients).toBe(1);
    await gateway.close();
    expect(await listening).toMatchObject({ json: { result: { resultType: "complete" } } });
  });

  it("lets what is under way finish within drainMs, and takes nothing new", async () => {
    const { handler, gateway, gates } = serve();
    const session = await openSession(handler);
    const held = post(handler, call("hold"), session);
    await expect.poll(() => gates.length).toBe(1);
    const closing = gateway.close("bye");
    expect((await post(handler, call("echo"), session)).status).toBe(503);
    gates[0]?.();
    expect(await held).toMatchObject({ status: 200, json: { result: { content: [{ text: "held" }] } } });
    await closing;
    expect(gateway.stats()).toEqual({ clients: 0, busy: 0, subscriptions: 0, parked: 0 });
  });

  it("gives up what takes longer, and tells those that listen", async () => {
    const clock = useManualClock();
    const { handler, gateway, gates } = serve({});
    const [body, headers] = modern({
      jsonrpc: "2.0",
      id: "stream",
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true } },
    });
    const listening = await handler.fetch(
      new Request(url, {
        method: "POST",
        headers: { ...asks, ...headers, authorization: `Bearer ${secret}` },
        body: JSON.stringify(body),
      }),
    );
    const held = post(handler, ...modern(call("hold")));
    await expect.poll(() => gates.length).toBe(1);
    const closing = gateway.close("bye", { drainMs: 100 });
    clock.advance(100);
    await closing;
    expect((await held).json["result"]).toBeUndefined();
    const text = await listening.text();
    expect(text).toContain("notifications/subscriptions/acknowledged");
    expect(text).toContain('"id":"stream","result":{"resultType":"complete"');
    clock.advance(10_000);
    expect(clock.pending()).toBe(0);
  });
});
