import { createToolbox } from "@hostside/discovery";
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
  it("follow the convention that the product has, legal for every model API", () => {
    expect(authenticateToolNames(["GitHub.com", "1", "wiki"])).toEqual([
      "mcp_github_com_authenticate",
      "mcp_wiki_authenticate",
      "mcp_x1_authenticate",
    ]);
    expect(authenticateToolNames(["wiki"], { nameOf: (id) => `sign in: ${id}` })).toEqual(["sign_in__wiki"]);
  });

  it("are bounded, and no two servers have one", () => {
    const ids = ["a.b", "a-b", "a_b", "é", "ü", "x".repeat(80), `${"x".repeat(80)}y`];
    for (const nameOf of [undefined, (id: string) => `sign in: ${id}`]) {
      const names = authenticateToolNames(ids, { nameOf });
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(authenticateToolNames(ids.toReversed(), { nameOf })).toEqual(names);
    }
    expect(authenticateToolNames(["a", "b"], { nameOf: () => "same" })).toHaveLength(2);
  });

  it("stay with a server when another one comes that would have it", async () => {
    const { tools, provider } = await start([oauthServer("a")], { nameOf: () => "sign_in" });
    provider.registerServer(oauthServer("b"));
    await provider.refreshServer("b").catch(() => {});
    expect(namesOf(tools)).toEqual(["sign_in", expect.stringMatching(/^sign_in_[0-9a-f]{8}$/)]);
  });

  it("are never those of a server's own tool, which has another one where they are reserved", async () => {
    const gates = createGates();
    const stub = createStubOAuth(gates);
    gates.tools.set("wiki", ["authenticate"]);
    const provider = await startProvider(gates, [wiki], authenticateToolNames(["wiki"]));
    const tools = createAuthenticateTools({ oauth: stub.oauth, provider });
    onTestFinished(() => tools.close());
    const text = textOf(await tools.call(authenticateWiki));
    expect(text).toMatch(/- mcp_wiki_authenticate_[0-9a-f]{8}$/);
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
    expect(ours).toMatch(/^mcp_wiki_authenticate_[0-9a-f]{8}$/);
    gates.refuseCalls.delete("wiki");
    expect(textOf(await toolbox.call(ours))).toContain("- mcp_wiki_authenticate");
    expect(stub.asked).toEqual(["authorize wiki", "authorize wiki"]);
  });

  it.each<[string, () => unknown]>([
    ['no option "preset"', () => authenticateToolNames([], { preset: "evva" } as never)],
    ["nameOf must be a function", () => authenticateToolNames([], { nameOf: "x" as never })],
    ["nameOf must answer with a text", () => authenticateToolNames(["a"], { nameOf: () => "" })],
    ["as an array of texts", () => authenticateToolNames("wiki" as never)],
    ["needs oauth, which has authorize()", () => createAuthenticateTools({ provider: {} } as never)],
    [
      "needs provider, which has refreshServer()",
      () => createAuthenticateTools({ oauth: { authorize() {} } } as never),
    ],
  ])("and options that cannot be used are refused: %s", (message, make) => {
    expect(make).toThrow(message);
  });

  it("of a principal and of the provider are texts", async () => {
    const { provider, stub } = await start([]);
    for (const wrong of [{ principal: "" }, { name: 1 }]) {
      expect(() => createAuthenticateTools({ oauth: stub.oauth, provider, ...(wrong as object) })).toThrow(TypeError);
    }
  });
});
