import type { AuthorizationFetch } from "@hostside/core";
import { untilAborted } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { abortError, toAuthError } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { DocumentParts } from "../tokens/account-documents.ts";
import { loadOAuth } from "../load-oauth.ts";
import type { DiscoveredAuthorization } from "../oauth.ts";
import { askServer } from "./ask-server.ts";
import { discoverAuthorization } from "./discover-authorization.ts";
import { noteChallenge } from "./note-challenge.ts";
import { readResourceMetadata } from "./read-metadata.ts";

/** Who wants to know what a server wants. */
export interface Inquiry {
  /** An account that nobody signs in to. */
  readonly account: Account;
  /** Reads no body: a server may answer with a stream that has no end. */
  readonly fetchHead: AuthorizationFetch;
  readonly signal: AbortSignal;
}

/**
 * What a server wants of those who sign in; `null` when it lets in who has no credentials and says
 * nothing else in its metadata. One that refuses and publishes nothing is taken to have the
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
  const oauth = await loadOAuth();
  const server = await untilAborted(readResourceMetadata({ account, oauth, signal }), signal);
  return server !== undefined && server.authorizationServers.length > 0;
}
