import type { LoadedConfig, ServerSource } from "@hostside/config/node";
import type { Diagnostic, HostsideError, ServerSpec } from "@hostside/core";
import { isConfidentialUrl } from "@hostside/core/implement";
import type { McpProvider, ServerStatus } from "@hostside/provider";
import { describeError } from "../listing/server-report.ts";
import { formatCount, formatDuration } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { examineTools, some } from "./examine-tools.ts";
import type { DoctorFinding, RunFor } from "./finding.ts";

const area = "connection";

/** Everything that a server is examined with. */
export interface ServerMeans {
  readonly provider: McpProvider;
  readonly config: LoadedConfig;
  /** Reports about all servers so far. */
  readonly diagnostics: readonly Diagnostic[];
  /** Names of the variables of proxies that are set. */
  readonly proxies: readonly string[];
  /** How long servers were waited for. */
  readonly waitedMs: number;
  readonly runFor: RunFor;
}

/** Looks at how a server that is on came up, and at its tools. Calls none. */
export function examineServer(source: ServerSource, means: ServerMeans): readonly DoctorFinding[] {
  const { provider, config, diagnostics, runFor } = means;
  const { serverId: id, state } = source;
  const spec = config.servers.find((one) => one.id === id);
  const status = provider.statuses().find((one) => one.id === id);
  if (state === "off") return [];
  if (spec === undefined || status === undefined || state !== "on") return unstarted(id, config);
  const tools = provider.tools().filter(({ origin }) => origin?.serverId === id);
  const isReady = status.state === "ready";
  const isOpen = spec.url !== undefined && URL.canParse(spec.url) && !isConfidentialUrl(new URL(spec.url));
  const advice = { level: "advice", area: "protocol", server: id } as const;
  return [
    isReady ? judgeReady(status, tools.length) : judgeFailure(spec, status, means),
    ...(status.server?.httpMode === "sse" ? [{ ...advice, ...oldTransport }] : []),
    ...(isOpen ? [{ ...advice, ...plainHttp }] : []),
    ...reports.flatMap(([kind, what, text]): readonly DoctorFinding[] => {
      const found = diagnostics.filter((one) => one.serverId === id && one.kind === kind && isAdvice(one));
      const evidence = some(found.map(({ message }) => terminalLine(message, 500)));
      return found.length === 0 ? [] : [{ ...advice, what, evidence, mend: { text } }];
    }),
    ...(isReady ? examineTools(id, tools, runFor) : []),
  ];
}

// To fall back to an older revision is what hosts do.
function isAdvice({ kind, message }: Diagnostic): boolean {
  return kind !== "fallback" || message.includes("without elicitation");
}

/** Judges a server that cannot be started. */
export function unstarted(server: string, { problems }: LoadedConfig): readonly DoctorFinding[] {
  if (problems.some(({ severity, serverId }) => severity === "error" && serverId === server)) return [];
  return [{ level: "problem", area, server, what: "its entry cannot be used" }];
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

function judgeFailure(spec: ServerSpec, { state, auth, error }: ServerStatus, means: ServerMeans): DoctorFinding {
  const { id: server } = spec;
  const { runFor, waitedMs, proxies } = means;
  const described = error === undefined ? undefined : describeError(error);
  const evidence = described?.stderr?.map((line) => `stderr: ${line}`);
  const finding = { level: "problem", area, server, ...(evidence && { evidence }) } as const;
  if (state === "needs-auth") {
    const isOwn = auth !== "oauth" && spec.url !== undefined;
    const what = isOwn ? "refuses the credentials of its entry" : "wants you to sign in";
    const text = mendSignIn(spec, isOwn, error?.code === "forbidden");
    return { ...finding, area: "sign-in", what, mend: text === undefined ? runFor("login", server) : { text } };
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

function mendSignIn({ url }: ServerSpec, isOwn: boolean, isForbidden: boolean): string | undefined {
  if (url === undefined) return "look at the credentials in its entry";
  if (isForbidden) return "its credentials are good and not enough: ask whoever gives rights there";
  return isOwn ? "write good ones into its headers, or remove them to sign in with hostside login" : undefined;
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
  { code, details: { httpStatus } }: HostsideError,
  { proxies }: ServerMeans,
): string | undefined {
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

const tellAuthor = "tell its author";
const spelling = "look at how they are spelt; hostside list shows its tools";

/** Advice about diagnostics of a provider: their kind, what they mean, and what mends it. */
const reports: readonly (readonly [kind: Diagnostic["kind"], what: string, mend: string])[] = [
  ["fallback", "refuses hosts that answer questions of servers; hostside connects once more without", tellAuthor],
  ["stdout-anomaly", "writes to stdout what is no message", "tell its author: logs belong on stderr"],
  ["protocol-anomaly", "does what the protocol does not have", "tell its author; the conformance kit shows more"],
  ["tool-dropped", "lists tools that cannot be used, which are left out", tellAuthor],
  ["duplicate-tool", "lists tools of the same name; the first one counts", tellAuthor],
  ["schema-replaced", "has tools with schemas that cannot be used, of which a model learns no arguments", tellAuthor],
  ["listing-truncated", "did not list all of its tools", 'raise the limit that is named in its "limits"'],
  ["unmatched-filter", 'has no tools of some names in its "allow" or "deny"', spelling],
  ["unmatched-override", 'has no tools of some names in its "tools"', spelling],
];
