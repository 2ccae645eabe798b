import { HostsideError } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired, safeExcerptOf, nameServer, type TroubleExtras } from "../auth-errors.ts";

// Room for a URL of metadata and a list of scopes.
const longestChallenge = 2048;

/** A user has to act, and none is asked: what is wrong, and what to do. */
export function needsUserError(account: Account, why: string, extras: TroubleExtras = {}): HostsideError {
  const { serverId, principal } = account;
  const who =
    principal === undefined ? quoteText(serverId) : `${quoteText(serverId)}, { principal: ${quoteText(principal)} }`;
  return authRequired(
    account,
    `${why}; a user has to sign in: call authorize(${who}), or offer its authenticate tool`,
    extras,
  );
}

/** A user is acting already, and this request does not wait for them. */
export function isAtPage(account: Account, why: string, cause?: unknown): HostsideError {
  return authRequired(account, `${why}; a user is at its authorization page: try again once they have signed in`, {
    cause,
  });
}

/** No user can help: the program that signs in has to be let in, or configured otherwise. */
export function programRefused(account: Account, why: string, cause?: unknown): HostsideError {
  return authRequired(account, `${why}; look at the client that is configured for it`, { cause });
}

/** The server does not let them do that, and no sign-in changes it. */
export function forbidden(account: Account, challenge: string | undefined, why: string): HostsideError {
  const { serverId } = account;
  return new HostsideError(`${nameServer(serverId)}: ${why}`, {
    code: "forbidden",
    serverId,
    details: {
      httpStatus: 403,
      ...(challenge !== undefined && { challenge: safeExcerptOf(account, challenge, longestChallenge) }),
    },
  });
}

/** After `close()`. */
export function credentialsClosedError({ serverId }: Account): HostsideError {
  return new HostsideError(`${nameServer(serverId)}: its credentials were closed`, { code: "closed", serverId });
}
