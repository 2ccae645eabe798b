import { defaultTimeouts, isHostsideError, HostsideError, type Connector, type ServerSpec } from "@hostside/core";
import { createDeadline, type ConnectionHooks } from "@hostside/core/implement";
import { stepOfClosing, openSession, simulatedError } from "./simulated-session.ts";
import type { SimulatedServer, SimulatedSession } from "./simulated-server.ts";
import { serverOf, type World } from "./world.ts";

/** A connector that keeps the contract of core, and notes what a process table would show. */
export function createSimulatedConnector(world: World): Connector {
  return {
    async connect(spec, hooks, signal) {
      const server = serverOf(world, spec.id);
      const fault = server.faults.connect.shift();
      server.connects.started += 1;
      server.processes += 1;
      server.connects.most = Math.max(server.connects.most, server.processes);
      if (fault === "deaf") return neverSettles(server, signal);
      try {
        if (fault === "queue") await waitForTurn({ hooks, signal, world, server });
        const session = await handshake({ spec, hooks, signal, fault, world, server });
        if (fault === "crash-after-handshake") session.crash();
        if (fault === "forget-at-once") session.forgetCalls();
        return session.connection;
      } catch (error) {
        // The clean-up of a failed attempt takes its time too.
        await stepOfClosing("cleans up", spec, world);
        server.processes -= 1;
        throw error;
      }
    },
    async clearCredentials({ id }) {
      await world.pause(id, "is forgotten");
      serverOf(world, id).forgotten += 1;
    },
  };
}

// A connector that breaks its word: it cleans up, and never says so.
function neverSettles(server: SimulatedServer, signal: AbortSignal): Promise<never> {
  const leave = (): void => void (server.processes -= 1);
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  return new Promise(() => {});
}

// Longer than any attempt may take.
const longestTurnMs = 2000;

function waitForTurn({
  hooks,
  signal,
  world,
  server,
}: Pick<Attempt, "hooks" | "signal" | "world" | "server">): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    hooks.onQueued?.();
    const onAbort = (): void => {
      cancel();
      if (isHostsideError(signal.reason, "connect_timeout")) server.cutShort += 1;
      reject(signal.reason);
    };
    const cancel = world.clock.schedule(longestTurnMs, () => {
      signal.removeEventListener("abort", onAbort);
      hooks.onStart?.();
      resolve();
    });
    signal.addEventListener("abort", onAbort);
  });
}

interface Attempt {
  readonly spec: ServerSpec;
  readonly hooks: ConnectionHooks;
  readonly signal: AbortSignal;
  readonly fault: SimulatedServer["faults"]["connect"][number] | undefined;
  readonly world: World;
  readonly server: SimulatedServer;
}

function handshake({ spec, hooks, signal, fault, world, server }: Attempt): Promise<SimulatedSession> {
  return new Promise((resolve, reject) => {
    const deadline = createDeadline({
      timeoutMs: spec.timeouts?.connectMs ?? defaultTimeouts.connectMs,
      signal,
      onTimeout: () => simulatedError("connect_timeout", spec.id),
    });
    const onAbort = (): void => {
      reject(deadline.signal.reason);
    };
    deadline.signal.addEventListener("abort", onAbort);
    if (deadline.signal.aborted) return onAbort();
    void (async () => {
      await world.pause(spec.id, "starts");
      if (fault === "hang" || deadline.signal.aborted) return;
      deadline.dispose();
      if (fault === "refuse") return reject(simulatedError("unreachable", spec.id));
      if (fault === "busy") return reject(busyError(spec.id));
      if (fault === "no-key") return reject(exitError(spec.id));
      if (fault === "unauthorized") return reject(simulatedError("auth_required", spec.id));
      resolve(openSession({ spec, hooks, server, world, ended: signal }));
    })();
  });
}

// As a program that misses its API key.
function exitError(serverId: string): HostsideError {
  return new HostsideError("simulated", {
    code: "server_exited",
    serverId,
    outcome: "not-sent",
    details: { exitCode: 1 },
  });
}

// As HTTP 503 with `Retry-After: 5`.
function busyError(serverId: string): HostsideError {
  return new HostsideError("simulated", {
    code: "http_error",
    serverId,
    details: { httpStatus: 503, retryAfterMs: 5000 },
  });
}
