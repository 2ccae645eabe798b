import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "@hostside/core";
import { pause, resultWithin } from "@hostside/core/implement";
import {
  listenOnLoopback,
  startFaultServer,
  type HttpHandler,
  type RunningServer,
  type FaultScript,
  type HttpFaultServer,
  type StdioFaultServer,
} from "@hostside/fixtures";
import type { TraceEvent } from "../engine/trace.ts";
import type { DriverClient, DriverResult, DriverServer, DriverTool } from "./driver-protocol.ts";
import type { CallManner, CallUnderWay, HostDriver, Reported } from "./host-driver.ts";
import type { HostTarget } from "./host-target.ts";
import { hostVenues, type HostVenue } from "./host-venue.ts";
import { must, Violation } from "./violation.ts";
import { messagesFrom, toTraceEvents, type ReceivedMessage } from "./wire-view.ts";

/** A fault server on the stage, and what it saw. */
export interface Stand {
  readonly id: string;
  /** What the driver is told of it. */
  readonly spec: DriverServer;
  readonly server: StdioFaultServer | HttpFaultServer;
  /** The messages that it received by this method, oldest first; of all methods without one. */
  received(method?: string): readonly ReceivedMessage[];
  /** The arguments that a tool was run with, oldest first. */
  runs(tool: string): readonly JsonObject[];
  /**
   * Processes that are alive; of the server itself over HTTP none, because that one is the kit's.
   */
  livePids(): readonly number[];
}

/** How a server differs from a good one. */
export interface StandOptions {
  readonly script?: FaultScript;
  /** Those of the script. */
  readonly rules?: FaultScript["rules"];
  readonly headers?: Readonly<Record<string, string>>;
  /** What the host signs in as. */
  readonly client?: DriverClient;
  /** Default: the patience of the run. */
  readonly connectMs?: number;
  /**
   * Where an HTTP server runs; over stdio it is the host's child in any case. Default `process`:
   * the kit's own.
   */
  readonly runIn?: "process" | "child";
}

/** An HTTP server that nobody has any business with. */
export interface Canary {
  readonly url: string;
  readonly requests: readonly IncomingHttpHeaders[];
}

/** How a tool is called. */
export interface ToolCall extends CallManner {
  /** Its remote name. */
  readonly tool?: string;
}

/** Where one scenario takes place. */
export interface Stage {
  readonly venue: HostVenue;
  readonly host: HostDriver;
  readonly patienceMs: number;
  readonly random: () => number;
  /** Starts a server, and tells nobody. */
  serve(id: string, options?: StandOptions): Promise<Stand>;
  /** Starts the server `alpha`, and initialises the host with it. */
  start(options?: StandOptions): Promise<Stand>;
  /** The same beside a good one, `beta`. */
  startTwo(options?: StandOptions): Promise<readonly [Stand, Stand]>;
  /** Starts a good server. */
  canary(): Promise<Canary>;
  /** Has something ended with the stage. */
  cleanUp(end: () => Promise<unknown>): void;
  /** Initialises the host with servers; fails if the host says that it failed. */
  init(...stands: readonly Pick<Stand, "spec">[]): Promise<void>;
  /** The host's tool for a remote tool, as soon as there is one. */
  tool(stand: Pick<Stand, "id">, remoteName?: string): Promise<DriverTool>;
  /** Calls a tool, by default `append`, as soon as it is there. */
  call(stand: Pick<Stand, "id">, args: JsonObject, manner?: ToolCall): Promise<Reported<DriverResult>>;
  /** The same, without waiting for the end of the call. */
  startCall(stand: Pick<Stand, "id">, args: JsonObject, manner?: ToolCall): Promise<CallUnderWay>;
  /** Waits for a condition. `otherwise` says what is wrong when it does not come true. */
  eventually(otherwise: string, holds: () => boolean | Promise<boolean>): Promise<void>;
  /** Waits for something that a server tells. */
  happens<Value>(otherwise: string, promise: Promise<Value>): Promise<Value>;
  /** Whether something happened before its time is up. */
  occurs(promise: Promise<unknown>): Promise<boolean>;
  /** Lets time pass in which something must not happen. */
  quiet(): Promise<void>;
  /** What happened so far, as the servers saw it. */
  trace(): readonly TraceEvent[];
  /** Closes the host and ends the servers. Idempotent. */
  leave(): Promise<void>;
}

const pollMs = 15;
const quietMs = 250;
const closeMs = 400;

/** Sets the stage for a scenario, with a driver of its own. */
export async function openStage(
  target: HostTarget,
  { venue, random }: { readonly venue: HostVenue; readonly random: () => number },
): Promise<Stage> {
  const { patienceMs } = target;
  const { transport, era } = hostVenues[venue];
  const startedAt = Date.now();
  const host = await target.borrow();
  const stands: Stand[] = [];
  const cleanups: (() => Promise<unknown>)[] = [];
  let left: Promise<void> | undefined;

  async function leave(): Promise<void> {
    const well = host.alive && (await host.close().catch(() => ({ ok: false }))).ok;
    await target.giveBack(host, well);
    await Promise.all(cleanups.map((cleanup) => cleanup()));
  }

  const settledInTime = <Value>(promise: Promise<Value>): Promise<{ readonly value: Value } | undefined> =>
    resultWithin(
      promise.then((value) => ({ value })),
      patienceMs,
    );

  async function happens<Value>(otherwise: string, promise: Promise<Value>): Promise<Value> {
    const outcome = await settledInTime(promise);
    must(outcome !== undefined, otherwise);
    return outcome.value;
  }

  async function eventually(otherwise: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!(await holds())) {
      must(Date.now() < deadline, otherwise);
      await pause(pollMs);
    }
  }

  const stage: Stage = {
    venue,
    host,
    patienceMs,
    random,
    happens,
    occurs: async (promise) => (await settledInTime(promise)) !== undefined,
    eventually,
    async serve(id, { rules, script = rules === undefined ? {} : { rules }, runIn = "process", ...options } = {}) {
      const server = await startFaultServer({ transport, script: { era, ...script }, runIn });
      cleanups.push(() => server.close());
      const stand = createStand(id, server, { connectMs: patienceMs, ...options });
      stands.push(stand);
      return stand;
    },
    async canary() {
      const canary = await startCanary();
      cleanups.push(canary.close);
      return canary;
    },
    cleanUp: (end) => void cleanups.push(end),
    async init(...given) {
      const { ok } = await host.init(given.map(({ spec }) => spec));
      must(ok, "init failed; a server that fails is not a failure of init");
    },
    ...actionsOn(() => stage),
    quiet: () => pause(quietMs),
    trace: () => stands.flatMap(({ id, server }) => toTraceEvents(id, server.trace(), startedAt)),
    leave: () => (left ??= leave()),
  };
  return stage;
}

/** What scenarios do most, in one step each. */
function actionsOn(stage: () => Stage): Pick<Stage, "start" | "startTwo" | "tool" | "call" | "startCall"> {
  return {
    async tool({ id }, remoteName = "append") {
      const { host, patienceMs } = stage();
      const deadline = Date.now() + patienceMs;
      for (;;) {
        const { tools, servers } = await host.snapshot();
        const found = tools.find((tool) => tool.serverId === id && tool.remoteName === remoteName);
        if (found !== undefined) return found;
        if (Date.now() >= deadline) {
          const server = servers.find((each) => each.id === id);
          const standing = server === undefined ? "" : `; of its server the host says ${JSON.stringify(server)}`;
          throw new Violation(`the tool ${JSON.stringify(remoteName)} of ${id} is not in the snapshot${standing}`);
        }
        await pause(pollMs);
      }
    },
    async start(options) {
      const alpha = await stage().serve("alpha", options);
      await stage().init(alpha);
      return alpha;
    },
    async startTwo(options) {
      const [alpha, beta] = [await stage().serve("alpha", options), await stage().serve("beta")];
      await stage().init(alpha, beta);
      return [alpha, beta];
    },
    async startCall(stand, args, { tool, ...manner } = {}) {
      const { name } = await stage().tool(stand, tool);
      return stage().host.startCall(name, args, manner);
    },
    call: async (stand, args, manner) => (await stage().startCall(stand, args, manner)).settled,
  };
}

function createStand(
  id: string,
  server: StdioFaultServer | HttpFaultServer,
  { headers, client, connectMs }: Pick<StandOptions, "headers" | "client"> & { readonly connectMs: number },
): Stand {
  const { spec: transport } = server;
  return {
    id,
    server,
    spec: {
      id,
      connectMs,
      closeMs,
      transport:
        transport.type === "http"
          ? { ...transport, ...(headers && { headers }), ...(client && { client }) }
          : transport,
    },
    received: (method) =>
      messagesFrom(server.trace()).filter((message) => method === undefined || message.method === method),
    runs: (tool) => server.ledger().flatMap((run) => (run.tool === tool ? [run.args] : [])),
    livePids: () => ("livePids" in server ? server.livePids() : []),
  };
}

async function startCanary(): Promise<Canary & Pick<RunningServer, "close">> {
  const requests: IncomingHttpHeaders[] = [];
  const answer: HttpHandler = async ({ headers }, response) => {
    requests.push(headers);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  };
  return { ...(await listenOnLoopback(answer, { path: "/canary", from: "anywhere" })), requests };
}
