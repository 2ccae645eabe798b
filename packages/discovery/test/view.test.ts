import { describe, expect, it } from "vitest";
import { createToolbox, type ToolboxView } from "../src/index.ts";
import { fakeProvider, toolOf, type FakeProvider } from "./fake-provider.ts";

const helpers = ["tools_groups", "tools_select", "tools_search"];
const declared = (view: ToolboxView, maxToolTokens?: number): readonly string[] =>
  view.tools(maxToolTokens === undefined ? {} : { maxToolTokens }).map(({ name }) => name);

/** What is declared when not everything is, and there is room for some tools beside the helpers. */
function declaredSome(view: ToolboxView): readonly string[] {
  view.tools({ maxToolTokens: 0 });
  return declared(view, 2000);
}

function providerOf(...names: readonly string[]): FakeProvider {
  const provider = fakeProvider("mcp");
  provider.offer(names.map((name) => toolOf(name)));
  return provider;
}

describe("tools({ maxToolTokens })", () => {
  it("declares everything while it fits, otherwise the helpers and what is always visible", () => {
    const toolbox = createToolbox({ providers: [providerOf("a", "b", "c")] });
    const all = toolbox.estimateTokens();
    expect(declared(toolbox.view())).toEqual(["a", "b", "c"]);
    expect(declared(toolbox.view(), all)).toEqual(["a", "b", "c"]);
    expect(declared(toolbox.view({ alwaysVisible: ["C", "nobody"] }), all - 1)).toEqual([...helpers, "c"]);
  });

  it("declares a tool that was found or selected in the next request", async () => {
    const view = createToolbox({ providers: [providerOf("alpha", "beta", "gamma")] }).view();
    expect(declaredSome(view)).toEqual(helpers);
    await view.call("tools_search", { query: "gamma" });
    await view.call("tools_select", { tools: ["alpha"] });
    expect(declaredSome(view)).toEqual([...helpers, "gamma", "alpha"]);
    expect((await view.call("gamma")).isError).toBe(false);
  });

  it("keeps its order and its objects while tools come, go and are listed again", async () => {
    const provider = providerOf("b", "d");
    const view = createToolbox({ providers: [provider] }).view();
    const before = view.tools();
    provider.offer([toolOf("a"), toolOf("d")]);
    const after = view.tools();
    expect(after.map(({ name }) => name)).toEqual(["b", "d", "a"]);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    // "b" is declared, but gone.
    await expect(view.call("b")).rejects.toMatchObject({ code: "tool_removed" });
    await expect(view.call("never")).rejects.toMatchObject({ code: "unknown_tool" });
    view.compact();
    expect(declared(view)).toEqual(["a", "d"]);
  });

  it("goes on declaring some that are gone, and not all that a server ever had", () => {
    const provider = providerOf("first");
    const view = createToolbox({ providers: [provider] }).view();
    for (let round = 0; round < 1000; round += 1) {
      provider.offer([toolOf("stays"), toolOf(`in-round-${round}`)]);
      view.tools();
    }
    const names = declared(view);
    expect(names).toHaveLength(130);
    expect(names).toEqual(expect.arrayContaining(["stays", "in-round-999", "in-round-998"]));
    expect(names).not.toContain("first");
  });

  it("tells with tool_removed that a declared tool is gone, also because its provider was closed", async () => {
    const provider = providerOf("a", "secret");
    const view = createToolbox({ providers: [provider] }).view({ deny: ["secret"] });
    view.tools();
    await provider.close();
    await expect(view.call("a")).rejects.toMatchObject({ code: "tool_removed", toolName: "a" });
    await expect(view.call("secret")).rejects.toMatchObject({ code: "unknown_tool" });
  });

  it("replaces a definition that changed in its place", () => {
    const provider = providerOf("a", "b");
    const view = createToolbox({ providers: [provider] }).view();
    view.tools();
    provider.offer([toolOf("a", { description: "new" }), toolOf("b")]);
    expect(view.tools().map(({ description }) => description)).toEqual(["new", "Does b."]);
  });

  it("keeps old definitions until it is asked again", () => {
    const provider = providerOf("a");
    const view = createToolbox({ providers: [provider] }).view();
    const turn = view.tools();
    provider.offer([toolOf("b")]);
    provider.offer([toolOf("c")]);
    expect(turn.map(({ name }) => name)).toEqual(["a"]);
    expect(declared(view)).toEqual(["a", "c"]);
  });

  it("stays with the helpers once maxToolTokens was passed, and undeclares only what it has no room for", () => {
    const provider = providerOf("a", "b");
    const long = { description: "w ".repeat(1200) };
    const view = createToolbox({ providers: [provider] }).view();
    expect(declared(view, 1000)).toEqual(["a", "b"]);
    provider.offer([toolOf("a"), toolOf("b"), toolOf("c", long)]);
    expect(declared(view, 1000)).toEqual(["a", "b", ...helpers]);
    provider.offer(["a", "b"].map((name) => toolOf(name)));
    expect(declared(view, 1000)).toEqual(["a", "b", ...helpers]);
    view.compact();
    expect(declared(view, 1000)).toEqual(["a", "b"]);
  });
});

describe("selection()", () => {
  it("goes over to another view, so that a switch of profile keeps tools", async () => {
    const toolbox = createToolbox({ providers: [providerOf("alpha", "beta")] });
    const first = toolbox.view();
    await first.selectTools({ tools: ["beta"] });
    const second = toolbox.view({ selection: first.selection() });
    expect(declaredSome(second)).toEqual([...helpers, "beta"]);
  });

  it("holds 128 tools; those unused for the longest time give way", async () => {
    const names = Array.from({ length: 130 }, (_, index) => `t${String(index).padStart(3, "0")}`);
    const view = createToolbox({ providers: [providerOf(...names)] }).view();
    await view.selectTools({ tools: names.slice(0, 128) });
    await view.call("t000");
    const answer = await view.selectTools({ tools: ["t128"] });
    expect(answer.not_declared).toBeUndefined();
    expect(view.selection()).toHaveLength(128);
    expect(view.selection()).toEqual(expect.arrayContaining(["t000", "t128"]));
    expect(view.selection()).not.toContain("t001");
  });

  it("names tools of one answer that found no place", async () => {
    const names = Array.from({ length: 130 }, (_, index) => `t${String(index).padStart(3, "0")}`);
    const view = createToolbox({ providers: [providerOf(...names)] }).view();
    const answer = await view.selectTools({ tools: names });
    expect(answer.tools).toHaveLength(130);
    expect(answer.not_declared).toEqual({ names: names.slice(128), total: 2 });
    expect(view.selection()).toEqual(names.slice(0, 128));
  });
});

describe("several views of one toolbox", () => {
  it("share tools and connections, and nothing of their choices", async () => {
    const provider = providerOf("read", "write");
    const toolbox = createToolbox({ providers: [provider] });
    const reader = toolbox.view({ deny: ["WRITE"] });
    const writer = toolbox.view({ alwaysVisible: ["write"] });
    await reader.selectTools({ tools: ["read"] });

    expect(declaredSome(reader)).toEqual([...helpers, "read"]);
    expect(declaredSome(writer)).toEqual([...helpers, "write"]);
    expect(provider.log).toEqual([]);
  });
});

describe("undeclared()", () => {
  it("names what a model could ask for, without schemas", async () => {
    const view = createToolbox({ providers: [providerOf("b", "a", "c")] }).view({ alwaysVisible: ["c"] });
    declaredSome(view);
    expect(view.undeclared()).toEqual(["a", "b"]);
    await view.selectTools({ tools: ["a"] });
    declaredSome(view);
    expect(view.undeclared()).toEqual(["b"]);
  });
});

describe("view()", () => {
  it("throws TypeError for an option that it does not know, because a misspelt `deny` would hide nothing", () => {
    const options: object = { denies: ["secret"] };
    const make = (): unknown => createToolbox().view(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow('view() has no option "denies"; known are alwaysVisible, maxToolTokens, selection, deny, ');
  });
});
