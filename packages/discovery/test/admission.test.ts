import type { Admission, AdmissionServer, Diagnostic, Interceptor, ToolDefinition, ToolsChange } from "@hostside/core";
import { createToolbox, type Toolbox, type ToolboxOptions } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import { fakeProvider, groupOf, outage, serverTool, staticTool, type FakeProvider } from "./fake-provider.ts";
import { ask, namesIn } from "./sample-view.ts";

type Rules = Record<string, Admission>;

interface World {
  readonly toolbox: Toolbox;
  readonly provider: FakeProvider;
  readonly asked: [name: string, server: AdmissionServer | undefined][];
  /** By local name; what is not in it is on offer. */
  readonly rules: Rules;
}

function setUp(rules: Rules, more: ToolboxOptions = {}): World {
  const provider = fakeProvider("mcp");
  provider.offer([serverTool("s", "read"), serverTool("s", "drop")], [groupOf("mcp:s", ["mcp_s_drop", "mcp_s_read"])]);
  const asked: World["asked"] = [];
  const admit = ({ name }: ToolDefinition, server: AdmissionServer | undefined): Admission => {
    asked.push([name, server]);
    return rules[name] ?? "offer";
  };
  const toolbox = createToolbox({ tools: [staticTool("pay")], providers: [provider], admit, ...more });
  return { toolbox, provider, asked, rules };
}

const namesOf = (toolbox: Toolbox): readonly string[] => toolbox.tools().map(({ name }) => name);

describe("createToolbox({ admit })", () => {
  it("hides and holds back tools of the product and of providers, wherever tools are seen or called", async () => {
    const { toolbox, provider } = setUp({ pay: "quarantine", mcp_s_drop: "hide" });
    const view = toolbox.view();
    expect(namesOf(toolbox)).toEqual(["mcp_s_read"]);
    expect(toolbox.groups()).toMatchObject([{ members: ["mcp_s_read"] }]);
    expect([toolbox.has("pay"), view.has("mcp_s_drop")]).toEqual([false, false]);
    expect(view.tools().map(({ name }) => name)).toEqual(["mcp_s_read"]);
    expect(namesIn(await ask(view, "tools_search", { query: "drop" }))).toEqual([]);
    expect(await ask(view, "tools_select", { tools: ["pay"] })).toMatchObject({ unknown: { names: ["pay"] } });
    for (const subject of [toolbox, view]) {
      await expect(subject.call("Pay")).rejects.toMatchObject({ code: "tool_quarantined", outcome: "not-sent" });
      await expect(subject.call("pay", {}, { wait: "servers" })).rejects.toMatchObject({ code: "tool_quarantined" });
      await expect(subject.call("mcp_s_drop")).rejects.toMatchObject({ code: "unknown_tool" });
    }
    expect(toolbox.quarantined().map(({ definition }) => definition.name)).toEqual(["pay"]);
    expect(provider.calls).toEqual([]);
    await expect(toolbox.view({ deny: ["pay"] }).call("pay")).rejects.toMatchObject({ code: "unknown_tool" });
  });

  it("asks once about each definition, with its server as the provider describes it, and about what is new", () => {
    const { toolbox, provider, asked } = setUp({});
    provider.describeServer = (id) => ({ id, labels: { trust: "vendor" } });
    toolbox.tools();
    provider.offer([...provider.tools(), serverTool("s", "write")]);
    toolbox.tools();
    const server = { id: "s", labels: { trust: "vendor" } };
    expect(asked).toEqual([
      ["pay", undefined],
      ["mcp_s_drop", server],
      ["mcp_s_read", server],
      ["mcp_s_write", server],
    ]);
  });

  it("shows another answer when it is asked again, as one change and without a provider", () => {
    const { toolbox, rules } = setUp({ mcp_s_drop: "quarantine" });
    const changes: ToolsChange[] = [];
    toolbox.onToolsChanged((change) => changes.push(change));
    const { revision } = toolbox;
    rules["mcp_s_drop"] = "offer";
    rules["pay"] = "hide";
    expect(toolbox.revision).toBe(revision);
    toolbox.readmit();
    expect(changes).toEqual([{ added: ["mcp_s_drop"], removed: ["pay"], changed: [] }]);
    expect([toolbox.revision > revision, namesOf(toolbox)]).toEqual([true, ["mcp_s_drop", "mcp_s_read"]]);
    toolbox.close();
    expect(() => toolbox.readmit()).toThrow(expect.objectContaining({ code: "closed" }));
  });

  it.each<[string, () => never, string]>([
    [
      "throws",
      () => {
        throw new RangeError("secret");
      },
      "threw RangeError",
    ],
    ["answers nonsense", () => "perhaps" as never, 'answered "perhaps", not "offer"'],
    ["answers a promise", () => Promise.resolve("offer") as never, "answered a Promise, and has to answer at once"],
    ["answers a promise that rejects", () => Promise.reject(new Error("later")) as never, "answered a Promise"],
  ])("hides what it %s about, and says so", (_, admit, problem) => {
    const { toolbox } = setUp({}, { admit });
    expect(namesOf(toolbox)).toEqual([]);
    const failed = toolbox.diagnostics().filter(({ kind }) => kind === "admission-failed");
    expect(failed).toMatchObject([
      {
        serverId: "",
        toolName: "pay",
        message: expect.stringContaining(`"pay" is hidden, because admit() ${problem}`),
      },
      { serverId: "s", message: expect.stringContaining("and 1 more of its source are hidden, because admit()") },
    ] satisfies Partial<Diagnostic>[]);
  });

  it("is not led to read, or ask again, what it is being asked about", () => {
    const problems: unknown[] = [];
    const box: { toolbox?: Toolbox } = {};
    const { toolbox } = setUp(
      {},
      {
        admit: () => {
          for (const work of [() => box.toolbox?.tools(), () => box.toolbox?.readmit()]) {
            try {
              work();
            } catch (error) {
              problems.push(error);
            }
          }
          return "offer";
        },
      },
    );
    box.toolbox = toolbox;
    expect(namesOf(toolbox)).toHaveLength(3);
    expect(problems).toHaveLength(6);
  });

  it("gives a name that is held back to nobody else, and leads to no fallback that is", async () => {
    const provider = fakeProvider("mcp");
    provider.offer([{ ...serverTool("s", "echo"), name: "echo" }]);
    const tools = [staticTool("echo", { run: () => Promise.reject(outage("not-sent")) })];
    const only = (serverId: string): Toolbox =>
      createToolbox({
        tools,
        providers: [provider],
        precedence: "fallback",
        admit: ({ origin }) => (origin?.serverId === serverId ? "hide" : "offer"),
      });
    await expect(only("").call("echo")).rejects.toMatchObject({ code: "unknown_tool" });
    await expect(only("s").call("echo")).rejects.toMatchObject({ code: "unreachable" });
    expect(provider.calls).toEqual([]);
  });

  it("refuses a call whose tool was held back while a layer looked at it", async () => {
    let approve = (): void => {};
    const slow: Interceptor = async (call, next) => {
      await new Promise<void>((resolve) => (approve = resolve));
      return next(call);
    };
    const { toolbox, provider, rules } = setUp({}, { interceptors: [slow] });
    const call = toolbox.call("mcp_s_drop").catch((reason: unknown) => reason);
    await new Promise((resolve) => setImmediate(resolve));
    rules["mcp_s_drop"] = "quarantine";
    toolbox.readmit();
    approve();
    expect(await call).toMatchObject({ code: "tool_quarantined", serverId: "s", toolName: "drop" });
    expect(provider.calls).toEqual([]);
  });

  it("leads to no fallback that was held back while the first was tried", async () => {
    const provider = fakeProvider("mcp");
    provider.offer([{ ...serverTool("s", "echo"), name: "echo" }]);
    let admission: Admission = "offer";
    let fail = (): void => {};
    const toolbox = createToolbox({
      tools: [staticTool("echo", { run: () => new Promise((_, reject) => (fail = () => reject(outage("not-sent")))) })],
      providers: [provider],
      precedence: "fallback",
      admit: ({ origin }) => (origin?.serverId === "s" ? admission : "offer"),
    });
    const call = toolbox.call("echo").catch((reason: unknown) => reason);
    await new Promise((resolve) => setImmediate(resolve));
    admission = "quarantine";
    toolbox.readmit();
    fail();
    expect(await call).toMatchObject({ code: "unreachable" });
    expect(provider.calls).toEqual([]);
  });

  it("lists and refuses what a provider holds back itself", async () => {
    const { toolbox, provider } = setUp({});
    const definition = serverTool("s", "wipe");
    provider.quarantined = () => [{ definition, server: { id: "s", labels: {} } }];
    await expect(toolbox.call("mcp_s_wipe")).rejects.toMatchObject({ code: "tool_quarantined", serverId: "s" });
    expect(toolbox.quarantined()).toMatchObject([{ definition: { name: "mcp_s_wipe" }, server: { id: "s" } }]);
  });

  it("sees the fingerprint of a tool whose texts had to be cut, made when it is read", () => {
    let made = 0;
    const long = Object.defineProperty({ ...serverTool("s", "long", "x".repeat(50_000)) }, "fingerprint", {
      get: () => ((made += 1), "sha256-1"),
    });
    const seen: (string | undefined)[] = [];
    const { provider } = setUp({});
    provider.offer([long]);
    createToolbox({ providers: [provider] }).tools();
    expect(made).toBe(0);
    const toolbox = createToolbox({ providers: [provider], admit: (tool) => (seen.push(tool.fingerprint), "offer") });
    expect(toolbox.tools()[0]?.flags).toEqual(["truncated"]);
    expect(seen).toEqual(["sha256-1"]);
  });

  it("is refused when it is no function", () => {
    expect(() => createToolbox({ admit: "all" as never })).toThrow(
      new TypeError("admit must be a function, not a string"),
    );
  });
});
