import { loadConfig, readText, type LoadedConfig, type ServerSource } from "@hostside/config/node";
import {
  isHostsideError,
  type Diagnostic,
  type HostsideError,
  type ServerSpec,
  type ToolDefinition,
} from "@hostside/core";
import { isConfidentialUrl } from "@hostside/core/implement";
import type { McpProvider, ServerStatus } from "@hostside/provider";
import { formatProblem, readConfig, type ConfigProblem } from "@hostside/config";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { filesOf } from "../opening/config-files.ts";
import { knownServer } from "../opening/known-server.ts";
import { openHost } from "../opening/open-host.ts";
import { followStart } from "../opening/start-servers.ts";
import { formatCount, formatDuration, printJson } from "../render/print.ts";
import type { Terminal } from "../terminal.ts";
import { examineAllTools, examineTools, some } from "./examine-tools.ts";
import { createRunFor, groupBy, renderFindings, type DoctorFinding, type Mend, type RunFor } from "./finding.ts";
import { describeError } from "../listing/server-report.ts";
import { terminalLine } from "../render/render-text.ts";
import { secretsIn } from "../configuring/find-secrets.ts";

export interface DoctorArguments {
  readonly server: string | undefined;
}

/**
 * Runs `hostside doctor`: looks at the machine, the files and the servers, and says what mends
 * what.
 */
export const doctor: CommandWork<DoctorArguments> = async ({ server }, context) => {
  const { terminal, options } = context;
  const findings = await examine(server, context);
  const isWhole = !terminal.signal.aborted;
  if (options.json === true) printJson(terminal, { findings });
  else terminal.out(renderFindings(findings, terminal, { isWhole }));
  if (!isWhole) {
    terminal.err("The examination was stopped: what is here is not all.\n");
    return exitCodes.incomplete;
  }
  return findings.some(({ level }) => level === "problem") ? exitCodes.fail : exitCodes.pass;
};

async function examine(typed: string | undefined, context: CommandContext): Promise<readonly DoctorFinding[]> {
  const { terminal, options } = context;
  if (terminal.isLive && options.quiet !== true) terminal.err(`${terminal.paintErr("dim", "examining the servers")}\n`);
  const quiet = { terminal: { ...terminal, canAsk: false, err: () => undefined }, options };
  const only = typed === undefined ? undefined : [typed];
  const onElicit = async () => ({ action: "cancel" }) as const;
  // Where none of the servers can be used, the files alone are examined.
  const opening = openHost(quiet, { only, off: "show", wait: false, onElicit }).catch((error: unknown) => {
    if (!isHostsideError(error, "invalid_config")) throw error;
    return undefined;
  });
  await using opened = await opening;
  const diagnostics: Diagnostic[] = [];
  opened?.host.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
  // Who examines waits for no install.
  const { timeout = 30 } = options;
  if (opened !== undefined) await followStart(opened, { ...quiet, options: { ...options, timeout, quiet: true } });
  const config = opened?.host.config ?? (await loadConfig(await filesOf(quiet)));
  const waitedMs = timeout * 1000;
  const runFor = createRunFor(options);
  const proxies = proxyVariables(terminal);
  const means = opened && { provider: opened.provider, config, diagnostics, proxies, waitedMs, runFor };
  const server = typed === undefined ? undefined : knownServer(config, typed).serverId;
  const isWanted = (serverId: string): boolean => server === undefined || serverId === server;
  const sources = config.sources.filter(({ serverId }) => isWanted(serverId));
  // What is known of a server when it is interrupted says nothing about the server.
  const found = (terminal.signal.aborted ? [] : sources).flatMap((source) =>
    means === undefined ? unstarted(source.serverId, config) : examineServer(source, means),
  );
  const tools: readonly ToolDefinition[] = means?.provider.tools() ?? [];
  const files = await examineConfig(config, isWanted, runFor);
  return [...examineMachine(terminal), ...files, ...found, ...examineAllTools(tools)];
}

/** Names Node and the proxies, which all servers share. */
export function examineMachine(terminal: Pick<Terminal, "env" | "nodeVersion">): readonly DoctorFinding[] {
  const proxies = proxyVariables(terminal).join(", ");
  const facts = [`Node ${terminal.nodeVersion}`, ...(proxies === "" ? [] : [`proxy variables are set: ${proxies}`])];
  return facts.map((what) => ({ level: "ok", area: "machine", what }));
}

const proxyNames: ReadonlySet<string> = new Set(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]);

/** Names of the variables of proxies that are set, and no value of them. */
function proxyVariables({ env }: Pick<Terminal, "env">): readonly string[] {
  const isSet = (name: string): boolean => proxyNames.has(name.toUpperCase()) && (env[name] ?? "") !== "";
  return Object.keys(env).filter(isSet).toSorted();
}

/** Everything that a server is examined with. */
interface ServerMeans {
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
function examineServer(source: ServerSource, means: ServerMeans): readonly DoctorFinding[] {
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
function unstarted(server: string, { problems }: LoadedConfig): readonly DoctorFinding[] {
  if (problems.some(({ severity, serverId }) => severity === "error" && serverId === server)) return [];
  return [{ level: "problem", area: "connection", server, what: "its entry cannot be used" }];
}

function judgeReady(
  { id: server, server: remote, connectMs = 0, listMs = 0 }: ServerStatus,
  tools: number,
): DoctorFinding {
  const name = terminalLine([remote?.name, remote?.version].filter(Boolean).join(" "), 200);
  const protocol = terminalLine(remote?.protocolVersion ?? "", 40);
  const what = `up in ${formatDuration(connectMs + listMs)}: ${formatCount(tools, "tool")}, protocol ${protocol}`;
  return { level: "ok", area: "connection", server, what: name === "" ? what : `${what} (${name})` };
}

function judgeFailure(spec: ServerSpec, { state, auth, error }: ServerStatus, means: ServerMeans): DoctorFinding {
  const { id: server } = spec;
  const { runFor, waitedMs, proxies } = means;
  const described = error === undefined ? undefined : describeError(error);
  const evidence = described?.stderr?.map((line) => `stderr: ${line}`);
  const finding = { level: "problem", area: "connection", server, ...(evidence && { evidence }) } as const;
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

/** Looks at the files: what is wrong in them, what is not used, and secrets that stand in them. */
async function examineConfig(
  { sources, problems }: LoadedConfig,
  isWanted: (serverId: string) => boolean,
  runFor: RunFor,
): Promise<readonly DoctorFinding[]> {
  const wanted = sources.filter(({ serverId }) => isWanted(serverId));
  const own = problems.filter(({ serverId }) => serverId === undefined || isWanted(serverId));
  const inFiles = wanted.filter(({ file }) => file !== undefined);
  const files = groupBy(inFiles, ({ file = "" }) => file);
  const isEmpty = wanted.length === 0 && !own.some(({ severity }) => severity === "error");
  const secrets = await Promise.all(Array.from(files, judgeSecrets));
  return [
    ...(isEmpty ? [noServers] : []),
    ...Array.from(files, ([file, found]): DoctorFinding => {
      return {
        level: "ok",
        area: "configuration",
        what: `${file}: ${formatCount(found.length, "server")} (${found[0]?.scope})`,
      };
    }),
    ...own.map((problem) => judgeProblem(problem, runFor)),
    ...wanted.flatMap(judgeSource),
    ...secrets.flat(),
  ];
}

const noServers: DoctorFinding = {
  level: "problem",
  area: "configuration",
  what: "there are no servers",
  mend: { command: "hostside init" },
};

function judgeProblem(problem: ConfigProblem, runFor: RunFor): DoctorFinding {
  const { severity, serverId: server } = problem;
  const what = terminalLine(formatProblem({ ...problem, fix: undefined }), 500);
  const level = severity === "error" ? "problem" : "advice";
  return { level, area: "configuration", server, what, mend: mendOf(problem, runFor) };
}

function mendOf({ code, serverId, fix }: ConfigProblem, runFor: RunFor): Mend | undefined {
  if (code === "untrusted_server" && serverId !== undefined) return runFor("trust", serverId);
  if (code === "missing_input" && serverId !== undefined && fix === undefined) return runFor("list", serverId);
  return fix === undefined ? undefined : { text: terminalLine(fix, 500) };
}

function judgeSource({ serverId: server, off, over }: ServerSource): readonly DoctorFinding[] {
  const whats = over.map((place) => `the entry of this name in ${terminalLine(place, 500)} is not used`);
  if (off === "disabled") whats.push("off: its entry says so");
  if (off === "not allowed") whats.push("off: a list of allowed or denied servers leaves it out");
  return whats.map((what) => ({ level: "ok", area: "configuration", server, what }));
}

const mostBytes = 10 * 1024 * 1024;

async function judgeSecrets([file, sources]: readonly [string, readonly ServerSource[]]): Promise<
  readonly DoctorFinding[]
> {
  const text = await readText(file, mostBytes).catch(() => "{}");
  const { servers } = readConfig(text, { file, dialect: sources[0]?.dialect });
  return servers.flatMap(({ id: server, draft, places }): readonly DoctorFinding[] => {
    const found = sources.some(({ serverId }) => serverId === server) ? secretsIn(draft) : [];
    if (found.length === 0) return [];
    const what = found.length === 1 ? "a secret stands in the file" : `${found.length} secrets stand in the file`;
    const evidence = found.map((path) => {
      const line = places.get(path)?.position?.line;
      return `${file}${line === undefined ? "" : `:${line}`}: ${path}`;
    });
    const mend = { text: 'keep it in a variable NAME, and write "${NAME}" in its place' };
    return [{ level: "advice", area: "configuration", server, what, evidence, mend }];
  });
}
