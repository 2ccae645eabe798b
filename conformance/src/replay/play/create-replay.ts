import { HostsideError, type Connector, type ServerSpec } from "@hostside/core";
import { assertKnownOptions, isJsonObject, kindOf, reachOf, type Fields } from "@hostside/core/implement";
import { createConnector, type ConnectorEffects, type ConnectorOptions } from "@hostside/transports";
import type { RecordableFetch } from "../record/record-fetch.ts";
import { readRecording } from "../recording/read-recording.ts";
import type { RecordedServer, Recording } from "../recording/recorded-event.ts";
import { buildScript } from "./build-script.ts";
import { createStage, type Stage } from "./create-stage.ts";
import { describe } from "./find-step.ts";
import { playFetch } from "./play-fetch.ts";
import { playProcesses } from "./play-process.ts";

/** How a recording is played back. */
export interface ReplayOptions {
  /** Options of the connector, but for what reaches the world. */
  readonly connector?: Omit<ConnectorOptions, "effects" | "fetch" | "guard"> | undefined;
}

/** A request of the recording. */
export interface RecordedRequest {
  readonly serverId: string;
  /** Such as `tools/call "add"`. */
  readonly request: string;
  /** Of the file. */
  readonly line: number | undefined;
}

/** A recording that is played back. */
export interface Replay {
  readonly recording: Recording;
  /**
   * The servers of the recording, as a provider takes them. A spec of one's own does as well, if
   * its id is that of one of them.
   */
  readonly servers: readonly ServerSpec[];
  /**
   * Connects to the recorded servers, and to nobody else: no process is started and nothing is
   * sent. Throws `unknown_server` for any other id.
   */
  readonly connector: Connector;
  /** The parts of that connector that play, for `createConnector({ effects })`. */
  readonly effects: (spec: ServerSpec) => ConnectorEffects;
  /** What was asked and is in no recording, in words. */
  misses(): readonly string[];
  /** What was recorded and was not asked. */
  unused(): readonly RecordedRequest[];
  /**
   * Throws an `internal_error` that lists what was asked and not recorded, and with `unused` also
   * what was recorded and not asked.
   */
  check(options?: { readonly unused?: boolean | undefined }): void;
}

const fields: Fields<ReplayOptions> = { connector: true };

/**
 * Plays a recording back to a host, without its servers. The whole of Hostside's own client is at
 * work, down to the bytes of a process or of HTTP, so that a fault that was recorded is the same
 * error again. A request that was not recorded is answered with an error that names the nearest one
 * and says how it differs.
 *
 * Throws `invalid_recording`, and a `TypeError` for what is no recording, and options that are
 * unknown or of a wrong kind.
 *
 * @example
 * const replay = await createReplay("bug.jsonl");
 * const host = await createHost({ connector: replay.connector, servers });
 */
export async function createReplay(recording: string | Recording, options: ReplayOptions = {}): Promise<Replay> {
  assertKnownOptions("createReplay()", options, fields);
  assertRecording(recording);
  const read = typeof recording === "string" ? await readRecording(recording) : recording;
  const parts = new Map(read.servers.map((server) => [server.id, createPart(server, read)]));
  const partOf = ({ id }: ServerSpec): Part => parts.get(id) ?? fail(id, read);
  const effects = (spec: ServerSpec): ConnectorEffects => partOf(spec).effects;
  const connector = createConnector({ ...options.connector, effects });
  const stages = [...parts.values()].map(({ stage }) => stage);
  const misses = (): readonly string[] => stages.flatMap((stage) => stage.misses);
  const unused = (): readonly RecordedRequest[] =>
    [...parts].flatMap(([serverId, { stage }]) =>
      stage.unused().map((step) => ({ serverId, request: describe(step.message ?? {}), line: step.event.line })),
    );
  return {
    recording: read,
    servers: [...parts.values()].map(({ spec }) => spec),
    connector: {
      ...connector,
      check: (spec) => connector.check?.(played(spec, partOf(spec))),
      async connect(spec, hooks, signal) {
        return connector.connect(played(spec, partOf(spec)), hooks, signal);
      },
    },
    effects,
    misses,
    unused,
    check(given = {}) {
      const left = given.unused === true ? unused() : [];
      const lines = [
        ...misses(),
        ...left.map(({ serverId, request, line }) => `${request} of ${serverId} (line ${line}) was not asked`),
      ];
      if (lines.length > 0)
        throw new HostsideError(`the replay is not what was recorded:\n${lines.join("\n")}`, {
          code: "internal_error",
        });
    },
  };
}

interface Part {
  readonly stage: Stage;
  readonly spec: ServerSpec;
  readonly effects: ConnectorEffects & { readonly fetch: RecordableFetch };
}

function createPart(server: RecordedServer, recording: Recording): Part {
  const stage = createStage(buildScript(recording, server.id));
  const processes = playProcesses(stage);
  const { id, transport } = server;
  return {
    stage,
    spec: {
      id,
      ...(transport.type === "stdio"
        ? { type: "stdio", command: transport.command, args: transport.args ?? [], inheritEnv: "none" }
        : { type: "http", url: transport.url, ...(transport.mode !== undefined && { mode: transport.mode }) }),
    },
    effects: {
      fetch: playFetch(stage),
      spawn: (command, args) => processes.spawn(command, args),
      sendSignal: processes.sendSignal,
    },
  };
}

// Whatever the host says of the way there, it is the recorded one; all else is the host's.
function played(spec: ServerSpec, part: Part): ServerSpec {
  const reach = reachOf(spec);
  const settings = Object.entries(spec).filter(([name]) => !Object.hasOwn(reach, name));
  return { ...Object.fromEntries(settings), ...part.spec };
}

function fail(id: string, { servers }: Recording): never {
  const known = servers.map((server) => JSON.stringify(server.id)).join(", ");
  throw new HostsideError(`server ${JSON.stringify(id)} is not in the recording, which has ${known || "none"}`, {
    code: "unknown_server",
    serverId: id,
  });
}

function assertRecording(recording: unknown): void {
  if (typeof recording === "string") return;
  if (isJsonObject(recording) && Array.isArray(recording["servers"]) && Array.isArray(recording["events"])) return;
  throw new TypeError(
    `createReplay() takes the path of a recording, or what readRecording() made of one, not ${kindOf(recording)}`,
  );
}
