import type { LoadedConfig, ServerSource } from "@hostside/config/node";
import { redactSpec, type Connector, type Diagnostic, type ServerSpec } from "@hostside/core";
import { createDeadline, isConfidentialUrl, serverTypeOf } from "@hostside/core/implement";
import type { McpProvider, ServerStatus } from "@hostside/provider";
import { terminalLine } from "../../render/one-line.ts";
import type { ReadyFacts, ServerFacts } from "../facts.ts";
import { failureFacts } from "./failure-facts.ts";
import type { LookupPlace } from "./find-program.ts";
import { gatherProgram } from "./gather-program.ts";
import { mayBeEra, tryEra } from "./try-era.ts";
import { checkToolsPerApi, weighTool } from "./weigh-tools.ts";

/** What a server is looked at with. */
export interface ServerMeans {
  readonly provider: McpProvider;
  readonly config: LoadedConfig;
  /** For attempts in one era, beside those of the host. */
  readonly connector: Connector;
  readonly place: LookupPlace;
  readonly diagnostics: readonly Diagnostic[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** When sign-ins end that nobody renews, by server id. */
  readonly signInEnds: ReadonlyMap<string, number>;
}

// An attempt in the other era is one that may end in silence.
const longestEraMs = 10_000;
const mostDiagnostics = 200;

/**
 * Looks at one server: waits until it is up, within the time that there is, and tries the other
 * era. Ends its session; calls no tool.
 */
export async function gatherServer(source: ServerSource, means: ServerMeans): Promise<ServerFacts> {
  const { provider, config, place, timeoutMs, signal, signInEnds } = means;
  const id = source.serverId;
  const spec = config.servers.find((one) => one.id === id);
  const about = aboutSource(source, spec);
  if (spec === undefined || source.state !== "on") return unstartedServer(source, spec);
  const program = spec.command === undefined ? undefined : await gatherProgram(spec, place);
  const startedAt = performance.now();
  const status = await settle(id, { provider, timeoutMs, signal });
  const waitedMs = Math.round(performance.now() - startedAt);
  const isReady = status.state === "ready";
  const ready = isReady ? await lookAtReady(status, spec, means) : undefined;
  const eras = !isReady && mayBeEra(status.error) ? await tryBothEras(spec, means) : undefined;
  const signInEndsAt = signInEnds.get(id);
  return {
    ...about,
    state: stateOf(status),
    ...(program !== undefined && { program }),
    ...(status.error !== undefined && !isReady && { failure: failureFacts(status.error) }),
    ...(ready !== undefined && { ready }),
    ...(eras !== undefined && { eras }),
    // As it is now: the last ones came while its tools were looked at.
    diagnostics: means.diagnostics
      .filter(({ serverId }) => serverId === id)
      .slice(0, mostDiagnostics)
      .map(({ kind, message }) => ({ kind, message: terminalLine(message, 500) })),
    ...(status.auth !== "oauth" && spec.url !== undefined && { ownCredentials: true }),
    ...(signInEndsAt !== undefined && { signInEndsAt }),
    waitedMs,
  };
}

/** A server whose entry cannot be used. */
export function unusableServer(source: ServerSource): ServerFacts {
  return unstartedServer(source, undefined);
}

function unstartedServer(source: ServerSource, spec: ServerSpec | undefined): ServerFacts {
  const state = spec === undefined ? "unusable" : "off";
  const { off } = source;
  return { ...aboutSource(source, spec), state, ...(off !== undefined && { off }), diagnostics: [], waitedMs: 0 };
}

function aboutSource({ serverId, scope, file }: ServerSource, spec: ServerSpec | undefined) {
  const url = spec?.url !== undefined && URL.canParse(spec.url) ? new URL(spec.url) : undefined;
  return {
    id: serverId,
    scope,
    ...(file !== undefined && { file }),
    transport: spec === undefined ? "custom" : serverTypeOf(spec),
    starts: spec === undefined ? "" : terminalLine(inWords(redactSpec(spec)), 300),
    plainHttp: url !== undefined && !isConfidentialUrl(url),
  } as const;
}

function inWords(spec: ServerSpec): string {
  if (spec.command === undefined) return spec.url ?? "";
  return [spec.command, ...(spec.args ?? [])].join(" ");
}

interface Settling {
  readonly provider: McpProvider;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until a server is up or has failed, at most as long as there is time. Starts one that
 * nobody has started yet.
 */
async function settle(id: string, { provider, timeoutMs, signal }: Settling): Promise<ServerStatus> {
  const statusOf = (): ServerStatus => {
    const status = provider.statuses().find((one) => one.id === id);
    if (status === undefined) throw new TypeError(`no server ${JSON.stringify(id)} is registered`);
    return status;
  };
  const isUnderWay = ({ state }: ServerStatus): boolean =>
    state === "connecting" || state === "idle" || state === "down";
  if (isUnderWay(statusOf())) {
    // Node 20 forgets an `AbortSignal.timeout()` that is one of an `AbortSignal.any()`.
    const deadline = createDeadline({ timeoutMs, signal, onTimeout: () => new Error("too late") });
    // What it fails with is in its status.
    await provider.refreshServer(id, { signal: deadline.signal }).catch(() => undefined);
    deadline.dispose();
  }
  return statusOf();
}

function stateOf({ state }: ServerStatus): ServerFacts["state"] {
  switch (state) {
    case "ready":
    case "needs-auth":
    case "failed":
      return state;
    case "disabled":
    case "removed":
      return "off";
    case "down":
      return "failed";
    case "idle":
    case "connecting":
      return "late";
  }
}

async function lookAtReady(status: ServerStatus, spec: ServerSpec, means: ServerMeans): Promise<ReadyFacts> {
  const { provider } = means;
  const definitions = provider.tools().filter(({ origin }) => origin?.serverId === spec.id);
  const tools = definitions.map(weighTool);
  const answerMs = await timeAnswer(spec.id, status, means);
  // One process at a time: some keep a port or a file to themselves.
  await provider.disconnectServer(spec.id).catch(() => undefined);
  const { server, connectMs = 0, listMs = 0 } = status;
  const era = server?.era ?? "legacy";
  const protocolVersion = terminalLine(server?.protocolVersion ?? "", 40);
  const chosen = { works: true, protocolVersion, ms: Math.round(connectMs) } as const;
  const other = await tryEra(spec, era === "legacy" ? "2026-07-28" : "legacy", eraTrial(means));
  return {
    era,
    protocolVersion,
    ...(server?.httpMode !== undefined && { httpMode: server.httpMode }),
    ...(server?.name !== undefined && { name: terminalLine(server.name, 100) }),
    ...(server?.version !== undefined && { version: terminalLine(server.version, 100) }),
    connectMs: Math.round(connectMs),
    listMs: Math.round(listMs),
    ...(answerMs !== undefined && { answerMs }),
    tools,
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
    apis: checkToolsPerApi(definitions),
    eras: era === "legacy" ? { legacy: chosen, modern: other } : { legacy: other, modern: chosen },
  };
}

function eraTrial({ connector, timeoutMs, signal }: ServerMeans) {
  return { connector, signal, timeoutMs: Math.min(timeoutMs, longestEraMs) };
}

async function tryBothEras(spec: ServerSpec, means: ServerMeans): Promise<ReadyFacts["eras"]> {
  const legacy = await tryEra(spec, "legacy", eraTrial(means));
  return { legacy, modern: await tryEra(spec, "2026-07-28", eraTrial(means)) };
}

/** How long the smallest request takes that a server of its era answers. */
async function timeAnswer(
  id: string,
  { server }: ServerStatus,
  { provider, timeoutMs, signal }: ServerMeans,
): Promise<number | undefined> {
  try {
    const connection = await provider.connection(id, { signal });
    const startedAt = performance.now();
    const options = { signal, timeoutMs: Math.min(timeoutMs, longestEraMs) };
    await connection.request(server?.era === "modern" ? "server/discover" : "ping", {}, options);
    return Math.round(performance.now() - startedAt);
  } catch {
    // Not every server answers it, and that harms nothing.
    return undefined;
  }
}
