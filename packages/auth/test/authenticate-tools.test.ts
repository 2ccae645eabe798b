import { HostsideError } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { describe, expect, it, onTestFinished } from "vitest";
import { pageNotShownError } from "../src/auth-errors.ts";
import { createAuthenticateTools } from "../src/index.ts";
import { authenticateWiki, namesOf, oauthServer, start, textOf, wiki } from "./authenticate-world.ts";
import { useTestClock } from "../../../test/manual-clock.ts";

describe("the tools on offer", () => {
  it("are one for each server that needs somebody to sign in, and no others, sorted", async () => {
    const { tools } = await start([
      oauthServer("zoo"),
      wiki,
      { id: "by-token", type: "http", url: "https://t.example", bearerToken: "rejected-token" },
      { id: "by-key", type: "http", url: "https://k.example", auth: "api-key" },
      { ...oauthServer("off"), disabled: true },
    ]);
    expect(namesOf(tools)).toEqual([authenticateWiki, "mcp_zoo_authenticate"]);
    expect(tools.groups()).toMatchObject([{ id: "authenticate", members: [authenticateWiki, "mcp_zoo_authenticate"] }]);
    expect(tools.has("MCP_Wiki_Authenticate")).toBe(true);
    expect(tools.tools(["nobody", "MCP_ZOO_AUTHENTICATE"]).map(({ name }) => name)).toEqual(["mcp_zoo_authenticate"]);
    await tools.init();
    await tools.refresh();
  });

  it("take no arguments, say what they do, and have no word of the server", async () => {
    const { tools, gates, provider } = await start([wiki]);
    gates.open.add("wiki");
    await provider.refreshServer("wiki");
    gates.refuseCalls.add("wiki");
    await provider.call("mcp_wiki_search").catch(() => {});
    expect(provider.statuses()[0]).toMatchObject({ state: "needs-auth", auth: "oauth" });
    const [definition] = tools.tools();
    expect(definition).toMatchObject({
      name: authenticateWiki,
      title: "Sign in to The Wiki",
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
      effect: "external",
    });
    expect(definition?.description).toContain('the MCP server "The Wiki" ("wiki")');
    expect(JSON.stringify(tools.tools()) + JSON.stringify(tools.groups())).not.toContain("IGNORE");
  });

  it("show a title as one plain, bounded line", async () => {
    const { tools } = await start([oauthServer("wiki", `A\nB\u202e"${"x".repeat(300)}`)]);
    const [definition] = tools.tools();
    expect(definition?.title).toMatch(/^Sign in to A B"x+…$/);
    expect(definition?.title?.length).toBeLessThan(120);
    expect(definition?.description.length).toBeLessThan(600);
  });

  it("come and go with the need for them: of servers that are added, refused in a call, and removed", async () => {
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
  it("signs in, brings the server's own tools in, lists them, and is not needed any more", async () => {
    const { tools, gates, stub, provider, changes } = await start([wiki, oauthServer("zoo")], { principal: "ann" });
    gates.tools.set("wiki", ["search", "edit"]);
    const toolbox = createToolbox({ providers: [provider, tools] });
    onTestFinished(() => toolbox.close());
    const declared = (): readonly string[] =>
      toolbox
        .tools()
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

  it.each<[string, HostsideError | Error, string]>([
    [
      "that the user cancelled, and may be repeated",
      new HostsideError("the user cancelled the sign-in", { code: "auth_required" }),
      "the user cancelled the sign-in (auth_required)",
    ],
    [
      "that failed",
      new HostsideError("no way to become a client", { code: "auth_required" }),
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
    useTestClock({ date: () => 1_000_000 });
    const { tools, stub, provider, gates } = await start([wiki]);
    stub.answer = () => Promise.reject(new HostsideError("no prompt", { code: "unsupported_operation" }));
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
    await new Promise((resolve) => setImmediate(resolve));
    expect(provider.statuses()).toMatchObject([{ state: "needs-auth", attempts: 2 }]);
    const came = new Promise((resolve) => provider.onToolsChanged(resolve));
    stub.signIn("wiki");
    await came;
    expect(provider.routes()).toMatchObject([{ name: "mcp_wiki_search" }]);
    expect(namesOf(tools)).toEqual([]);
    // Whose answer has come is of no use any more.
    gates.refuseCalls.add("wiki");
    await provider.call("mcp_wiki_search").catch(() => {});
    expect(textOf(await tools.call(authenticateWiki))).toContain("state=2");
  });

  it("sees, when it is called again, that the user has signed in by another process", async () => {
    const { tools, stub, provider, gates } = await start([wiki]);
    stub.answer = () => Promise.reject(new HostsideError("no prompt", { code: "unsupported_operation" }));
    const url = new URL("https://login.example/1");
    stub.page = (serverId) => ({ serverId, url, state: "s", expiresAt: Date.now() + 600_000 });
    expect(textOf(await tools.call(authenticateWiki))).toContain(url.href);
    expect(textOf(await tools.call(authenticateWiki))).toContain(url.href);
    gates.open.add("wiki");
    expect(textOf(await tools.call(authenticateWiki))).toContain('The user is signed in to "The Wiki"');
    expect(provider.has("mcp_wiki_search")).toBe(true);
  });

  it("answers with the URL to show where the host's prompt cannot show it", async () => {
    const { tools, stub } = await start([wiki]);
    const redact = (text: string): string => text;
    const page = new URL("https://login.example/1");
    const cause = new HostsideError("no browser here", { code: "auth_required" });
    const noBrowser = pageNotShownError({ serverId: "wiki", secrets: { redact } }, page, cause);
    stub.answer = async (serverId, signal = new AbortController().signal, prompt) => {
      if (prompt === undefined) throw noBrowser;
      await prompt({ serverId, title: "The Wiki", url: new URL("https://login.example/2"), signal });
      await new Promise(() => {});
    };
    const outcome = await tools.call(authenticateWiki);
    expect(outcome.isError).toBe(false);
    expect(textOf(outcome).split("\n")[1]).toBe("https://login.example/2");
  });

  it("makes another page when the one before has hardly any time left", async () => {
    const { tools, stub } = await start([wiki]);
    stub.answer = () => Promise.reject(new HostsideError("no prompt", { code: "unsupported_operation" }));
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

  it("answers with the URL to show where the host only listens, and waits on for the user", async () => {
    const { tools, stub, provider } = await start([wiki]);
    const noPrompt = new HostsideError("no prompt", { code: "unsupported_operation" });
    const [goOn, giveUp] = [[], []] as [(() => void)[], ((error: Error) => void)[]];
    stub.answer = async (serverId, signal = new AbortController().signal, prompt) => {
      if (prompt === undefined) throw noPrompt;
      const url = new URL(`https://login.example/${goOn.length + 1}`);
      await prompt({ serverId, title: "The Wiki", url, signal });
      await new Promise<void>((resolve, reject) => {
        goOn.push(resolve);
        giveUp.push(reject);
      });
    };
    const both = await Promise.all([tools.call(authenticateWiki), tools.call(authenticateWiki)]);
    for (const outcome of both) expect(textOf(outcome)).toContain("\nhttps://login.example/1\n");
    expect(textOf(await tools.call(authenticateWiki))).toContain("https://login.example/1");
    // Nobody came in time.
    giveUp[0]?.(new HostsideError("nobody came back", { code: "auth_required" }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(textOf(await tools.call(authenticateWiki))).toContain("https://login.example/2");
    const came = new Promise((resolve) => provider.onToolsChanged(resolve));
    goOn[1]?.();
    await came;
    expect(namesOf(tools)).toEqual([]);
    expect(provider.has("mcp_wiki_search")).toBe(true);
  });

  it("says that nobody can be asked at all", async () => {
    const { tools, stub } = await start([wiki]);
    stub.answer = () => Promise.reject(new HostsideError("no prompt", { code: "unsupported_operation" }));
    const outcome = await tools.call(authenticateWiki);
    expect([outcome.isError, textOf(outcome)]).toEqual([
      true,
      expect.stringContaining("no prompt (unsupported_operation)"),
    ]);
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
    const [definition] = tools.tools();
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
