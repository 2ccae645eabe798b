import type { SignedIn } from "@hostside/auth";
import type { CommandWork } from "../command-context.ts";
import { usageError } from "../exit-codes.ts";
import { knownServer } from "../opening/known-server.ts";
import { formatCount, printResult } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { nameOf } from "./describe-account.ts";
import { openAccounts, signInTarget } from "./open-accounts.ts";

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
    if (typeof known === "object") await oauth.forgetClient(known.spec, { principal, signal }).catch(() => false);
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
