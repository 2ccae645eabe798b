import { HostsideError, type Connector, type JsonObject, type ServerSpec } from "@hostside/core";
import type { PolicyEvent } from "@hostside/policy";
import { createHost, type Host } from "hostside";
import { describe, expect, it, vi } from "vitest";
import { createFakeConnector, type FakeConnector } from "./fake-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { byName } from "./by-name.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

const servers: readonly ServerSpec[] = [{ id: "a", type: "stdio", command: "x" }];

interface Failing {
  readonly connector: Connector;
  readonly fake: FakeConnector;
  /** How many requests reached the server, by method. */
  readonly reached: Readonly<Record<string, number>>;
  isIll: boolean;
}

/** A connector of servers whose requests fail while `isIll`. */
function createFailing(): Failing {
  const fake = createFakeConnector({ a: { resources: true } });
  const reached: Record<string, number> = {};
  const attempt = async <T>(method: string, work: () => Promise<T>): Promise<T> => {
    reached[method] = (reached[method] ?? 0) + 1;
    if (failing.isIll) throw new HostsideError("no answer", { code: "request_timeout", outcome: "unknown" });
    return work();
  };
  const failing: Failing = {
    fake,
    reached,
    isIll: false,
    connector: {
      async connect(spec, hooks, signal) {
        const connection = await fake.connect(spec, hooks, signal);
        return {
          ...connection,
          listTools: (options) => attempt("tools/list", () => connection.listTools(options)),
          callTool: (name, args, options) => attempt("tools/call", () => connection.callTool(name, args, options)),
          request: (method, params, options) => attempt(method, () => connection.request(method, params, options)),
        };
      },
    },
  };
  return failing;
}

const read = (host: Host) => host.resources.read({ serverId: "a", uri: "file:///a" });

/** Does everything that asks the server, and says how it failed. */
async function failuresOf(host: Host): Promise<Readonly<Record<string, unknown>>> {
  const codeOf = (error: unknown): unknown => (error instanceof HostsideError ? error.code : error);
  const listed = await host.resources.list();
  return {
    call: await host.call("mcp_a_echo").then(() => "well", codeOf),
    read: await read(host).then(() => "well", codeOf),
    list: listed.failures[0]?.error.code,
    refresh: await host.toolbox.refresh().then(
      () => "well",
      (error: unknown) => (String(error).includes("[circuit_open]") ? "circuit_open" : error),
    ),
  };
}

describe("the breaker of a host", () => {
  it("is opened by reads that fail, and refuses calls, reads and listings", async () => {
    const failing = createFailing();
    const events: PolicyEvent[] = [];
    const policy = {
      breaker: { failures: 2, openMs: 3_600_000 },
      onEvent: (event: PolicyEvent) => void events.push(event),
    };
    await using host = await createHost({ connector: failing.connector, servers: byName(servers), policy });
    failing.isIll = true;
    for (const _ of [1, 2]) await expect(read(host)).rejects.toMatchObject({ code: "request_timeout" });
    expect(events.filter(({ type }) => type === "circuit-opened")).toMatchObject([{ serverId: "a" }]);
    failing.isIll = false;
    const before = { ...failing.reached };
    const open = "circuit_open";
    expect(await failuresOf(host)).toEqual({ call: open, read: open, list: open, refresh: open });
    expect(failing.reached).toEqual(before);
    expect(events.map(({ type }) => type)).toContain("circuit-opened");
    // The tools that were listed stay on offer.
    expect(host.tools().map(({ name }) => name)).toContain("mcp_a_echo");
  });

  it("loses no change that a server announces while it is open", async () => {
    const failing = createFailing();
    let laterMs = 0;
    useTestClock({ now: () => performance.now() + laterMs });
    const tools = ["echo"];
    const connector: Connector = {
      async connect(spec, hooks, signal) {
        const connection = await failing.connector.connect(spec, hooks, signal);
        const listTools: typeof connection.listTools = async (options) => {
          const listing = await connection.listTools(options);
          return { ...listing, tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) };
        };
        announce = hooks.onToolsChanged;
        return { ...connection, listTools };
      },
    };
    let announce = (): void => {};
    const policy = { breaker: { failures: 2, openMs: 60_000 } };
    await using host = await createHost({ connector, servers: byName(servers), policy });
    failing.isIll = true;
    for (const _ of [1, 2]) await expect(read(host)).rejects.toMatchObject({ code: "request_timeout" });
    tools.push("later");
    announce();
    await expect(host.call("mcp_a_echo")).rejects.toMatchObject({ code: "circuit_open" });
    failing.isIll = false;
    laterMs = 61_000;
    // Calls try the server one at a time; when it is well again, it is listed.
    const isThere = async (): Promise<void> => {
      await host.call("mcp_a_echo");
      expect(host.tools().map(({ name }) => name)).toContain("mcp_a_later");
    };
    await vi.waitFor(isThere, { timeout: 60_000 });
    expect(await host.call("mcp_a_later")).toMatchObject({ isError: false });
  });

  it("is opened by listings that fail", async () => {
    const failing = createFailing();
    await using host = await createHost({
      connector: failing.connector,
      servers: byName(servers),
      policy: { breaker: { failures: 2, openMs: 3_600_000 } },
    });
    failing.isIll = true;
    for (const _ of [1, 2]) await host.toolbox.refresh().catch(() => undefined);
    await expect(read(host)).rejects.toMatchObject({ code: "circuit_open" });
  });
});

describe("a file of nexo", () => {
  const nexo = (lines: readonly string[]): string => ["mcp:", ...lines.map((line) => `  ${line}`), ""].join("\n");

  it("has a breaker around every request, without a word about it, and other servers have none", async () => {
    const failing = createFailing();
    const folder = createTemporaryFolder();
    const file = folder.write(
      "mcp.yaml",
      nexo(["servers:", "  a:", "    transport: { type: stdio, command: /bin/x }"]),
    );
    await using host = await createHost({
      connector: failing.connector,
      config: { files: [file], watch: false },
      servers: { own: { type: "stdio", command: "x" } },
    });
    failing.isIll = true;
    const opened: PolicyEvent[] = [];
    host.policy.onEvent((event) => void (event.type === "circuit-opened" && opened.push(event)));
    for (let time = 0; time < 6; time += 1) await host.call("mcp_own_echo").catch(() => undefined);
    expect(opened).toEqual([]);
    for (let time = 0; time < 5; time += 1) {
      await expect(read(host)).rejects.toMatchObject({ code: "request_timeout" });
    }
    await expect(read(host)).rejects.toMatchObject({ code: "circuit_open" });
  });

  it("bounds every request by call_timeout_ms", async () => {
    const folder = createTemporaryFolder();
    const server = folder.write("server.mjs", unanswering);
    const file = folder.write(
      "mcp.yaml",
      nexo([
        "call_timeout_ms: 2000",
        "servers:",
        "  a:",
        `    transport: { type: stdio, command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(server)}] }`,
      ]),
    );
    await using host = await createHost({ config: { files: [file], watch: false } });
    const error = await read(host).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "request_timeout" });
    expect(error instanceof HostsideError && error.details.timeoutMs).toBeLessThanOrEqual(2000);
    const [status] = host.statuses();
    expect(status?.state).toBe("ready");
    await expect(host.toolbox.refresh()).rejects.toThrow(/list_timeout/);
  });

  it("gives servers the context of calls and reads, and of nothing else", async () => {
    const fake = createFakeConnector({ a: { resources: true } });
    const folder = createTemporaryFolder();
    const file = folder.write(
      "mcp.yaml",
      nexo(["context: { passthrough: true }", "servers:", "  a:", "    transport: { type: stdio, command: /bin/x }"]),
    );
    await using host = await createHost({ connector: fake, config: { files: [file], watch: false } });
    const context = { conversation: "c-1", role: "helper" };
    await host.call("mcp_a_echo", {}, { context, meta: { agent_id: "mine" } });
    await host.resources.read({ serverId: "a", uri: "file:///a" }, { context });
    await host.resources.list({ context });
    const given = (params: JsonObject | undefined): unknown => params?.["_meta"];
    const passed = { agent_id: "helper", session_id: "c-1" };
    expect(fake.sent.map(({ method, meta, params }) => [method, meta ?? given(params)])).toEqual([
      ["echo", { ...passed, agent_id: "mine" }],
      ["resources/read", passed],
      ["resources/list", passed],
    ]);
  });
});

/** A server that answers its handshake and its first listing, and nothing that comes later. */
const unanswering = `
import { createInterface } from "node:readline";
let lists = 0;
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "a", version: "1" },
  }),
  "tools/list": () => ((lists += 1) === 1 ? { tools: [] } : undefined),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method.startsWith("resources/")) return;
  const result = answers[method]?.(params);
  if (result === undefined && method === "tools/list") return;
  const error = { code: -32601, message: "unknown" };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) }));
});
`;
