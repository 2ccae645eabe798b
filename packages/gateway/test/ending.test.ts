import type { JsonObject, ServerLog } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import type { GatewayOptions, GatewayResources } from "@hostside/gateway";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import { connectRaw, envelope, isMethod } from "./raw-client.ts";
import { serveTools, tool } from "./static-world.ts";
import { openHeldCalls } from "./held-calls.ts";

const url = "http://127.0.0.1:7777/mcp";
const form = { elicitation: { form: {} } };

function post(method: string, params: JsonObject, body?: ReadableStream): Request {
  const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: envelope(form) } };
  const headers = {
    authorization: "Bearer 0123456789abcdef",
    "content-type": "application/json",
    accept: "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    "mcp-name": "call",
  };
  return new Request(url, {
    method: "POST",
    headers,
    body: body ?? JSON.stringify(message),
    duplex: "half",
  });
}

const readJson = async (response: Response): Promise<JsonObject> => (await response.json()) as JsonObject;

it("lets the answer of a question in that waits while the gateway ends, and no new call", async () => {
  const { gateway, jobs } = openHeldCalls();
  const handler = gateway.http({ auth: "none" });
  const asked = handler.fetch(post("tools/call", { name: "call" }));
  await expect.poll(() => jobs.length).toBe(1);
  const answered = jobs[0]?.ask("Sure?");
  const { requestState = "" } = (await readJson(await asked))["result"] as JsonObject;
  let isClosed = false;
  const closing = gateway.close("over", { drainMs: 1000 }).then(() => (isClosed = true));
  expect((await handler.fetch(post("tools/call", { name: "call" }))).status).toBe(503);
  expect(isClosed).toBe(false);
  const inputResponses = { "question-1": { action: "accept" } };
  const retried = handler.fetch(post("tools/call", { name: "call", requestState, inputResponses }));
  expect(await answered).toBe("accept null");
  jobs[0]?.end("done");
  const retry = await retried;
  expect([retry.status, await readJson(retry)]).toMatchObject([200, { result: { content: [{ text: "done" }] } }]);
  await closing;
});

it("refuses what comes in beyond the room for all bodies with 503, and takes the next one", async () => {
  const { gateway } = serveTools([tool("call", () => "done")], { limits: { maxIncomingBytes: 1000 } });
  const handler = gateway.http({ auth: "none" });
  let go: () => void = () => {};
  const slow = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(`"${"x".repeat(600)}`));
      go = () => controller.error(new Error("broke off"));
    },
  });
  const held = handler.fetch(post("tools/call", {}, slow));
  const large = { name: "call", arguments: { text: "x".repeat(300) } };
  const refused = await handler.fetch(post("tools/call", large));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  go();
  await held;
  expect((await handler.fetch(post("tools/call", large))).status).toBe(200);
  await gateway.close();
});

it("waits no longer for verifyToken than verifyTokenMs", async () => {
  const clock = useManualClock();
  const { gateway } = serveTools([], { limits: { verifyTokenMs: 1000 } });
  const handler = gateway.http({ auth: { verifyToken: () => new Promise(() => {}) } });
  const answer = handler.fetch(post("tools/call", { name: "call" }));
  await expect.poll(() => clock.delays()).toEqual([1000]);
  clock.advance(1000);
  expect((await answer).status).toBe(503);
  await gateway.close();
});

describe("what a server says beside its answers", () => {
  it("is a line of a log that belongs to a read, from the level on that the client said", async () => {
    const logged = createEvent<ServerLog & { readonly serverId: string }>();
    const metas: unknown[] = [];
    const entry = { serverId: "shop", uri: "note://1", name: "one" };
    const none = createEvent<unknown>().on;
    const resources = {
      snapshot: () => ({ revision: 1, entries: [entry] }),
      templateSnapshot: () => ({ revision: 1, entries: [] }),
      promptSnapshot: () => ({ revision: 1, entries: [] }),
      onResourcesChanged: none,
      onTemplatesChanged: none,
      onPromptsChanged: none,
      read: async (_target: unknown, options: { readonly meta?: unknown }) => {
        metas.push(options.meta);
        for (const level of ["debug", "warning"]) {
          logged.emit({ serverId: "shop", source: "notification", level, text: `a ${level}` } as never);
        }
        return { contents: [] };
      },
    } as unknown as GatewayResources;
    const open: GatewayOptions["open"] = ({ view }) => ({
      tools: toolbox.view(view),
      resources,
      onServerLog: logged.on,
    });
    const { gateway, toolbox } = serveTools([], { open });
    await using client = connectRaw(gateway);
    const _meta = { ...envelope(), "io.modelcontextprotocol/logLevel": "info" };
    await client.request("resources/read", { uri: "note://1", _meta });
    await client.request("resources/read", { uri: "note://1", _meta: envelope() });
    expect(metas).toEqual([{ "io.modelcontextprotocol/logLevel": "info" }, undefined]);
    const lines = client.received.filter(isMethod("notifications/message")).map(({ params }) => params);
    expect(lines).toEqual([{ level: "warning", logger: "shop", data: "a warning" }]);
    await gateway.close();
  });
});
