import { ToolportError } from "@toolport/core";
import { createToolbox } from "@toolport/discovery";
import { describe, expect, it, onTestFinished } from "vitest";
import { authenticateToolNames, createAuthenticateTools, type AuthenticateToolsOptions } from "../src/index.ts";
import {
  createGates,
  createStubOAuth,
  describeChange,
  oauthServer,
  startProvider,
  textOf,
  type Gates,
  type StubOAuth,
} from "./authenticate-world.ts";
import type { McpProvider } from "@toolport/provider";
import type { ServerSpec, ToolProvider } from "@toolport/core";

interface World {
  readonly gates: Gates;
  readonly stub: StubOAuth;
  readonly provider: McpProvider;
  readonly tools: ToolProvider;
  /** Changes of the tools, in order. */
  readonly changes: readonly string[];
}

async function start(servers: readonly ServerSpec[], options: Partial<AuthenticateToolsOptions> = {}): Promise<World> {
  const gates = createGates();
  const stub = createStubOAuth(gates);
  const provider = await startProvider(gates, servers);
  const tools = createAuthenticateTools({ oauth: stub.oauth, provider, ...options });
  onTestFinished(() => tools.close());
  const changes: string[] = [];
  tools.onToolsChanged((change) => changes.push(describeChange(change)));
  return { gates, stub, provider, tools, changes };
}

const namesOf = (tools: ToolProvider): readonly string[] => tools.definitions().map(({ name }) => name);
const wiki = oauthServer("wiki", "The Wiki");
const authenticateWiki = "mcp_wiki_authenticate";

describe("the tools on offer", () => {
  it("are one for each server that needs somebody to sign in, and no others, sorted (EV-33)", async () => {
    const { tools } = await start([
      oauthServer("zoo"),
      wiki,
      { id: "by-token", transport: { kind: "http", url: "https://t.example", bearerToken: "rejected-token" } },
      { id: "by-key", transport: { kind: "http", url: "https://k.example", auth: "api-key" } },
      { ...oauthServer("off"), disabled: true },
    ]);
    expect(namesOf(tools)).toEqual([authenticateWiki, "mcp_zoo_authenticate"]);
    expect(tools.groups()).toMatchObject([{ id: "authenticate", members: [authenticateWiki, "mcp_zoo_authenticate"] }]);
    expect(tools.has("MCP_Wiki_Authenticate")).toBe(true);
    expect(tools.definitions(["nobody", "MCP_ZOO_AUTHENTICATE"]).map(({ name }) => name)).toEqual([
      "mcp_zoo_authenticate",
    ]);
    await tools.init();
    await tools.refresh();
  });

  it("take no arguments, say what they do, and have no word of the server (EV-52)", async () => {
    const { tools, gates, provider } = await start([wiki]);
    gates.open.add("wiki");
    await provider.refreshServer("wiki");
    gates.refuseCalls.add("wiki");
    await provider.call("mcp_wiki_search").catch(() => {});
    expect(provider.statuses()[0]).toMatchObject({ state: "needs-auth", auth: "oauth" });
    const [definition] = tools.definitions();
    expect(definition).toMatchObject({
      name: authenticateWiki,
      title: "Sign in to The Wiki",
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
      effect: "external",
      effectSource: "host",
    });
    expect(definition?.description).toContain('the MCP server "The Wiki" ("wiki")');
    expect(JSON.stringify(tools.definitions()) + JSON.stringify(tools.groups())).not.toContain("IGNORE");
  });

  it("show a title as one plain, bounded line", async () => {
    const { tools } = await start([oauthServer("wiki", `A\nB\u202e"${"x".repeat(300)}`)]);
    const [definition] = tools.definitions();
    expect(definition?.title).toMatch(/^Sign in to A B"x+…$/);
    expect(definition?.title?.length).toBeLessThan(120);
    expect(definition?.description.length).toBeLessThan(600);
  });

  it("come and go with the need for them: of servers that are added, refused in a call (EV-39), and removed", async () => {
    const { tools, gates, stub, provider, changes } = await start([]);
    provider.registerServer(wiki);
    expect(namesOf(tools)).toEqual([]);
    await provider.refreshServer("wiki").catch(() => {});
    expect(namesOf(tools)).toEqual([authenticateWiki]);
    gates.open.add("wiki");
    await provider.refreshServer("wiki");
    gates.refuseCalls.add("wiki");
    await provider.call("mcp_wiki_search").catch(() => {});
    expect(namesOf(tools)).toEqual([authenticateWiki]);
    await provider.removeServer("wiki");
    expect(changes).toEqual([
      `+${authenticateWiki}`,
      `-${authenticateWiki}`,
      `+${authenticateWiki}`,
      `-${authenticateWiki}`,
    ]);
    expect(tools.revision).toBe(5);
    expect(stub.asked).toEqual(["cancel wiki"]);
  });

  it("stay while a server is tried again", async () => {
    const { provider, changes } = await start([wiki]);
    await provider.refreshServer("wiki").catch(() => {});
    expect(changes).toEqual([]);
  });

  it("are gone for good when they, or the provider, are closed", async () => {
    const first = await start([wiki]);
    await Promise.all([first.tools.close(), first.tools.close()]);
    expect([first.tools.closed, namesOf(first.tools), first.changes]).toEqual([true, [], [`-${authenticateWiki}`]]);
    await expect(first.tools.call(authenticateWiki)).rejects.toMatchObject({ code: "closed" });
    await expect(first.tools.init()).rejects.toMatchObject({ code: "closed" });
    const second = await start([wiki]);
    await second.provider.close();
    expect([second.tools.closed, namesOf(second.tools), second.changes]).toEqual([true, [], [`-${authenticateWiki}`]]);
    expect(createAuthenticateTools({ oauth: second.stub.oauth, provider: second.provider }).closed).toBe(true);
  });
});

describe("a call", () => {
  it("signs in, brings the server's own tools in, lists them, and is not needed any more (EV-34, EV-35, EV-52)", async () => {
    const { tools, gates, stub, provider, changes } = await start([wiki, oauthServer("zoo")], { principal: "ann" });
    gates.tools.set("wiki", ["search", "edit"]);
    const toolbox = createToolbox({ providers: [provider, tools] });
    onTestFinished(() => toolbox.close());
    const declared = (): readonly string[] =>
      toolbox
        .definitions()
        .map(({ name }) => name)
        .filter((name) => name.startsWith("mcp_"));
    expect(declared()).toEqual([authenticateWiki, "mcp_zoo_authenticate"]);
    const outcome = await toolbox.call(authenticateWiki, {});
    expect(outcome).toMatchObject({ isError: false, origin: { serverId: "", toolName: authenticateWiki } });
    expect(textOf(outcome)).toBe(
      'The user is signed in to "The Wiki". Its tools are available now:\n- mcp_wiki_edit\n- mcp_wiki_search',
    );
    expect(stub.asked).toEqual(["authorize wiki ann"]);
    expect(declared()).toEqual(["mcp_zoo_authenticate", "mcp_wiki_edit", "mcp_wiki_search"]);
    expect(changes).toEqual([`-${authenticateWiki}`]);
    expect(textOf(await toolbox.call("mcp_wiki_search", {}))).toBe("from wiki");
    await expect(tools.call(authenticateWiki)).rejects.toMatchObject({ code: "unknown_tool" });
  });

  it("is shared by two who ask at once, and is of its own server", async () => {
    const { tools, stub } = await start([wiki, oauthServer("zoo")]);
    let goOn = (): void => {};
    const waiting = new Promise<void>((resolve) => (goOn = resolve));
    stub.answer = () => waiting;
    const calls = [tools.call(authenticateWiki), tools.call(authenticateWiki), tools.call("mcp_zoo_authenticate")];
    goOn();
    const texts = (await Promise.all(calls)).map(textOf);
    expect(texts[0]).toContain("- mcp_wiki_search");
    expect(texts[1]).toBe(texts[0]);
    expect(texts[2]).toContain("- mcp_zoo_search");
  });

  it.each<[string, ToolportError | Error, string]>([
    [
      "that the user cancelled, and may be repeated (EV-50)",
      new ToolportError("the user cancelled the sign-in", { code: "auth_required" }),
      "the user cancelled the sign-in (auth_required)",
    ],
    [
      "that failed",
      new ToolportError("no way to become a client", { code: "auth_required" }),
      "no way to become a client",
    ],
    ["that broke, without what a foreign error says", new Error("secret-of-somebody"), "the host failed"],
  ])("is answered with a failure that a model can read: one %s", async (_, error, text) => {
    const { tools, stub, provider } = await start([wiki]);
    stub.answer = () => Promise.reject(error);
    const outcome = await tools.call(authenticateWiki, {});
    expect(outcome.isError).toBe(true);
    expect(textOf(outcome)).toContain(`The user is not signed in to "The Wiki": ${text}`);
    expect(textOf(outcome)).not.toContain("secret");
    expect(provider.statuses()).toMatchObject([{ state: "needs-auth" }]);
    stub.answer = () => Promise.resolve();
    expect((await tools.call(authenticateWiki)).isError).toBe(false);
  });

  it("says that somebody is signed in but the tools did not come, and why", async () => {
    const { tools, stub, gates } = await start([wiki]);
    stub.answer = async () => void gates.unreachable.add("wiki");
    const outcome = await tools.call(authenticateWiki);
    expect(outcome.isError).toBe(true);
    expect(textOf(outcome)).toMatch(
      /^The user is signed in to "The Wiki", but its tools could not be listed: .*\(unreachable\)/,
    );
  });

  it("says that a server has no tools, and names no more than a hundred", async () => {
    const { tools, gates } = await start([wiki, oauthServer("zoo")]);
    gates.tools.set("wiki", []);
    gates.tools.set(
      "zoo",
      Array.from({ length: 130 }, (_, at) => `t${at}`),
    );
    expect(textOf(await tools.call(authenticateWiki))).toContain("The server has no tools on offer.");
    const lines = textOf(await tools.call("mcp_zoo_authenticate")).split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([102, "and 30 more"]);
  });

  it("answers with the URL to show where the host shows none, the same one while it lasts", async () => {
    const clock = { now: () => 0, schedule: () => () => {}, date: () => 1_000_000 };
    const { tools, stub, provider } = await start([wiki], { clock });
    stub.answer = () => Promise.reject(new ToolportError("no prompt", { code: "unsupported_operation" }));
    let pages = 0;
    stub.page = (serverId) => ({
      serverId,
      url: new URL(`https://login.example/authorize?state=${(pages += 1)}`),
      state: String(pages),
      expiresAt: pages === 1 ? 1_000_000 + 31_000 : 1_000_000 + 29_000,
    });
    const outcome = await tools.call(authenticateWiki);
    expect(outcome.isError).toBe(false);
    expect(textOf(outcome)).toContain('sign in to "The Wiki"');
    expect(textOf(outcome).split("\n")[1]).toBe("https://login.example/authorize?state=1");
    expect(textOf(await tools.call(authenticateWiki))).toContain("state=1");
    stub.signIn("wiki", "somebody-else");
    expect(namesOf(tools)).toEqual([authenticateWiki]);
    const came = new Promise((resolve) => provider.onToolsChanged(resolve));
    stub.signIn("wiki");
    await came;
    expect(provider.routes()).toMatchObject([{ name: "mcp_wiki_search" }]);
    expect(namesOf(tools)).toEqual([]);
  });

  it("makes another page when the one before has hardly any time left", async () => {
    const { tools, stub } = await start([wiki]);
    stub.answer = () => Promise.reject(new ToolportError("no prompt", { code: "unsupported_operation" }));
    let pages = 0;
    stub.page = (serverId) => ({
      serverId,
      url: new URL(`https://login.example/${(pages += 1)}`),
      state: "s",
      expiresAt: Date.now() + 20_000,
    });
    await tools.call(authenticateWiki);
    expect(textOf(await tools.call(authenticateWiki))).toContain("https://login.example/2");
  });

  it("says that nobody can be asked at all", async () => {
    const { tools, stub } = await start([wiki]);
    stub.answer = () => Promise.reject(new ToolportError("no prompt", { code: "unsupported_operation" }));
    const outcome = await tools.call(authenticateWiki);
    expect([outcome.isError, textOf(outcome)]).toEqual([true, expect.stringContaining("nobody has a page")]);
  });

  it("ends with its signal, its time and the tools, and so does what it began", async () => {
    const { tools, stub } = await start([wiki]);
    const ended: unknown[] = [];
    stub.answer = (_, signal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => (ended.push(signal.reason), reject(new Error("late")))),
      );
    const gone = new AbortController();
    const aborted = tools.call(authenticateWiki, {}, { signal: gone.signal });
    gone.abort();
    await expect(aborted).rejects.toMatchObject({ code: "aborted", toolName: authenticateWiki });
    await expect(tools.call(authenticateWiki, {}, { timeoutMs: 1 })).rejects.toMatchObject({ code: "call_timeout" });
    const closed = tools.call(authenticateWiki);
    await tools.close("good night");
    await expect(closed).rejects.toMatchObject({ code: "closed", message: expect.stringContaining("good night") });
    expect(ended).toHaveLength(3);
  });

  it("refuses arguments, another definition, and wrong options", async () => {
    const { tools, stub } = await start([wiki]);
    const [definition] = tools.definitions();
    expect(textOf(await tools.call(authenticateWiki, { url: "https://evil.example" }))).toContain("takes no arguments");
    if (definition === undefined) throw new Error("no tool");
    await expect(
      tools.call(authenticateWiki, {}, { selected: { ...definition, description: "x" } }),
    ).rejects.toMatchObject({ code: "tool_changed" });
    await expect(tools.call("nobody")).rejects.toMatchObject({ code: "unknown_tool" });
    await expect(tools.call(authenticateWiki, "{}")).rejects.toMatchObject({ code: "invalid_arguments" });
    await expect(tools.call(authenticateWiki, {}, { time: 1 } as never)).rejects.toThrow(TypeError);
    expect(stub.asked).toEqual([]);
    expect((await tools.call(authenticateWiki, null, { selected: definition })).isError).toBe(false);
  });
});

describe("names", () => {
  it("follow the convention that the product has, legal for every model API", () => {
    expect(authenticateToolNames(["GitHub.com", "1", "wiki"])).toEqual([
      "mcp_github_com_authenticate",
      "mcp_wiki_authenticate",
      "mcp_x1_authenticate",
    ]);
    expect(authenticateToolNames(["GitHub.com"], { naming: "evva" })).toEqual(["mcp__GitHub_com__authenticate"]);
    expect(authenticateToolNames(["wiki"], { nameOf: (id) => `sign in: ${id}` })).toEqual(["sign_in__wiki"]);
  });

  it("are bounded, and no two servers have one", () => {
    const ids = ["a.b", "a-b", "a_b", "é", "ü", "x".repeat(80), `${"x".repeat(80)}y`];
    for (const naming of ["default", "evva"] as const) {
      const names = authenticateToolNames(ids, { naming });
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(authenticateToolNames(ids.toReversed(), { naming })).toEqual(names);
    }
    expect(authenticateToolNames(["a", "b"], { nameOf: () => "same" })).toHaveLength(2);
  });

  it("stay with a server when another one comes that would have it", async () => {
    const { tools, provider } = await start([oauthServer("a")], { nameOf: () => "sign_in" });
    provider.registerServer(oauthServer("b"));
    await provider.refreshServer("b").catch(() => {});
    expect(namesOf(tools)).toEqual(["sign_in", expect.stringMatching(/^sign_in_[0-9a-f]{8}$/)]);
  });

  it("are never those of a server's own tool, which has another one where they are reserved (EV-33)", async () => {
    const gates = createGates();
    const stub = createStubOAuth(gates);
    gates.tools.set("wiki", ["authenticate"]);
    const provider = await startProvider(gates, [wiki], authenticateToolNames(["wiki"]));
    const tools = createAuthenticateTools({ oauth: stub.oauth, provider });
    onTestFinished(() => tools.close());
    const text = textOf(await tools.call(authenticateWiki));
    expect(text).toMatch(/- mcp_wiki_authenticate_[0-9a-f]{8}$/);
    gates.refuseCalls.add("wiki");
    await provider.call(provider.definitions()[0]?.name ?? "").catch(() => {});
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
    ["naming must be one of default, evva", () => authenticateToolNames([], { naming: "toString" as never })],
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
