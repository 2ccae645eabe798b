import type { ServerSource } from "@toolport/config/node";
import type { Diagnostic } from "@toolport/core";
import { createConnector } from "@toolport/transports";
import type { Toolport } from "../../toolport.ts";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { openHost } from "../host/open-host.ts";
import { knownServer } from "../host/known-server.ts";
import type { DoctorFacts, ServerFacts } from "./facts.ts";
import { countFindings } from "./finding.ts";
import { realFiles } from "./gather/find-program.ts";
import { gatherConfig } from "./gather/gather-config.ts";
import { gatherMachine } from "./gather/gather-machine.ts";
import { gatherServer } from "./gather/gather-server.ts";
import { judgeAll } from "./judge/judge-all.ts";
import { renderFindings } from "./render-findings.ts";
import { showProgress } from "./show-progress.ts";

/** What `doctor` is asked. */
export interface DoctorArguments {
  readonly server: string | undefined;
}

/** Looks at the machine, the configuration and every server, and says what is wrong and what mends it. Calls no tool; nothing is left running. */
export const doctor: CommandWork<DoctorArguments> = async ({ server }, context) => {
  const { terminal, options } = context;
  const facts = await gatherFacts(server, context);
  const findings = judgeAll(facts);
  if (options.json === true) {
    const { machine, config, servers } = facts;
    terminal.out(`${JSON.stringify({ findings, machine, config, servers })}\n`);
  } else terminal.out(renderFindings(findings, terminal));
  if (terminal.signal.aborted) {
    terminal.err("The examination was stopped: what is here is not all.\n");
    return exitCodes.incomplete;
  }
  return countFindings(findings).problems > 0 ? exitCodes.fail : exitCodes.pass;
};

async function gatherFacts(typed: string | undefined, context: CommandContext): Promise<DoctorFacts> {
  const { terminal, options } = context;
  const { signal } = terminal;
  const machine = await gatherMachine(terminal);
  // What nobody trusted and what is wrong with the configuration are findings, and neither questions nor warnings.
  const quiet = { ...terminal, canAsk: false, err: () => undefined };
  const only = typed === undefined ? undefined : [typed];
  await using host = await openHost({ terminal: quiet, options }, { only, off: "show", wait: false });
  const { toolport } = host;
  const diagnostics: Diagnostic[] = [];
  toolport.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
  const loaded = toolport.config ?? {
    servers: [],
    sources: [],
    problems: [],
    settings: {},
    secrets: [],
    questions: [],
  };
  const server = typed === undefined ? undefined : knownServer(loaded, typed).serverId;
  const isWanted = (serverId: string): boolean => server === undefined || serverId === server;
  const sources = loaded.sources.filter(({ serverId }) => isWanted(serverId));

  const authProvider = toolport.oauth?.authProvider;
  const means = {
    toolport,
    config: loaded,
    connector: createConnector(authProvider === undefined ? {} : { authProvider }),
    place: { env: terminal.env, cwd: terminal.cwd, platform: terminal.platform, files: realFiles },
    diagnostics,
    timeoutMs: (options.timeout ?? 30) * 1000,
    signal,
    signInEnds: await readSignInEnds(toolport),
  };
  const progress = showProgress(terminal, { isQuiet: options.quiet === true, total: sources.length });
  const gather = async (source: ServerSource): Promise<ServerFacts> => {
    const facts = await gatherServer(source, means);
    progress.add(source.serverId);
    return facts;
  };
  const servers = await Promise.all(sources.map(gather));
  progress.end();
  return { machine, config: await gatherConfig(loaded, isWanted), servers, now: Date.now() };
}

async function readSignInEnds({ oauth }: Toolport): Promise<ReadonlyMap<string, number>> {
  // A store that cannot be read is told by the server that wants a sign-in.
  const signedIn = (await oauth?.list().catch(() => [])) ?? [];
  return new Map(
    signedIn.flatMap(({ serverId, expiresAt, renews, current }) =>
      expiresAt !== undefined && current && !renews ? [[serverId, expiresAt] as const] : [],
    ),
  );
}
