/// <reference lib="esnext.disposable" preserve="true" />
import { loadConfig, type LoadedConfig } from "@hostside/config/node";
import type { ServerSpec } from "@hostside/core";
import { signInWhereAsked } from "../../auth/to-client.ts";
import type { OAuth, SignedIn } from "@hostside/auth";
import { loopbackRedirect } from "@hostside/auth/node";
import { chooseAuth } from "../../auth/choose-auth.ts";
import { userState, userStateFolder } from "../../state/user-state.ts";
import type { CommandContext } from "../command-context.ts";
import { answerLoading, signInPrompt } from "../opening/asking/ask-user.ts";
import { terminalAsker, canAsk } from "../opening/asking/terminal-asker.ts";
import { filesOf } from "../opening/config-files.ts";
import { fromEnvironment } from "../from-environment.ts";
import { formatDuration } from "../render/print.ts";

/** The server as somebody signs in to it, or why nobody does, as a sentence. */
export function signInTarget(spec: ServerSpec): ServerSpec | string {
  if (spec.url === undefined) return "it is a program on this machine, which nobody signs in to";
  if (spec.auth === "api-key" || spec.bearerToken !== undefined) return "its entry has a token of its own";
  const asked = signInWhereAsked(spec);
  if (asked.url !== undefined && asked.auth === "oauth") return asked;
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

/** A server and whoever is signed in there: what `--json` has. No secret is in it. */
export interface AccountFacts extends Omit<SignedIn, "serverId" | "serverUrl" | "expiresAt"> {
  readonly server: string;
  /** `"signed-in"`: a token is there that counts, or another one is had without a user. */
  readonly state: "signed-in" | "expired";
  /** The configuration has the server. */
  readonly configured: boolean;
  readonly url: string;
  /** ISO 8601. */
  readonly expiresAt: string | undefined;
}

/** Describes a sign-in. `now`: milliseconds since 1970. */
export function describeAccount(account: SignedIn, configured: boolean, now: number): AccountFacts {
  const { serverId: server, principal, issuer, serverUrl: url, clientId, scopes, renews } = account;
  const state = isGood(account, now) ? "signed-in" : "expired";
  const expiresAt = account.expiresAt === undefined ? undefined : new Date(account.expiresAt).toISOString();
  return { server, state, configured, principal, issuer, url, clientId, scopes, expiresAt, renews };
}

/** Tells whether a sign-in works without a user. */
export function isGood({ expiresAt, renews }: SignedIn, now: number): boolean {
  return renews || expiresAt === undefined || expiresAt > now;
}

/** The server of an account, and its principal. */
export function nameOf({ server, principal }: Pick<AccountFacts, "server" | "principal">): string {
  return principal === undefined ? server : `${server} (${principal})`;
}

/** Until when, in words: `until 2026-11-23 06:50 UTC (58 min), renewed by itself`. */
export function describeEnd({ expiresAt, renews }: AccountFacts, now: number): string {
  const end = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  const at = expiresAt === undefined ? "" : `${expiresAt.slice(0, 16).replace("T", " ")} UTC`;
  const left = end === undefined || end <= now ? undefined : `until ${at} (${formatDuration(end - now)})`;
  if (renews) return left === undefined ? "renewed by itself" : `${left}, renewed by itself`;
  if (end === undefined) return "until the server ends it";
  return left ?? `since ${at}`;
}
