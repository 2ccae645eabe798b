import type { LoadedConfig, ServerSource } from "@hostside/config/node";
import type { Diagnostic, HostsideError, ServerSpec } from "@hostside/core";
import { createDeadline, isConfidentialUrl } from "@hostside/core/implement";
import type { McpProvider, ServerStatus } from "@hostside/provider";
import { describeError } from "../listing/server-report.ts";
import { formatCount, formatDuration } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { examineTools, some } from "./examine-tools.ts";
import type { DoctorFinding, Mend, RunFor } from "./finding.ts";

const area = "connection";

/** Everything that a server is examined with. */
export interface ServerMeans {
  readonly provider: McpProvider;
  readonly config: LoadedConfig;
  /** Reports about all servers so far. */
  readonly diagnostics: readonly Diagnostic[];
  /** Names of the variables of proxies that are set. */
  readonly proxies: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly runFor: RunFor;
}

/** Starts a server that is on, and looks at how it comes up and at its tools. Calls none. */
export async function examineServer(source: ServerSource, means: ServerMeans): Promise<readonly DoctorFinding[]> {
  const { provider, config, diagnostics, runFor } = means;
  const { serverId: id, state } = source;
  const spec = config.servers.find((one) => one.id === id);
  if (state === "off") return [];
  if (spec === undefined || state !== "on") return unstarted(id, config);
  const startedAt = performance.now();
  const status = await settle(id, means);
  const waitedMs = performance.now() - startedAt;
  const tools = provider.tools().filter(({ origin }) => origin?.serverId === id);
  const isReady = status.state === "ready";
  const isOpen = spec.url !== undefined && URL.canParse(spec.url) && !isConfidentialUrl(new URL(spec.url));
  const advice = { level: "advice", area: "protocol", server: id } as const;
  return [
    isReady ? judgeReady(status, tools.length) : judgeFailure(spec, status, { ...means, waitedMs }),
    ...(status.server?.httpMode === "sse" ? [{ ...advice, ...oldTransport }] : []),
    ...(isOpen ? [{ ...advice, ...plainHttp }] : []),
    ...reports.flatMap(({ kind, has = "", ...report }): readonly DoctorFinding[] => {
      const found = diagnostics.filter((one) => one.serverId === id && one.kind === kind && one.message.includes(has));
      const evidence = some(found.map(({ message }) => terminalLine(message, 500)));
      return found.length === 0 ? [] : [{ ...advice, ...report, evidence }];
    }),
    ...(isReady ? examineTools(id, tools, runFor) : []),
  ];
}

/** Judges a server that cannot be started. */
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
  tools: number,
): DoctorFinding {
  const name = terminalLine([remote?.name, remote?.version].filter(Boolean).join(" "), 200);
  const protocol = terminalLine(remote?.protocolVersion ?? "", 40);
  const what = `up in ${formatDuration(connectMs + listMs)}: ${formatCount(tools, "tool")}, protocol ${protocol}`;
  return { level: "ok", area, server, what: name === "" ? what : `${what} (${name})` };
}

interface FailureMeans extends Pick<ServerMeans, "proxies" | "runFor"> {
  readonly waitedMs: number;
}

function judgeFailure(spec: ServerSpec, { state, auth, error }: ServerStatus, means: FailureMeans): DoctorFinding {
  const { id: server } = spec;
  const { runFor, waitedMs, proxies } = means;
  const described = error === undefined ? undefined : describeError(error);
  const evidence = described?.stderr?.map((line) => `stderr: ${line}`);
  const finding = { level: "problem", area, server, ...(evidence && { evidence }) } as const;
  if (state === "needs-auth") {
    const isOwn = auth !== "oauth" && spec.url !== undefined;
    const what = isOwn ? "refuses the credentials of its entry" : "wants you to sign in";
    return { ...finding, area: "sign-in", what, mend: mendSignIn(spec, isOwn, { error, runFor }) };
  }
  if (state === "idle" || state === "connecting") {
    const longer = String(Math.max(60, Math.ceil(waitedMs / 500)));
    const mend = runFor("doctor", server, "--timeout", longer);
    return { ...finding, what: `did not come up within ${formatDuration(waitedMs)}`, mend };
  }
  const failure = { ...finding, what: described?.message ?? "could not be reached" };
  if (error === undefined) return failure;
  if (error.code === "connect_timeout" && proxies.length === 0)
    return { ...failure, mend: runFor("doctor", server, "--timeout", "120") };
  const text = mendFailure(spec, error, means);
  const shown = error.code === "spawn_failed" ? { ...failure, area: "program" as const } : failure;
  return { ...shown, ...(text !== undefined && { mend: { text } }) };
}

interface SignInMeans extends Pick<ServerMeans, "runFor"> {
  readonly error: HostsideError | undefined;
}

function mendSignIn({ id, url }: ServerSpec, isOwn: boolean, { error, runFor }: SignInMeans): Mend {
  if (url === undefined) return { text: "look at the credentials in its entry" };
  if (error?.code === "forbidden")
    return { text: "its credentials are good and not enough: ask whoever gives rights there" };
  if (isOwn) return { text: "write good ones into its headers, or remove them to sign in with hostside login" };
  return runFor("login", id);
}

const remedies: Readonly<Record<string, string>> = {
  dns_failed: "look at the name of the host in its url, and whether this machine has a network",
  unreachable: "see whether the server runs, and whether its url has the right port",
  tls_failed:
    "for a certificate of your own company, name a file with it in tls.ca of its entry, or in NODE_EXTRA_CA_CERTS; else the server has to renew its own",
  redirect_refused: "write the address that it leads to, which stands above, as its url",
  handshake_failed: "see whether what is started is an MCP server, and whether it prints anything but messages",
  unsupported_protocol: "update the server, or hostside",
  not_allowed: "a rule of this host forbids the connection; see its guard",
  list_timeout: "it came up and did not list its tools; report it to its author",
  server_exited: "what it wrote to stderr says why it ended; start it by hand to see all of it",
};

/** Remedies for what servers and npm write to stderr. */
const stderrRemedies: readonly (readonly [RegExp, string])[] = [
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

const downloads: ReadonlyMap<string, string> = new Map([
  ["node", "https://nodejs.org"],
  ["npx", "https://nodejs.org"],
  ["uvx", "https://docs.astral.sh/uv"],
  ["docker", "https://docs.docker.com/get-docker"],
  ["python", 'https://www.python.org; where it is called python3, write that as its "command"'],
]);

// What the message of an error says itself is not said again.
function mendFailure(
  { command = "" }: ServerSpec,
  { code, details: { httpStatus, stderrTail = "" } }: HostsideError,
  { proxies }: FailureMeans,
): string | undefined {
  const [, known] = stderrRemedies.find(([pattern]) => pattern.test(stderrTail)) ?? [];
  if (known !== undefined) return known;
  if (code === "spawn_failed" && downloads.has(command)) return `install it: ${downloads.get(command)}`;
  if (code === "http_error" && httpStatus !== undefined) {
    return httpStatus >= 500
      ? "the server has a fault, or is not up yet: try again later"
      : "look at the path of its url: many servers answer at /mcp";
  }
  if (["unreachable", "dns_failed", "connect_timeout"].includes(code) && proxies.length > 0)
    return `see whether the proxy lets it through (${proxies.join(", ")}), or name it in NO_PROXY`;
  return Object.hasOwn(remedies, code) ? remedies[code] : undefined;
}

const oldTransport = {
  what: "is reached over HTTP+SSE, which the specification replaced in 2025",
  mend: { text: "ask its author for an address with Streamable HTTP; many servers have it at /mcp" },
};

const plainHttp = {
  what: "is reached without encryption: whoever is on the way reads and changes what its tools say",
  mend: { text: "write https in place of http in its url, if it offers that" },
};

const tellAuthor: Mend = { text: "tell its author" };
const spelling: Mend = { text: "look at how they are spelt; hostside list shows its tools" };

interface Report {
  readonly kind: Diagnostic["kind"];
  /** Only of reports that say this. */
  readonly has?: string;
  readonly what: string;
  readonly mend: Mend;
}

/** Advice about diagnostics of a provider, by their kind. */
const reports: readonly Report[] = [
  {
    kind: "fallback",
    has: "without elicitation",
    what: "refuses hosts that answer questions of servers; hostside connects once more without",
    mend: { text: "tell its author: members of the client's capabilities that it does not know are to be ignored" },
  },
  {
    kind: "stdout-anomaly",
    what: "writes to stdout what is no message; other hosts may end the session for that",
    mend: { text: "tell its author: logs belong on stderr" },
  },
  {
    kind: "protocol-anomaly",
    what: "does what the protocol does not have",
    mend: { text: "tell its author: hostside check shows more" },
  },
  { kind: "tool-dropped", what: "lists tools that cannot be used, which are left out", mend: tellAuthor },
  { kind: "duplicate-tool", what: "lists tools of the same name; the first one counts", mend: tellAuthor },
  {
    kind: "schema-replaced",
    what: "has tools with schemas that cannot be used: a model learns nothing of their arguments",
    mend: tellAuthor,
  },
  {
    kind: "listing-truncated",
    what: "did not list all of its tools",
    mend: { text: 'raise the limit that is named in its "limits"' },
  },
  { kind: "unmatched-filter", what: 'has no tools of some names in its "allow" or "deny"', mend: spelling },
  { kind: "unmatched-override", what: 'has no tools of some names in its "tools"', mend: spelling },
];
