import {
  defaultTimeouts,
  HostsideError,
  type CallOptions,
  type CallOutcome,
  type Connection,
  type JsonObject,
  type ServerInfo,
  type ServerSpec,
  type ToolListing,
  type HostsideErrorCode,
} from "@hostside/core";
import { createDeadline, type ConnectionHooks } from "@hostside/core/implement";
import { toolsOf, type SimulatedServer, type SimulatedSession } from "./simulated-server.ts";
import type { World } from "./world.ts";

interface Request {
  readonly fail: (error: HostsideError) => void;
  /** Whether the server has seen it. */
  arrived: boolean;
  /** Ends what the server asks because of it. */
  onEnd: () => void;
}

interface SessionParts {
  readonly spec: ServerSpec;
  readonly server: SimulatedServer;
  readonly hooks: ConnectionHooks;
  readonly world: World;
  /**
   * Aborts when the provider is done with the session, whether calls are still under way on it or
   * not.
   */
  readonly ended: AbortSignal;
}

/** What a simulated server says of itself. */
export function infoOf(name: string, server?: Pick<SimulatedServer, "era" | "isOther">): ServerInfo {
  const capabilities = { tools: { listChanged: true } };
  if (server?.era === "modern" && !server.isOther) {
    return { era: "modern", protocolVersion: "2026-07-28", name, capabilities };
  }
  return { era: "legacy", protocolVersion: "2025-11-25", name, capabilities };
}

/** Opens a session; the process counts as started by the connector. */
export function openSession(parts: SessionParts): SimulatedSession {
  const { server, hooks, world, spec } = parts;
  const requests = new Set<Request>();
  let state: "live" | "closing" | "gone" = "live";
  let expired = false;
  /** The provider lets its calls finish, while the next session is there or waits. */
  let drained: "apart" | "alone" | undefined;
  let callsForgotten = false;
  let closed: Promise<void> | undefined;

  const opened = { openedAt: world.clock.now() };
  server.open.add(opened);
  const leave = (): void => {
    server.open.delete(opened);
    if (state !== "gone" && drained === "alone") server.draining -= 1;
    if (state !== "gone" && (expired || drained === "apart")) server.expired -= 1;
    else if (state !== "gone") server.processes -= 1;
    state = "gone";
  };
  let assumed = hooks.known !== undefined && server.era === "modern";
  const failAll = (code: HostsideErrorCode): void => {
    for (const request of Array.from(requests)) {
      request.fail(simulatedError(code, spec.id, request.arrived ? "unknown" : "not-sent"));
    }
  };

  /**
   * Runs one request: on its way, at the server, on its way back; ends early with the session, the
   * time or the caller.
   */
  const request = <T>(
    label: string,
    {
      timeoutMs,
      signal,
      timeoutCode,
    }: { timeoutMs: number; signal?: AbortSignal | undefined; timeoutCode: HostsideErrorCode },
    serve: (request: Request, pause: () => () => void) => Promise<T>,
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      if (state !== "live") return reject(simulatedError("closed", spec.id, "not-sent"));
      const deadline = createDeadline({
        timeoutMs,
        signal,
        onTimeout: () => simulatedError(timeoutCode, spec.id, entry.arrived ? "unknown" : "not-sent"),
      });
      const settle = (settled: () => void): void => {
        if (!requests.delete(entry)) return;
        deadline.dispose();
        deadline.signal.removeEventListener("abort", onAbort);
        entry.onEnd();
        settled();
      };
      const entry: Request = { arrived: false, onEnd: () => {}, fail: (error) => settle(() => reject(error)) };
      const onAbort = (): void => {
        const reason: unknown = deadline.signal.reason;
        const outcome = entry.arrived ? "unknown" : "not-sent";
        entry.fail(reason instanceof HostsideError ? reason : simulatedError("aborted", spec.id, outcome));
      };
      requests.add(entry);
      deadline.signal.addEventListener("abort", onAbort);
      if (deadline.signal.aborted) return onAbort();
      void (async () => {
        await world.pause(spec.id, `${label} goes out`);
        if (!requests.has(entry)) return;
        if (expired) return entry.fail(simulatedError("session_expired", spec.id, "failed"));
        if (assumed && server.isOther) {
          server.mistaken += 1;
          return entry.fail(simulatedError("unsupported_protocol", spec.id, "failed"));
        }
        entry.arrived = true;
        try {
          const result = await serve(entry, () => deadline.pause());
          await world.pause(spec.id, `${label} is answered`);
          assumed = false;
          settle(() => resolve(result));
        } catch (error) {
          settle(() => reject(error));
        }
      })();
    });

  const connection: Connection = {
    server: assumed && hooks.known !== undefined ? hooks.known.server : infoOf(spec.id, server),
    get isAssumed() {
      return assumed;
    },
    async listTools(options = {}): Promise<ToolListing> {
      const timeoutMs = options.timeoutMs ?? defaultTimeouts.listMs;
      try {
        return await request(
          "tools/list",
          { timeoutMs, signal: options.signal, timeoutCode: "list_timeout" },
          async () => serveListing(parts),
        );
      } catch (error) {
        server.failedListings += 1;
        throw error;
      }
    },
    async callTool(toolName: string, args: JsonObject, options: CallOptions = {}): Promise<JsonObject> {
      const timeoutMs = options.timeoutMs ?? defaultTimeouts.callMs;
      return request(
        `call of ${toolName}`,
        { timeoutMs, signal: options.signal, timeoutCode: "call_timeout" },
        (entry, pause) =>
          callsForgotten
            ? Promise.reject(simulatedError("session_expired", spec.id, "failed"))
            : serveCall({ ...parts, toolName, args, options }, { pause, crash: () => session.crash(), request: entry }),
      );
    },
    request: () => server.onRequest(),
    notify: () => Promise.resolve(),
    subscribeResource: () => Promise.reject(new Error("not asked")),
    close(reason) {
      closed ??= (async () => {
        if (state === "gone") return;
        state = "closing";
        if (!expired) server.healthyCloses += 1;
        server.closedBecause.push(reason);
        server.sessions.delete(session);
        failAll("closed");
        await stepOfClosing("closes", spec, world);
        leave();
        if (server.faults.close.shift() === "hang") await new Promise(() => {});
      })();
      return closed;
    },
  };
  const session: SimulatedSession = {
    connection,
    forgotten: server.forgotten,
    crash() {
      if (state === "gone") return;
      const wasLive = state === "live";
      server.sessions.delete(session);
      leave();
      failAll("server_exited");
      if (wasLive) hooks.onDown(simulatedError("server_exited", spec.id, "unknown"));
    },
    forgetCalls() {
      callsForgotten = true;
    },
    expire() {
      if (expired || state !== "live") return;
      // What is left of it is on this side only.
      if (drained !== "apart") {
        server.expired += 1;
        server.processes -= 1;
      }
      expired = true;
      server.sessions.delete(session);
    },
    async notify(times) {
      await world.pause(spec.id, "notifies");
      if (state !== "live") return;
      for (let time = 0; time < times; time += 1) hooks.onToolsChanged();
    },
  };
  server.sessions.add(session);
  const drain = async (): Promise<void> => {
    // A close that is not put off comes in the same turn.
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    if (state !== "live" || expired) return;
    // A server behind a URL serves many sessions at once; of any other kind there must not be two.
    drained = spec.type === "http" ? "apart" : "alone";
    if (drained === "alone") return void (server.draining += 1);
    server.expired += 1;
    server.processes -= 1;
    server.sessions.delete(session);
  };
  parts.ended.addEventListener("abort", () => void drain(), { once: true });
  return session;
}

async function serveListing({ server, spec, hooks }: SessionParts): Promise<ToolListing> {
  server.listings += 1;
  if (server.restless) hooks.onToolsChanged();
  const fault = server.faults.list.shift();
  if (fault === "fail") throw simulatedError("server_error", spec.id, "failed");
  if (fault === "hang") await new Promise(() => {});
  const listing: ToolListing = { tools: toolsOf(server), dropped: [...server.dropped], pages: 1 };
  return fault === "truncate" ? { ...listing, tools: listing.tools.slice(0, 1), truncated: "page-limit" } : listing;
}

async function serveCall(
  {
    server,
    spec,
    toolName,
    args,
    options,
    hooks,
    world,
  }: SessionParts & { readonly toolName: string; readonly args: JsonObject; readonly options: CallOptions },
  session: { readonly pause: () => () => void; readonly crash: () => void; readonly request: Request },
): Promise<JsonObject> {
  const fault = server.faults.call.shift();
  if (fault === "unauthorized") throw simulatedError("auth_required", spec.id, "failed");
  const { id } = args;
  const callId = typeof id === "string" ? id : JSON.stringify(id);
  server.received.push({ toolName, args, meta: options.meta });
  options.onProgress?.({ progress: 1 });
  server.ledger.set(callId, (server.ledger.get(callId) ?? 0) + 1);
  if (fault === "fail") throw simulatedError("server_error", spec.id, "failed");
  if (fault === "crash") session.crash();
  if (fault === "hang" || fault === "crash") await new Promise(() => {});
  if (fault === "ask-human" || fault === "ask-nobody") {
    const resume = session.pause();
    await ask(fault, session.request, { spec, hooks, world });
    resume();
  }
  await world.pause(spec.id, `works on ${toolName}`);
  if (!toolsOf(server).some(({ name }) => name === toolName)) throw simulatedError("server_error", spec.id, "failed");
  return { content: [{ type: "text", text: callId }], isError: fault === "tool-error" };
}

async function ask(
  message: string,
  request: Request,
  { spec, hooks, world }: Pick<SessionParts, "spec" | "hooks" | "world">,
): Promise<void> {
  const question = new AbortController();
  let cancel = (): void => {};
  const over = new Promise<void>((resolve) => {
    request.onEnd = () => {
      cancel();
      question.abort();
      resolve();
    };
    cancel = world.clock.schedule(spec.timeouts?.elicitMs ?? defaultTimeouts.elicitMs, () => request.onEnd());
  });
  try {
    await Promise.race([
      over,
      hooks.onElicit?.({ serverId: spec.id, mode: "form", message, params: {} }, question.signal),
    ]);
  } finally {
    cancel();
  }
}

/**
 * A step of a shutdown, which takes no longer than a connector may: it happens when the world says
 * so, or when the time is up.
 */
export function stepOfClosing(step: string, { id, timeouts }: ServerSpec, { clock, pause }: World): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(3 * (timeouts?.closeMs ?? defaultTimeouts.closeMs), resolve);
    void pause(id, step).finally(() => {
      cancel();
      resolve();
    });
  });
}

/** An error as a real connection makes it. */
export function simulatedError(code: HostsideErrorCode, serverId: string, outcome?: CallOutcome): HostsideError {
  return new HostsideError("simulated", { code, serverId, outcome });
}
