import type { AuthorizedRequest, CredentialHeaders } from "@toolport/core";
import type { DpopSession } from "@modelcontextprotocol/client";
import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { Discovered } from "../discovering/discover-authorization.ts";
import type { StoredAuthorization } from "../store/stored-account.ts";

/** Signs with the key that tokens are bound to (RFC 9449). */
export interface ProofSigner {
  /** For requests to a token endpoint. */
  readonly session: DpopSession;
  headersFor(request: AuthorizedRequest, accessToken: string): Promise<CredentialHeaders>;
  onAnswered(request: AuthorizedRequest, header: (name: string) => string | undefined): void;
  /** Whether a request that was refused for want of a nonce is worth sending again. */
  hasNewNonce(request: AuthorizedRequest, sent: CredentialHeaders): boolean;
}

/** What credentials are made with that is not theirs: how programs sign in, and proofs. */
export interface CredentialMeans {
  /** Signs in without a user, by the flow that the account is configured for, alone among all that share the store; and saves what it gets. */
  readonly requestGrant: (
    parts: AuthParts,
    account: Account,
    grant: {
      readonly server: Discovered;
      readonly scope?: string | undefined;
      /** The access token that is not wanted any more: any other that is found is taken in place of a new one. */
      readonly refused?: string | undefined;
      readonly signal: AbortSignal;
    },
  ) => Promise<StoredAuthorization>;
  readonly dpopOf: (account: Account, stored: Pick<StoredAuthorization, "dpopKey">) => Promise<ProofSigner>;
}
