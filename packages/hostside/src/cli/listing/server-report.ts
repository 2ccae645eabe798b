import type { ConfigProblem, OffReason } from "@hostside/config";
import type { LoadedConfig, ServerSource } from "@hostside/config/node";
import { cleanText, type ToolDefinition, type HostsideError } from "@hostside/core";
import { compareText } from "@hostside/core/implement";
import type { ServerState, ServerStatus } from "@hostside/provider";
import { faultyIds } from "../opening/known-server.ts";
import { cleanLines, terminalLine } from "../render/render-text.ts";
import { mayInstall } from "../opening/installers.ts";
import { toolBriefOf, type ToolBrief } from "./render-tools.ts";

/** The output of `list --json`. */
export interface Listing {
  /** Sorted by id. */
  readonly servers: readonly ListedServer[];
  /** Tools of the servers, and those of the host, whose `server` is `""`. */
  readonly tools: readonly ToolBrief[];
  readonly problems: readonly ConfigProblem[];
}

/** A server as it is listed. Texts are cleaned. */
export interface ListedServer {
  readonly id: string;
  readonly title?: string | undefined;
  /**
   * As its status says; `"late"`: it neither came up nor failed in time; `"invalid"`: its entry
   * cannot be used.
   */
  readonly state: Exclude<ServerState, "idle" | "connecting" | "removed"> | "late" | "invalid";
  /** Why it is disabled. */
  readonly off?: OffReason | undefined;
  /** It is the project's, and nobody has said yet whether it is trusted. */
  readonly undecided?: true | undefined;
  readonly scope?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** Places of entries of the same name that are not used because of this one. */
  readonly over?: readonly string[] | undefined;
  readonly transport?: string | undefined;
  readonly era?: string | undefined;
  readonly protocolVersion?: string | undefined;
  /** How many tools of it are on offer. */
  readonly tools: number;
  /** Entries of its list that could not be used. */
  readonly droppedTools?: number | undefined;
  /** Tools that are held back. */
  readonly quarantinedTools?: number | undefined;
  readonly connectMs?: number | undefined;
  readonly listMs?: number | undefined;
  readonly error?: ListedError | undefined;
  /** Arguments for `hostside` that mend it, or say more. */
  readonly mend?: readonly string[] | undefined;
}

/** Why a server is not ready. */
export interface ListedError {
  readonly code: string;
  readonly kind: string;
  /** One line. */
  readonly message: string;
  /** The first and the last lines of its stderr. */
  readonly stderr?: readonly string[] | undefined;
}

/** Parts of a listing. */
export interface ListingParts {
  readonly config: LoadedConfig | undefined;
  readonly statuses: readonly ServerStatus[];
  readonly definitions: readonly ToolDefinition[];
  readonly quarantined: readonly { readonly definition: ToolDefinition }[];
  /** How long servers were waited for; absent where somebody did not wait to the end. */
  readonly waitedMs?: number | undefined;
  /** The last line of each program on stderr, by server id. */
  readonly lastLines?: ReadonlyMap<string, string> | undefined;
  /** One server alone. Default: all, and the tools of the host. */
  readonly server?: string | undefined;
}

/** All that is known of the servers, as data. Pure. */
export function describeServers(parts: ListingParts): Listing {
  const { config, statuses, definitions, server } = parts;
  const isMeant = (id: string | undefined): boolean => server === undefined || id === server;
  const byId = new Map(statuses.map((status) => [status.id, status]));
  const sources = new Map((config?.sources ?? []).map((source) => [source.serverId, source]));
  const faulty = faultyIds(config?.problems ?? []);
  const ids = [...new Set([...byId.keys(), ...sources.keys(), ...faulty])].filter(isMeant).sort(compareText);
  return {
    servers: ids.map((id) => describeServer(id, [byId.get(id), sources.get(id)], parts)),
    tools: definitions.filter(({ origin }) => isMeant(origin?.serverId)).map(toolBriefOf),
    problems: (config?.problems ?? []).filter(({ serverId }) => serverId === undefined || isMeant(serverId)),
  };
}

interface KnownServer {
  readonly id: string;
  readonly state: ListedServer["state"];
  readonly status: ServerStatus | undefined;
  readonly source: ServerSource | undefined;
}

function describeServer(
  id: string,
  [status, source]: readonly [ServerStatus | undefined, ServerSource | undefined],
  parts: ListingParts,
): ListedServer {
  const { config, quarantined } = parts;
  const held = quarantined.filter(({ definition }) => definition.origin?.serverId === id).length;
  const state = stateOf(status, source);
  const known = { id, state, status, source };
  const place = source ?? (state === "invalid" ? problemOf(id, config) : undefined);
  const isUndecided = source?.off === "untrusted" && config?.questions.some(({ serverId }) => serverId === id) === true;
  return {
    id,
    title: status?.title,
    state,
    off: source?.off,
    undecided: isUndecided || undefined,
    scope: source?.scope,
    file: place?.file,
    line: place?.line,
    over: source === undefined || source.over.length === 0 ? undefined : source.over,
    transport: status?.transport,
    era: status?.server?.era,
    protocolVersion: status?.server && terminalLine(status.server.protocolVersion, 40),
    tools: status?.toolCount ?? 0,
    droppedTools: status?.droppedTools || undefined,
    quarantinedTools: held || undefined,
    connectMs: status?.connectMs && Math.round(status.connectMs),
    listMs: status?.listMs && Math.round(status.listMs),
    error: errorOf(known, parts),
    mend: mendOf(known),
  };
}

function stateOf(status: ServerStatus | undefined, source: ServerSource | undefined): ListedServer["state"] {
  if (status === undefined) return source?.state === "off" ? "disabled" : "invalid";
  const { state, error } = status;
  if (state !== "idle" && state !== "connecting" && state !== "removed") return state;
  // It failed, and is tried again meanwhile.
  if (error !== undefined) return error.code === "auth_required" ? "needs-auth" : "failed";
  return "late";
}

function errorOf(
  { id, state, status }: KnownServer,
  { config, waitedMs, lastLines }: ListingParts,
): ListedError | undefined {
  if (status?.error !== undefined) {
    const error = describeError(status.error);
    // What the error says is for whoever writes a host.
    return state === "needs-auth" && status.auth === "oauth" ? { ...error, message: "nobody is signed in" } : error;
  }
  if (state === "late") {
    const said = lastLines?.get(id);
    const stderr = said === undefined ? {} : { stderr: cleanLines(said) };
    const isInstalling = config?.servers.some((spec) => spec.id === id && mayInstall(spec));
    const longer = `${isInstalling ? "it may still be installing: " : ""}--timeout 120 waits longer`;
    const message = waitedMs === undefined ? "was still on its way" : `not ready after ${waitedMs / 1000} s; ${longer}`;
    return { code: "connect_timeout", kind: "policy", message, ...stderr };
  }
  if (state !== "invalid") return undefined;
  const problem = problemOf(id, config);
  const message = problem === undefined ? "cannot be used" : [problem.message, problem.fix].filter(Boolean).join("; ");
  return { code: problem?.code ?? "invalid_spec", kind: "contract", message: terminalLine(message) };
}

function problemOf(id: string, config: LoadedConfig | undefined): ConfigProblem | undefined {
  return config?.problems.find(({ serverId, severity }) => serverId === id && severity === "error");
}

const mostStderrLines = 12;

/** A failure in one line, and what its server wrote. */
export function describeError({ code, kind, rawMessage, details, serverId }: HostsideError): ListedError {
  // What follows the first line is its stderr, which has a place of its own here.
  const [first = ""] = rawMessage.split("\n");
  const name = serverId === undefined ? "" : `server ${JSON.stringify(cleanText(serverId, 128))}`;
  const said = first.replace(/; its stderr:$/, "");
  const message = name !== "" && said.startsWith(name) ? said.slice(name.length).replace(/^:?\s*/, "") : said;
  const { stderrTail } = details;
  if (stderrTail === undefined || stderrTail.trim() === "") return { code, kind, message: terminalLine(message) };
  return { code, kind, message: terminalLine(message), stderr: endsOf(cleanLines(stderrTail)) };
}

function endsOf(lines: readonly string[]): readonly string[] {
  if (lines.length <= mostStderrLines) return lines;
  const first = Math.floor(mostStderrLines / 3);
  return [...lines.slice(0, first), "…", ...lines.slice(first + 1 - mostStderrLines).filter((line) => line !== "…")];
}

function mendOf({ id, state, status, source }: KnownServer): readonly string[] | undefined {
  if (source?.off === "untrusted") return ["trust", id];
  if (source?.off !== undefined || state === "disabled") return undefined;
  if (state === "ready") return status?.error === undefined ? undefined : ["doctor", id];
  return [state === "needs-auth" && status?.auth === "oauth" ? "login" : "doctor", id];
}
