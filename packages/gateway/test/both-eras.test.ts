import { listen, type GatewayServer } from "@hostside/gateway/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostWays, token } from "./sdk-clients.ts";
import { openWorld, type World } from "./upstream.ts";

let world: World;
let listening: GatewayServer;
beforeAll(async () => {
  world = await openWorld({ servers: ["legacy-stdio", "modern-stdio"] });
  listening = await listen(world.gateway, { auth: { token } });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await listening.close();
});

describe.each(hostWays)("$name", ({ connect }) => {
  it("lists the tools of all servers under their stable names, whole", async () => {
    await using host = await connect(world.gateway, listening.url);
    const tools = await host.list();
    expect(tools.map(({ name }) => name)).toEqual(world.toolbox.tools().map(({ name }) => name));
    expect(tools.find(({ name }) => name === "mcp_legacy_stdio_echo")).toMatchObject({
      title: "Echo",
      annotations: { readOnlyHint: true },
      inputSchema: { type: "object", required: ["text"] },
    });
  });

  it("passes results, structured content and a tool's own failure through", async () => {
    await using host = await connect(world.gateway, listening.url);
    expect(await host.call("mcp_modern_stdio_echo", { args: { text: "hi" } })).toMatchObject({
      content: [{ type: "text", text: "hi" }],
    });
    expect(await host.call("mcp_legacy_stdio_describe_number", { args: { value: 3 } })).toMatchObject({
      structuredContent: { value: 3, even: false, square: 9 },
    });
    expect(await host.call("mcp_modern_stdio_fail")).toMatchObject({ isError: true });
  });

  it("answers an unknown tool with -32602", async () => {
    await using host = await connect(world.gateway, listening.url);
    await expect(host.call("no_such_tool")).rejects.toMatchObject({ code: -32_602 });
  });

  it("passes progress on under the client's own token", async () => {
    await using host = await connect(world.gateway, listening.url);
    const seen: number[] = [];
    const onProgress = ({ progress }: { readonly progress: number }): void => void seen.push(progress);
    await host.call("mcp_legacy_stdio_slow", { args: { steps: 3, stepMs: 1 }, onProgress });
    expect(seen).toEqual([1, 2, 3]);
  });

  it.each(["legacy", "modern"])(
    "has the user asked by a %s server, which stands in front of the question",
    async (era) => {
      await using host = await connect(world.gateway, listening.url);
      const questions: unknown[] = [];
      host.answer(({ message }) => {
        questions.push(message);
        return { action: "accept", content: { answer: "blue" } };
      });
      const result = await host.call(`mcp_${era}_stdio_ask`, { args: { question: "Which colour?" } });
      expect(result).toMatchObject({ content: [{ type: "text", text: "accept: blue" }] });
      expect(questions).toEqual([`[${era}-stdio] Which colour?`]);
    },
  );

  it("cancels the call at its server", async () => {
    await using host = await connect(world.gateway, listening.url);
    const leaving = new AbortController();
    const ended = new Promise((resolve) => {
      const subscription = world.provider.onCallEnded(({ error }) => {
        subscription();
        resolve(error?.code);
      });
    });
    const call = host.call("mcp_legacy_stdio_slow", {
      args: { steps: 2000, stepMs: 5 },
      signal: leaving.signal,
      onProgress: () => leaving.abort(),
    });
    await expect(call).rejects.toThrow(/abort/i);
    expect(await ended).toBe("aborted");
  });

  it("hears that the list changed, once for many changes at a time, and lists the new one", async () => {
    await using host = await connect(world.gateway, listening.url);
    await host.list();
    let heard = 0;
    const changed = new Promise<void>((resolve) => {
      host.onToolsChanged(() => {
        heard += 1;
        resolve();
      });
    });
    const name = `added-${Math.floor(performance.now())}`;
    await host.call("mcp_legacy_stdio_add_tool", { args: { name } });
    await changed;
    expect(heard).toBe(1);
    const added = `mcp_legacy_stdio_${name.replace("-", "_")}`;
    const listNames = async (): Promise<readonly string[]> => (await host.list()).map((tool) => tool.name);
    expect(await listNames()).toContain(added);
    await host.call("mcp_legacy_stdio_remove_tool", { args: { name } });
    // The next client has the same servers.
    await expect.poll(listNames).not.toContain(added);
  });
});
