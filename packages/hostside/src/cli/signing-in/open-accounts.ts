/// <reference lib="esnext.disposable" preserve="true" />
import { loadConfig, type LoadedConfig } from "@hostside/config/node";
import type { ServerSpec } from "@hostside/core";
import { signInWhereAsked } from "../../auth/to-client.ts";
import type { OAuth } from "@hostside/auth";
import { loopbackRedirect } from "@hostside/auth/node";
import { chooseAuth } from "../../auth/choose-auth.ts";
import { userState, userStateFolder } from "../../state/user-state.ts";
import type { CommandContext } from "../command-context.ts";
import { answerLoading, signInPrompt } from "../opening/asking/ask-user.ts";
import { terminalAsker, canAsk } from "../opening/asking/terminal-asker.ts";
import { filesOf } from "../opening/config-files.ts";
import { fromEnvironment } from "../from-environment.ts";

/** A server that somebody can sign in to. */
export interface SignInTarget {
  readonly spec: ServerSpec;
  readonly url: string;
}

/** The server as somebody signs in to it, or why nobody does, as a sentence. */
export function signInTarget(spec: ServerSpec): SignInTarget | string {
  if (spec.url === undefined) return "it is a program on this machine, which nobody signs in to";
  if (spec.auth === "api-key" || spec.bearerToken !== undefined) return "its entry has a token of its own";
  const asked = signInWhereAsked(spec);
  if (asked.url !== undefined && asked.auth === "oauth") return { spec: asked, url: asked.url };
  return "its entry has credentials of its own, or its URL is neither https: nor on this machine";
}

/** Sign-ins of the user, and the servers that they are for. No server is started. */
export interface OpenedAccounts extends AsyncDisposable {
  readonly oauth: OAuth;
  readonly config: LoadedConfig;
  /** The folder of the sign-ins. */
  readonly folder: string;
}

// A user reads mail for a code, or looks for a key. Ctrl-C ends it.
const longestSignInMs = 15 * 60_000;

/**
 * Loads the configuration, and opens the user's sign-ins. `only` chooses the servers that are
 * expanded, and asked about if somebody can be asked; by default all are, and nobody is asked.
 * `opensBrowser: false` opens no browser. Rejects with `aborted` when the person cancels a
 * question.
 */
export async function openAccounts(
  context: CommandContext,
  { only, opensBrowser }: { readonly only?: (serverId: string) => boolean; readonly opensBrowser?: boolean } = {},
): Promise<OpenedAccounts> {
  const { terminal } = context;
  const asker = only !== undefined && canAsk(context) ? terminalAsker(terminal) : undefined;
  const answers = answerLoading(terminal, asker);
  const config = await loadConfig({ ...(await filesOf(context)), ...answers, allow: only });
  answers.signal.throwIfAborted();
  const auth = await chooseAuth(
    {
      redirect: loopbackRedirect({ timeoutMs: longestSignInMs }),
      prompt: signInPrompt(terminal, { asker, opensBrowser }),
    },
    {
      credentials: { isEmpty: false, open: async () => userState(terminal).credentials },
      extrasOf: (serverId) => config.sources.find((source) => source.serverId === serverId)?.extras,
      connector: fromEnvironment,
    },
  );
  if (auth.oauth === undefined) throw new TypeError("options make an OAuth");
  return {
    oauth: auth.oauth,
    config,
    folder: userStateFolder(terminal),
    [Symbol.asyncDispose]: () => auth.close(),
  };
}
