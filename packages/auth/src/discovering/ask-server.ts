import type { AuthorizationFetch } from "@hostside/core";
import { untilAborted } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired, throwIfAborted, abortError, toAuthError } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { DocumentParts } from "../accounts/account-documents.ts";
import { discoverAuthorization, type Discovered } from "./discover-authorization.ts";
import { noteChallenge } from "./read-challenges.ts";
import type { DiscoveredAuthorization } from "../oauth.ts";
import { withinTime } from "../within-time.ts";
import { readResourceMetadata } from "./read-metadata.ts";

// Asks for nothing and changes nothing, whatever the era of the server: one that lets everybody in
// says so by not refusing it.
const question = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
// A sign-in goes on without the answer.
const answerMs = 5000;

/** Asks a server something without credentials. */
function askServer(
  { serverUrl }: Pick<Account, "serverUrl">,
  fetch: AuthorizationFetch,
  signal: AbortSignal,
): Promise<Response> {
  return untilAborted(fetch(serverUrl, { method: "POST", headers, body: question, signal }), signal);
}

/**
 * Finds out where to sign in to a server, and for what. A server that has not refused anything yet
 * is first asked for its challenge. The sign-in then asks for the same, whether or not something
 * has connected. A server that does not answer within 5 s, or whose scopes are configured, goes
 * without a challenge.
 *
 * Rejects as {@linkcode discoverAuthorization}, and with `auth_required` when the server lets in
 * who has no credentials and nothing says where to sign in.
 */
export async function discoverForSignIn(
  parts: Pick<AuthParts, "closing"> & DocumentParts,
  account: Account,
  signal: AbortSignal,
): Promise<Discovered> {
  const { hints, config } = account;
  const isAsked = hints.isHeard !== true && config.scopes === undefined;
  const status = isAsked ? await askForChallenge(parts, account, signal) : undefined;
  const discovered = await discoverAuthorization(account, parts, { signal });
  if (letsIn(status) && !discovered.isPublished) {
    const text =
      "it does not refuse requests without credentials, and publishes no metadata that say where to sign in: it wants no OAuth; nobody was registered there. If it refuses its tools, it may want a key (createApiKeys())";
    throw authRequired(account, text);
  }
  return discovered;
}

async function askForChallenge(
  { closing }: Pick<AuthParts, "closing">,
  account: Account,
  signal: AbortSignal,
): Promise<number | undefined> {
  const limit = {
    timeoutMs: answerMs,
    signal: AbortSignal.any([signal, closing]),
    onTimeout: () => new Error("no answer"),
  };
  try {
    const { status, headers: said } = await withinTime(limit, (ending) => askServer(account, account.fetch, ending));
    if (status === 401) noteChallenge(account, said.get("www-authenticate") ?? undefined);
    return status;
  } catch {
    throwIfAborted(signal, account, "signing in");
    closing.throwIfAborted();
    return undefined;
  }
}

// A server of the protocol of 2025-03-26 that wants OAuth and publishes nothing answers 401. With
// sessions, 400 stands for "no session".
function letsIn(status: number | undefined): boolean {
  return status !== undefined && ((status >= 200 && status < 300) || status === 400);
}

/** A question about the sign-in of a server. */
export interface Inquiry {
  /** An account that nobody signs in to. */
  readonly account: Account;
  /** Reads no body: a server may answer with a stream that has no end. */
  readonly fetchHead: AuthorizationFetch;
  readonly signal: AbortSignal;
}

/**
 * Finds out how to sign in to a server; `null` when it takes requests without credentials and its
 * metadata say nothing else. A server that refuses and publishes nothing is taken to have the
 * endpoints that the protocol of 2025-03-26 assumes.
 */
export async function discoverUrl(
  { account, fetchHead, signal }: Inquiry,
  parts: Pick<AuthParts, "closing"> & DocumentParts,
): Promise<DiscoveredAuthorization | null> {
  const ending = AbortSignal.any([signal, parts.closing]);
  let response: Response;
  try {
    response = await askServer(account, fetchHead, ending);
  } catch (error) {
    throw ending.aborted
      ? abortError(ending, account, "discovering")
      : toAuthError(error, account, "asking the server");
  }
  noteChallenge(account, response.headers.get("www-authenticate") ?? undefined);
  const isRefused = response.status === 401;
  if (!isRefused && !(await hasMetadata(account, ending))) return null;
  const { issuer, metadata, scopes, isPublished } = await discoverAuthorization(account, parts, { signal: ending });
  const asked = account.hints.scope?.split(" ") ?? [];
  return {
    issuer,
    scopes: asked.length > 0 ? asked : scopes,
    registration: [
      ...(metadata["client_id_metadata_document_supported"] === true ? (["metadata-document"] as const) : []),
      ...(isPublished && metadata.registration_endpoint !== undefined ? (["dynamic"] as const) : []),
    ],
  };
}

async function hasMetadata(account: Account, signal: AbortSignal): Promise<boolean> {
  const server = await untilAborted(readResourceMetadata({ account, signal }), signal);
  return server !== undefined && server.authorizationServers.length > 0;
}
