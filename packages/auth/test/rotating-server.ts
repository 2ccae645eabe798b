import type { AuthorizationFetch } from "@toolport/core";

/** The token endpoint of a strict authorization server: a refresh token that is used twice ends all that came of its sign-in (RFC 9700, 4.14.2). */
export interface RotatingServer {
  readonly fetch: AuthorizationFetch;
  /** Each refresh token that was redeemed, as often as it was. */
  readonly redeemed: string[];
  /** Whether a refresh token was used twice. */
  readonly isRevoked: boolean;
  /** Whether the MCP server would take an access token. */
  readonly accepts: (accessToken: string | undefined) => boolean;
  /** Does something in place of an answer, or around one; the answer is given by `answer`. */
  play: (answer: () => Response) => Promise<Response>;
  /** A sign-in of a user: the tokens that come of it. */
  signIn(): { readonly accessToken: string; readonly refreshToken: string };
}

/** Makes one that has given `access-0` and `refresh-0`. `lifeSeconds`: of an access token. */
export function createRotatingServer(lifeSeconds = 600): RotatingServer {
  let issued = 0;
  let current = { accessToken: "access-0", refreshToken: "refresh-0" };
  let isRevoked = false;
  const redeemed: string[] = [];
  const next = (): typeof current => {
    issued += 1;
    current = { accessToken: `access-${issued}`, refreshToken: `refresh-${issued}` };
    return current;
  };
  const redeem = (refreshToken: string): Response => {
    redeemed.push(refreshToken);
    if (refreshToken !== current.refreshToken || isRevoked) {
      isRevoked = true;
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const { accessToken, refreshToken: rotated } = next();
    return Response.json({
      access_token: accessToken,
      refresh_token: rotated,
      token_type: "Bearer",
      expires_in: lifeSeconds,
    });
  };
  const server: RotatingServer = {
    redeemed,
    get isRevoked() {
      return isRevoked;
    },
    accepts: (accessToken) => !isRevoked && accessToken === current.accessToken,
    play: (answer) => Promise.resolve(answer()),
    fetch(_url, { body } = {}) {
      const { refresh_token: refreshToken = "" } = Object.fromEntries(new URLSearchParams(body as URLSearchParams));
      return server.play(() => redeem(refreshToken));
    },
    signIn() {
      isRevoked = false;
      return next();
    },
  };
  return server;
}
