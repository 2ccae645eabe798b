import { deferred, type Deferred } from "./deferred.ts";
import type { AuthorizationFetch } from "@hostside/core";
import type { StoredAuthorization } from "../src/accounts/stored-account.ts";

/** What a sign-in or a refresh gives. */
export interface GivenTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * The token and revocation endpoints of a strict authorization server: a refresh token that is used
 * twice ends all that came of its sign-in (RFC 9700, 4.14.2).
 */
export interface RotatingServer {
  readonly fetch: AuthorizationFetch;
  /** Each refresh token that was redeemed, as often as it was. */
  readonly redeemed: string[];
  /** Each token that was to be revoked. */
  readonly revoked: string[];
  /** Whether a refresh token was used twice. */
  readonly isReused: boolean;
  /** Whether these are the latest of a sign-in that has not ended. */
  readonly knows: (tokens: Pick<StoredAuthorization, "accessToken" | "refreshToken"> | undefined) => boolean;
  /** Does something in place of an answer, or around one; the answer is given by `answer`. */
  play: (answer: () => Response) => Promise<Response>;
  /** Another sign-in of the same user: the tokens that come of it. */
  signIn(): GivenTokens;
}

interface Family {
  tokens: GivenTokens;
  hasEnded: boolean;
}

/** Makes one that has given `access-0` and `refresh-0`. */
export function createRotatingServer(lifeSeconds = 600): RotatingServer {
  let given = 0;
  let isReused = false;
  const redeemed: string[] = [];
  const revoked: string[] = [];
  const next = (): GivenTokens => {
    given += 1;
    return { accessToken: `access-${given}`, refreshToken: `refresh-${given}` };
  };
  const first: Family = { tokens: { accessToken: "access-0", refreshToken: "refresh-0" }, hasEnded: false };
  const families = [first];
  const owners = new Map<string, Family>([["refresh-0", first]]);
  const redeem = (refreshToken: string): Response => {
    redeemed.push(refreshToken);
    const family = owners.get(refreshToken);
    if (family === undefined || family.hasEnded || family.tokens.refreshToken !== refreshToken) {
      if (family !== undefined && !family.hasEnded) {
        isReused = true;
        family.hasEnded = true;
      }
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    family.tokens = next();
    owners.set(family.tokens.refreshToken, family);
    return Response.json({
      access_token: family.tokens.accessToken,
      refresh_token: family.tokens.refreshToken,
      token_type: "Bearer",
      expires_in: lifeSeconds,
    });
  };
  const revoke = (token: string): Response => {
    revoked.push(token);
    const family = owners.get(token) ?? families.find(({ tokens }) => tokens.accessToken === token);
    if (family !== undefined) family.hasEnded = true;
    return new Response(null, { status: 200 });
  };
  const server: RotatingServer = {
    redeemed,
    revoked,
    get isReused() {
      return isReused;
    },
    knows: (tokens) =>
      families.some(
        (family) =>
          !family.hasEnded &&
          family.tokens.accessToken === tokens?.accessToken &&
          family.tokens.refreshToken === tokens.refreshToken,
      ),
    play: (answer) => Promise.resolve(answer()),
    fetch(url, { body } = {}) {
      const sent = new URLSearchParams(body as URLSearchParams); // What the SDK and this package send.
      return server.play(() =>
        new URL(url).pathname === "/revoke" ? revoke(sent.get("token") ?? "") : redeem(sent.get("refresh_token") ?? ""),
      );
    },
    signIn() {
      const family: Family = { tokens: next(), hasEnded: false };
      families.push(family);
      owners.set(family.tokens.refreshToken, family);
      return family.tokens;
    },
  };
  return server;
}

/** Has the next requests be taken, and their answers held until the test says so. */
export function holdAnswers(server: Pick<RotatingServer, "play">): {
  readonly sent: Deferred;
  readonly answered: Deferred;
} {
  const sent = deferred();
  const answered = deferred();
  server.play = async (answer) => {
    sent.resolve();
    await answered.promise;
    return answer();
  };
  return { sent, answered };
}
