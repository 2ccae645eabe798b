import type { LoadedConfig, ServerSource } from "@hostside/config/node";
import {
  isHostsideError,
  type Diagnostic,
  type HostsideError,
  type ServerSpec,
  type ToolDefinition,
} from "@hostside/core";
import { createDeadline, isConfidentialUrl } from "@hostside/core/implement";
import type { McpProvider, ServerStatus } from "@hostside/provider";
import { describeError } from "../listing/server-report.ts";
import { formatCount, formatDuration } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { examineProgram } from "./examine-program.ts";
import { examineTools, some } from "./examine-tools.ts";
import { runFor, type DoctorFinding, type Mend } from "./finding.ts";
import type { LookupPlace } from "./find-program.ts";

const area = "connection";

/** What a server is examined with. */
export interface ServerMeans {
  readonly provider: McpProvider;
  readonly config: LoadedConfig;
  readonly place: LookupPlace;
  /** What was reported of all servers so far. */
  readonly diagnostics: readonly Diagnostic[];
  /** Names of the variables of proxies that are set. */
  readonly proxies: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Starts a server that is on, and looks at how it comes up and at its tools. Calls none. */
export async function examineServer(source: ServerSource, means: ServerMeans): Promise<readonly DoctorFinding[]> {
  const { provider, config, place, diagnostics } = means;
  const { serverId: id, state } = source;
  const spec = config.servers.find((one) => one.id === id);
  if (state === "off") return [];
  if (spec === undefined || state !== "on") return unstarted(id, config);
  const program = spec.command === undefined ? [] : await examineProgram(spec, place);
  const startedAt = performance.now();
  const status = await settle(id, means);
  const waitedMs = performance.now() - startedAt;
  const tools = provider.tools().filter(({ origin }) => origin?.serverId === id);
  const isBroken = program.some(({ level }) => level === "problem") && isHostsideError(status.error, "spawn_failed");
  return [
    ...program,
    ...(status.state === "ready"
      ? judgeReady(status, tools)
      : isBroken
        ? []
        : [judgeFailure(spec, status, { ...means, waitedMs })]),
    ...(spec.url !== undefined && URL.canParse(spec.url) && !isConfidentialUrl(new URL(spec.url))
      ? [plainHttp(id)]
      : []),
    ...judgeDiagnostics(id, diagnostics),
    ...(status.state === "ready" ? examineTools(id, tools) : []),
  ];
}

/** What is said of a server that cannot be started. */
export function unstarted(server: string, { problems }: LoadedConfig): readonly DoctorFinding[] {
  if (problems.some(({ severity, serverId }) => severity === "error" && serverId === server)) return [];
  return [{ level: "problem", area, server, what: "its entry cannot be used" }];
}

/** Waits until the server is up or has failed. */
async function settle(id: string, { provider, timeoutMs, signal }: ServerMeans): Promise<ServerStatus> {
  const statusOf = (): ServerStatus => {
    const status = provider.statuses().find((one) => one.id === id);
    if (status === undefined) throw new TypeError(`no server ${JSON.stringify(id)} is registered`);
    return status;
  };
  if (["connecting", "idle", "down"].includes(statusOf().state)) {
    const deadline = createDeadline({ timeoutMs, signal, onTimeout: () => new Error("too late") });
    await provider.refreshServer(id, { signal: deadline.signal }).catch(() => undefined);
    deadline.dispose();
  }
  return statusOf();
}

function judgeReady(
  { id: server, server: remote, connectMs = 0, listMs = 0 }: ServerStatus,
  tools: readonly ToolDefinition[],
): readonly DoctorFinding[] {
  const who = terminalLine([remote?.name, remote?.version].filter(Boolean).join(" "), 200);
  const protocol = terminalLine(remote?.protocolVersion ?? "", 40);
  const what = `up in ${formatDuration(connectMs + listMs)}: ${formatCount(tools.length, "tool")}, protocol ${protocol}${who === "" ? "" : ` (${who})`}`;
  const old: DoctorFinding = {
    level: "advice",
    area: "protocol",
    server,
    what: "is reached over HTTP+SSE, which the specification replaced in 2025",
    mend: { text: "ask its author for an address with Streamable HTTP; many servers have it at /mcp" },
  };
  return [{ level: "ok", area, server, what }, ...(remote?.httpMode === "sse" ? [old] : [])];
}

interface FailureMeans extends Pick<ServerMeans, "proxies"> {
  readonly waitedMs: number;
}

function judgeFailure(spec: ServerSpec, { state, auth, error }: ServerStatus, means: FailureMeans): DoctorFinding {
  const { id: server } = spec;
  const said = error === undefined ? undefined : describeError(error);
  const evidence = said?.stderr === undefined ? {} : { evidence: said.stderr.map((line) => `stderr: ${line}`) };
  const finding = { level: "problem", area, server, ...evidence } as const;
  if (state === "needs-auth") {
    const isOwn = auth !== "oauth" && spec.url !== undefined;
    const what = isOwn ? "refuses the credentials of its entry" : "wants you to sign in";
    return { ...finding, area: "sign-in", what, mend: mendSignIn(spec, { isOwn, error }) };
  }
  if (state === "idle" || state === "connecting") {
    const longer = Math.max(60, Math.ceil(means.waitedMs / 500));
    const mend = { command: `${commandOf(runFor("doctor", server))} --timeout ${longer}` };
    return { ...finding, what: `did not come up within ${formatDuration(means.waitedMs)}`, mend };
  }
  return { ...finding, what: said?.message ?? "could not be reached", mend: mendFailure(server, error, means) };
}

function commandOf(mend: Mend): string {
  return "command" in mend ? mend.command : mend.text;
}

function mendSignIn(
  { id, url }: ServerSpec,
  { isOwn, error }: { readonly isOwn: boolean; readonly error: HostsideError | undefined },
): Mend {
  if (url === undefined) return { text: "look at the credentials in its entry" };
  if (error?.code === "forbidden") return { text: words["forbidden"] ?? "" };
  if (isOwn) return { text: "write good ones into its headers, or remove them to sign in with hostside login" };
  return runFor("login", id);
}

const words: Readonly<Record<string, string>> = {
  dns_failed: "look at the name of the host in its url, and whether this machine has a network",
  unreachable: "see whether the server runs, and whether its url has the right port",
  tls_failed:
    "for a certificate of your own company, name a file with it in tls.ca of its entry, or in NODE_EXTRA_CA_CERTS; else the server has to renew its own",
  redirect_refused: "write the address that it leads to, which stands above, as its url",
  handshake_failed: "see whether what is started is an MCP server, and whether it prints anything but messages",
  unsupported_protocol: "update the server, or hostside",
  forbidden: "its credentials are good and not enough: ask whoever gives rights there",
  not_allowed: "a rule of this host forbids the connection; see its guard",
  list_timeout: "it came up and did not list its tools; report it to its author",
  server_exited: "what it wrote to stderr says why it ended; start it by hand to see all of it",
};

/** What servers and npm write to stderr, and what mends it. */
const said: readonly (readonly [RegExp, string])[] = [
  [/\bE404\b/, "npm has no such package: look at how it is spelt"],
  [
    /\bENOTFOUND\b|\bEAI_AGAIN\b|\bETIMEDOUT\b/,
    "it could not reach the network; see the proxy variables and the registry of npm",
  ],
  [/Cannot connect to the Docker daemon/i, "start Docker"],
  [
    /\bERR_MODULE_NOT_FOUND\b|Cannot find module/,
    "a file or a package of its program is missing: install or build it anew",
  ],
  [/\bEADDRINUSE\b/, "its port is taken: end the other process, or give it another port"],
];
const ofNetwork: ReadonlySet<string> = new Set(["unreachable", "dns_failed", "connect_timeout"]);

function mendFailure(server: string, error: HostsideError | undefined, { proxies }: FailureMeans): Mend | undefined {
  if (error === undefined) return undefined;
  const { code, details } = error;
  const { httpStatus, stderrTail = "" } = details;
  const found = said.find(([pattern]) => pattern.test(stderrTail));
  if (found !== undefined) return { text: found[1] };
  if (code === "http_error" && httpStatus !== undefined) {
    const isFault = httpStatus >= 500;
    return {
      text: isFault
        ? "the server has a fault, or is not up yet: try again later"
        : "look at the path of its url: many servers answer at /mcp",
    };
  }
  if (ofNetwork.has(code) && proxies.length > 0)
    return { text: `see whether the proxy lets it through (${proxies.join(", ")}), or name it in NO_PROXY` };
  if (code === "connect_timeout") return { command: `${commandOf(runFor("doctor", server))} --timeout 120` };
  const text = Object.hasOwn(words, code) ? words[code] : undefined;
  return text === undefined ? undefined : { text };
}

function plainHttp(server: string): DoctorFinding {
  return {
    level: "advice",
    area,
    server,
    what: "is reached without encryption: whoever is on the way reads and changes what its tools say",
    mend: { text: "write https in place of http in its url, if it offers that" },
  };
}

const spelling = "look at how they are spelt; hostside list shows its tools";
const bare = "without elicitation";

/** What is said of reports of a provider, by their kind. */
const reported: readonly {
  readonly kind: Diagnostic["kind"];
  readonly what: string;
  readonly mend: string;
  readonly has?: string;
}[] = [
  {
    kind: "fallback",
    has: bare,
    what: "refuses hosts that answer questions of servers; hostside connects once more without",
    mend: "tell its author: members of the client's capabilities that it does not know are to be ignored",
  },
  {
    kind: "stdout-anomaly",
    what: "writes to stdout what is no message; other hosts may end the session for that",
    mend: "tell its author: logs belong on stderr",
  },
  {
    kind: "protocol-anomaly",
    what: "does what the protocol does not have",
    mend: "tell its author: hostside check shows more",
  },
  { kind: "tool-dropped", what: "lists tools that cannot be used, which are left out", mend: "tell its author" },
  { kind: "duplicate-tool", what: "lists tools of the same name; the first one counts", mend: "tell its author" },
  {
    kind: "schema-replaced",
    what: "has tools with schemas that cannot be used: a model learns nothing of their arguments",
    mend: "tell its author",
  },
  {
    kind: "listing-truncated",
    what: "did not list all of its tools",
    mend: 'raise the limit that is named in its "limits"',
  },
  { kind: "unmatched-filter", what: 'has no tools of some names in its "allow" or "deny"', mend: spelling },
  { kind: "unmatched-override", what: 'has no tools of some names in its "tools"', mend: spelling },
];

function judgeDiagnostics(server: string, diagnostics: readonly Diagnostic[]): readonly DoctorFinding[] {
  return reported.flatMap(({ kind, what, mend, has = "" }): readonly DoctorFinding[] => {
    const found = diagnostics.filter(
      (one) => one.serverId === server && one.kind === kind && one.message.includes(has),
    );
    if (found.length === 0) return [];
    const evidence = some(found.map(({ message }) => terminalLine(message, 500)));
    return [{ level: "advice", area: "protocol", server, what, evidence, mend: { text: mend } }];
  });
}
