import { fixtureServer, type StdioFixture } from "@toolport/fixtures";
import { createProvider, type McpProvider } from "@toolport/provider";
import { createResources, type Resources, type SubscribedUpdate } from "@toolport/resources";
import { createConnector } from "@toolport/transports";
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
      servers: [{ id: "library", transport: { kind: "stdio", ...fixtureServer(name) } }],
    });
    resources = createResources(provider, { allowedSchemes: ["NOTE"] });
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

  it("are heard of while they are subscribed to, and listed again when there are more (NX-65)", async () => {
    await resources.list();
    const updates: SubscribedUpdate[] = [];
    const added: string[] = [];
    const listening = resources.onResourcesChanged((change) => added.push(...change.added.map(({ uri }) => uri)));
    const subscription = await resources.subscribe("library", "note://first", (update) => updates.push(update));
    await provider.call("mcp_library_write", { name: "first", text: "One." });
    await vi.waitFor(() => expect(updates).toContainEqual(update(false)));
    await provider.call("mcp_library_write", { name: "third", text: "Three." });
    await vi.waitFor(() => expect(added).toEqual(["note://third"]), { timeout: 5000 });
    expect(resources.snapshot().entries).toHaveLength(3);
    subscription();
    listening();
  });
});

function update(maybeMissed: boolean): SubscribedUpdate {
  return { serverId: "library", uri: "note://first", updatedUri: "note://first", maybeMissed };
}
