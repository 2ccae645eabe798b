/// <reference lib="esnext.disposable" preserve="true" />
import type { SignedIn } from "@hostside/auth";
import { loopbackRedirect } from "@hostside/auth/node";
import { loadConfig } from "@hostside/config/node";
import type { ServerSpec } from "@hostside/core";
import { compareText, quoteText } from "@hostside/core/implement";
import { chooseAuth } from "../../auth/choose-auth.ts";
import { signInWhereAsked } from "../../auth/to-client.ts";
import { userState, userStateFolder } from "../../state/user-state.ts";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { answerLoading, signInPrompt } from "../opening/asking/ask-user.ts";
import { canAsk, terminalAsker } from "../opening/asking/terminal-asker.ts";
import { filesOf, loadSources } from "../opening/config-files.ts";
import { knownServer, startableServer } from "../opening/known-server.ts";
import { formatCount, formatDuration, printResult } from "../render/print.ts";
import { renderTable } from "../render/render-table.ts";
import { shellLine, terminalLine } from "../render/render-text.ts";
import type { Terminal } from "../terminal.ts";

/** Arguments of `login`. */
export interface LoginArguments {
  readonly server: string;
  /** Scopes beside those that the server asks for. */
  readonly scope?: readonly string[] | undefined;
  /** Signs in anew, also if somebody is signed in. */
  readonly again?: boolean | undefined;
  /** Opens a browser. */
  readonly browser: boolean;
}

/**
 * Signs in to a server by the browser. No server is started, and no other one is asked anything.
 */
export const login: CommandWork<LoginArguments> = async (
  { server: typed, scope: scopes = [], again, browser },
  context,
) => {
  const { serverId } = knownServer(await loadSources(context), typed);
  await using accounts = await openAccounts(context, { only: (id) => id === serverId, opensBrowser: browser });
  const { oauth, config } = accounts;
  startableServer(config, serverId);
  const known = config.servers.find(({ id }) => id === serverId);
  const spec = known === undefined ? "it is not there" : signInTarget(known);
  if (typeof spec === "string") throw usageError(`server ${quoteText(serverId, 200)} takes no sign-in: ${spec}`);
  const { signal } = context.terminal;
  const kept = (await oauth.list()).find((one) => one.serverId === serverId && one.principal === undefined);
  const isEnough = kept !== undefined && scopes.every((scope) => kept.scopes.includes(scope));
  if (again !== true && isEnough && isGood(kept, Date.now())) return report(kept, "already signed in", context);
  if ((await oauth.discover(spec, { signal })) === null) {
    const facts = { server: serverId, state: "not-needed", configured: true };
    return printResult(context, facts, () => [`Server ${terminalLine(serverId, 200)} wants no sign-in.`]);
  }
  // What the authorization server has forgotten no new sign-in mends.
  if (again === true) await oauth.forgetClient(spec, { signal });
  return report(await oauth.authorize(spec, { signal, scopes }), "signed in", context);
};

function report(account: SignedIn, what: string, context: CommandContext): number {
  const now = Date.now();
  const facts = describeAccount(account, true, now);
  const { server, issuer, scopes } = facts;
  return printResult(context, facts, () => {
    const name = context.terminal.paint("good", terminalLine(server, 200));
    const end = describeEnd(facts, now);
    return [
      `${name}: ${what} at ${terminalLine(issuer, 200)}, ${end}.`,
      ...(scopes.length === 0 ? [] : [`Granted: ${terminalLine(scopes.join(", "), 1000)}.`]),
    ];
  });
}

/** Arguments of `logout`: one server, or all. */
export interface LogoutArguments {
  readonly server: string | undefined;
  readonly all?: boolean | undefined;
}

/** The end of one sign-in, as `--json` prints it. */
export interface LogoutFacts {
  readonly server: string;
  readonly principal?: string | undefined;
  /** There was a sign-in. */
  readonly existed: boolean;
  /**
   * The authorization server agreed to revoke the tokens. `null`: it does not offer that.
   */
  readonly revoked: boolean | null;
}

/**
 * Revokes tokens where that can be done, and forgets them. A server need not be configured any
 * more.
 */
export const logout: CommandWork<LogoutArguments> = async ({ server, all = false }, context) => {
  if ((server === undefined) !== all)
    throw usageError("name one server, or say --all", "hostside auth shows who is signed in where");
  const { signal } = context.terminal;
  await using accounts = await openAccounts(context);
  const { oauth, config } = accounts;
  const kept = (await oauth.list()).filter(({ serverId }) => all || serverId === server);
  const targets = new Map<string, Pick<SignedIn, "serverId" | "principal">>();
  for (const { serverId, principal } of kept)
    targets.set(JSON.stringify([serverId, principal]), { serverId, principal });
  if (server !== undefined && kept.length === 0) targets.set("", { serverId: knownServer(config, server).serverId });
  const facts: LogoutFacts[] = [];
  for (const { serverId, principal } of targets.values()) {
    const spec = config.servers.find(({ id }) => id === serverId);
    const known = spec && signInTarget(spec);
    // Its server may be gone, or name nothing to sign in to.
    if (typeof known === "object") await oauth.forgetClient(known, { principal, signal }).catch(() => false);
    const { existed, revoked = null } = await oauth.signOut(serverId, { principal, signal });
    facts.push({ server: serverId, principal, existed, revoked });
  }
  return printResult(context, { accounts: facts }, () => renderLogout(facts, all));
};

/** Renders the ends of sign-ins as lines. */
export function renderLogout(facts: readonly LogoutFacts[], all: boolean): readonly string[] {
  if (facts.length === 0) return ["Nobody was signed in anywhere."];
  const lines = facts.map(({ existed, revoked, ...account }) => {
    const name = terminalLine(nameOf(account), 200);
    if (!existed) return `${name}: nobody was signed in.`;
    if (revoked === true) return `${name}: signed out, and the tokens were revoked.`;
    const why = `the authorization server ${revoked === null ? "revokes no tokens" : "did not revoke the tokens"}`;
    return `${name}: signed out here; ${why}, so that they end by themselves.`;
  });
  return all ? [...lines, `${formatCount(facts.length, "sign-in")} forgotten.`] : lines;
}

/** Shows who is signed in where. No server is started or asked. */
export const runAuthCommand: CommandWork<{ readonly server: string | undefined }> = async ({ server }, context) => {
  await using opened = await openAccounts(context);
  const { oauth, config, folder } = opened;
  const kept = await oauth.list();
  const isKept = kept.some(({ serverId }) => serverId === server);
  const wanted = server === undefined || isKept ? server : knownServer(config, server).serverId;
  const known = new Set(config.sources.map(({ serverId }) => serverId));
  const now = Date.now();
  const accounts = kept
    .filter(({ serverId }) => wanted === undefined || serverId === wanted)
    .map((account) => describeAccount(account, known.has(account.serverId), now))
    .toSorted((a, b) => compareText(a.server, b.server));
  printResult(context, { folder, accounts }, () => [
    ...renderAccounts(accounts, { terminal: context.terminal, now }),
    "",
    `Kept in ${folder}`,
  ]);
  const isSignedIn = accounts.some(({ state }) => state === "signed-in");
  return server === undefined || isSignedIn ? exitCodes.pass : exitCodes.authRequired;
};

/** Accounts as lines: a table, and below it what is to be done. */
function renderAccounts(
  accounts: readonly AccountFacts[],
  { terminal, now }: { readonly terminal: Pick<Terminal, "columns" | "paint">; readonly now: number },
): readonly string[] {
  if (accounts.length === 0) return ["Nobody is signed in. hostside list shows which servers want a sign-in."];
  const rows = accounts.map((account) => [
    { text: nameOf(account), style: "name" as const },
    account.state === "expired"
      ? ({ text: "expired", style: "bad" } as const)
      : ({ text: "signed in", style: "good" } as const),
    describeEnd(account, now),
  ]);
  const table = renderTable(rows, { ...terminal, layout: [{ least: 12 }, {}, { least: 20 }] });
  return accounts.flatMap((account, index) => [table[index] ?? "", ...detailsOf(account).map((line) => `    ${line}`)]);
}

function detailsOf({ server, state, configured, issuer, clientId, scopes }: AccountFacts): readonly string[] {
  const lines = [`at ${issuer}, as ${clientId}${scopes.length === 0 ? "" : `, for ${scopes.join(" ")}`}`];
  if (!configured) lines.push(`not configured any more: ${shellLine(["hostside", "logout", server])}`);
  else if (state === "expired") lines.push(shellLine(["hostside", "login", server]));
  return lines.map((line) => terminalLine(line, 500));
}

/** The server as somebody signs in to it, or why nobody does, as a sentence. */
function signInTarget(spec: ServerSpec): ServerSpec | string {
  if (spec.url === undefined) return "it is a program on this machine, which nobody signs in to";
  if (spec.auth === "api-key" || spec.bearerToken !== undefined) return "its entry has a token of its own";
  const asked = signInWhereAsked(spec);
  if (asked.url !== undefined && asked.auth === "oauth") return asked;
  return "its entry has credentials of its own, or its URL is neither https: nor on this machine";
}

// A user reads mail for a code, or looks for a key. Ctrl-C ends it.
const longestSignInMs = 15 * 60_000;

/**
 * Loads the configuration, and opens the user's sign-ins. `only` chooses the servers that are
 * expanded, and asked about if somebody can be asked; by default all are, and nobody is asked.
 * `opensBrowser: false` opens no browser. Rejects with `aborted` when the person cancels a
 * question.
 */
async function openAccounts(
  context: CommandContext,
  { only, opensBrowser }: { readonly only?: (serverId: string) => boolean; readonly opensBrowser?: boolean } = {},
) {
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
      connector: { proxy: "environment" },
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
type AccountFacts = ReturnType<typeof describeAccount>;

/** Describes a sign-in. `now`: milliseconds since 1970. */
function describeAccount(account: SignedIn, configured: boolean, now: number) {
  const { serverId: server, principal, issuer, serverUrl: url, clientId, scopes, renews } = account;
  // A token is there that counts, or another one is had without a user.
  const state = isGood(account, now) ? ("signed-in" as const) : ("expired" as const);
  const expiresAt = account.expiresAt === undefined ? undefined : new Date(account.expiresAt).toISOString();
  return { server, state, configured, principal, issuer, url, clientId, scopes, expiresAt, renews };
}

/** Tells whether a sign-in works without a user. */
function isGood({ expiresAt, renews }: SignedIn, now: number): boolean {
  return renews || expiresAt === undefined || expiresAt > now;
}

/** The server of an account, and its principal. */
function nameOf({ server, principal }: Pick<LogoutFacts, "server" | "principal">): string {
  return principal === undefined ? server : `${server} (${principal})`;
}

/** Until when, in words: `until 2026-11-23 06:50 UTC (58 min), renewed by itself`. */
function describeEnd({ expiresAt, renews }: AccountFacts, now: number): string {
  const end = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  const at = expiresAt === undefined ? "" : `${expiresAt.slice(0, 16).replace("T", " ")} UTC`;
  const left = end === undefined || end <= now ? undefined : `until ${at} (${formatDuration(end - now)})`;
  if (renews) return left === undefined ? "renewed by itself" : `${left}, renewed by itself`;
  if (end === undefined) return "until the server ends it";
  return left ?? `since ${at}`;
}
