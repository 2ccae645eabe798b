import { HostsideError, type Interceptor } from "@hostside/core";
import { createToolbox, reservedNames, type StaticTool } from "@hostside/discovery";
import { startFaultServer, type HttpFaultServer } from "@hostside/fixtures";
import { verbatimNaming } from "@hostside/naming";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";

const context = { principal: "ada@example.org", conversation: "conversation-7" };

const echo: StaticTool = {
  definition: { name: "echo", description: "Says it again.", inputSchema: { type: "object" } },
  run: ({ text }) => `own: ${typeof text === "string" ? text : ""}`,
};

describe("a toolbox over a server", () => {
  it("asks before a tool of its own and before a server's, writes down who asked, and tells the server nothing", async () => {
    await using server = await startServer();
    const log: unknown[] = [];
    const audit: Interceptor = async (call, next) => {
      const entry = {
        who: call.options.context?.principal,
        tool: call.origin.qualifiedName,
        server: call.server?.labels,
      };
      try {
        return await next(call);
      } catch (error) {
        log.push({ ...entry, refused: error instanceof HostsideError && error.code });
        throw error;
      } finally {
        log.push(entry);
      }
    };
    const approval: Interceptor = (call, next) => {
      if (call.args["text"] !== "a secret") return next(call);
      throw new HostsideError("a person said no", { code: "approval_denied" });
    };
    await using provider = createProvider({
      connector: createConnector(),
      servers: [{ id: "s", ...server.spec, labels: { trust: "vendor" } }],
    });
    const toolbox = createToolbox({ tools: [echo], providers: [provider], interceptors: [audit, approval] });
    await toolbox.init();
    const view = toolbox.view({ context });

    expect(await view.call("echo", { text: "hi" })).toMatchObject({ content: [{ text: "own: hi" }] });
    expect(await view.call("mcp_s_echo", { text: "hi" })).toMatchObject({ isError: false });
    for (const name of ["echo", "mcp_s_echo"]) {
      await expect(view.call(name, { text: "a secret" })).rejects.toMatchObject({
        code: "approval_denied",
        outcome: "not-sent",
      });
    }
    expect(server.ledger().map(({ args }) => args)).toEqual([{ text: "hi" }]);
    const [own, theirs] = ["local::echo", "mcp::s::echo"].map((tool) => ({ who: context.principal, tool }));
    const labels = { trust: "vendor" };
    expect(log).toEqual([
      { ...own, server: undefined },
      { ...theirs, server: labels },
      { ...own, server: undefined, refused: "approval_denied" },
      { ...own, server: undefined },
      { ...theirs, server: labels, refused: "approval_denied" },
      { ...theirs, server: labels },
    ]);
    expect(JSON.stringify(server.trace())).not.toMatch(/ada@|conversation-7|vendor/);
    toolbox.close();
  });

  it("gives a server's tool another name where it would take one that the toolbox keeps", async () => {
    await using server = await startServer();
    const tools = [echo];
    await using provider = createProvider({
      connector: createConnector(),
      naming: verbatimNaming,
      reservedNames: reservedNames({ tools }),
      servers: [{ id: "s", ...server.spec }],
    });
    const toolbox = createToolbox({ tools, providers: [provider] });
    await toolbox.init();
    const [own, ...theirs] = toolbox.tools().map(({ name }) => name);
    expect([own, theirs]).toEqual(["echo", ["append", expect.stringMatching(/^echo_[0-9a-f]{8,}$/)]]);
    expect(toolbox.diagnostics()).toEqual([]);
    toolbox.close();
  });

  it("stops the time of a call while a layer asks a human, around its own tool and a server's", async () => {
    await using server = await startServer();
    const deadlines: (number | undefined)[] = [];
    const approval: Interceptor = async (call, next) => {
      const resume = call.options.deadline?.pause();
      await new Promise((resolve) => setImmediate(resolve));
      resume?.();
      deadlines.push(call.options.deadline?.remainingMs());
      return next(call);
    };
    await using provider = createProvider({
      connector: createConnector(),
      servers: [{ id: "s", ...server.spec, timeouts: { callMs: 45_000 } }],
    });
    const toolbox = createToolbox({ tools: [echo], providers: [provider], interceptors: [approval] });
    await toolbox.init();
    await toolbox.call("echo", { text: "hi" }, { timeoutMs: 30_000 });
    await toolbox.call("mcp_s_echo", { text: "hi" });
    expect(deadlines.map((left = 0) => Math.ceil(left / 15_000))).toEqual([2, 3]);
    toolbox.close();
  });
});

async function startServer(): Promise<HttpFaultServer & AsyncDisposable> {
  const server = await startFaultServer({ transport: "http", script: { era: "modern" } });
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}
