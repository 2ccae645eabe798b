import type { Diagnostic, UnreadyGroup } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createToolbox, reservedNames } from "../src/index.ts";
import type { ToolboxView, ViewOptions } from "../src/index.ts";
import { fakeProvider, groupOf, outage, outcomeOf, serverTool, toolOf, type FakeProvider } from "./fake-provider.ts";

/** A tool as it is named when its plain name was not to be had. */
const hashed = (serverId: string, toolName: string, hash: string) => ({
  ...serverTool(serverId, toolName),
  name: `mcp_${serverId}_${toolName.toLowerCase()}_${hash}`,
});

function setUp(
  tools: readonly ReturnType<typeof serverTool>[],
  denied: NonNullable<ViewOptions["deny"]>,
): { readonly view: ToolboxView; readonly provider: FakeProvider } {
  const provider = fakeProvider("mcp");
  provider.offer(tools, [
    groupOf(
      "mcp:s",
      tools.map(({ name }) => name),
    ),
  ]);
  return { view: createToolbox({ providers: [provider] }).view({ deny: denied }), provider };
}

const shown = (view: ToolboxView): readonly string[] => view.tools().map(({ name }) => name);

describe("view({ deny })", () => {
  it("denies a tool everywhere: listing, groups, search, selection and call", async () => {
    const provider = fakeProvider("mcp");
    const [open, secret] = [serverTool("s", "open"), serverTool("s", "secret")];
    provider.offer([open, secret], [groupOf("mcp:s", [open.name, secret.name]), groupOf("mcp:only", [secret.name])]);
    const view = createToolbox({ providers: [provider] }).view({
      deny: ["MCP_S_SECRET"],
      alwaysVisible: [secret.name],
    });

    expect(shown(view)).toEqual([open.name]);
    expect(view.has(secret.name)).toBe(false);
    expect(view.groups()).toMatchObject([{ id: "mcp:s", members: [open.name] }]);
    expect((await view.searchTools({ query: "secret" })).tools).toEqual([]);
    expect((await view.searchTools({ query: "*" })).total_tools).toBe(1);
    expect((await view.selectTools({ tools: [secret.name, "secret"], group: "mcp:only" })).tools).toEqual([]);
    await expect(view.call(secret.name)).rejects.toMatchObject({ code: "unknown_tool" });
    await expect(view.call("secret")).rejects.toMatchObject({
      code: "unknown_tool",
      rawMessage: 'tool "secret" not found; there is 1, by another name',
    });
    expect(provider.calls).toEqual([]);
  });

  it("is not evaded by a server that lists a name twice, so that both get a hash", async () => {
    const tools = [hashed("s", "delete", "0f3a91bc"), hashed("s", "DELETE", "77aa01fe"), serverTool("s", "read")];
    const { view, provider } = setUp(tools, ["mcp_s_delete"]);
    expect(shown(view)).toEqual(["mcp_s_read"]);
    for (const { name } of tools.slice(0, 2)) {
      await expect(view.call(name)).rejects.toMatchObject({ code: "unknown_tool" });
      expect((await view.selectTools({ tools: [name] })).tools).toEqual([]);
    }
    expect(provider.calls).toEqual([]);
  });

  it.each([
    ["local name in capitals", "MCP_S_DELETE_ALL"],
    ["qualified name", "mcp::s::delete-all"],
    ["names of other schemes", "mcp__s__delete-all"],
    ["server and remote name", "s/delete-all"],
  ])("knows a tool by its %s, with or without a hash", (_, denied) => {
    const plain = { ...serverTool("s", "delete-all"), name: "mcp_s_delete_all" };
    expect(shown(setUp([plain], [denied]).view)).toEqual([]);
    expect(shown(setUp([{ ...plain, name: "mcp_s_delete_all_0f3a91bc" }], [denied]).view)).toEqual([]);
    expect(shown(setUp([serverTool("s", "delete")], [denied]).view)).toEqual(["mcp_s_delete"]);
  });

  it("knows a tool whose name was cut, or is its remote name", () => {
    const long = `delete_${"very_".repeat(20)}much`;
    const cut = { ...serverTool("s", long), name: `mcp_s_${long}`.slice(0, 55) + "_0f3a91bc" };
    expect(shown(setUp([cut], [`mcp_s_${long}`]).view)).toEqual([]);
    for (const prefix of ["shop", "p"]) {
      const own = { ...serverTool("p", long), name: `${prefix}_p_${long}`.slice(0, 55) + "_0f3a91bc" };
      expect(shown(setUp([own], [`${prefix}_p_${long}`]).view)).toEqual([]);
    }
    const verbatim = { ...serverTool("s", long), name: `${long.slice(0, 55)}_0f3a91bc` };
    expect(shown(setUp([verbatim], [long]).view)).toEqual([]);
  });

  it("denies exactly one tool by its identity, whatever it is called", () => {
    const tools = [hashed("s", "delete", "0f3a91bc"), hashed("s", "DELETE", "77aa01fe"), serverTool("t", "delete")];
    const { view, provider } = setUp(tools, [{ serverId: "s", toolName: "DELETE" }]);
    expect(shown(view)).toEqual(["mcp_s_delete_0f3a91bc", "mcp_t_delete"]);
    provider.offer([{ ...serverTool("s", "DELETE"), name: "anything" }]);
    expect(view.has("anything")).toBe(false);
  });

  it("remembers whom a name meant: the tool stays denied under any other name", async () => {
    const { view, provider } = setUp([serverTool("s", "delete")], ["mcp_s_delete"]);
    provider.offer([{ ...serverTool("s", "delete"), name: "harmless" }]);
    expect(shown(view)).toEqual([]);
    await expect(view.call("harmless")).rejects.toMatchObject({ code: "unknown_tool" });
  });

  it("takes away the fallback of a tool that is allowed", async () => {
    const provider = fakeProvider("mcp");
    provider.offer([{ ...serverTool("s", "echo"), name: "echo" }]);
    provider.answer = (name) => Promise.resolve(outcomeOf(name, "s"));
    const tool = { definition: toolOf("echo"), run: () => Promise.reject(outage("not-sent")) };
    const toolbox = createToolbox({ tools: [tool], providers: [provider], precedence: "fallback" });
    await expect(toolbox.view().call("echo")).resolves.toMatchObject({ origin: { serverId: "s" } });
    const view = toolbox.view({ deny: [{ serverId: "s", toolName: "echo" }] });
    await expect(view.call("echo")).rejects.toMatchObject({ code: "unreachable" });
  });

  it("does not stand in the way of a tool that has no such name", () => {
    const tools = [serverTool("s", "delete_all"), serverTool("sd", "elete"), serverTool("s", "undelete")];
    expect(shown(setUp(tools, ["mcp_s_delete", "nobody"]).view)).toEqual(tools.map(({ name }) => name).toSorted());
  });
});

describe("names among a view's choices that no tool has", () => {
  it("are reported once, when all servers have listed their tools", () => {
    const diagnostics: Diagnostic[] = [];
    const provider = fakeProvider("mcp");
    let unready: readonly UnreadyGroup[] = [{ id: "mcp:s", title: "s", serverId: "s", state: "connecting" }];
    provider.unreadyGroups = () => unready;
    const onDiagnostic = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
    const view = createToolbox({ providers: [provider], onDiagnostic }).view({
      deny: ["MCP_S_Delete", "mcp_s_delte", { serverId: "s", toolName: "drop" }, { serverId: "S", toolName: "drop" }],
      alwaysVisible: ["mcp_s_read", "mcp_s_raed"],
    });
    view.tools();
    expect(diagnostics).toEqual([]);
    provider.offer([serverTool("s", "delete"), serverTool("s", "drop"), serverTool("s", "read")]);
    unready = [];
    view.tools();
    view.tools();
    expect(diagnostics.map(({ kind, message }) => [kind, message])).toEqual([
      ["unmatched-name", 'alwaysVisible has "mcp_s_raed", which no tool is called'],
      ["unmatched-name", 'deny has "mcp_s_delte", which no tool is called'],
      ["unmatched-name", 'deny has "drop of S", which no tool is called'],
    ]);
  });

  it("are none where every name has met a tool, also one that is gone since", () => {
    const diagnostics: Diagnostic[] = [];
    const provider = fakeProvider("mcp");
    provider.offer([serverTool("s", "delete")]);
    const onDiagnostic = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
    const view = createToolbox({ providers: [provider], onDiagnostic }).view({ deny: ["mcp_s_delete"] });
    provider.offer([]);
    view.tools();
    expect(diagnostics).toEqual([]);
  });
});

describe("reservedNames()", () => {
  it("are those of static tools and helpers, for a provider to leave alone", () => {
    const tools = [{ definition: toolOf("echo"), run: () => "" }];
    expect(reservedNames({ tools })).toEqual(["echo", "tools_groups", "tools_select", "tools_search"]);
  });
});
