import type { GatewayConversation, GatewayResources } from "@hostside/gateway";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import { connectRaw, connectSession, isMethod } from "./raw-client.ts";
import { serveTools, tool } from "./static-world.ts";

const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
const never = new Promise<never>(() => {});
const nothing = { revision: 0, entries: [] };
const quiet = (): (() => void) => () => {};

type UpdateListener = (update: { readonly updatedUri: string }) => void;

function resourcesOf(given: object): GatewayResources {
  const listed = { revision: 1, entries: [{ serverId: "a", uri: "note:1", name: "one" }] };
  return {
    list: async () => ({ resources: listed.entries, failures: [] }),
    listTemplates: async () => ({ templates: [], failures: [] }),
    read: async () => ({ contents: [] }),
    subscribe: async () => () => {},
    listPrompts: async () => ({ prompts: [], failures: [] }),
    getPrompt: async () => ({ messages: [] }),
    complete: async () => ({ values: [], hasMore: false }),
    snapshot: () => listed,
    templateSnapshot: () => nothing,
    promptSnapshot: () => nothing,
    onResourcesChanged: quiet,
    onTemplatesChanged: quiet,
    onPromptsChanged: quiet,
    ...given,
  } as unknown as GatewayResources;
}

function serve(resources: GatewayResources, options: object = {}) {
  const served = serveTools([tool("echo", () => "hi")], {
    open: ({ view }): GatewayConversation => ({ tools: served.toolbox.view(view), resources }),
    ...options,
  });
  return served.gateway;
}

describe("a list that nobody answers", () => {
  it("keeps a read waiting no longer than requestMs", async () => {
    const clock = useManualClock();
    const resources = resourcesOf({ list: () => never, snapshot: () => nothing });
    const gateway = serve(resources, { limits: { requestMs: 1000 } });
    const client = await connectSession(gateway);
    const answer = client.request("resources/read", { uri: "note:9" });
    await expect.poll(() => gateway.stats().busy).toBe(1);
    await expect.poll(() => clock.pending()).toBe(1);
    clock.advance(1000);
    expect(await answer).toMatchObject({ error: { data: { code: "request_timeout" } } });
    await gateway.close();
  });
});

describe("a client of a session", () => {
  it("is subscribed once, however often it says so, and hears nothing after it took that back", async () => {
    let update = (): void => {};
    let followed = 0;
    const resources = resourcesOf({
      subscribe: async (_target: unknown, onUpdate: UpdateListener) => {
        followed += 1;
        update = () => onUpdate({ updatedUri: "note:1" });
        const end = (): void => void (followed -= 1);
        return Object.assign(end, { [Symbol.dispose]: end });
      },
    });
    const gateway = serve(resources);
    const client = await connectSession(gateway);
    await client.request("resources/subscribe", { uri: "note:1" });
    await client.request("resources/subscribe", { uri: "note:1" });
    update();
    await client.next(isMethod("notifications/resources/updated"));
    await client.request("resources/unsubscribe", { uri: "note:1" });
    expect([followed, gateway.stats().subscriptions]).toEqual([0, 0]);
    await gateway.close();
  });
});

describe("an open() of the product", () => {
  it.each<[string, unknown]>([
    ["brings nothing", undefined],
    ["brings what cannot be closed", { tools: {}, close: () => Promise.reject(new Error("not closed")) }],
  ])("that comes too late and %s is a refused client, and nothing else", async (_, brought) => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", onUnhandled);
    try {
      const clock = useManualClock();
      let bring = (): void => {};
      const open = (): Promise<never> => new Promise((resolve) => (bring = () => resolve(brought as never)));
      const { gateway } = serveTools([], { open, limits: { openMs: 1000 } });
      const hello = connectRaw(gateway).request("initialize", initialize);
      await expect.poll(() => clock.pending()).toBe(1);
      clock.advance(1000);
      expect(await hello).toMatchObject({ error: { data: { code: "connect_timeout" } } });
      bring();
      await new Promise(setImmediate);
      expect(unhandled).toEqual([]);
      await gateway.close();
    } finally {
      process.off("unhandledRejection", onUnhandled);
    }
  });
});

describe("an answer that cannot be written", () => {
  it("is an error of its request, and no other suffers", async () => {
    const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as never;
    const gateway = serve(resourcesOf({ read: async () => ({ contents: [{ uri: "note:1", deep }] }) }));
    const client = await connectSession(gateway);
    expect(await client.request("resources/read", { uri: "note:1" })).toMatchObject({ error: { code: -32_603 } });
    expect(await client.request("ping")).toMatchObject({ result: {} });
    await gateway.close();
  });
});
