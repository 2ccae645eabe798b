import type { InitOptions, UnreadyGroup } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createToolbox } from "../src/index.ts";
import type { ToolboxView } from "../src/index.ts";
import { fakeProvider, groupOf, serverTool, type FakeProvider } from "./fake-provider.ts";
import { ask, namesIn } from "./sample-view.ts";

const unready = (serverId: string, state: string, more: Partial<UnreadyGroup> = {}): UnreadyGroup => ({
  id: `mcp:${serverId}`,
  title: serverId,
  serverId,
  state,
  ...more,
});

function setUp(...groups: readonly UnreadyGroup[]): { readonly view: ToolboxView; readonly provider: FakeProvider } {
  const provider = fakeProvider("mcp");
  provider.offer([serverTool("files", "read")], [groupOf("mcp:files", ["mcp_files_read"])]);
  provider.unreadyGroups = () => groups;
  return { view: createToolbox({ providers: [provider] }).view(), provider };
}

describe("a group whose server is not ready", () => {
  const down = unready("files", "down", { code: "connection_closed" });
  const asleep = unready("crm", "connecting");
  const locked = unready("bank", "needs-auth", { code: "auth_required" });
  const downEntry = {
    id: "mcp:files",
    title: "files",
    status: "down",
    note: "The server lost its connection; the next call of one of its tools connects again (connection_closed).",
  };
  const lockedEntry = {
    id: "mcp:bank",
    title: "bank",
    status: "needs-auth",
    note: "The server needs the user to sign in first (auth_required).",
  };

  it("stands in the directory with what is wrong, whether its tools are known or not", async () => {
    const { view } = setUp(locked, asleep, down);
    expect(await ask(view, "tools_groups", { query: "*" })).toEqual({
      groups: [{ id: "mcp:files", title: "Title of mcp:files", description: "Tools of mcp:files.", member_count: 1 }],
      total_groups: 1,
      unavailable: [
        lockedEntry,
        {
          id: "mcp:crm",
          title: "crm",
          status: "connecting",
          note: "The server is being started; try again in a moment.",
        },
        downEntry,
      ],
    });
    expect((await ask(view, "tools_groups", { query: "bank" }))["unavailable"]).toEqual([lockedEntry]);
    expect((await ask(setUp().view, "tools_groups", { query: "*" }))["unavailable"]).toBeUndefined();
  });

  it("is told of when it is selected, and when it may have what nobody else has", async () => {
    const { view } = setUp(locked, down);
    expect(await ask(view, "tools_select", { group: "mcp:files" })).toMatchObject({ unavailable: [downEntry] });
    expect(await ask(view, "tools_select", { group: "MCP:bank" })).toMatchObject({
      tools: [],
      unknown: { names: ["MCP:bank"] },
      unavailable: [lockedEntry],
    });
    expect((await ask(view, "tools_select", { tools: ["mcp_bank_pay"] }))["unavailable"]).toEqual([lockedEntry]);
    expect((await ask(view, "tools_search", { query: "zzzz" }))["unavailable"]).toEqual([lockedEntry]);
    expect((await ask(view, "tools_search", { query: "read" }))["unavailable"]).toBeUndefined();
  });

  it("has what the host says of it, bounded", async () => {
    const { provider } = setUp(locked, down);
    const noteUnready = ({ serverId, state }: UnreadyGroup) =>
      state === "needs-auth" ? `Ask for ${serverId}.${"!".repeat(1000)}` : undefined;
    const view = createToolbox({ providers: [provider], noteUnready }).view();
    const { unavailable } = await ask(view, "tools_groups", {});
    expect(unavailable).toMatchObject([
      {
        note: expect.stringMatching(
          /^The server needs the user to sign in first \(auth_required\)\. Ask for bank\.!+…?$/,
        ),
      },
      downEntry,
    ]);
    expect(JSON.stringify(unavailable).length).toBeLessThan(1000);
    // @ts-expect-error What says it is a function.
    expect(() => createToolbox({ noteUnready: "sign in" })).toThrow("noteUnready must be a function");
  });

  it("is not told of when all of its tools are denied", async () => {
    const { provider } = setUp(down);
    const view = createToolbox({ providers: [provider] }).view({ deny: ["mcp_files_read"] });
    expect(await ask(view, "tools_groups", { query: "*" })).toEqual({ groups: [], total_groups: 0 });
  });

  it("is named by unknown_tool, of a toolbox and of a view", async () => {
    const { view, provider } = setUp(locked, down);
    const reported = {
      code: "unknown_tool",
      details: { servers: [{ id: "bank", state: "needs-auth", code: "auth_required" }] },
    };
    await expect(view.call("mcp_bank_pay")).rejects.toMatchObject(reported);
    await expect(createToolbox({ providers: [provider] }).call("mcp_bank_pay")).rejects.toMatchObject(reported);
  });
});

describe('call(…, { wait: "servers" })', () => {
  function starting(): { readonly provider: FakeProvider; readonly arrive: () => void } {
    const provider = fakeProvider("mcp");
    let states: readonly UnreadyGroup[] = [unready("files", "connecting")];
    provider.unreadyGroups = () => states;
    provider.init = ({ retryFailed } = {}) =>
      retryFailed === false ? new Promise(() => {}) : Promise.reject(new Error("what failed is not to be tried again"));
    const arrive = (): void => {
      states = [];
      provider.offer([serverTool("files", "read")]);
    };
    return { provider, arrive };
  }

  it("waits for the tool, of a toolbox and of a view", async () => {
    for (const of of ["toolbox", "view"] as const) {
      const { provider, arrive } = starting();
      const toolbox = createToolbox({ providers: [provider] });
      const call = (of === "view" ? toolbox.view() : toolbox).call("mcp_files_read", {}, { wait: "servers" });
      arrive();
      expect((await call).origin.toolName).toBe("read");
      expect(provider.listeners).toBe(0);
    }
  });

  it("says which tool is wanted, so that who cannot have it is not waited for", async () => {
    const { provider } = starting();
    const asked: (string | undefined)[] = [];
    provider.init = async ({ toolName } = {}) => void asked.push(toolName);
    const toolbox = createToolbox({ providers: [provider] });
    for (const caller of [toolbox, toolbox.view()]) {
      await expect(caller.call("mcp_other_read", {}, { wait: "servers" })).rejects.toMatchObject({
        code: "unknown_tool",
      });
    }
    expect(asked).toEqual(["mcp_other_read", "mcp_other_read"]);
  });

  it("gives up with call_timeout or aborted, having sent nothing", async () => {
    const { provider } = starting();
    const toolbox = createToolbox({ providers: [provider] });
    const call = toolbox.call("mcp_files_read", {}, { wait: "servers", timeoutMs: 1 });
    await expect(call).rejects.toMatchObject({
      code: "call_timeout",
      outcome: "not-sent",
      details: { servers: [{ id: "files", state: "connecting" }] },
    });
    const controller = new AbortController();
    const aborted = toolbox.view().call("mcp_files_read", {}, { wait: "servers", signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "aborted", outcome: "not-sent" });
    expect([provider.listeners, provider.calls.length]).toEqual([0, 0]);
  });

  it("ends with closed when the toolbox is closed meanwhile, and lets go of the starts that it waits for", async () => {
    const { provider } = starting();
    const starts: AbortSignal[] = [];
    provider.init = ({ signal } = {}) => {
      if (signal) starts.push(signal);
      return new Promise(() => {});
    };
    const toolbox = createToolbox({ providers: [provider] });
    const view = toolbox.view();
    const calls = [toolbox, view].map((caller) => caller.call("mcp_files_read", {}, { wait: "servers" }));
    toolbox.close();
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "closed" });
    await expect(view.call("mcp_files_read", {}, { wait: "servers" })).rejects.toMatchObject({ code: "closed" });
    expect([provider.listeners, starts.map(({ aborted }) => aborted)]).toEqual([0, [true, true]]);
  });

  it("has nothing tried again that has failed or was lost, however often a made-up name is called", async () => {
    const { view, provider } = setUp(unready("files", "down"), unready("crm", "failed"));
    const asked: InitOptions[] = [];
    provider.init = async (options = {}) => void asked.push(options);
    for (let time = 0; time < 3; time += 1) {
      await expect(view.call("made_up", {}, { wait: "servers" })).rejects.toMatchObject({ code: "unknown_tool" });
    }
    const expected = { toolName: "made_up", retryFailed: false };
    expect(asked).toMatchObject([expected, expected, expected]);
  });

  it("refuses options that nothing reads before it waits", async () => {
    const { provider } = starting();
    const view = createToolbox({ providers: [provider] }).view();
    const options = { wait: "servers", timeoutMs: Number.POSITIVE_INFINITY } as const;
    await expect(view.call("mcp_files_read", {}, options)).rejects.toThrow(TypeError);
  });

  it("says unknown_tool when all that could be started was, and a denied tool is not waited for", async () => {
    const { provider } = starting();
    provider.init = () => Promise.resolve();
    const toolbox = createToolbox({ providers: [provider] });
    await expect(toolbox.call("nobody", {}, { wait: "servers" })).rejects.toMatchObject({ code: "unknown_tool" });
    provider.init = () => new Promise(() => {});
    const view = toolbox.view({ deny: ["mcp_files_read"] });
    await expect(view.call("mcp_files_read", {}, { wait: "servers" })).rejects.toMatchObject({ code: "unknown_tool" });
    expect(namesIn(await view.searchTools({ query: "read" }))).toEqual([]);
  });
});
