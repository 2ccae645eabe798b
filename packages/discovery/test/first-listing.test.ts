import type { UnreadyGroup } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { useManualClock, type ManualClock } from "../../../test/manual-clock.ts";
import { nodeWarnings } from "../../../test/node-warnings.ts";
import { createToolbox, type ToolboxView } from "../src/index.ts";
import { fakeProvider, groupOf, serverTool, type FakeProvider } from "./fake-provider.ts";

interface World {
  readonly view: ToolboxView;
  readonly provider: FakeProvider;
  readonly clock: ManualClock;
  /** The server `files` comes. */
  readonly arrive: () => void;
  readonly end: () => void;
}

/** `files` and `slow` are on their way, `mail` is there. */
function setUp(): World {
  const clock = useManualClock();
  const provider = fakeProvider("mcp");
  const unready = (serverId: string): UnreadyGroup => ({
    id: `mcp:${serverId}`,
    title: serverId,
    serverId,
    state: "connecting",
  });
  let states = [unready("files"), unready("slow")];
  provider.unreadyGroups = () => states;
  provider.init = () => new Promise(() => {});
  const mail = [serverTool("mail", "send")];
  provider.offer(mail, [groupOf("mcp:mail", ["mcp_mail_send"])]);
  const arrive = (): void => {
    states = states.filter(({ serverId }) => serverId !== "files");
    const groups = [groupOf("mcp:mail", ["mcp_mail_send"]), groupOf("mcp:files", ["mcp_files_read"])];
    provider.offer([...mail, serverTool("files", "read")], groups);
  };
  const toolbox = createToolbox({ providers: [provider] });
  return { view: toolbox.view(), provider, clock, arrive, end: () => toolbox.close() };
}

const search = (view: ToolboxView, query: string, signal?: AbortSignal): Promise<unknown> =>
  view.call("tools_search", { query }, { wait: "servers", signal }).then(({ structuredContent }) => structuredContent);

describe("a discovery tool that is called before all servers are there", () => {
  it("waits for them, five seconds at most, and names who is not up yet", async () => {
    const { view, provider, clock, arrive } = setUp();
    const found = search(view, "read");
    arrive();
    clock.advance(4999);
    expect(provider.listeners).toBe(1);
    clock.advance(1);
    expect(await found).toMatchObject({
      tools: [{ name: "mcp_files_read" }],
      unavailable: [{ id: "mcp:slow", status: "connecting", note: expect.stringContaining("try again in a moment") }],
    });
    expect([provider.listeners, clock.pending()]).toEqual([0, 0]);
  });

  it("waits for each server once, and not at all where it is not to", async () => {
    const { view, clock, arrive } = setUp();
    const listed = view.whenListed({ timeoutMs: 100 });
    clock.advance(100);
    await listed;
    arrive();
    expect(await view.call("tools_search", { query: "read" })).toMatchObject({ isError: false });
    // Not yet over for who waits longer; over for who waited first.
    const rest = view.whenListed({ timeoutMs: 150 });
    clock.advance(50);
    await rest;
    await view.whenListed({ timeoutMs: 150 });
    expect(clock.pending()).toBe(0);
  });

  it("may be called many times at once, and no listener is at a signal that they share", async () => {
    const { view, provider, clock, end } = setUp();
    const warnings = await nodeWarnings(async () => {
      const found = Array.from({ length: 20 }, async () => search(view, "read"));
      expect(provider.listeners).toBe(20);
      end();
      const settled = await Promise.allSettled(found);
      expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    });
    expect(warnings).toEqual([]);
    expect([provider.listeners, clock.pending()]).toEqual([0, 0]);
  });

  it("answers as soon as none is on its way any more", async () => {
    const { view, provider, arrive } = setUp();
    let settle = (): void => {};
    provider.init = () => new Promise((resolve) => (settle = resolve));
    const found = search(view, "read");
    arrive();
    provider.unreadyGroups = () => [];
    settle();
    expect(await found).toMatchObject({ tools: [{ name: "mcp_files_read" }] });
  });

  it("ends with aborted, and with closed", async () => {
    const { view, clock, provider, end } = setUp();
    const controller = new AbortController();
    const aborted = search(view, "read", controller.signal);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "aborted", outcome: "not-sent" });
    const late = view.call("tools_search", { query: "read" }, { wait: "servers", timeoutMs: 10 });
    const closed = view.whenListed();
    end();
    await expect(closed).rejects.toMatchObject({ code: "closed" });
    await expect(late).rejects.toMatchObject({ code: "closed" });
    expect([provider.listeners, clock.pending()]).toEqual([0, 0]);
    await expect(view.whenListed({ timeoutMs: Number.NaN })).rejects.toThrow(TypeError);
  });
});
