import type { SignedIn } from "@hostside/auth";
import { quoteText } from "@hostside/core/implement";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { usageError } from "../exit-codes.ts";
import { knownServer, startableServer } from "../opening/known-server.ts";
import { loadSources } from "../opening/config-files.ts";
import { terminalLine } from "../render/render-text.ts";
import { printResult } from "../render/print.ts";
import { describeAccount, isGood, describeEnd } from "./describe-account.ts";
import { openAccounts, signInTarget } from "./open-accounts.ts";

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
  const target = known === undefined ? "it is not there" : signInTarget(known);
  if (typeof target === "string") throw usageError(`server ${quoteText(serverId, 200)} takes no sign-in: ${target}`);
  const { spec } = target;
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
  const { server, issuer = "", scopes = [] } = facts;
  return printResult(context, facts, () => {
    const name = context.terminal.paint("good", terminalLine(server, 200));
    const end = describeEnd(facts, now);
    return [
      `${name}: ${what} at ${terminalLine(issuer, 200)}${end === "" ? "" : `, ${end}`}.`,
      ...(scopes.length === 0 ? [] : [`Granted: ${terminalLine(scopes.join(", "), 1000)}.`]),
    ];
  });
}
