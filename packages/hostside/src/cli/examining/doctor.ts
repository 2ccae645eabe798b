import { access, constants } from "node:fs/promises";
import { loadConfig, type LoadedConfig } from "@hostside/config/node";
import { isHostsideError, type Diagnostic, type ToolDefinition } from "@hostside/core";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { filesOf } from "../opening/config-files.ts";
import { knownServer } from "../opening/known-server.ts";
import { openHost } from "../opening/open-host.ts";
import { followStart } from "../opening/start-servers.ts";
import { printJson } from "../render/print.ts";
import type { Terminal } from "../terminal.ts";
import { examineConfig } from "./examine-config.ts";
import { examineServer, unstarted, type ServerMeans } from "./examine-server.ts";
import { examineAllTools } from "./examine-tools.ts";
import { createRunFor, type DoctorFinding } from "./finding.ts";
import { renderFindings } from "./render-findings.ts";

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
  const machine = await examineMachine(terminal);
  await using opened = await open(typed, context);
  const { config, means } = opened;
  const server = typed === undefined ? undefined : knownServer(config, typed).serverId;
  const isWanted = (serverId: string): boolean => server === undefined || serverId === server;
  const sources = config.sources.filter(({ serverId }) => isWanted(serverId));
  // What is known of a server when it is interrupted says nothing about the server.
  const found = (terminal.signal.aborted ? [] : sources).flatMap((source) =>
    means === undefined ? unstarted(source.serverId, config) : examineServer(source, means),
  );
  const tools: readonly ToolDefinition[] = means?.provider.tools() ?? [];
  const files = await examineConfig(config, isWanted, createRunFor(options));
  return [...machine, ...files, ...found, ...examineAllTools(tools)];
}

/** Looks at what all servers share: Node, proxies and certificates. */
export async function examineMachine(
  terminal: Pick<Terminal, "env" | "platform" | "nodeVersion">,
): Promise<readonly DoctorFinding[]> {
  const { env, platform, nodeVersion } = terminal;
  const finding = { level: "problem", area: "machine" } as const;
  const findings: DoctorFinding[] = [{ ...finding, level: "ok", what: `Node ${nodeVersion}` }];
  const proxies = proxyVariables(terminal).join(", ");
  if (proxies !== "") findings.push({ ...finding, level: "ok", what: `proxy variables are set: ${proxies}` });
  const certificates = env["NODE_EXTRA_CA_CERTS"] ?? "";
  if (certificates !== "" && (await access(certificates, constants.R_OK).catch(() => false)) === false) {
    const what = "the file of NODE_EXTRA_CA_CERTS cannot be read, and Node goes on without it";
    const mend = { text: "name a file with certificates in PEM form, by its absolute path" };
    findings.push({ ...finding, what, evidence: [certificates], mend });
  }
  const trustsAny = "NODE_TLS_REJECT_UNAUTHORIZED";
  if (env[trustsAny] === "0") {
    const what = `${trustsAny}=0: any certificate is believed, so whoever is on the way reads tokens`;
    const mend = { command: platform === "win32" ? `set ${trustsAny}=` : `unset ${trustsAny}` };
    findings.push({ ...finding, what, mend });
  }
  return findings;
}

const proxyNames: ReadonlySet<string> = new Set(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]);

/** Names of the variables of proxies that are set, and no value of them. */
function proxyVariables({ env }: Pick<Terminal, "env">): readonly string[] {
  const isSet = (name: string): boolean => proxyNames.has(name.toUpperCase()) && (env[name] ?? "") !== "";
  return Object.keys(env).filter(isSet).toSorted();
}

interface Opened extends AsyncDisposable {
  readonly config: LoadedConfig;
  /** Absent where none of the servers can be used. */
  readonly means?: ServerMeans;
}

/** Opens a host, or the configuration alone where none of its servers can be used. */
async function open(typed: string | undefined, { terminal, options }: CommandContext): Promise<Opened> {
  const quiet = { terminal: { ...terminal, canAsk: false, err: () => undefined }, options };
  const only = typed === undefined ? undefined : [typed];
  try {
    const onElicit = async () => ({ action: "cancel" }) as const;
    const opened = await openHost(quiet, { only, off: "show", wait: false, onElicit });
    const { host, provider } = opened;
    const diagnostics: Diagnostic[] = [];
    host.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
    const config = host.config ?? (await loadConfig({ files: [] }));
    // Who examines waits for no install.
    const { timeout = 30 } = options;
    await followStart(opened, { ...quiet, options: { ...options, timeout, quiet: true } });
    const proxies = proxyVariables(terminal);
    const means = { provider, config, diagnostics, proxies, waitedMs: timeout * 1000, runFor: createRunFor(options) };
    return { config, means, [Symbol.asyncDispose]: async () => opened[Symbol.asyncDispose]() };
  } catch (error) {
    if (!isHostsideError(error, "invalid_config")) throw error;
    return { config: await loadConfig(filesOf(quiet)), [Symbol.asyncDispose]: async () => undefined };
  }
}
