import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { residentMemory } from "../engine/live-processes.ts";
import { DriverFailure, type DriverLink } from "./driver-link.ts";
import {
  driverFeatures,
  driverProtocol,
  type DriverError,
  type DriverHello,
  type DriverReply,
  type DriverResult,
  type DriverServer,
  type DriverSnapshot,
} from "./driver-protocol.ts";

// Before it says hello a driver loads its host, which says nothing of the host and takes long where
// the machine is busy.
const startPatience = 6;

/** How something that may fail went. */
export type Reported<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: DriverError };

/** A call that is under way. */
export interface CallUnderWay {
  /** What `cancel` names it by. */
  readonly callId: string;
  /**
   * Rejects with {@linkcode DriverFailure}, kind `silent`, when the host does not settle the call
   * by its deadline.
   */
  readonly settled: Promise<Reported<DriverResult>>;
}

/** How a call is made. */
export interface CallManner {
  /** Default: the driver's patience. */
  readonly timeoutMs?: number;
  readonly meta?: JsonObject;
}

/**
 * The host under test. Each method rejects with {@linkcode DriverFailure} when the driver does not
 * answer in time, or wrongly.
 */
export interface HostDriver {
  hello(): Promise<DriverHello>;
  init(servers: readonly DriverServer[]): Promise<Reported<JsonObject>>;
  addServer(spec: DriverServer): Promise<Reported<JsonObject>>;
  removeServer(serverId: string): Promise<Reported<JsonObject>>;
  snapshot(): Promise<DriverSnapshot>;
  call(name: string, args: JsonObject, manner?: CallManner): Promise<Reported<DriverResult>>;
  /** Starts a call and does not wait for it. */
  startCall(name: string, args: JsonObject, manner?: CallManner): CallUnderWay;
  cancel(callId: string): Promise<Reported<JsonObject>>;
  refresh(): Promise<Reported<JsonObject>>;
  /**
   * Every text that the host has told so far in errors, and now in statuses and events: where no
   * secret may be.
   */
  texts(): Promise<string>;
  /** How many child processes the host says it has; `undefined` when it does not say. */
  children(): Promise<number | undefined>;
  /**
   * How many bytes of memory the driver and what it started have, seen from outside; `undefined`
   * where that cannot be seen.
   */
  memory(): number | undefined;
  close(): Promise<Reported<JsonObject>>;
  readonly alive: boolean;
  end(): Promise<void>;
}

/**
 * Makes the verbs of a link typed, and reads what comes back. `patienceMs` is what an answer may
 * take beyond a deadline of its own.
 */
export function createHostDriver(link: DriverLink, patienceMs: number): HostDriver {
  const reported: string[] = [];
  let calls = 0;
  const note = (reply: DriverReply): DriverReply => {
    reported.push(JSON.stringify(reply.ok ? reply.value : reply.error));
    return reply;
  };
  const plain = async (reply: Promise<DriverReply>): Promise<Reported<JsonObject>> => note(await reply);
  const longest = (servers: readonly DriverServer[]): number =>
    Math.max(0, ...servers.map(({ connectMs }) => connectMs));

  function startCall(name: string, args: JsonObject, { timeoutMs = patienceMs, meta }: CallManner = {}): CallUnderWay {
    calls += 1;
    const callId = `call-${calls}`;
    const params = { callId, name, args, timeoutMs, ...(meta !== undefined && { meta }) };
    const settled = link.ask("call", params, timeoutMs + patienceMs).then((reply) => readCall(note(reply)));
    // A scenario that failed meanwhile no longer waits for it.
    settled.catch(() => {});
    return { callId, settled };
  }

  async function snapshot(): Promise<DriverSnapshot> {
    return readSnapshot(note(await link.ask("snapshot", {}, patienceMs)));
  }

  return {
    hello: async () => readHello(await link.ask("hello", { protocol: driverProtocol }, patienceMs * startPatience)),
    init: (servers) => plain(link.ask("init", { servers }, patienceMs + longest(servers))),
    addServer: (spec) => plain(link.ask("addServer", { spec }, patienceMs + spec.connectMs)),
    removeServer: (serverId) => plain(link.ask("removeServer", { serverId }, patienceMs)),
    snapshot,
    startCall,
    call: (name, args, manner) => startCall(name, args, manner).settled,
    cancel: (callId) => plain(link.ask("cancel", { callId }, patienceMs)),
    refresh: () => plain(link.ask("refresh", {}, patienceMs)),
    memory: () => residentMemory(link.pid),
    async texts() {
      await snapshot();
      note(await link.ask("events", {}, patienceMs));
      return reported.join("\n");
    },
    async children() {
      const reply = await link.ask("stats", {}, patienceMs);
      const children = reply.ok ? reply.value["children"] : undefined;
      return typeof children === "number" ? children : undefined;
    },
    close: () => plain(link.ask("close", {}, patienceMs)),
    get alive() {
      return link.alive;
    },
    end: () => link.end(),
  };
}

function readHello(reply: DriverReply): DriverHello {
  const { protocol, name, version, features } = valueOf(reply, "hello");
  if (protocol !== driverProtocol) {
    throw rubbish(`hello must name protocol ${driverProtocol}, not ${JSON.stringify(protocol)}`);
  }
  if (typeof name !== "string" || name === "" || typeof version !== "string") {
    throw rubbish("hello must name the host and its version");
  }
  const named = arrayOf(features, "hello.features").filter(isText);
  // A feature that is misspelt would silently keep scenarios from being played.
  const unknown = named.find((feature) => !driverFeatures.some((known) => known === feature));
  if (unknown !== undefined) {
    throw rubbish(`hello names the feature ${JSON.stringify(unknown)}; there are ${driverFeatures.join(", ")}`);
  }
  return { protocol, name, version, features: named };
}

function readSnapshot(reply: DriverReply): DriverSnapshot {
  const { tools, servers } = valueOf(reply, "snapshot");
  return {
    tools: arrayOf(tools, "snapshot.tools").map((tool) => {
      const { name, serverId, remoteName } = isJsonObject(tool) ? tool : {};
      if (!isText(name) || !isText(serverId) || !isText(remoteName)) {
        throw rubbish("every tool of a snapshot must have a name, a serverId and a remoteName");
      }
      return { name, serverId, remoteName };
    }),
    servers: arrayOf(servers, "snapshot.servers").map((server) => {
      const { id, state, error } = isJsonObject(server) ? server : {};
      if (!isText(id)) throw rubbish("every server of a snapshot must have an id");
      return { id, ...(isText(state) && { state }), ...(isText(error) && { error }) };
    }),
  };
}

function readCall(reply: DriverReply): Reported<DriverResult> {
  if (!reply.ok) return reply;
  const { content, structuredContent, isError } = reply.value;
  return {
    ok: true,
    value: {
      content: arrayOf(content, "the content of a call's result"),
      ...(structuredContent !== undefined && { structuredContent }),
      ...(typeof isError === "boolean" && { isError }),
    },
  };
}

function valueOf(reply: DriverReply, verb: string): JsonObject {
  if (reply.ok) return reply.value;
  throw rubbish(`${verb} must not fail, and it said: ${reply.error.message}`);
}

function arrayOf(value: JsonValue | undefined, what: string): readonly JsonValue[] {
  // `Array.isArray` does not narrow readonly arrays.
  if (Array.isArray(value)) return value as readonly JsonValue[];
  throw rubbish(`${what} must be an array`);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function rubbish(what: string): DriverFailure {
  return new DriverFailure("rubbish", what);
}
