import {
  HostsideError,
  type Admission,
  type HostRequest,
  type RequestInterceptor,
  type RequestSeam,
  type ServerRequest,
} from "@hostside/core";
import { createProvider, type McpProvider, type ProviderOptions } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { startFaultServer, type FaultRule, type HttpFaultServer } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import { failureOf } from "../calm-world.ts";

const context = { principal: "ada@example.org", conversation: "conversation-7" };
const readable: FaultRule = {
  on: "resources/read",
  do: [{ type: "respond", message: { result: { contents: [] } } }],
};
const never = new Promise<never>(() => {});

interface Subject extends AsyncDisposable {
  readonly server: HttpFaultServer;
  readonly provider: McpProvider;
  /** Methods of everything that reached the server and is not the host's own business. */
  sent(): readonly string[];
}

async function start(options: Partial<ProviderOptions>): Promise<Subject> {
  const server = await startFaultServer({ transport: "http", script: { era: "legacy", rules: [readable] } });
  const provider = createProvider({
    connector: createConnector(),
    servers: [{ id: "s", ...server.spec, labels: { trust: "vendor" }, allow: ["echo"] }],
    ...options,
  });
  await provider.init();
  return {
    server,
    provider,
    sent: () =>
      server
        .trace()
        .filter(({ direction, text }) => direction === "in" && text.startsWith("{"))
        .map(({ text }): string => JSON.parse(text).method)
        .filter((method) => /^(?:tools.call|resources|completion|notifications.mine)/.test(method)),
    async [Symbol.asyncDispose]() {
      await provider.close();
      await server.close();
    },
  };
}

const refuse = (what: string): never => {
  throw new HostsideError(`${what} is not for you`, { code: "call_refused" });
};

describe("a connection that a provider lends", () => {
  it("sends what a layer for requests allows: here no resource of one server", async () => {
    const seen: HostRequest[] = [];
    const noResources: RequestInterceptor = async (request, next) => {
      seen.push(request);
      if (request.server?.labels["trust"] === "vendor" && request.method.startsWith("resources/")) {
        return refuse(request.method);
      }
      return next(request);
    };
    await using subject = await start({ requestInterceptors: [noResources] });
    const connection = await subject.provider.connection("s");
    const read = connection.request("resources/read", { uri: "file:///etc/passwd" }, { context });
    expect(await failureOf(read)).toMatchObject({ code: "call_refused", outcome: "not-sent" });
    expect(subject.sent()).toEqual([]);
    expect(seen[0]).toMatchObject({ serverId: "s", options: { context }, isNotification: false });

    await connection.notify("notifications/mine", { note: 1 });
    expect(seen[1]).toMatchObject({ method: "notifications/mine", isNotification: true, params: { note: 1 } });
    await expect.poll(() => subject.sent()).toEqual(["notifications/mine"]);
  });

  it("shows a layer the answer, and lets it change what is asked", async () => {
    const rewrite: RequestInterceptor = async (request, next) => ({
      seen: await next({ ...request, params: { uri: "file:///allowed" } }),
    });
    await using subject = await start({ requestInterceptors: [rewrite] });
    const connection = await subject.provider.connection("s");
    expect(await connection.request("resources/read", { uri: "file:///asked" })).toEqual({ seen: { contents: [] } });
    const texts = subject.server.trace().map(({ text }) => text);
    expect(texts.some((text) => text.includes("file:///asked"))).toBe(false);
  });

  it("ends a request that a layer keeps: by its time, its caller's abort and close()", async () => {
    await using subject = await start({ requestInterceptors: [() => never] });
    const connection = await subject.provider.connection("s");
    const abort = new AbortController();
    const timed = failureOf(connection.request("resources/read", {}, { timeoutMs: 1 }));
    const aborted = failureOf(connection.request("resources/read", {}, { signal: abort.signal }));
    const closed = failureOf(connection.request("resources/read", {}));
    abort.abort();
    expect(await timed).toMatchObject({ code: "request_timeout", outcome: "not-sent", serverId: "s" });
    expect(await aborted).toMatchObject({ code: "aborted", outcome: "not-sent" });
    await subject.provider.close();
    expect(await closed).toMatchObject({ code: "closed", outcome: "not-sent" });
    expect(subject.sent()).toEqual([]);
  });

  it("calls tools the same way as the provider: through the seam, and only those on offer", async () => {
    const seen: ServerRequest[] = [];
    const guard: RequestSeam = async (request, send) => {
      if (request.call !== undefined) seen.push(request);
      return request.call?.args["text"] === "forbidden" ? refuse("that") : send();
    };
    await using subject = await start({ requestSeam: guard });
    const connection = await subject.provider.connection("s");
    expect(await connection.callTool("echo", { text: "hello" }, { context })).toMatchObject({ content: [{}] });
    expect(seen[0]).toMatchObject({ call: { definition: { name: "mcp_s_echo" } }, context });
    expect(await failureOf(connection.callTool("echo", { text: "forbidden" }))).toMatchObject({
      code: "call_refused",
    });
    await expect(connection.request("tools/call", { name: "echo", arguments: { text: "forbidden" } })).rejects.toThrow(
      "request(): tools are called by callTool()",
    );
    expect(await failureOf(connection.callTool("append", { text: "x" }))).toMatchObject({
      code: "tool_removed",
      outcome: "not-sent",
    });
    expect(subject.server.ledger().map(({ args }) => args)).toEqual([{ text: "hello" }]);
  });

  it("tells a server nothing of the context of calls and requests", async () => {
    await using subject = await start({ requestInterceptors: [(request, next) => next(request)] });
    const connection = await subject.provider.connection("s");
    await subject.provider.call("mcp_s_echo", { text: "a" }, { context, meta: { visible: true } });
    await connection.callTool("echo", { text: "b" }, { context });
    await connection.request("resources/read", { uri: "x" }, { context });
    const wire = JSON.stringify(subject.server.trace());
    expect(wire).toContain("visible");
    expect([wire.includes("ada@"), wire.includes("conversation-7")]).toEqual([false, false]);
  });

  it("reaches no tool that is hidden or held back", async () => {
    const admissions: Record<string, Admission> = { append: "quarantine", echo: "hide" };
    await using subject = await start({
      admit: ({ origin }) => admissions[origin?.toolName ?? ""] ?? "offer",
      servers: [],
    });
    await subject.provider.addServer({ id: "s", ...subject.server.spec });
    const connection = await subject.provider.connection("s");
    const held = { code: "tool_quarantined", outcome: "not-sent", serverId: "s", toolName: "append" };
    expect(await failureOf(connection.callTool("append", { text: "x" }))).toMatchObject(held);
    expect(await failureOf(connection.callTool("echo", { text: "x" }))).toMatchObject({ code: "tool_removed" });
    expect(await connection.request("resources/read", { uri: "x" })).toEqual({ contents: [] });
    expect(subject.server.ledger()).toEqual([]);
  });

  it("reaches no tool that a filter leaves out, also where there are no layers", async () => {
    await using subject = await start({});
    const connection = await subject.provider.connection("s");
    expect(await failureOf(connection.callTool("append", { text: "x" }))).toMatchObject({ code: "tool_removed" });
    expect(subject.server.ledger()).toEqual([]);
  });

  it("refuses layers that are no functions, by name", () => {
    const connector = createConnector();
    expect(() => createProvider({ connector, requestInterceptors: ["no"] as never })).toThrow(
      new TypeError("requestInterceptors must be an array of functions"),
    );
  });
});
