import { loadConfig, type LoadedConfig, type ServerSource } from "@hostside/config/node";
import { isHostsideError, cleanText, truncateText, type Diagnostic } from "@hostside/core";
import { createConnector } from "@hostside/transports";
import type { Host } from "../../host.ts";
import type { HostOptions } from "../../host-options.ts";
import type { CommandContext, CommandWork, GlobalOptions } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { filesOf } from "../opening/config-files.ts";
import { openHost } from "../opening/open-host.ts";
import { fileWords, serverWords } from "../render/server-words.ts";
import { shellLine } from "../render/shell-word.ts";
import { knownServer } from "../opening/known-server.ts";
import type { DoctorFacts, ServerFacts } from "./facts.ts";
import { countFindings, type DoctorFinding } from "./finding.ts";
import { realFiles } from "./gather/find-program.ts";
import { gatherConfig } from "./gather/gather-config.ts";
import { gatherMachine } from "./gather/gather-machine.ts";
import { gatherServer, unusableServer } from "./gather/gather-server.ts";
import { renderFindings } from "./render-findings.ts";
import { printJson } from "../render/print.ts";
import { fromEnvironment } from "../from-environment.ts";
import { judgeConfig } from "./judge/judge-config.ts";
import { judgeConnection } from "./judge/judge-connection.ts";
import { judgeMachine } from "./judge/judge-machine.ts";
import { judgeProgram } from "./judge/judge-program.ts";
import { judgeProtocol } from "./judge/judge-protocol.ts";
import { judgeSpeed } from "./judge/judge-speed.ts";
import { judgeSum, judgeTools } from "./judge/judge-tools.ts";
import { formatCount } from "../render/format-amount.ts";
import type { Terminal } from "../terminal.ts";

/** What `doctor` is asked. */
export interface DoctorArguments {
  readonly server: string | undefined;
}

/**
 * Looks at the machine, the configuration and every server, and says what is wrong and what mends
 * it. Calls no tool; nothing is left running.
 */
export const doctor: CommandWork<DoctorArguments> = async ({ server }, context) => {
  const { terminal, options } = context;
  const facts = await gatherFacts(server, context);
  const findings = judgeAll(facts).map((finding) => forFiles(finding, options));
  if (options.json === true) {
    const { machine, config, servers } = facts;
    printJson(terminal, { findings, machine, config, servers });
  } else terminal.out(renderFindings(findings, terminal, { isWhole: !terminal.signal.aborted }));
  if (terminal.signal.aborted) {
    terminal.err("The examination was stopped: what is here is not all.\n");
    return exitCodes.incomplete;
  }
  return countFindings(findings).problems > 0 ? exitCodes.fail : exitCodes.pass;
};

// Of a server that only these files have, nothing else knows. `init` is about those that are found.
function forFiles(finding: DoctorFinding, options: GlobalOptions): DoctorFinding {
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

async function gatherFacts(typed: string | undefined, context: CommandContext): Promise<DoctorFacts> {
  const { terminal, options } = context;
  const machine = await gatherMachine(terminal);
  await using opened = await open(typed, context);
  const { config, look } = opened;
  const server = typed === undefined ? undefined : knownServer(config, typed).serverId;
  const isWanted = (serverId: string): boolean => server === undefined || serverId === server;
  const sources = config.sources.filter(({ serverId }) => isWanted(serverId));
  const progress = showExaminationProgress(terminal, { isQuiet: options.quiet === true, total: sources.length });
  const gather = async (source: ServerSource): Promise<ServerFacts | undefined> => {
    const facts = await look(source);
    progress.add(source.serverId);
    // What was stopped in the middle is no fault of the server's.
    return terminal.signal.aborted ? undefined : facts;
  };
  const servers = (await Promise.all(sources.map(gather))).filter((facts) => facts !== undefined);
  progress.end();
  return { machine, config: await gatherConfig(config, isWanted), servers, now: Date.now() };
}

// Servers are told what serve tells them: some come up only where nobody answers their questions.
const cancel: NonNullable<HostOptions["onElicit"]> = async () => ({ action: "cancel" });

interface Opened extends AsyncDisposable {
  readonly config: LoadedConfig;
  readonly look: (source: ServerSource) => Promise<ServerFacts>;
}

async function open(typed: string | undefined, { terminal, options }: CommandContext): Promise<Opened> {
  // What nobody trusted and what is wrong with the configuration are findings, and neither
  // questions nor warnings.
  const quiet = { terminal: { ...terminal, canAsk: false, err: () => undefined }, options };
  const only = typed === undefined ? undefined : [typed];
  try {
    const opened = await openHost(quiet, { only, off: "show", wait: false, onElicit: cancel });
    const { host, provider } = opened;
    const diagnostics: Diagnostic[] = [];
    host.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
    const authProvider = host.oauth?.authProvider;
    const config = host.config ?? (await loadConfig({ files: [] }));
    const means = {
      provider,
      config,
      connector: createConnector({ ...fromEnvironment, onElicit: cancel, ...(authProvider && { authProvider }) }),
      place: { env: terminal.env, cwd: terminal.cwd, platform: terminal.platform, files: realFiles },
      diagnostics,
      timeoutMs: (options.timeout ?? 30) * 1000,
      signal: terminal.signal,
      signInEnds: await readSignInEnds(host),
    };
    const close = (): Promise<void> => Promise.resolve(opened[Symbol.asyncDispose]());
    return { config, look: (source) => gatherServer(source, means), [Symbol.asyncDispose]: close };
  } catch (error) {
    if (!isHostsideError(error, "invalid_config")) throw error;
    // There is no server to start, and that is what somebody wants to know more of.
    const { watch: _, ...files } = filesOf(quiet);
    const config = await loadConfig(files);
    const look = async (source: ServerSource): Promise<ServerFacts> => unusableServer(source);
    return { config, look, [Symbol.asyncDispose]: async () => undefined };
  }
}

async function readSignInEnds({ oauth }: Host): Promise<ReadonlyMap<string, number>> {
  // A store that cannot be read is reported with the server that wants a sign-in.
  const signedIn = (await oauth?.list().catch(() => [])) ?? [];
  return new Map(
    signedIn.flatMap(({ serverId, expiresAt, renews, current }) =>
      expiresAt !== undefined && current && !renews ? [[serverId, expiresAt] as const] : [],
    ),
  );
}

/**
 * Makes findings of facts: the machine first, then the configuration, then each server from its
 * program to its tools. Pure.
 */
export function judgeAll({ machine, config, servers, now }: DoctorFacts): readonly DoctorFinding[] {
  const faulty = new Set(config.problems.flatMap(({ severity, server }) => (severity === "error" ? [server] : [])));
  return [
    ...judgeMachine(machine, servers),
    ...judgeConfig(config, servers),
    ...servers.flatMap((server) => [
      ...judgeProgram(server, machine),
      ...judgeConnection(server, { now, isExplained: faulty.has(server.id) }),
      ...judgeProtocol(server),
      ...judgeTools(server),
      ...judgeSpeed(server),
    ]),
    ...judgeSum(servers),
  ];
}

/** Tells how far an examination is. */
export interface ExaminationProgress {
  add(serverId: string): void;
  /** Takes the line away. */
  end(): void;
}

/** One line on stderr that is replaced, where somebody looks on. */
function showExaminationProgress(
  { stderr, isLive, columns, paintErr }: Terminal,
  { isQuiet, total }: { readonly isQuiet: boolean; readonly total: number },
): ExaminationProgress {
  const isShown = isLive && !isQuiet && total > 0;
  let done = 0;
  const draw = (text: string): void =>
    void stderr.write(`\r\u001B[K${paintErr("dim", truncateText(text, columns - 1))}`);
  if (isShown) draw(`examining ${formatCount(total, "server")}`);
  return {
    add(serverId) {
      done += 1;
      if (isShown) draw(`${done} of ${total} examined: ${cleanText(serverId, 60)}`);
    },
    end() {
      if (isShown) stderr.write("\r\u001B[K");
    },
  };
}
