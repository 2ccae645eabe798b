import { createToolbox } from "@hostside/discovery";
import { evvaNaming, verbatimNaming } from "@hostside/naming";
import { describe, expect, it, onTestFinished } from "vitest";
import { authenticateToolNames, createAuthenticateTools } from "../src/index.ts";
import {
  authenticateWiki,
  createGates,
  createStubOAuth,
  namesOf,
  oauthServer,
  start,
  startProvider,
  textOf,
  wiki,
} from "./authenticate-world.ts";

describe("names", () => {
  it("follow the convention of the provider, legal for every model API", () => {
    expect(authenticateToolNames(["GitHub.com", "1", "wiki"])).toEqual([
      "mcp_github_com_authenticate",
      "mcp_wiki_authenticate",
      "mcp_x1_authenticate",
    ]);
    expect(authenticateToolNames(["wiki"], evvaNaming)).toEqual(["mcp__wiki__authenticate"]);
    expect(authenticateToolNames(["wiki"], verbatimNaming)).toEqual(["mcp_wiki_authenticate"]);
  });

  it("are bounded, and no two servers have one", () => {
    const ids = ["a.b", "a-b", "a_b", "é", "ü", "x".repeat(80), `${"x".repeat(80)}y`];
    const names = authenticateToolNames(ids);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(authenticateToolNames(ids.toReversed())).toEqual(names);
  });

  it("stay with a server when another one comes that would have it", async () => {
    const [first, second] = ["x".repeat(80), `${"x".repeat(80)}y`];
    const { tools, provider } = await start([oauthServer(first)]);
    const [name = ""] = namesOf(tools);
    provider.registerServer(oauthServer(second));
    await provider.refreshServer(second).catch(() => {});
    expect(namesOf(tools)).toHaveLength(2);
    expect(namesOf(tools)).toContain(name);
  });

  it("are never those of a server's own tool, which has another one where they are reserved", async () => {
    const gates = createGates();
    const stub = createStubOAuth(gates);
    gates.tools.set("wiki", ["authenticate"]);
    const provider = await startProvider(gates, [wiki], authenticateToolNames(["wiki"]));
    const tools = createAuthenticateTools({ oauth: stub.oauth, provider });
    onTestFinished(() => tools.close());
    const text = textOf(await tools.call(authenticateWiki));
    expect(text).toMatch(/- mcp_wiki_authenticate_[0-9a-f]+$/);
    gates.refuseCalls.add("wiki");
    await provider.call(provider.tools()[0]?.name ?? "").catch(() => {});
    expect(namesOf(tools)).toEqual([authenticateWiki]);
    expect(provider.has(authenticateWiki)).toBe(false);
  });

  it("give way to a server's own tool where nobody reserved them", async () => {
    const { tools, gates, provider, stub } = await start([wiki]);
    gates.tools.set("wiki", ["authenticate"]);
    const toolbox = createToolbox({ providers: [provider, tools] });
    onTestFinished(() => toolbox.close());
    await tools.call(authenticateWiki);
    gates.refuseCalls.add("wiki");
    await toolbox.call(authenticateWiki).catch(() => {});
    const [ours = ""] = namesOf(tools);
    expect(ours).toMatch(/^mcp_wiki_authenticate_[0-9a-f]+$/);
    gates.refuseCalls.delete("wiki");
    expect(textOf(await toolbox.call(ours))).toContain("- mcp_wiki_authenticate");
    expect(stub.asked).toEqual(["authorize wiki", "authorize wiki"]);
  });

  it.each<[string, () => unknown]>([
    ["maxLength", () => authenticateToolNames(["a"], { ...evvaNaming, maxLength: 1 })],
    ["name", () => createAuthenticateTools({ name: "x" } as never)],
  ])("and options that cannot be used are refused: %s", (message, make) => {
    expect(make).toThrow(message);
  });
});
