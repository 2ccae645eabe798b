import {
  HostsideError,
  type CallOptions,
  type Connection,
  type Connector,
  type JsonObject,
  type ServerSpec,
  type ToolDefinition,
} from "@hostside/core";

/** What a server of a test does. */
export interface FakeServer {
  readonly tools?: readonly string[];
  /** Resolves when the server is there. Default: at once. */
  readonly ready?: Promise<unknown>;
  readonly resources?: boolean;
}

/** What a server was sent. */
export interface Sent {
  readonly serverId: string;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly meta: JsonObject | undefined;
}

/** A connector of servers that are not there. One that nobody described has the tool `echo`. */
export interface FakeConnector extends Connector {
  readonly sent: readonly Sent[];
  /** Ids of open connections. */
  readonly open: ReadonlySet<string>;
  /** The latest spec of each server that was connected to. */
  readonly specs: ReadonlyMap<string, ServerSpec>;
}

/** Makes one. A spec with the command `refused` is refused by its check. */
export function createFakeConnector(servers: Readonly<Record<string, FakeServer>> = {}): FakeConnector {
  const sent: Sent[] = [];
  const open = new Set<string>();
  const specs = new Map<string, ServerSpec>();
  return {
    sent,
    open,
    specs,
    check(spec) {
      if (spec.type !== "stdio" || spec.command !== "refused") return;
      throw new HostsideError("command is refused here", {
        code: "invalid_spec",
        serverId: spec.id,
        details: { field: "command" },
      });
    },
    async connect(spec, _hooks, signal) {
      specs.set(spec.id, spec);
      const { ready, tools = ["echo"], resources = false } = servers[spec.id] ?? {};
      await Promise.race([ready, aborted(signal)]);
      open.add(spec.id);
      return connectionOf(spec, { tools, resources, sent, end: () => void open.delete(spec.id) });
    },
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
  );
}

interface Serving {
  readonly tools: readonly string[];
  readonly resources: boolean;
  readonly sent: Sent[];
  readonly end: () => void;
}

function connectionOf({ id }: ServerSpec, { tools, resources, sent, end }: Serving): Connection {
  const capabilities: JsonObject = { tools: {}, ...(resources && { resources: {} }) };
  return {
    server: { era: "modern", protocolVersion: "2026-07-28", name: id, capabilities },
    listTools: async () => ({
      tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })),
      dropped: [],
      pages: 1,
    }),
    async callTool(toolName, args, options: CallOptions = {}) {
      sent.push({ serverId: id, method: toolName, params: args, meta: options.meta });
      return { content: [{ type: "text", text: `${id} did ${toolName}` }] };
    },
    async request(method, params) {
      sent.push({ serverId: id, method, params, meta: undefined });
      if (method === "resources/list") return { resources: [] };
      return { contents: [{ uri: "file:///a", text: "read" }], ttlMs: 60_000 };
    },
    notify: async () => undefined,
    subscribeResource: async () => Object.assign(() => undefined, { [Symbol.dispose]: () => undefined }),
    close: async () => end(),
  };
}

/** The local names of the tools of servers, without the tools that a host adds itself. */
export function namesOfServers(host: { tools(): readonly ToolDefinition[] }): readonly string[] {
  return host.tools().flatMap(({ name, origin }) => (origin === undefined || origin.serverId === "" ? [] : [name]));
}
