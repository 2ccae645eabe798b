import { loadConfig } from "@hostside/config/node";
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
import { examineServer, unstarted } from "./examine-server.ts";
import { examineAllTools } from "./examine-tools.ts";
import { createRunFor, type DoctorFinding, renderFindings } from "./finding.ts";

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
