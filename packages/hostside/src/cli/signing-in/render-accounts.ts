import type { SignedIn } from "@hostside/auth";
import { formatDuration } from "../render/print.ts";
import { terminalLine, shellLine } from "../render/render-text.ts";
import { renderTable } from "../render/render-table.ts";
import type { Style, Terminal } from "../terminal.ts";

/** How somebody stands with a server. */
export type SignInState =
  /** A token is there that counts, or another one is had without a user. */
  | "signed-in"
  /** What is there counts no more. */
  | "expired"
  /** The server wants a sign-in, and there is none. */
  | "signed-out"
  /** The server lets everybody in, or its entry has credentials of its own. */
  | "not-needed"
  /** It could not be asked. */
  | "unknown";

/** A server and whoever is signed in there: what `--json` has. No secret is in it. */
export interface AccountFacts {
  readonly server: string;
  readonly state: SignInState;
  /** Whether the configuration has the server. */
  readonly configured: boolean;
  readonly principal?: string | undefined;
  readonly issuer?: string | undefined;
  readonly url?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** ISO 8601. */
  readonly expiresAt?: string | undefined;
  readonly renews?: boolean | undefined;
  /** Why it is not known, or what to do. */
  readonly note?: string | undefined;
}

/** What is known of a sign-in at a moment, in milliseconds since 1970. */
export function describeAccount(account: SignedIn, configured: boolean, now: number): AccountFacts {
  const { serverId, principal, issuer, serverUrl, clientId, scopes, expiresAt, renews, current } = account;
  return {
    server: serverId,
    state: isGood(account, now) ? "signed-in" : "expired",
    configured,
    ...(principal !== undefined && { principal }),
    issuer,
    url: serverUrl,
    clientId,
    scopes,
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    renews,
    ...(!current && { note: "of an authorization server that the server does not name any more" }),
  };
}

/** Whether a sign-in lets in without a user. */
export function isGood({ expiresAt, renews, current }: SignedIn, now: number): boolean {
  return current && (renews || expiresAt === undefined || expiresAt > now);
}

const looks: Readonly<Record<SignInState, { readonly text: string; readonly style: Style }>> = {
  "signed-in": { text: "signed in", style: "good" },
  expired: { text: "expired", style: "bad" },
  "signed-out": { text: "signed out", style: "warn" },
  "not-needed": { text: "no sign-in needed", style: "dim" },
  unknown: { text: "unknown", style: "dim" },
};

/** Accounts as lines: a table, and below it what is to be done. */
export function renderAccounts(
  accounts: readonly AccountFacts[],
  { terminal, now }: { readonly terminal: Pick<Terminal, "columns" | "paint">; readonly now: number },
): readonly string[] {
  if (accounts.length === 0)
    return ["No server of the configuration wants a sign-in, and nobody is signed in anywhere."];
  const names = accounts.map(({ server, principal }) =>
    principal === undefined ? server : `${server} (${principal})`,
  );
  const rows = accounts.map((account, index) => [
    { text: names[index] ?? "", style: "name" as const },
    looks[account.state],
    describeEnd(account, now),
  ]);
  const table = renderTable(rows, { ...terminal, layout: [{ least: 12 }, {}, { least: 20 }] });
  return accounts.flatMap((account, index) => [table[index] ?? "", ...detailsOf(account).map((line) => `    ${line}`)]);
}

function detailsOf(account: AccountFacts): readonly string[] {
  const { server, state, configured, issuer, clientId, scopes = [], note } = account;
  const grant = [
    issuer === undefined ? undefined : `at ${issuer}`,
    clientId === undefined ? undefined : `as ${clientId}`,
    scopes.length === 0 ? undefined : `for ${scopes.join(" ")}`,
  ];
  const wantsUser = configured && (state === "signed-out" || state === "expired");
  return [
    grant.filter((part) => part !== undefined).join(", "),
    note ?? "",
    configured ? "" : `not configured any more: ${shellLine(["hostside", "logout", server])}`,
    wantsUser ? shellLine(["hostside", "login", server]) : "",
  ]
    .filter((line) => line !== "")
    .map((line) => terminalLine(line, 500));
}

/** Until when, in words: `until 2026-11-23 06:50 UTC (58 min), renewed by itself`. */
export function describeEnd({ expiresAt, renews }: AccountFacts, now: number): string {
  const end = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  const at = expiresAt === undefined ? "" : `${expiresAt.slice(0, 16).replace("T", " ")} UTC`;
  if (renews === true)
    return end === undefined || end <= now
      ? "renewed by itself"
      : `until ${at} (${formatDuration(end - now)}), renewed by itself`;
  if (end === undefined) return renews === undefined ? "" : "until the server ends it";
  return end > now ? `until ${at} (${formatDuration(end - now)})` : `since ${at}`;
}
