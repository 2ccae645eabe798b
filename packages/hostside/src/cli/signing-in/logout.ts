import type { OAuth, SignedIn } from "@hostside/auth";
import type { CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { knownServer } from "../opening/known-server.ts";
import { formatCount, printJson, printLines } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { openAccounts, signInTarget } from "./open-accounts.ts";

/** What `logout` was asked: one server, or all. */
export interface LogoutArguments {
  readonly server: string | undefined;
  readonly all: boolean;
}

/** What became of one sign-in; what `--json` has. */
export interface LogoutFacts {
  readonly server: string;
  readonly principal?: string | undefined;
  /** Whether there was a sign-in. */
  readonly existed: boolean;
  /**
   * Whether the authorization server agreed to revoke the tokens; `null` where it offers no such
   * thing.
   */
  readonly revoked: boolean | null;
}

/**
 * Revokes tokens where that can be done, and forgets them. A server need not be configured any
 * more.
 */
export const logout: CommandWork<LogoutArguments> = async ({ server, all }, context) => {
  if ((server === undefined) !== all)
    throw usageError("name one server, or say --all", "hostside auth shows who is signed in where");
  await using accounts = await openAccounts(context);
  const { oauth, config } = accounts;
  const kept = distinct(await oauth.list());
  const gone = all ? kept : kept.filter(({ serverId }) => serverId === server);
  const targets: readonly Account[] =
    server !== undefined && gone.length === 0 ? [{ serverId: knownServer(config, server).serverId }] : gone;
  const facts: LogoutFacts[] = [];
  const { signal } = context.terminal;
  for (const target of targets) {
    const { serverId, principal } = target;
    const spec = config.servers.find(({ id }) => id === serverId);
    const known = spec === undefined ? undefined : signInTarget(spec);
    // Its server may be gone, or name nothing to sign in to.
    if (typeof known === "object") await oauth.forgetClient(known.spec, { principal, signal }).catch(() => false);
    facts.push(await signOut(oauth, target, signal));
  }
  if (context.options.json === true) printJson(context.terminal, { accounts: facts });
  else printLines(context.terminal, renderLogout(facts, all));
  return exitCodes.pass;
};

type Account = Pick<SignedIn, "serverId" | "principal">;

async function signOut(oauth: OAuth, { serverId, principal }: Account, signal: AbortSignal): Promise<LogoutFacts> {
  const { existed, revoked } = await oauth.signOut(serverId, { principal, signal });
  return { server: serverId, ...(principal !== undefined && { principal }), existed, revoked: revoked ?? null };
}

/** What became of sign-ins, as lines. */
export function renderLogout(facts: readonly LogoutFacts[], all: boolean): readonly string[] {
  if (facts.length === 0) return ["Nobody was signed in anywhere."];
  const lines = facts.map(({ server, principal, existed, revoked }) => {
    const name = terminalLine(principal === undefined ? server : `${server} (${principal})`, 200);
    if (!existed) return `${name}: nobody was signed in.`;
    if (revoked === true) return `${name}: signed out, and the tokens were revoked.`;
    const why =
      revoked === null
        ? "the authorization server revokes no tokens"
        : "the authorization server did not revoke the tokens";
    return `${name}: signed out here; ${why}, so that they end by themselves.`;
  });
  return all ? [...lines, `${formatCount(facts.length, "sign-in")} forgotten.`] : lines;
}

function distinct(accounts: readonly SignedIn[]): readonly Account[] {
  const known = new Map<string, Account>();
  for (const { serverId, principal } of accounts)
    known.set(JSON.stringify([serverId, principal]), { serverId, principal });
  return [...known.values()];
}
