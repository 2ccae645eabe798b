import { vi } from "vitest";
import {
  HostsideError,
  type Connection,
  type JsonObject,
  type JsonValue,
  type ProtocolEra,
  type HostsideErrorCode,
} from "@hostside/core";
import { untilAborted, type ConnectionHooks } from "@hostside/core/implement";
import { createProvider, type McpProvider, type ProviderOptions } from "@hostside/provider";
import { createResources, type Resources, type ResourcesOptions } from "@hostside/provider/resources";
import { useManualClock, type ManualClock } from "../../../../test/manual-clock.ts";

/** One request as a server got it. */
export interface Asked {
  readonly method: string;
  readonly params: JsonObject;
  readonly session: number;
  readonly signal: AbortSignal | undefined;
}

/** What a server answers: a result, or what it throws. */
export type Answer = (asked: Asked) => JsonValue | Promise<JsonValue>;

/** A server of a test's own. */
export interface ScriptedServer {
  readonly asked: Asked[];
  answer: Answer;
  era: ProtocolEra;
  capabilities: JsonObject;
  sessions: number;
  readonly subscribed: string[];
  /** Of the latest session. */
  hooks(): ConnectionHooks;
  crash(code?: HostsideErrorCode): void;
}

/** Servers, the provider that has them, and its resources. */
export interface World {
  readonly clock: ManualClock;
  readonly provider: McpProvider;
  readonly resources: Resources;
  readonly server: (id: string) => ScriptedServer;
}

/** What a world is made with. */
export interface WorldOptions extends ResourcesOptions {
  readonly servers?: readonly string[];
  readonly provider?: Partial<ProviderOptions>;
  /** What is sent waits for this before it is answered, and its answer once more. */
  readonly pause?: (serverId: string) => Promise<void>;
}

/**
 * Makes a world with server `a`, or those named; each has what `listing` says until a test says
 * otherwise.
 */
export function createWorld({
  servers = ["a"],
  provider: given,
  pause = async () => undefined,
  ...options
}: WorldOptions = {}): World {
  // So that the jitter of waits is in the numbers.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const clock = useManualClock();
  const scripted = new Map<string, ScriptedServer>();
  const serverOf = (id: string): ScriptedServer => {
    const server = scripted.get(id) ?? createServer();
    scripted.set(id, server);
    return server;
  };
  const provider = createProvider({
    connector: { connect: async (spec, hooks) => connectTo(serverOf(spec.id), hooks, () => pause(spec.id)) },
    servers: servers.map((id) => specOf(id)),
    ...given,
  });
  const resources = createResources(provider, { ...options });
  return { clock, provider, resources, server: serverOf };
}

export function specOf(id: string) {
  return { id, type: "stdio", command: id } as const;
}

/** Two values that no wire brings, but a connector of a product's own may. */
export function unwritable(): readonly JsonValue[] {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  return [cycle, { big: 1n }] as unknown as readonly JsonValue[];
}

/** The answers of a server that has these, by URI, on one page. */
export function listing(...uris: readonly string[]): Answer {
  return ({ method, params }) => {
    if (method === "resources/list") return { resources: uris.map((uri) => ({ uri, name: uri })) };
    if (method === "resources/templates/list") return { resourceTemplates: [] };
    const uri = typeof params["uri"] === "string" ? params["uri"] : "";
    return { contents: [{ uri, text: `text of ${uri}` }] };
  };
}

/** Lets everything happen that needs no time to pass. */
export async function settle(turns = 4): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * What a promise rejects with; taken care of at once, so that it may reject long before it is
 * looked at.
 */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (reason) {
    return reason;
  }
  throw new Error("it did not reject");
}

function createServer(): ScriptedServer & { latest?: { hooks: ConnectionHooks; end: AbortController } } {
  const server: ScriptedServer & { latest?: { hooks: ConnectionHooks; end: AbortController } } = {
    asked: [],
    answer: listing("note://one"),
    era: "legacy",
    capabilities: { resources: { subscribe: true, listChanged: true } },
    sessions: 0,
    subscribed: [],
    hooks() {
      if (server.latest === undefined) throw new Error("there is no session");
      return server.latest.hooks;
    },
    crash(code = "connection_closed") {
      const error = new HostsideError("it is gone", { code });
      server.latest?.end.abort(error);
      server.latest?.hooks.onDown(error);
    },
  };
  return server;
}

function connectTo(
  server: ReturnType<typeof createServer>,
  hooks: ConnectionHooks,
  pause: () => Promise<void>,
): Connection {
  server.sessions += 1;
  const session = server.sessions;
  const end = new AbortController();
  server.latest = { hooks, end };
  server.subscribed.length = 0;
  const { era, capabilities } = server;
  return {
    server: { era, protocolVersion: era === "legacy" ? "2025-11-25" : "2026-07-28", capabilities },
    listTools: async () => ({ tools: [], dropped: [], pages: 1 }),
    callTool: async () => ({ content: [] }),
    async request(method, params = {}, { signal } = {}) {
      const asked: Asked = { method, params, session, signal };
      server.asked.push(asked);
      const answered = (async () => {
        await pause();
        const answer = await server.answer(asked);
        await pause();
        return answer;
      })();
      return untilAborted(signal === undefined ? answered : untilAborted(answered, signal), end.signal);
    },
    notify: async () => undefined,
    async subscribeResource(uri) {
      server.subscribed.push(uri);
      const over = (): void => void server.subscribed.splice(server.subscribed.indexOf(uri), 1);
      return Object.assign(over, { [Symbol.dispose]: over });
    },
    close: async () => end.abort(new HostsideError("closed", { code: "closed", outcome: "unknown" })),
  };
}
