import type { Admit, ServerSpec, ToolDefinition } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createHost } from "hostside";
import { createFakeConnector } from "./fake-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { byName } from "./by-name.ts";

const toolsOf = (offered: { tools(): readonly ToolDefinition[] }): readonly string[] =>
  offered
    .tools()
    .flatMap(({ origin }) => ((origin?.serverId ?? "") === "" ? [] : `${origin?.serverId}/${origin?.toolName}`))
    .toSorted();

describe("allowTool of a host", () => {
  const servers: readonly ServerSpec[] = ["shared", "conversation"].map((sharing) => ({
    id: sharing,
    sharing: sharing as "shared" | "conversation",
    type: "stdio",
    command: "x",
  }));
  const connector = () => createFakeConnector({ shared: { tools: ["a", "b"] }, conversation: { tools: ["a", "b"] } });

  it("decides beside the policy, and is asked again in every conversation", async () => {
    let hidden = "a";
    const allowTool: Admit = ({ origin }) => (origin?.toolName === hidden ? "hide" : "offer");
    await using host = await createHost({
      connector: connector(),
      servers: byName(servers),
      pool: {},
      allowTool,
      policy: { deny: "shared/b", defaultDecision: "allow" },
    });
    await using one = await host.conversation();
    expect(toolsOf(one)).toEqual(["conversation/b"]);
    await expect(one.call("mcp_conversation_a")).rejects.toMatchObject({ code: "unknown_tool" });
    const { revision } = host.toolbox;
    hidden = "b";
    host.recheckTools();
    one.compact();
    expect([toolsOf(one), toolsOf(host)]).toEqual([["conversation/a", "shared/a"], ["shared/a"]]);
    expect(host.toolbox.revision).toBeGreaterThan(revision);
  });

  it("is not asked any more by a conversation that is closed", async () => {
    const asked: string[] = [];
    const allowTool: Admit = ({ name }) => (asked.push(name), "offer");
    await using host = await createHost({ connector: connector(), servers: byName(servers), pool: {}, allowTool });
    const one = await host.conversation();
    await one.close();
    asked.length = 0;
    host.recheckTools();
    toolsOf(host);
    expect(asked).not.toContain("mcp_conversation_a");
  });
});

describe("servers that are revised", () => {
  it("start as the product wants them, or are as if nobody had configured them, after an edit too", async () => {
    const folder = createTemporaryFolder();
    const settings = { watch: { quietMs: 10 } };
    const entry = (command: string) => ({ type: "stdio", command });
    const config = folder.write("hostside.json", { servers: { a: entry("x"), b: entry("self") }, settings });
    const revise = (spec: ServerSpec): ServerSpec | undefined =>
      spec.type === "stdio" && spec.command === "self" ? undefined : { ...spec, title: "revised" };
    await using host = await createHost({
      connector: createFakeConnector(),
      config: { files: [config], revise },
    });
    const seen = () => host.statuses().map(({ id, title }) => [id, title]);
    expect(seen()).toEqual([["a", "revised"]]);
    expect(host.config?.sources.find(({ serverId }) => serverId === "b")).toMatchObject({ off: "not wanted" });
    const edited = new Promise((resolve) => host.onConfigReport(resolve));
    folder.write("hostside.json", { servers: { a: entry("self"), c: entry("x") }, settings });
    await edited;
    expect(seen()).toEqual([["c", "revised"]]);
  });

  it("throws a TypeError for what is no function", async () => {
    await expect(createHost({ config: { files: [], revise: 1 as never } })).rejects.toThrow("config.revise");
    await expect(createHost({ allowTool: "offer" as never })).rejects.toThrow("allowTool must be a function");
  });
});
