import { compareText } from "@hostside/core/implement";
import type { CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { knownServer } from "../opening/known-server.ts";
import { printResult } from "../render/print.ts";
import { terminalLine, shellLine } from "../render/render-text.ts";
import { renderTable } from "../render/render-table.ts";
import type { Style, Terminal } from "../terminal.ts";
import { openAccounts } from "./open-accounts.ts";
import { describeAccount, describeEnd, nameOf, type AccountFacts } from "./describe-account.ts";

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

const looks: Readonly<Record<AccountFacts["state"], { readonly text: string; readonly style: Style }>> = {
  "signed-in": { text: "signed in", style: "good" },
  expired: { text: "expired", style: "bad" },
};

/** Accounts as lines: a table, and below it what is to be done. */
function renderAccounts(
  accounts: readonly AccountFacts[],
  { terminal, now }: { readonly terminal: Pick<Terminal, "columns" | "paint">; readonly now: number },
): readonly string[] {
  if (accounts.length === 0) return ["Nobody is signed in. hostside list shows which servers want a sign-in."];
  const rows = accounts.map((account) => [
    { text: nameOf(account), style: "name" as const },
    looks[account.state],
    describeEnd(account, now),
  ]);
  const table = renderTable(rows, { ...terminal, layout: [{ least: 12 }, {}, { least: 20 }] });
  return accounts.flatMap((account, index) => [table[index] ?? "", ...detailsOf(account).map((line) => `    ${line}`)]);
}

function detailsOf(account: AccountFacts): readonly string[] {
  const { server, state, configured, issuer, clientId, scopes = [] } = account;
  const grant: string[] = [];
  if (issuer !== undefined) grant.push(`at ${issuer}`);
  if (clientId !== undefined) grant.push(`as ${clientId}`);
  if (scopes.length > 0) grant.push(`for ${scopes.join(" ")}`);
  const lines = [grant.join(", ")];
  if (!configured) lines.push(`not configured any more: ${shellLine(["hostside", "logout", server])}`);
  else if (state === "expired") lines.push(shellLine(["hostside", "login", server]));
  return lines.filter((line) => line !== "").map((line) => terminalLine(line, 500));
}
