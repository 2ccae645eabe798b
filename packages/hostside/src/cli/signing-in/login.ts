import type { SignedIn } from "@hostside/auth";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { knownServer, startableServer } from "../opening/known-server.ts";
import { filesOf } from "../opening/config-files.ts";
import { terminalLine } from "../render/render-text.ts";
import { printJson, printLines } from "../render/print.ts";
import { loadConfig } from "@hostside/config/node";
import { describeAccount, isGood, describeEnd, type AccountFacts } from "./render-accounts.ts";
import { openAccounts, mustSignInTarget } from "./open-accounts.ts";

/** What `login` was asked. */
export interface LoginArguments {
  readonly server: string;
  /** Scopes beside those that the server asks for. */
  readonly scopes: readonly string[];
  /** Whether somebody who is signed in signs in anew. */
  readonly again: boolean;
  readonly opensBrowser: boolean;
}

/**
 * Signs in to a server by the browser. No server is started, and no other one is asked anything.
 */
export const login: CommandWork<LoginArguments> = async ({ server: typed, scopes, again, opensBrowser }, context) => {
  const { terminal } = context;
  const { watch: _, ...files } = filesOf(context);
  const { serverId } = knownServer(await loadConfig({ ...files, allow: () => false }), typed);
  await using accounts = await openAccounts(context, { only: (id) => id === serverId, opensBrowser });
  const { oauth, config } = accounts;
  startableServer(config, serverId);
  const { spec } = mustSignInTarget(config, serverId);
  const { signal } = terminal;

  const kept = (await oauth.list()).find(
    (one) => one.serverId === serverId && one.principal === undefined && one.current,
  );
  const isEnough = kept !== undefined && scopes.every((scope) => kept.scopes.includes(scope));
  if (!again && isEnough && isGood(kept, Date.now())) {
    return report(kept, "already signed in", context);
  }
  if ((await oauth.discover(spec, { signal })) === null) {
    const facts: AccountFacts = { server: serverId, state: "not-needed", configured: true };
    if (context.options.json === true) printJson(terminal, facts);
    else printLines(terminal, [`Server ${terminalLine(serverId, 200)} wants no sign-in.`]);
    return exitCodes.pass;
  }
  // What the authorization server has forgotten no new sign-in mends.
  if (again) await oauth.forgetClient(spec, { signal });
  return report(await oauth.authorize(spec, { signal, scopes }), "signed in", context);
};

function report(account: SignedIn, what: string, { terminal, options }: CommandContext): number {
  const now = Date.now();
  const facts = describeAccount(account, true, now);
  if (options.json === true) printJson(terminal, facts);
  else {
    const { server, issuer = "", scopes = [] } = facts;
    const end = describeEnd(facts, now);
    printLines(terminal, [
      `${terminal.paint("good", terminalLine(server, 200))}: ${what} at ${terminalLine(issuer, 200)}${end === "" ? "" : `, ${end}`}.`,
      ...(scopes.length === 0 ? [] : [`Granted: ${terminalLine(scopes.join(", "), 1000)}.`]),
    ]);
  }
  return exitCodes.pass;
}
