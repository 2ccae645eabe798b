import type { Diagnostic } from "@hostside/core";
import type { StaticTool } from "@hostside/discovery";
import { createProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createHost } from "hostside";
import { createFakeConnector } from "./fake-connector.ts";
import { byName } from "./by-name.ts";

const spec = (id: string) => ({ id, type: "stdio", command: "x" }) as const;
const never = new Promise<never>(() => {});

function ownTool(name: string, init: StaticTool["init"] & {}): StaticTool {
  const definition = { name, description: "Says what time it is.", inputSchema: { type: "object" } } as const;
  return { definition, init, run: () => "noon" };
}

describe("tools and providers that are handed in", () => {
  it("have their texts bounded and cleaned, but not those of servers, which their own limits bound", async () => {
    const description = `Long\u202E ${"x".repeat(10_000)}`;
    const servers = byName([{ ...spec("theirs"), tools: { echo: { description } } }]);
    const own = createProvider({ connector: createFakeConnector(), name: "own", servers: [spec("mine")] });
    const odd = { ...own, tools: () => own.tools().map((tool) => ({ ...tool, description })) };
    await using host = await createHost({ connector: createFakeConnector(), servers, providers: [odd] });
    const [mine, theirs] = ["mcp_mine_echo", "mcp_theirs_echo"].map((name) => host.tools([name])[0]?.description ?? "");
    expect([mine?.length, theirs?.endsWith("x".repeat(10_000))]).toEqual([8191, true]);
    expect(`${mine}${theirs}`).not.toContain("\u202E");
    await own.close();
  });

  it("are initialised by createHost(), and stay open when the host closes", async () => {
    let isReady = false;
    const tool = ownTool("now", async () => void (isReady = true));
    const connector = createFakeConnector();
    const own = createProvider({ connector, name: "own", servers: [spec("mine")] });
    const host = await createHost({ connector: createFakeConnector(), tools: [tool], providers: [own] });
    const conversation = await host.conversation();
    expect(conversation.has("mcp_mine_echo")).toBe(true);
    expect(isReady).toBe(true);
    expect(await conversation.call("mcp_mine_echo")).toMatchObject({ content: [{ text: "mine did echo" }] });
    await host.close();
    expect([own.closed, connector.open.size]).toEqual([false, 1]);
    await own.close();
  });

  it("are diagnostics where they fail or are late, and their tools are there all the same", async () => {
    const diagnostics: Diagnostic[] = [];
    const late = ownTool("late", () => never);
    const failing = ownTool("now", () => {
      throw new Error("no clock here");
    });
    const connector = createFakeConnector({ slow: { ready: never } });
    const own = createProvider({ connector, name: "own", servers: [spec("slow")] });
    const closed = createProvider({ connector, name: "ended" });
    await closed.close();
    const onDiagnostic = (one: Diagnostic): void => void diagnostics.push(one);
    await using host = await createHost({
      connector,
      tools: [failing, late],
      providers: [own, closed],
      timeoutMs: 20,
      onDiagnostic,
    });
    expect(own.statuses()).toMatchObject([{ id: "slow", state: "connecting" }]);
    expect(await host.call("now")).toMatchObject({ content: [{ text: "noon" }] });
    expect(diagnostics.toSorted((one, other) => (one.message < other.message ? -1 : 1))).toMatchObject([
      { kind: "defect", message: expect.stringMatching(/^provider "ended" could not be started: .*closed/) },
      { toolName: "late", message: expect.stringMatching(/^the start of tool "late" did not finish within \d+ ms$/) },
      { kind: "defect", toolName: "now", message: 'tool "now" could not be started: no clock here' },
    ]);
    await own.close();
  });

  it("end createHost() where a server of theirs is required, and failed or is late", async () => {
    const gone = Promise.reject(new Error("gone"));
    gone.catch(() => undefined);
    const connector = createFakeConnector({ slow: { ready: never }, bad: { ready: gone } });
    const open = async (id: string, timeoutMs: number): Promise<unknown> => {
      await using own = createProvider({ connector, name: "own", servers: [{ ...spec(id), required: true }] });
      return await createHost({ connector, servers: byName([spec("good")]), providers: [own], timeoutMs });
    };
    await expect(open("bad", 10_000)).rejects.toMatchObject({
      code: "refresh_failed",
      message: expect.stringContaining('"bad"'),
    });
    await expect(open("slow", 20)).rejects.toMatchObject({
      code: "connect_timeout",
      message: expect.stringMatching(/provider "own" .* 20 ms \(timeoutMs of createHost\(\)\)/),
    });
    expect(connector.open.size).toBe(0);
  });
});
