import { HostsideError } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { Account } from "../account.ts";

/** The key in the store is no key. */
export function unusableKey({ serverId }: Account): HostsideError {
  return dpopError(
    serverId,
    "the key that its tokens are bound to (DPoP) cannot be read from the store; sign in again",
  );
}

/** The host will not bind tokens, and the server wants nothing else. */
export function bindingRefused({ serverId }: Account): HostsideError {
  return dpopError(
    serverId,
    "it takes only tokens that are bound to a key (DPoP), and the client is configured with `dpop: false`; leave that out",
  );
}

/** The host wants tokens bound, and the authorization server cannot. */
export function bindingUnknown({ serverId }: Account, issuer: string): HostsideError {
  return dpopError(
    serverId,
    `the client is configured with \`dpop: true\`, and the authorization server ${quoteText(issuer)} takes no proofs that are signed with ES256`,
  );
}

/** A bound token was asked for, and another kind came. */
export function bindingLost({ serverId }: Account, issuer: string): HostsideError {
  return dpopError(
    serverId,
    `the client is configured with \`dpop: true\`, and the authorization server ${quoteText(issuer)} gave a token that anybody can use (Bearer); it was not kept`,
  );
}

/** A token that nobody here knows how to send. */
export function unusableToken({ serverId }: Account, issuer: string, tokenType: string): HostsideError {
  return dpopError(
    serverId,
    `the authorization server ${quoteText(issuer)} gave a token of the type ${quoteText(tokenType, 40)}, which cannot be used here; it was not kept`,
  );
}

function dpopError(serverId: string, problem: string): HostsideError {
  return new HostsideError(`server ${quoteText(serverId)}: ${problem}`, { code: "auth_required", serverId });
}
