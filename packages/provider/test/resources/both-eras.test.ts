import { fixtureServer, type StdioFixture } from "@hostside/fixtures";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createResources, type Resources } from "@hostside/provider/resources";
import type { SubscribedUpdate } from "../../src/resources/resources.ts";
import { createConnector } from "@hostside/transports";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

describe.each<[string, StdioFixture]>([
  ["legacy", "legacy-library"],
  ["modern", "modern-library"],
])("resources of a server: %s", (era, name) => {
  let provider: McpProvider;
  let resources: Resources;

  beforeAll(async () => {
    provider = createProvider({
      connector: createConnector(),
      servers: [{ id: "library", type: "stdio", ...fixtureServer(name) }],
    });
    resources = createResources(provider, { allowedUris: ["NOTE"] });
  });
  afterAll(() => provider.close());

  it("are listed, and templates as well", async () => {
    const listing = await resources.list();
    expect(provider.statuses().find(({ id }) => id === "library")?.server?.era).toBe(era);
    expect(listing.failures).toEqual([]);
    expect(listing.resources.map(({ serverId, uri }) => [serverId, uri])).toEqual([
      ["library", "note://first"],
      ["library", "note://second"],
    ]);
    const { templates } = await resources.listTemplates({ servers: ["library"] });
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(["note://{name}"]);
  });

  it("are read, and one that is not there is resource_not_found in either era", async () => {
    const read = await resources.read({ serverId: "library", uri: "note://first" });
    expect(read.contents).toEqual([{ uri: "note://first", text: "Once upon a time." }]);
    expect(read).toMatchObject({ dropped: [], isCached: false, ...(era === "modern" && { ttlMs: 0 }) });
    await expect(resources.read({ serverId: "library", uri: "note:no-such" })).rejects.toMatchObject({
      code: "resource_not_found",
      outcome: "failed",
      serverId: "library",
    });
  });

  it("have prompts beside them: listed, filled in, and what they refuse is invalid_arguments in either era", async () => {
    const { prompts, failures } = await resources.listPrompts();
    expect(failures).toEqual([]);
    const summarize = prompts.find(({ name: given }) => given === "summarize");
    expect(summarize).toMatchObject({ serverId: "library", arguments: [{ name: "of", required: true }] });
    const target = { serverId: "library", name: "summarize" };
    const { messages } = await resources.getPrompt(target, { of: "it" });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Summarize it." } }]);
    for (const asked of [target, { ...target, name: "no-such" }]) {
      await expect(resources.getPrompt(asked)).rejects.toMatchObject({
        code: "invalid_arguments",
        outcome: "failed",
        details: { rpcCode: -32_602 },
      });
    }
    const added: string[] = [];
    const listening = resources.onPromptsChanged((change) => added.push(...change.added.map((prompt) => prompt.name)));
    await provider.call("mcp_library_add_prompt", { name: "more" });
    await vi.waitFor(() => expect(added).toEqual(["more"]), { timeout: 60_000 });
    listening();
  });

  it("complete the variables of their templates, where the server can", async () => {
    const [template] = (await resources.listTemplates()).templates;
    const target = template ?? { serverId: "library", name: "any note" };
    expect(await resources.complete(target, { argument: "name", value: "fi" })).toMatchObject({
      values: ["first"],
      hasMore: false,
    });
  });

  it("are heard of while they are subscribed to, and listed again when there are more", async () => {
    await resources.list();
    const updates: SubscribedUpdate[] = [];
    const added: string[] = [];
    const listening = resources.onResourcesChanged((change) => added.push(...change.added.map(({ uri }) => uri)));
    const subscription = await resources.subscribe({ serverId: "library", uri: "note://first" }, (update) =>
      updates.push(update),
    );
    await provider.call("mcp_library_write", { name: "first", text: "One." });
    await vi.waitFor(() => expect(updates).toContainEqual(update(false)), 60_000);
    await provider.call("mcp_library_write", { name: "third", text: "Three." });
    await vi.waitFor(() => expect(added).toEqual(["note://third"]), { timeout: 60_000 });
    expect(resources.snapshot().entries).toHaveLength(3);
    subscription();
    listening();
  });
});

function update(maybeMissed: boolean): SubscribedUpdate {
  return { serverId: "library", uri: "note://first", updatedUri: "note://first", maybeMissed };
}
