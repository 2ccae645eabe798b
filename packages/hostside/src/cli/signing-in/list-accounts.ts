import { compareText } from "@hostside/core/implement";
import type { CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { knownServer } from "../opening/known-server.ts";
import { printResult } from "../render/print.ts";
import { describeAccount, renderAccounts } from "./render-accounts.ts";
import { openAccounts } from "./open-accounts.ts";

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
