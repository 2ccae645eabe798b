import { createToolbox, reservedNames, type Toolbox, type ToolboxOptions } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import { fakeProvider, serverTool, staticTool, toolOf } from "./fake-provider.ts";

// What a caller without types hands over.
const loose = (value: unknown): never => value as never;
const toolWith = (member: string, value: unknown): object => ({
  tools: [{ ...staticTool("a"), definition: { ...toolOf("a"), [member]: value } }],
});

describe("createToolbox()", () => {
  it.each<[string, string, object]>([
    ["a precedence that is none", 'precedence must be "static", "provider" or "fallback"', { precedence: "providers" }],
    ["a ranker that is none", "embeddingRanker must be a function, not an object", { embeddingRanker: {} }],
    ["tools in a Map", "tools must be an array, not a Map", { tools: new Map() }],
    ["a provider alone", "providers must be an array, not an object", { providers: {} }],
    ["a provider that is none", "providers[0] must be a tool provider, not undefined", { providers: [undefined] }],
    ["a provider without a name", "name of providers[0] must be a text that is not empty", { providers: [{}] }],
    [
      "a provider that cannot call",
      "call of providers[0] must be a function, not a number",
      { providers: [{ ...fakeProvider("p"), call: 5 }] },
    ],
    ["a tool that is none", "tools[0] must be an object with a definition and a run", { tools: [undefined] }],
    [
      "a definition that is none",
      "tools[0].definition must be an object, not a string",
      { tools: [{ definition: "a" }] },
    ],
    [
      "a tool without a run",
      'run of tool "a" must be a function, not undefined',
      { tools: [{ definition: toolOf("a") }] },
    ],
    ["a start that is none", 'init of tool "a" must be a function', { tools: [{ ...staticTool("a"), init: true }] }],
    ["no description", 'description of tool "a" must be a text, not undefined', toolWith("description", undefined)],
    ["no schema", 'inputSchema of tool "a" must be an object, not undefined', toolWith("inputSchema", undefined)],
    ["a schema as a text", 'inputSchema of tool "a" must be an object, not a string', toolWith("inputSchema", "{}")],
    ["a schema of a class", 'inputSchema of tool "a" must be an object, not a Map', toolWith("inputSchema", new Map())],
    ["a title that is none", 'title of tool "a" must be a text, not a number', toolWith("title", 5)],
    [
      "a bundle without an id",
      'id of the bundle of tool "a" must be a text',
      { tools: [{ ...staticTool("a"), bundle: {} }] },
    ],
  ])("throws a TypeError for %s", (_, message, options) => {
    expect(() => createToolbox(options)).toThrow(TypeError);
    expect(() => createToolbox(options)).toThrow(message);
  });

  it("takes tools that are instances of a class", async () => {
    class Greeting {
      readonly definition = toolOf("greet");
      run(): string {
        return "hello";
      }
    }
    const outcome = await createToolbox({ tools: [new Greeting()] }).call("greet");
    expect(outcome.content).toEqual([{ type: "text", text: "hello" }]);
  });
});

describe("reservedNames()", () => {
  it("throws a TypeError for an option that it does not know, and takes all of a toolbox", () => {
    expect(() => reservedNames(loose({ tool: [] }))).toThrow('reservedNames() has no option "tool"');
    const options: ToolboxOptions = { tools: [staticTool("a")], precedence: "static" };
    expect(reservedNames(options)).toContain("a");
  });
});

describe("a toolbox", () => {
  it.each<[string, string, (toolbox: Toolbox) => unknown]>([
    ["a name for names", "tools(): names must be an array of strings", (it) => it.tools(loose("a"))],
    ["no name", "call(): the name of a tool must be a string, not undefined", (it) => it.call(loose(undefined))],
    ["no name to look for", "has(): the name of a tool must be a string", (it) => it.has(loose(undefined))],
    [
      "a Map for options",
      "a call takes its options as an object, not a Map",
      (it) => it.call("a", {}, loose(new Map())),
    ],
    ["a signal of init() that is none", "signal must be an AbortSignal", (it) => it.init({ signal: loose({}) })],
    ["an unknown option of init()", 'init() has no option "timeout"', (it) => it.init(loose({ timeout: 5 }))],
    ["a signal of refresh() that is none", "signal must be an AbortSignal", (it) => it.refresh({ signal: loose({}) })],
    ["no time for refresh()", "timeoutMs must be a number above 0", (it) => it.refresh({ timeoutMs: 0 })],
    ["a view of a Map", "view() takes its options as an object, not a Map", (it) => it.view(loose(new Map()))],
    ["one tool to show", "alwaysVisible must be an array of strings", (it) => it.view({ alwaysVisible: loose("x") })],
    [
      "one tool selected",
      "selection must be an array of strings",
      (it) => it.view({ selection: loose("mcp_fs_read") }),
    ],
    ["neither yes nor no", "refuseChanged must be true or false", (it) => it.view({ refuseChanged: loose("no") })],
    ["a selector that is none", "selector must be a function, not an object", (it) => it.view({ selector: loose({}) })],
    [
      "maxToolTokens as a text",
      "maxToolTokens must be a number of tokens",
      (it) => it.view().tools({ maxToolTokens: loose("100") }),
    ],
    [
      "maxToolTokens of null",
      "maxToolTokens must be a number of tokens",
      (it) => it.view().tools({ maxToolTokens: loose(null) }),
    ],
    ["an unknown limit", 'tools() has no option "maxToolToken"', (it) => it.view().tools(loose({ maxToolToken: 5 }))],
    ["maxToolTokens alone", "tools() takes its options as an object", (it) => it.view().tools(loose(8000))],
    ["no name in a view", "call(): the name of a tool must be a string", (it) => it.view().call(loose(undefined))],
    [
      "a signal of a search that is none",
      "signal must be an AbortSignal",
      (it) => it.view().searchTools({ query: "a" }, { signal: loose({}) }),
    ],
  ])("throws a TypeError for %s", async (_, message, ask) => {
    const toolbox = createToolbox({ tools: [staticTool("a")], providers: [fakeProvider("p")] });
    const failure = await Promise.resolve()
      .then(() => ask(toolbox))
      .catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({ message: expect.stringContaining(message) });
  });

  it("refreshes its providers within a time", async () => {
    const provider = fakeProvider("p");
    let given: unknown;
    provider.refresh = async (options) => void (given = options);
    await createToolbox({ providers: [provider] }).refresh({ timeoutMs: 500 });
    expect(given).toEqual({ timeoutMs: 500 });
  });
});

describe("view({ deny })", () => {
  it.each<[string, unknown, string]>([
    ["a name alone", "mcp_fs_write", "deny must be an array of tools, not a string"],
    ["a Set", new Set(["mcp_fs_write"]), "deny must be an array of tools, not a Set"],
    ["nothing", [undefined], "deny[0] must be the name of a tool, or its serverId and toolName, not undefined"],
    ["a blank text", ["x", " "], "deny[1] must be the name of a tool, or its serverId and toolName, not a blank text"],
    ["a pattern", [/write/], "deny[0] must be the name of a tool, or its serverId and toolName, not a RegExp"],
    [
      "a server under another name",
      [{ server: "fs", tool: "x" }],
      'deny[0] has no member "server"; known are serverId, toolName',
    ],
    [
      "a whole server",
      [{ serverId: "fs" }],
      "deny[0] must have a toolName that is a text and not empty; it denies one tool of one server",
    ],
    [
      "a tool of no server",
      [{ serverId: "", toolName: "x" }],
      "deny[0] must have a serverId that is a text and not empty",
    ],
  ])("throws a TypeError for %s, which would deny nothing", (_, denied, message) => {
    const view = (): unknown => createToolbox().view({ deny: loose(denied) });
    expect(view).toThrow(TypeError);
    expect(view).toThrow(message);
  });

  it("takes the origin of a definition", () => {
    const provider = fakeProvider("mcp");
    const tool = serverTool("fs", "write");
    provider.offer([tool]);
    const view = createToolbox({ providers: [provider] }).view({ deny: [tool.origin ?? "none"] });
    expect(view.has(tool.name)).toBe(false);
  });
});

describe("what a static tool answers", () => {
  const advice = "a tool answers a text, or an object with content (an array of blocks) or structuredContent (JSON)";
  const circular: { self?: unknown } = {};
  circular.self = circular;
  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a number", 5],
    ["an array", [1]],
    ["a Map", new Map()],
    ['an object with "sum" alone', { sum: 3 }],
    ["a result whose content must be an array of blocks with a type, not a string", { content: "x" }],
    ["a result whose content must be an array of blocks with a type", { content: ["x"] }],
    ["a result whose isError must be true or false, not a string", { content: [], isError: "no" }],
    ["a result whose meta must be an object, not a Map", { content: [], meta: new Map() }],
    ["structuredContent that JSON cannot write", { structuredContent: circular }],
    ["structuredContent that JSON cannot write", { structuredContent: () => 5 }],
  ])("is internal_error where it is %s, and says so", async (what, result) => {
    const toolbox = createToolbox({ tools: [staticTool("a", { run: () => loose(result) })] });
    await expect(toolbox.call("a")).rejects.toMatchObject({
      code: "internal_error",
      toolName: "a",
      outcome: "unknown",
      rawMessage: `tool "a" answered ${what}; ${advice}`,
    });
  });

  it.each<[string, object, object]>([
    ["nothing to say", {}, { content: [], isError: false }],
    ["an error alone", { isError: true }, { content: [], isError: true }],
    ["an outcome of another tool", { content: [], isError: false, raw: {}, origin: {} }, { content: [] }],
    ["null as its content", { structuredContent: null }, { structuredContent: null, content: [{ text: "null" }] }],
  ])("may be %s", async (_, result, expected) => {
    const toolbox = createToolbox({ tools: [staticTool("a", { run: () => result })] });
    await expect(toolbox.call("a")).resolves.toMatchObject(expected);
  });
});
