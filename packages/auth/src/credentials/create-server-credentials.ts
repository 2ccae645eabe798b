import type { ServerCredentials } from "@toolport/core";
import { untilAborted } from "@toolport/core/implement";
import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import { lacksKey } from "../dpop/choose-dpop.ts";
import { dpopOf, type DpopSigner } from "../dpop/dpop-signer.ts";
import { signOut } from "../signing-out/sign-out.ts";
import { answerRefusal } from "./answer-refusal.ts";
import { closedError } from "./credential-errors.ts";
import { authorizationNow } from "./current-authorization.ts";

/** Makes the credentials of an account for one connection. All connections of an account share its tokens, its renewals and its sign-ins. */
export function createServerCredentials(parts: AuthParts, account: Account): ServerCredentials {
  let signer: DpopSigner | undefined;
  const assertOpen = (): void => {
    if (parts.closing.aborted) throw closedError(account);
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
      return signer.headersFor(request, accessToken);
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
