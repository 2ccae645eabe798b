import { isHostsideError, HostsideError, type ErrorDetails, type ServerSpec } from "@hostside/core";
import type { Account, AuthParts } from "../account.ts";
import { authRequired, safeExcerptOf } from "../auth-errors.ts";
import { authenticateClient } from "../clients/authenticate-client.ts";
import { forgetClient } from "../clients/become-client.ts";
import { readTokenType, dpopOf } from "../dpop/dpop.ts";
import type { SignedIn } from "../oauth.ts";
import { saveAuthorization } from "../accounts/account-documents.ts";
import { sameIssuer, toSignedIn, toStoredAuthorization } from "../accounts/stored-account.ts";
import { revoke } from "../signing-out/sign-out.ts";
import { askWithOptional } from "../tokens/request-tokens.ts";
import { takePending, type PendingDocument } from "./open-authorization.ts";
import { kindOf } from "@hostside/core/implement";

/** The end of a user's answer. */
export type AuthorizationCompletion = {
  /**
   * The process that took the answer: it can be answered once. `"nobody"`: it can be answered
   * still.
   */
  readonly takenBy: "here" | "elsewhere" | "nobody";
  /** The authorization server does not know the client, which is forgotten now. */
  readonly isUnknownClient?: boolean;
} & (
  | { readonly signedIn: SignedIn; readonly failure?: undefined }
  | { readonly signedIn?: undefined; readonly failure: HostsideError }
);

/**
 * Redeems what a user came back with: where the user was sent to and nowhere else, and at most
 * once, because what it takes is taken out of the store first, also when the answer is a no. Once
 * begun it goes on to the end: what was redeemed is saved. Without `by`, `state` alone says whose
 * it is.
 */
export async function completeAuthorization(
  parts: AuthParts,
  callbackUrl: URL | string,
  by?: { readonly principal: string | undefined },
): Promise<AuthorizationCompletion> {
  let takenBy: AuthorizationCompletion["takenBy"] = "nobody";
  try {
    const callback = readCallback(callbackUrl);
    const pending = await takePending(parts, callback.state, ({ redirectUri, principal }) => {
      assertPath(callback, redirectUri);
      if (by === undefined || by.principal === principal) return;
      throw nothingPending(
        "wrong-principal",
        by.principal === undefined
          ? "it was begun for a principal, and complete() names none: pass { principal }"
          : "it was begun for another principal, or for all users; this user has to begin a sign-in of their own",
      );
    });
    if (pending === undefined) {
      takenBy = "elsewhere";
      throw nothingPending(
        "not-pending",
        "it was answered already, or began too long ago, or was not begun by this host; begin again",
      );
    }
    takenBy = "here";
    const account = parts.accountOf(specOf(pending), pending.principal);
    account.secrets.learn(callback.state);
    account.secrets.learn(pending.verifier);
    assertIssuer(account, pending, callback.iss);
    const code = readCode(account, callback, pending.resource);
    return await redeem(parts, account, { pending, code });
  } catch (error) {
    if (isHostsideError(error)) return { failure: error, takenBy };
    throw error;
  }
}

async function redeem(
  parts: AuthParts,
  account: Account,
  { pending, code }: { readonly pending: PendingDocument; readonly code: string },
): Promise<AuthorizationCompletion> {
  const { issuer, metadata, client, redirectUri, verifier, scope, resource, dpopKey } = pending;
  account.secrets.learn(code);
  const signer = dpopKey === undefined ? undefined : await dpopOf(account, { dpopKey });
  const authenticate = authenticateClient(account, client, { issuer, metadata });
  const request = { account, endpoint: metadata.token_endpoint, authenticate, signer };
  const params = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: redirectUri };
  const { tokens, failure, sent } = await askWithOptional(request, params, { resource });
  if (failure !== undefined) {
    const isUnknownClient = failure.trouble === "dead-client";
    if (isUnknownClient) await forgetClient(parts, account, { issuer, redirectUri, clientId: client.clientId });
    return { failure: failure.error, takenBy: "here", isUnknownClient };
  }
  const tokenType = readTokenType(account, { issuer, tokenType: tokens.tokenType, asked: signer !== undefined });
  const origin = { issuer, metadata, client, scope, resource: sent.resource, dpopKey, signIn: crypto.randomUUID() };
  const authorization = toStoredAuthorization({ ...tokens, tokenType }, origin);
  const before = await saveAuthorization(parts, account, authorization);
  // The configured secret is the new client's. The old one's is kept with its tokens.
  if (before !== undefined && !sameIssuer(before.issuer, issuer)) await revoke({ ...account, config: {} }, before);
  return { signedIn: toSignedIn(account, authorization), takenBy: "here" };
}

// RFC 9207, 2.4. On a mismatch nothing that the answer says is shown: somebody else wrote it.
function assertIssuer(
  account: Account,
  { issuer, metadata, isPublished }: PendingDocument,
  iss: string | undefined,
): void {
  if (iss === undefined) {
    if (metadata["authorization_response_iss_parameter_supported"] !== true) return;
    throw authRequired(
      account,
      `the answer does not say which authorization server it is from (iss), and ${safeExcerptOf(account, issuer)} says that it always does; nothing was sent (RFC 9207)`,
      { details: { reason: "wrong-issuer" } },
    );
  }
  if (isPublished ? iss === issuer : sameIssuer(iss, issuer)) return;
  throw authRequired(
    account,
    `the answer is from another authorization server than ${safeExcerptOf(account, issuer)}, which the user was sent to; nothing was sent to either (RFC 9207)`,
    { details: { reason: "wrong-issuer" } },
  );
}

const notGranted: ErrorDetails = { reason: "not-granted" };

function readCode(
  account: Account,
  { code, error, description }: AuthorizationResponse,
  resource: string | undefined,
): string {
  if (error === "access_denied")
    throw authRequired(account, "the user declined at the authorization server (access_denied)", {
      details: { reason: "declined" },
    });
  if (error !== undefined) {
    const said = safeExcerptOf(account, description === undefined ? error : `${error}: ${description}`);
    const isTarget = resource !== undefined && (error === "invalid_target" || error === "invalid_request");
    const advice = isTarget ? '; if it takes no parameter "resource", set resource: false in its oauth settings' : "";
    throw authRequired(account, `the authorization was not granted: ${said}${advice}`, { details: notGranted });
  }
  if (code === undefined) {
    throw authRequired(account, "the answer has neither a code nor an error; sign in again", { details: notGranted });
  }
  return code;
}

// A proxy changes the origin. `state` and `iss` say whose answer it is, whatever the origin says.
function assertPath({ url }: AuthorizationResponse, redirectUri: string): void {
  const expected = new URL(redirectUri).pathname;
  if (url.pathname === expected) return;
  throw nothingPending(
    "wrong-url",
    `the user was to be sent back to the path ${expected}, and the URL has another one`,
  );
}

function nothingPending(reason: ErrorDetails["reason"] & string, why: string): HostsideError {
  return new HostsideError(`no pending OAuth authorization: ${why}`, { code: "auth_required", details: { reason } });
}

// In another process no connector has asked about it.
function specOf({ serverId, title, serverUrl }: PendingDocument): ServerSpec {
  return { id: serverId, title, type: "http", url: serverUrl, auth: "oauth" };
}

/** The parameters that a user came back with. Untrusted: anybody can send a browser anywhere. */
export interface AuthorizationResponse extends Readonly<
  Record<"code" | "description" | "error" | "iss", string | undefined>
> {
  readonly url: URL;
  readonly state: string;
}

const longestUrl = 65_536;
// As they are made here.
const stateText = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads the URL that a user came back with, or its path and query. Throws `auth_required` for what
 * is none: a code alone says neither whose it is nor from where, and anybody can have a user paste
 * one. A `TypeError` for what is neither a URL nor a text.
 */
export function readCallback(callback: URL | string): AuthorizationResponse {
  const url = toUrl(callback);
  // One of two could be somebody else's (RFC 6749, 3.1).
  const read = (name: string): string | undefined => {
    const values = url.searchParams.getAll(name);
    if (values.length > 1) throw unusable(`it has ${name} more than once`);
    return values[0];
  };
  const state = read("state");
  if (state === undefined) throw unusable("it has no state, by which the sign-in is recognised");
  if (!stateText.test(state)) throw unusable("its state was not made by this host");
  const [code, iss, error] = [read("code"), read("iss"), read("error")];
  return { url, state, code, iss, error, description: read("error_description") };
}

function toUrl(callback: unknown): URL {
  if (callback instanceof URL) return callback;
  if (typeof callback !== "string") {
    throw new TypeError(`the callback URL must be a URL or a string, not ${kindOf(callback)}`);
  }
  const text = callback.trim();
  // A server knows the path and the query of a request.
  const base = /^\/(?![/\\])/.test(text) ? "http://localhost" : undefined;
  if (text.length <= longestUrl && URL.canParse(text, base)) return new URL(text, base);
  throw unusable("it is neither a URL nor a path with a query: hand over all of it, not the code alone");
}

function unusable(why: string): HostsideError {
  return nothingPending("wrong-url", `none belongs to this callback: ${why}`);
}
