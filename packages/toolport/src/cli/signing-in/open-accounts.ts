/// <reference lib="esnext.disposable" preserve="true" />
import type { OAuth } from "@toolport/auth";
import { loopbackRedirect } from "@toolport/auth/node";
import { createTrust } from "@toolport/config";
import { loadConfig, type LoadedConfig } from "@toolport/config/node";
import { ToolportError } from "@toolport/core";
import { chooseAuth } from "../../auth/choose-auth.ts";
import { userState, userStateFolder } from "../../state/user-state.ts";
import type { CommandContext } from "../command-context.ts";
import { askInput } from "../host/asking/ask-input.ts";
import { askTrust } from "../host/asking/ask-trust.ts";
import { terminalAsker } from "../host/asking/terminal-asker.ts";
import { canAsk } from "../host/asking/can-ask.ts";
import { filesOf } from "../host/config-files.ts";
import { signInPrompt } from "../host/sign-in-prompt.ts";
import { fromEnvironment } from "../from-environment.ts";

/** Sign-ins of the user, and the servers that they are for. No server is started. */
export interface Accounts extends AsyncDisposable {
  readonly oauth: OAuth;
  readonly config: LoadedConfig;
  /** Where sign-ins are kept. */
  readonly folder: string;
}

/** What a command wants of sign-ins. */
export interface AccountsWish {
  /** Which servers of the configuration are expanded, and asked about if somebody can be asked. Default: all, and nobody is asked. */
  readonly only?: ((serverId: string) => boolean) | undefined;
  /** `false`: no browser is opened. Default `true`: where one can be seen. */
  readonly opensBrowser?: boolean | undefined;
}

// A user reads mail for a code, or looks for a key. Ctrl-C ends it.
const longestSignInMs = 15 * 60_000;

/** Loads the configuration, and opens the user's sign-ins. Rejects with `aborted` when the person cancels a question. */
export async function openAccounts(
  context: CommandContext,
  { only, opensBrowser }: AccountsWish = {},
): Promise<Accounts> {
  const { terminal } = context;
  const state = userState(terminal);
  const asker = only !== undefined && canAsk(context) ? terminalAsker(terminal) : undefined;
  const cancelled = new AbortController();
  const onCancel = (): void => cancelled.abort(new ToolportError("cancelled", { code: "aborted" }));
  const signal = AbortSignal.any([terminal.signal, cancelled.signal]);
  const { watch: _, ...files } = filesOf(context);
  const config = await loadConfig({
    ...files,
    only,
    trust: createTrust({ store: state.store, lock: state.lock, ask: asker && askTrust(asker, onCancel) }),
    inputs: asker && askInput(asker, onCancel),
    signal,
  });
  signal.throwIfAborted();
  const auth = chooseAuth(
    {
      redirect: loopbackRedirect({ timeoutMs: longestSignInMs }),
      prompt: signInPrompt(terminal, { asker, opensBrowser }),
    },
    {
      credentials: state.credentials,
      extrasOf: (serverId) => config.sources.find((source) => source.serverId === serverId)?.extras,
      clock: undefined,
      way: fromEnvironment,
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
