import { createHost, type HostOptions } from "hostside";
import { describe, expect, it } from "vitest";
import { createFakeConnector } from "./fake-connector.ts";

const files = { id: "files", transport: { type: "stdio", command: "x" } } as const;
const reading = ["results_read", "resources_list", "resources_read", "resources_templates"];
const target = { server: "files", uri: "file:///a" };

/** A host over one server that has the tools `read` and `write`, and resources. */
function openHost(policy: HostOptions["policy"]) {
  const connector = createFakeConnector({ files: { tools: ["read", "write"], resources: true } });
  return createHost({ connector, servers: [files], policy });
}

describe("rules about servers and the host's own reading tools", () => {
  it.each<[string, HostOptions["policy"]]>([
    ["an allow list", { allow: ["files/read"] }],
    ["a deny of everything else", { allow: ["files/read"], defaultDecision: "deny" }],
    ["a quarantine of everything else", { allow: ["files/read"], defaultDecision: "quarantine" }],
    ["a deny of every server", { deny: ["*/write"], requireApproval: ["*/*"] }],
    ["stricter rules for every server", { stricter: [{ server: "*", defaultDecision: "deny" }] }],
  ])("%s leaves them on offer, and they run", async (_, policy) => {
    await using host = await openHost(policy);
    expect(host.tools().map(({ name }) => name)).toEqual(expect.arrayContaining(reading));
    const read = await host.call("resources_read", target);
    expect(JSON.stringify(read.content)).toContain('"text":"read"');
    await expect(host.call("resources_list")).resolves.toMatchObject({ isError: false });
    await expect(host.call("results_read", { handle: "none" })).resolves.toMatchObject({ isError: true });
  });

  it.each<[string, HostOptions["policy"], string]>([
    ["a deny by name", { deny: ["/results_read"] }, "results_read"],
    ["a deny of the name on any server", { deny: ["*/resources_read"] }, "resources_read"],
    ["a deny of all own tools", { deny: ["/*"] }, "resources_list"],
    ["a rule without a server", { deny: [{ tool: "resources_*" }] }, "resources_list"],
    [
      "an effect that is not reading",
      { effects: [{ tools: "/*", effect: "external" }], defaultDecision: "deny" },
      "results_read",
    ],
  ])("%s still holds", async (_, policy, name) => {
    await using host = await openHost(policy);
    expect(host.tools().map((tool) => tool.name)).not.toContain(name);
    await expect(host.call(name, target)).rejects.toMatchObject({ code: "unknown_tool" });
  });

  it("a rule that names one has it approved, although every tool of servers is denied", async () => {
    await using host = await openHost({ deny: ["*/*"], requireApproval: ["/resources_read"] });
    await expect(host.call("resources_read", target)).rejects.toMatchObject({ code: "approval_required" });
    expect(host.tools().map(({ name }) => name)).toEqual(expect.arrayContaining(reading));
  });

  it("explain() says that rules about servers are not for them", async () => {
    await using host = await openHost({ allow: ["files/read"], defaultDecision: "deny" });
    expect(host.policy.explain("results_read")).toContain("it only reads, and no rule names it");
  });
});

describe("what the rules say of a server's resources", () => {
  it.each(["files/*", "files/resources/read", "*/resources/*"])("deny %s refuses to read them", async (rule) => {
    await using host = await openHost({ deny: [rule] });
    const answer = await host.call("resources_read", target);
    expect(answer.isError).toBe(true);
    const message = `resources/read of server "files" is denied by deny[0] ("${rule}")`;
    expect(JSON.stringify(answer.content)).toContain(JSON.stringify(message).slice(1, -1));
    await expect(host.resources.read({ serverId: "files", uri: "file:///a" })).rejects.toMatchObject({
      code: "not_allowed",
      serverId: "files",
      details: { operation: "resources/read", policy: "deny[0]" },
    });
  });

  it("a deny of listing alone leaves reading", async () => {
    await using host = await openHost({ deny: ["files/resources/list"] });
    expect((await host.resources.list()).failures).toMatchObject([
      { serverId: "files", error: { code: "not_allowed" } },
    ]);
    await expect(host.call("resources_read", target)).resolves.toMatchObject({ isError: false });
  });
});

describe("an empty list", () => {
  it.each(["allow", "deny", "requireApproval"])("is no rule: %s", async (kind) => {
    await using host = await openHost({ [kind]: [] });
    await expect(host.call("mcp_files_write")).resolves.toMatchObject({ isError: false });
  });
});
