import type { OAuth, SignedIn } from "@hostside/auth";
import type { LoadedConfig } from "@hostside/config/node";
import { cleanText } from "@hostside/core";
import { compareText, createDeadline } from "@hostside/core/implement";
import type { CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { knownServer } from "../opening/known-server.ts";
import { formatDuration, printJson, printLines } from "../render/print.ts";
import { describeAccount, renderAccounts, type AccountFacts } from "./render-accounts.ts";
import { openAccounts, signInTarget, type OpenedAccounts } from "./open-accounts.ts";

const longestQuestionMs = 10_000;

/**
 * Shows who is signed in where, and which servers of the configuration want a sign-in and have
 * none: those are asked, without any credential. No server is started.
 */
export const runAuthCommand: CommandWork<{ readonly server: string | undefined }> = async ({ server }, context) => {
  const { terminal, options } = context;
  await using accounts = await openAccounts(context);
  const kept = await accounts.oauth.list();
  const isWanted = wantedBy(server, accounts, kept);
  const within = options.timeout === undefined ? longestQuestionMs : options.timeout * 1000;
  const deadline = createDeadline({
    timeoutMs: within,
    signal: terminal.signal,
    onTimeout: () => new Error(`it did not answer within ${formatDuration(within)}`),
  });
  const now = Date.now();
  const known = new Set(accounts.config.sources.map(({ serverId }) => serverId));
  const facts = [
    ...kept
      .filter(({ serverId }) => isWanted(serverId))
      .map((account) => describeAccount(account, known.has(account.serverId), now)),
    ...(await askOthers(accounts, { kept, isWanted, signal: deadline.signal })),
  ].toSorted((a, b) => compareText(a.server, b.server));
  deadline.dispose();
  terminal.signal.throwIfAborted();
  // Who asks for one server wants to hear of it in any case.
  const shown = server === undefined ? facts.filter(({ state }) => state !== "not-needed") : facts;
  if (options.json === true) printJson(terminal, { folder: accounts.folder, accounts: shown });
  else printLines(terminal, [...renderAccounts(shown, { terminal, now }), "", `Kept in ${accounts.folder}`]);
  const isMissing = server !== undefined && !shown.some(({ state }) => state === "signed-in" || state === "not-needed");
  return isMissing ? exitCodes.authRequired : exitCodes.pass;
};

function wantedBy(
  typed: string | undefined,
  { config }: OpenedAccounts,
  kept: readonly SignedIn[],
): (serverId: string) => boolean {
  if (typed === undefined) return () => true;
  const wanted = kept.some(({ serverId }) => serverId === typed) ? typed : knownServer(config, typed).serverId;
  return (serverId) => serverId === wanted;
}

interface Asking {
  readonly kept: readonly SignedIn[];
  readonly isWanted: (serverId: string) => boolean;
  readonly signal: AbortSignal;
}

async function askOthers(
  { oauth, config }: OpenedAccounts,
  { kept, isWanted, signal }: Asking,
): Promise<readonly AccountFacts[]> {
  const asked = config.servers.filter(({ id, disabled }) => {
    return disabled !== true && isWanted(id) && !kept.some(({ serverId }) => serverId === id);
  });
  return Promise.all(asked.map((spec) => askServer(spec, oauth, signal)));
}

async function askServer(
  spec: LoadedConfig["servers"][number],
  oauth: OAuth,
  signal: AbortSignal,
): Promise<AccountFacts> {
  const facts = { server: spec.id, configured: true };
  const target = signInTarget(spec);
  if (typeof target === "string") return { ...facts, state: "not-needed", note: target };
  try {
    const request = await oauth.discover(target.url, { signal });
    if (request === null) return { ...facts, state: "not-needed" };
    return { ...facts, state: "signed-out", issuer: request.issuer, scopes: request.scopes };
  } catch (error) {
    const why = error instanceof Error ? cleanText(error.message, 300) : "it could not be asked";
    return { ...facts, state: "unknown", note: why };
  }
}
