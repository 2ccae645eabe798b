import type { ServerSpec } from "@hostside/core";
import { hasBrowser, openBrowser } from "@hostside/auth/node";
import { openHostParts } from "../../create-host.ts";
import { userState } from "../../state/user-state.ts";
import type { HostOptions } from "../../contract/host-options.ts";
import type { CommandContext, OpenedHost } from "../command-context.ts";
import { terminalLine } from "../render/render-text.ts";
import type { Terminal } from "../terminal.ts";
import { answerLoading, approveCalls, askApproval, signInPrompt } from "./asking/ask-user.ts";
import { askElicitation, type OpenPage } from "./asking/ask-elicitation.ts";
import { canAsk, terminalAsker } from "./asking/terminal-asker.ts";
import { withStartTime } from "./installers.ts";
import { filesOf, loadSources } from "./config-files.ts";
import { knownServer, startableServer, reportProblems } from "./known-server.ts";
import { isServeEntry } from "./self-entries.ts";
import { openRecorded } from "./open-recorded.ts";

/** Options of {@linkcode openHost}. */
export interface OpenHostRequest {
  /**
   * Ids, as a person typed them, of the only servers that are started; or who chooses among what is
   * known before anything is started. Default: all.
   */
  readonly only?: readonly string[] | ((serverIds: readonly string[]) => readonly string[] | undefined) | undefined;
  /**
   * Decides about servers of `only` that do not start: `"refuse"` (default) is a usage error that
   * says why, `"show"` leaves them as they are.
   */
  readonly off?: "refuse" | "show" | undefined;
  /**
   * `true`: servers are waited for. Default `true`; `false`: they come up while the command looks
   * on.
   */
  readonly wait?: boolean | undefined;
  /** Answers questions of servers. Default: the person at the terminal, if there is one. */
  readonly onElicit?: HostOptions["onElicit"];
  /**
   * Asks about calls that are not known to be `pure`, unless `isYes`. Default: a person is asked
   * about those that a rule wants approved.
   */
  readonly calls?: { readonly isYes: boolean } | undefined;
}

/**
 * Loads the configuration, asks about what a project brings and for inputs if somebody can be
 * asked, and starts the servers. Says on stderr what is wrong with the configuration.
 *
 * Throws a usage error for a server of `only` that is not configured, or does not start; `aborted`
 * when the person cancels a question.
 */
export async function openHost(context: CommandContext, request: OpenHostRequest = {}): Promise<OpenedHost> {
  const { terminal, options } = context;
  const state = userState(terminal);
  const asker = canAsk(context) ? terminalAsker(terminal) : undefined;
  const only = await chooseServers(request, context);
  const specs = new Map<string, ServerSpec>();
  const isWanted = (serverId: string): boolean => only?.includes(serverId) !== false;
  const { trust, inputs, signal } = answerLoading(terminal, asker);
  const recorded = await openRecorded(options.record, async (effects) =>
    openHostParts(
      {
        config: {
          ...(await filesOf(context)),
          watch: false,
          trust,
          inputs,
          allow: only && isWanted,
          // The entry by which a host has all of these: with it they would start once more. It is
          // wanted only by its name.
          revise: (spec) => {
            specs.set(spec.id, spec);
            return only?.includes(spec.id) !== true && isServeEntry(spec)
              ? undefined
              : withStartTime(spec, options.timeout);
          },
        },
        connector: { proxy: "environment", effects },
        state,
        // A command shows what is, and not what was there the last time.
        savedCatalogs: false,
        signal,
        timeoutMs: request.wait === false ? 0 : (options.timeout ?? 30) * 1000,
        policy: {
          validation: { input: "strict" },
          approval: request.calls
            ? approveCalls(request.calls, { asker, specOf: (id) => specs.get(id) })
            : { handler: asker && askApproval(asker) },
        },
        onElicit: request.onElicit ?? (asker && askElicitation(asker, pageOpener(terminal))),
        onDiagnostic: ({ kind, serverId, message }) => {
          // A command says itself what failed.
          if (kind === "server-failed") return;
          if (options.verbose === true || kind === "container-left") note(context, serverId, message);
        },
      },
      signInPrompt(terminal, { asker }),
    ),
  );
  const { host, provider } = recorded;
  const stopLogs =
    options.verbose === true ? host.servers.onLog(({ serverId, text }) => note(context, serverId, text)) : undefined;
  const close = async (): Promise<void> => {
    stopLogs?.();
    await recorded.close();
  };
  const opened: OpenedHost = { host, provider, asker, [Symbol.asyncDispose]: close };
  try {
    signal.throwIfAborted();
    if (host.config !== undefined) reportProblems(context, host.config, isWanted);
    if (host.config !== undefined && request.off !== "show") {
      for (const id of only ?? []) startableServer(host.config, id);
    }
    return opened;
  } catch (error) {
    await close();
    throw error;
  }
}

// Nothing is expanded, asked or started for it.
async function chooseServers(
  { only }: OpenHostRequest,
  context: CommandContext,
): Promise<readonly string[] | undefined> {
  if (only === undefined) return undefined;
  const known = await loadSources(context);
  const serverIds = known.sources.map(({ serverId }) => serverId);
  const chosen = typeof only === "function" ? only(serverIds) : only;
  return chosen?.map((typed) => knownServer(known, typed).serverId);
}

function pageOpener({ env, platform }: Terminal): OpenPage | undefined {
  if (!hasBrowser({ env, platform })) return undefined;
  const open = openBrowser();
  return async (url, serverId, signal) => void (await open({ url, serverId, title: serverId, signal }));
}

function note({ terminal }: CommandContext, serverId: string, text: string): void {
  terminal.err(`${terminal.paintErr("dim", `${terminalLine(serverId, 80)}: ${terminalLine(text)}`)}\n`);
}
