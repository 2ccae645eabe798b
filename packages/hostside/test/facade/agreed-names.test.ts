import { describe, expect, it } from "vitest";
import { createHost, type Host, type HostState } from "hostside";
import { createFakeConnector } from "./fake-connector.ts";
import { createMemoryHub } from "./memory-hub.ts";
import { byName } from "./by-name.ts";

// Both would have the name mcp_g_p_list; who is there first gets it.
const described = { g: { tools: ["p_list"] }, g_p: { tools: ["list"] } };
const entry = { type: "stdio" as const, command: "none" };
const namesOf = (host: Host) =>
  host.tools().flatMap(({ name, origin }) => (origin?.serverId ? [[name, origin.serverId, origin.toolName]] : []));

describe("names of replicas", () => {
  it("are the same, in whatever order servers with tools of one name list at the same moment", async () => {
    const hub = createMemoryHub();
    const replica = async (...order: readonly string[]) => {
      const host = await createHost({ connector: createFakeConnector(described), state: hub.state() });
      for (const id of order) await host.servers.add(id, entry);
      return host;
    };
    const [one, other] = await Promise.all([replica("g", "g_p"), replica("g_p", "g")]);
    await using first = one;
    await using second = other;
    expect(namesOf(first).map(([, id]) => id)).toEqual(expect.arrayContaining(["g", "g_p"]));
    expect(namesOf(second)).toEqual(namesOf(first));
  });

  it("are those of the store after a replica kept others, while it could not ask or before it had replicas", async () => {
    const hub = createMemoryHub();
    const start = (state: HostState, ...ids: readonly string[]) =>
      createHost({
        connector: createFakeConnector(described),
        servers: byName(ids.map((id) => ({ id, ...entry }))),
        savedCatalogs: false,
        state,
      });
    const { store } = hub.state();
    await (await start({ store }, "g_p")).close();
    await using first = await start(hub.state(), "g");
    await using second = await start(hub.state(), "g_p", "g");
    const [owner] = first.tools(["mcp_g_p_list"]);
    expect(owner?.origin).toMatchObject({ serverId: "g" });
    expect(second.tools(["mcp_g_p_list"])[0]?.origin).toEqual(owner?.origin);
    expect(namesOf(second)).toHaveLength(2);
  });
});
