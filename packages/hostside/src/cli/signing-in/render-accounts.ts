import type { SignedIn } from "@hostside/auth";
import { formatDuration } from "../render/print.ts";
import { terminalLine, shellLine } from "../render/render-text.ts";
import { renderTable } from "../render/render-table.ts";
import type { Style, Terminal } from "../terminal.ts";

/** A server and whoever is signed in there: what `--json` has. No secret is in it. */
export interface AccountFacts extends Partial<
  Pick<SignedIn, "principal" | "issuer" | "clientId" | "scopes" | "renews">
> {
  readonly server: string;
  /**
   * `"signed-in"`: a token is there that counts, or another one is had without a user.
   * `"not-needed"`: the server lets everybody in.
   */
  readonly state: "signed-in" | "expired" | "not-needed";
  /** The configuration has the server. */
  readonly configured: boolean;
  readonly url?: string | undefined;
  /** ISO 8601. */
  readonly expiresAt?: string | undefined;
}

/** Describes a sign-in. `now`: milliseconds since 1970. */
export function describeAccount(account: SignedIn, configured: boolean, now: number): AccountFacts {
  const { serverId, principal, issuer, serverUrl, clientId, scopes, expiresAt, renews } = account;
  return {
    server: serverId,
    state: isGood(account, now) ? "signed-in" : "expired",
    configured,
    principal,
    issuer,
    url: serverUrl,
    clientId,
    scopes,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    renews,
  };
}

/** Tells whether a sign-in works without a user. */
export function isGood({ expiresAt, renews }: SignedIn, now: number): boolean {
  return renews || expiresAt === undefined || expiresAt > now;
}

const looks: Readonly<Record<AccountFacts["state"], { readonly text: string; readonly style: Style }>> = {
  "signed-in": { text: "signed in", style: "good" },
  expired: { text: "expired", style: "bad" },
  "not-needed": { text: "no sign-in needed", style: "dim" },
};

/** Accounts as lines: a table, and below it what is to be done. */
export function renderAccounts(
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

/** The server of an account, and its principal. */
export function nameOf({ server, principal }: Pick<AccountFacts, "server" | "principal">): string {
  return principal === undefined ? server : `${server} (${principal})`;
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

/** Until when, in words: `until 2026-11-23 06:50 UTC (58 min), renewed by itself`. */
export function describeEnd({ expiresAt, renews }: AccountFacts, now: number): string {
  const end = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  const at = expiresAt === undefined ? "" : `${expiresAt.slice(0, 16).replace("T", " ")} UTC`;
  const left = end === undefined || end <= now ? undefined : `until ${at} (${formatDuration(end - now)})`;
  if (renews === true) return left === undefined ? "renewed by itself" : `${left}, renewed by itself`;
  if (end === undefined) return renews === undefined ? "" : "until the server ends it";
  return left ?? `since ${at}`;
}
