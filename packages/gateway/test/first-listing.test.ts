import type { JsonObject } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { createGateway, type Exposure, type Gateway } from "@hostside/gateway";
import { describe, expect, it } from "vitest";
import { useManualClock, type ManualClock } from "../../../test/manual-clock.ts";
import { fakeProvider, groupOf, serverTool } from "../../discovery/test/fake-provider.ts";
import { connectRaw, connectSession, envelope } from "./raw-client.ts";

interface World {
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  readonly arrive: () => void;
  /** Has another server, which is there. */
  readonly ready: () => void;
}

/** One server, which is on its way. */
function setUp(expose: Exposure): World {
  const clock = useManualClock();
  const provider = fakeProvider("mcp");
  provider.unreadyGroups = () => [{ id: "mcp:files", title: "files", serverId: "files", state: "connecting" }];
  provider.init = () => new Promise(() => {});
  const toolbox = createToolbox({ providers: [provider] });
  const gateway = createGateway({
    name: "test",
    version: "1",
    expose,
    tools: "all",
    open: ({ view }) => ({ tools: toolbox.view(view) }),
  });
  const arrive = (): void => {
    provider.unreadyGroups = () => [];
    provider.offer([serverTool("files", "read")], [groupOf("mcp:files", ["mcp_files_read"])]);
  };
  const ready = (): void => provider.offer([serverTool("quick", "say")], [groupOf("mcp:quick", ["mcp_quick_say"])]);
  return { gateway, clock, arrive, ready };
}

const namesIn = (answer: JsonObject): readonly string[] =>
  (answer["result"] as unknown as { readonly tools: readonly { readonly name: string }[] }).tools.map(
    ({ name }) => name,
  );

describe("a host that lists once, while servers are starting", () => {
  it("gets all tools, in both eras", async () => {
    const { gateway, arrive } = setUp("all");
    await using client = await connectSession(gateway);
    await using modern = connectRaw(gateway);
    const listed = [client.request("tools/list"), modern.request("tools/list", { _meta: envelope() })];
    await expect.poll(() => gateway.stats().busy).toBe(2);
    arrive();
    expect((await Promise.all(listed)).map(namesIn)).toEqual([["mcp_files_read"], ["mcp_files_read"]]);
    await gateway.close();
  });

  it("gets what there is after limits.listWaitMs, and the rest by list_changed", async () => {
    const { gateway, clock, arrive } = setUp("all");
    await using client = await connectSession(gateway);
    const listed = client.request("tools/list");
    await expect.poll(() => gateway.stats().busy).toBe(1);
    clock.advance(gateway.limits.listWaitMs);
    expect(namesIn(await listed)).toEqual([]);
    expect(namesIn(await client.request("tools/list"))).toEqual([]);
    arrive();
    clock.advance(50);
    await client.next(({ method }) => method === "notifications/tools/list_changed");
    expect(namesIn(await client.request("tools/list"))).toEqual(["mcp_files_read"]);
    await gateway.close();
  });

  it("is kept by a server that hangs no longer than a second, as it lists and as it reads the groups", async () => {
    const all = setUp("all");
    all.ready();
    await using client = await connectSession(all.gateway);
    const listed = client.request("tools/list");
    await expect.poll(() => all.clock.delays(), { timeout: 60_000 }).toContain(1000);
    all.clock.advance(1000);
    expect(namesIn(await listed)).toEqual(["mcp_quick_say"]);
    await all.gateway.close();

    const { gateway, clock, ready } = setUp("groups");
    ready();
    const opened = connectSession(gateway);
    await expect.poll(() => clock.delays(), { timeout: 60_000 }).toContain(1000);
    clock.advance(1000);
    await using reader = await opened;
    expect(reader.hello["instructions"]).toContain("mcp:quick (1)");
    await gateway.close();
  });

  it("reads the groups in the instructions, and waits for no server to list the discovery tools", async () => {
    const search = setUp("search");
    await using quick = await connectSession(search.gateway);
    expect(namesIn(await quick.request("tools/list"))).toHaveLength(5);
    await search.gateway.close();
    const { gateway, arrive } = setUp("groups");
    const opened = connectSession(gateway);
    await expect.poll(() => gateway.stats().clients).toBe(1);
    arrive();
    await using client = await opened;
    expect(client.hello["instructions"]).toContain("mcp:files (1)");
    await gateway.close();
  });
});
