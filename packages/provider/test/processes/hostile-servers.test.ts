import { createConnector } from "@hostside/transports";
import { createProvider, type McpProvider } from "@hostside/provider";
import { isHostsideError, type ServerSpec } from "@hostside/core";
import { startFaultServer, type FaultScript, type HttpFaultServer, type StdioFaultServer } from "@hostside/fixtures";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { failureReport } from "../failure-report.ts";
import { watchHost } from "./watch-host.ts";

// Each takes seconds. `pnpm proof properties` asks for more.
const numRuns = Math.ceil(Number(process.env["HOSTSIDE_RUNS"] ?? 50) / 50);

const execute = { type: "execute" } as const;
const toolsChanged = { type: "send", message: { method: "notifications/tools/list_changed" } } as const;

/** Servers that misbehave, each in its own way, whenever they are called a second or third time. */
const scripts: Readonly<Record<string, FaultScript>> = {
  crashes: { rules: [{ on: "tools/call", every: 2, do: [execute, { type: "exit", code: 7 }] }] },
  hangs: { rules: [{ on: "tools/call", every: 2, do: [execute] }] },
  floods: {
    rules: [{ on: "tools/call", every: 2, do: [execute, { ...toolsChanged, times: 5000 }, { type: "proceed" }] }],
  },
  forks: {
    rules: [
      { on: "start", do: [{ type: "fork", keeps: ["stdout", "stderr"], ignoresSigterm: true }] },
      { on: "tools/call", every: 3, do: [execute, { type: "exit", signal: "SIGKILL" }] },
      { on: "stdin-end", do: [] },
    ],
  },
  lies: {
    rules: [
      {
        on: "tools/call",
        every: 2,
        do: [
          execute,
          { type: "respond", message: { id: 1, result: {} } },
          { type: "respond", message: { result: {}, error: {} } },
        ],
      },
      { on: "tools/list", every: 2, do: [{ type: "respond", message: { result: { tools: "none" } } }] },
    ],
  },
};
const ids = [...Object.keys(scripts), "forgets"];

type Command =
  | { readonly do: "call"; readonly id: string }
  | { readonly do: "refresh" | "disconnect" | "replace" | "kill"; readonly id: string }
  | { readonly do: "settle" };

const id = fc.constantFrom(...ids);
const programs: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("call" as const), id }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("refresh", "disconnect", "replace", "kill"), id }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
  ),
  { minLength: 15, maxLength: 30 },
);

interface Call {
  readonly id: string;
  readonly text: string;
  readonly outcome: Promise<"ran" | "not-sent" | "open">;
}

describe("a provider with servers that crash, hang, flood, fork and lie", () => {
  it(
    "runs each call at most once, says truly whether it ran, and leaves nothing behind",
    { timeout: 240_000 },
    async () => {
      // Not shrunk: a failure prints the seed and the program, and a run takes seconds.
      const details = await fc.check(fc.asyncProperty(programs, run), { numRuns, endOnFailure: true });
      expect(details.failed, failureReport(details)).toBe(false);
    },
  );
});

async function run(commands: readonly Command[]): Promise<void> {
  const host = watchHost();
  const servers = await startServers();
  const provider = createProvider({
    connector: createConnector(),
    servers: ids.map((serverId) => specOf(serverId, servers)),
    backoff: { baseMs: 20, maxMs: 100 },
  });
  const work: Promise<unknown>[] = [];
  const calls: Call[] = [];
  await provider.init();
  for (const [index, command] of commands.entries()) {
    if (command.do === "call") calls.push(call(provider, command.id, `${index}`));
    else if (command.do === "settle") await Promise.all(calls.map(({ outcome }) => outcome));
    else work.push(operate(command, provider, servers));
  }
  const outcomes = await Promise.all(calls.map(async (one) => ({ ...one, outcome: await one.outcome })));
  await Promise.all(work);
  await provider.close();
  host.stop();

  for (const { id: serverId, text, outcome } of outcomes) {
    const runs =
      servers
        .get(serverId)
        ?.ledger()
        .filter(({ args }) => args["text"] === text).length ?? 0;
    // A failure that is not `not-sent` says nothing of what ran.
    const claimed = { ran: [1], "not-sent": [0], open: [0, 1] }[outcome];
    expect(claimed, `call ${text} of ${serverId}: ${outcome}`).toContain(runs);
  }
  for (const server of servers.values()) expect("livePids" in server ? server.livePids() : []).toEqual([]);
  for (const server of servers.values()) await server.close();
  await vi.waitFor(() => expect(host.extraHandles()).toEqual({}), { timeout: 60_000 });
  expect(host.longestStallMs).toBeLessThan(400);
}

type Servers = ReadonlyMap<string, StdioFaultServer | HttpFaultServer>;

async function startServers(): Promise<Servers> {
  const servers = new Map<string, StdioFaultServer | HttpFaultServer>();
  for (const [name, script] of Object.entries(scripts)) {
    servers.set(name, await startFaultServer({ transport: "stdio", script }));
  }
  const forgets: FaultScript = {
    era: "legacy",
    rules: [
      {
        on: "POST",
        where: { method: "tools/call" },
        every: 3,
        do: [{ type: "session", change: "expire" }, { type: "proceed" }],
      },
    ],
  };
  return servers.set("forgets", await startFaultServer({ transport: "http", runIn: "child", script: forgets }));
}

function specOf(serverId: string, servers: Servers): ServerSpec {
  const server = servers.get(serverId);
  if (server === undefined) throw new Error(`no server ${serverId}`);
  return { id: serverId, ...server.spec, timeouts: { callMs: 1500, listMs: 5000, closeMs: 300 } };
}

function call(provider: McpProvider, serverId: string, text: string): Call {
  const outcome = provider.call(`mcp_${serverId}_append`, { text }).then(
    () => "ran" as const,
    (error: unknown) => (isHostsideError(error) && error.outcome === "not-sent" ? "not-sent" : "open"),
  );
  return { id: serverId, text, outcome };
}

async function operate(
  { do: what, id: serverId }: Extract<Command, { readonly do: "refresh" | "disconnect" | "replace" | "kill" }>,
  provider: McpProvider,
  servers: Servers,
): Promise<void> {
  const server = servers.get(serverId);
  try {
    if (what === "refresh") await provider.refreshServer(serverId);
    if (what === "disconnect") await provider.disconnectServer(serverId);
    if (what === "kill" && server !== undefined && "livePids" in server) {
      for (const pid of server.livePids()) process.kill(pid, "SIGKILL");
    }
    if (what === "replace") {
      await provider.removeServer(serverId);
      await provider.addServer(specOf(serverId, servers));
    }
  } catch {
    // Any of these may fail with such servers. What counts is what is left in the end.
  }
}
