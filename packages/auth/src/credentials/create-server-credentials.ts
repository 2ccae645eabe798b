import type { ServerCredentials } from "@hostside/core";
import { untilAborted } from "@hostside/core/implement";
import { perAccount, type Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import { lacksKey } from "../dpop/choose-dpop.ts";
import { dpopOf, type DpopSigner } from "../dpop/dpop-signer.ts";
import { signOut } from "../signing-out/sign-out.ts";
import { answerRefusal } from "./answer-refusal.ts";
import { credentialsClosedError, authorizationNow } from "./current-authorization.ts";

const made = perAccount((): { credentials?: ServerCredentials } => ({}));

/**
 * The credentials of an account: the same for all its connections, so that what one of them was
 * refused can be asked for on another.
 */
export function serverCredentialsOf(parts: AuthParts, account: Account): ServerCredentials {
  const known = made(account);
  known.credentials ??= createServerCredentials(parts, account);
  return known.credentials;
}

/** Makes the credentials of an account. */
export function createServerCredentials(parts: AuthParts, account: Account): ServerCredentials {
  let signer: DpopSigner | undefined;
  const assertOpen = (): void => {
    if (parts.closing.aborted) throw credentialsClosedError(account);
  };
  return {
    async headersFor(request) {
      assertOpen();
      // Tokens are for that server alone, wherever it would have the connector send a request.
      if (request.url.origin !== account.serverUrl.origin) return {};
      const authorization = await authorizationNow(parts, account);
      if (authorization === undefined || lacksKey(account, authorization)) return {};
      const { accessToken, tokenType } = authorization;
      if (tokenType !== "DPoP") return { authorization: `Bearer ${accessToken}` };
      signer = await dpopOf(account, authorization);
      return { authorization: `DPoP ${accessToken}`, dpop: await signer.proofFor(request, accessToken) };
    },
    async onRefused(refusal) {
      assertOpen();
      // Whoever stops waiting stops only that.
      await untilAborted(answerRefusal(parts, account, refusal), refusal.signal);
    },
    onAnswered(request, header) {
      signer?.onAnswered(request, header);
    },
    async clear() {
      await signOut(parts, account);
    },
  };
}
