import { loadConfig, type LoadedConfig, type ServerSource } from "@hostside/config/node";
import { isHostsideError, type Diagnostic, type ToolDefinition } from "@hostside/core";
import type { HostOptions } from "../../host-options.ts";
import type { CommandContext, CommandWork, GlobalOptions } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { filesOf } from "../opening/config-files.ts";
import { knownServer } from "../opening/known-server.ts";
import { openHost } from "../opening/open-host.ts";
import { formatCount, printJson } from "../render/print.ts";
import { fileWords, serverWords, shellLine } from "../render/render-text.ts";
import { examineConfig } from "./examine-config.ts";
import { examineMachine, proxyVariables } from "./examine-machine.ts";
import { examineServer, unstarted } from "./examine-server.ts";
import { examineAllTools } from "./examine-tools.ts";
import type { DoctorFinding } from "./finding.ts";
import { realFiles } from "./find-program.ts";
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
  const findings = (await examine(server, context)).map((finding) => withFileWords(finding, options));
  const isWhole = !terminal.signal.aborted;
  if (options.json === true) printJson(terminal, { findings });
  else terminal.out(renderFindings(findings, terminal, { isWhole }));
  if (!isWhole) {
    terminal.err("The examination was stopped: what is here is not all.\n");
    return exitCodes.incomplete;
  }
  return findings.some(({ level }) => level === "problem") ? exitCodes.fail : exitCodes.pass;
};

/** Adds the options of this run that say which files are meant to a command that mends. */
function withFileWords(finding: DoctorFinding, options: GlobalOptions): DoctorFinding {
  const { typed } = options;
  const { mend } = finding;
  if (mend === undefined || !("command" in mend)) return finding;
  if (!mend.command.startsWith("hostside ") || mend.command === "hostside init") return finding;
  const id = typed === undefined ? "" : ` ${shellLine([typed.id])}`;
  const own = typed !== undefined && mend.command.endsWith(id) ? serverWords(typed.id, typed) : [];
  const command = own.length === 0 ? mend.command : mend.command.slice(0, -id.length);
  const words = [...fileWords(options), ...own];
  return words.length === 0 ? finding : { ...finding, mend: { command: `${command} ${shellLine(words)}` } };
}

async function examine(typed: string | undefined, context: CommandContext): Promise<readonly DoctorFinding[]> {
  const { terminal, options } = context;
  const machine = await examineMachine(terminal);
  await using opened = await open(typed, context);
  const { config, tools, look } = opened;
  const server = typed === undefined ? undefined : knownServer(config, typed).serverId;
  const isWanted = (serverId: string): boolean => server === undefined || serverId === server;
  const sources = config.sources.filter(({ serverId }) => isWanted(serverId));
  if (terminal.isLive && options.quiet !== true)
    terminal.err(`${terminal.paintErr("dim", `examining ${formatCount(sources.length, "server")}`)}\n`);
  // What is known of a server when it is interrupted says nothing about the server.
  const found = await Promise.all(
    sources.map(async (source) => {
      const findings = await look(source);
      return terminal.signal.aborted ? [] : findings;
    }),
  );
  return [...machine, ...(await examineConfig(config, isWanted)), ...found.flat(), ...examineAllTools(tools())];
}

const cancel: NonNullable<HostOptions["onElicit"]> = async () => ({ action: "cancel" });

interface Opened extends AsyncDisposable {
  readonly config: LoadedConfig;
  readonly tools: () => readonly ToolDefinition[];
  readonly look: (source: ServerSource) => Promise<readonly DoctorFinding[]>;
}

/** Opens a host, or the configuration alone where none of its servers can be used. */
async function open(typed: string | undefined, { terminal, options }: CommandContext): Promise<Opened> {
  const quiet = { terminal: { ...terminal, canAsk: false, err: () => undefined }, options };
  const only = typed === undefined ? undefined : [typed];
  try {
    const opened = await openHost(quiet, { only, off: "show", wait: false, onElicit: cancel });
    const { host, provider } = opened;
    const diagnostics: Diagnostic[] = [];
    host.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
    const config = host.config ?? (await loadConfig({ files: [] }));
    const means = {
      provider,
      config,
      place: { env: terminal.env, cwd: terminal.cwd, platform: terminal.platform, files: realFiles },
      diagnostics,
      proxies: proxyVariables(terminal),
      timeoutMs: (options.timeout ?? 30) * 1000,
      signal: terminal.signal,
    };
    return {
      config,
      tools: () => provider.tools(),
      look: (source) => examineServer(source, means),
      [Symbol.asyncDispose]: async () => opened[Symbol.asyncDispose](),
    };
  } catch (error) {
    if (!isHostsideError(error, "invalid_config")) throw error;
    const { watch: _, ...files } = filesOf(quiet);
    const config = await loadConfig(files);
    const look = async ({ serverId }: ServerSource): Promise<readonly DoctorFinding[]> => unstarted(serverId, config);
    return { config, tools: () => [], look, [Symbol.asyncDispose]: async () => undefined };
  }
}
