import type { OAuth } from "@hostside/auth";
import { cleanText, type ServerSpec } from "@hostside/core";
import { compareText, createDeadline } from "@hostside/core/implement";
import type { CommandWork } from "../command-context.ts";
import { exitCodes, messageOf } from "../exit-codes.ts";
import { knownServer } from "../opening/known-server.ts";
import { formatDuration, printResult } from "../render/print.ts";
import { describeAccount, renderAccounts, type AccountFacts } from "./render-accounts.ts";
import { openAccounts, signInTarget } from "./open-accounts.ts";

const longestQuestionMs = 10_000;

/**
 * Shows who is signed in where, and which servers of the configuration want a sign-in and have
 * none: those are asked, without any credential. No server is started.
 */
export const runAuthCommand: CommandWork<{ readonly server: string | undefined }> = async ({ server }, context) => {
  const { terminal, options } = context;
  await using accounts = await openAccounts(context);
  const { oauth, config, folder } = accounts;
  const kept = await oauth.list();
  const isKept = (id: string): boolean => kept.some(({ serverId }) => serverId === id);
  const wanted = server === undefined || isKept(server) ? server : knownServer(config, server).serverId;
  const isWanted = (id: string): boolean => wanted === undefined || id === wanted;
  const within = options.timeout === undefined ? longestQuestionMs : options.timeout * 1000;
  const deadline = createDeadline({
    timeoutMs: within,
    signal: terminal.signal,
    onTimeout: () => new Error(`it did not answer within ${formatDuration(within)}`),
  });
  const now = Date.now();
  const known = new Set(config.sources.map(({ serverId }) => serverId));
  const others = config.servers.filter(({ id, disabled }) => disabled !== true && isWanted(id) && !isKept(id));
  const facts = [
    ...kept
      .filter(({ serverId }) => isWanted(serverId))
      .map((account) => describeAccount(account, known.has(account.serverId), now)),
    ...(await Promise.all(others.map((spec) => askServer(spec, oauth, deadline.signal)))),
  ].toSorted((a, b) => compareText(a.server, b.server));
  deadline.dispose();
  terminal.signal.throwIfAborted();
  // A server that was named is shown in any case.
  const shown = facts.filter(({ state }) => server !== undefined || state !== "not-needed");
  printResult(context, { folder, accounts: shown }, () => [
    ...renderAccounts(shown, { terminal, now }),
    "",
    `Kept in ${folder}`,
  ]);
  const isMissing = server !== undefined && !shown.some(({ state }) => state === "signed-in" || state === "not-needed");
  return isMissing ? exitCodes.authRequired : exitCodes.pass;
};

async function askServer(spec: ServerSpec, oauth: OAuth, signal: AbortSignal): Promise<AccountFacts> {
  const facts = { server: spec.id, configured: true };
  const target = signInTarget(spec);
  if (typeof target === "string") return { ...facts, state: "not-needed", note: target };
  try {
    const request = await oauth.discover(target.url, { signal });
    if (request === null) return { ...facts, state: "not-needed" };
    return { ...facts, state: "signed-out", issuer: request.issuer, scopes: request.scopes };
  } catch (error) {
    return { ...facts, state: "unknown", note: cleanText(messageOf(error), 300) };
  }
}
