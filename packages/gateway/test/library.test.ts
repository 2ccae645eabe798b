import type { JsonObject } from "@hostside/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectRaw, connectSession, envelope, isMethod, type RawClient } from "./raw-client.ts";
import { openWorld, type World } from "./upstream.ts";

let world: World;
beforeAll(async () => {
  world = await openWorld({ servers: ["legacy-library", "modern-library"], withResources: true });
});
afterAll(() => world[Symbol.asyncDispose]());

const capabilities = { elicitation: { form: {} } };
const eras = ["legacy", "modern"] as const;

interface EraClient extends RawClient {
  ask(method: string, params?: JsonObject): Promise<JsonObject>;
}

async function listen(client: EraClient, notifications: JsonObject): Promise<JsonObject> {
  void client.ask("subscriptions/listen", { notifications });
  return client.next(isMethod("notifications/subscriptions/acknowledged"));
}

/** As a client with a session has it: a question on the way. */
async function answerAsked(client: EraClient, params: JsonObject, result: JsonObject): Promise<JsonObject> {
  const answer = client.ask("prompts/get", params);
  const { id = null } = await client.next(isMethod("elicitation/create"));
  client.send({ jsonrpc: "2.0", id, result });
  return answer;
}

/** As 2026-07-28 has it: a question as the answer, and another try. */
async function answerRetried(client: EraClient, params: JsonObject, response: JsonObject): Promise<JsonObject> {
  const first = await client.ask("prompts/get", params);
  const { inputRequests, requestState = "" } = first["result"] as JsonObject;
  const keys = Object.keys(inputRequests as JsonObject);
  const inputResponses = Object.fromEntries(keys.map((key) => [key, response]));
  return client.ask("prompts/get", { ...params, inputResponses, requestState });
}

async function connect(era: (typeof eras)[number]): Promise<EraClient> {
  const client = era === "legacy" ? await connectSession(world.gateway, { capabilities }) : connectRaw(world.gateway);
  const meta = era === "legacy" ? {} : { _meta: envelope(capabilities) };
  return { ...client, ask: (method, params) => client.request(method, { ...params, ...meta }) };
}

describe.each(eras)("resources and prompts for a %s client", (era) => {
  it("lists those of all servers, and reads each at its server", async () => {
    await using client = await connect(era);
    const { result } = await client.ask("resources/list");
    const { resources } = result as unknown as { readonly resources: readonly { readonly uri: string }[] };
    // Both libraries have the same notes; the first server by id has them.
    expect(resources.map(({ uri }) => uri)).toEqual(["note://first", "note://second"]);
    expect(await client.ask("resources/read", { uri: "note://second" })).toMatchObject({
      result: { contents: [{ uri: "note://second", text: expect.any(String) }] },
    });
    expect(await client.ask("resources/templates/list")).toMatchObject({
      result: { resourceTemplates: [{ uriTemplate: "note://{name}", name: "any note" }] },
    });
    expect(await client.ask("resources/read", { uri: "elsewhere://1" })).toMatchObject({
      error: { code: era === "legacy" ? -32_002 : -32_602 },
    });
  });

  it("lists prompts by server, fills them in, and completes", async () => {
    await using client = await connect(era);
    const { result } = await client.ask("prompts/list");
    const { prompts } = result as unknown as { readonly prompts: readonly { readonly name: string }[] };
    expect(prompts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["legacy-library_summarize", "modern-library_in-tone", "modern-library_summarize"]),
    );
    expect(
      await client.ask("prompts/get", { name: "legacy-library_summarize", arguments: { of: "it" } }),
    ).toMatchObject({
      result: { messages: [{ role: "user", content: { text: "Summarize it." } }] },
    });
    expect(await client.ask("prompts/get", { name: "legacy-library_summarize" })).toMatchObject({
      error: { code: -32_602 },
    });
    expect(await client.ask("prompts/get", { name: "nobody_none" })).toMatchObject({ error: { code: -32_602 } });
    const ref = { type: "ref/resource", uri: "note://{name}" };
    expect(await client.ask("completion/complete", { ref, argument: { name: "name", value: "se" } })).toMatchObject({
      result: { completion: { values: ["second"] } },
    });
  });

  it("has the user asked by a prompt", async () => {
    await using client = await connect(era);
    const params = { name: "modern-library_in-tone", arguments: { of: "it" } };
    const response = { action: "accept", content: { tone: "dry" } };
    const answer = await (era === "legacy"
      ? answerAsked(client, params, response)
      : answerRetried(client, params, response));
    expect(answer).toMatchObject({ result: { messages: [{ content: { text: "Summarize it in dry tone." } }] } });
  });

  it("hears of updates of what it is subscribed to, and of nothing else", async () => {
    await using client = await connect(era);
    await using other = await connect(era);
    const uri = "note://second";
    const filter = { resourceSubscriptions: [uri] };
    const began = await (era === "legacy" ? client.ask("resources/subscribe", { uri }) : listen(client, filter));
    expect(began).toMatchObject(era === "legacy" ? { result: {} } : { params: { notifications: filter } });
    const write = (name: string): Promise<JsonObject> =>
      client.ask("tools/call", { name: "mcp_legacy_library_write", arguments: { name, text: "again" } });
    await write("first");
    await write("second");
    expect(await client.next(isMethod("notifications/resources/updated"))).toMatchObject({ params: { uri } });
    const updates = client.received.filter(isMethod("notifications/resources/updated"));
    expect(updates.map(({ params }) => (params as JsonObject)["uri"])).toEqual([uri]);
    expect(other.received.filter(isMethod("notifications/resources/updated"))).toEqual([]);
    if (era === "legacy") await client.ask("resources/unsubscribe", { uri });
    else client.notify("notifications/cancelled", { requestId: "id-1", _meta: envelope() });
    await expect.poll(() => world.gateway.stats().subscriptions).toBe(0);
  });

  it("hears that the list of prompts changed", async () => {
    await using client = await connect(era);
    await client.ask("prompts/list");
    const filter = { promptsListChanged: true, toolsListChanged: false };
    if (era === "modern") await listen(client, filter);
    await client.ask("tools/call", { name: "mcp_modern_library_add_prompt", arguments: { name: `of-${era}` } });
    await client.next(isMethod("notifications/prompts/list_changed"));
    expect(JSON.stringify(await client.ask("prompts/list"))).toContain(`modern-library_of-${era}`);
  });
});
