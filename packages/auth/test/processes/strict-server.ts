import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How strict a server is. */
export interface StrictServerOptions {
  /** How long an access token lives, in milliseconds. */
  readonly lifeMs: number;
  /**
   * How long a refresh token works again after it was rotated, in milliseconds. Default 0: to use
   * one twice ends the whole sign-in.
   */
  readonly graceMs?: number;
  /** How long an answer with tokens takes after they were made, in milliseconds. Default 0. */
  readonly answerAfterMs?: number;
}

/** A refresh token that was redeemed. */
export interface Redeemed {
  readonly user: string;
  readonly refreshToken: string;
  /** The process that sent it. */
  readonly by: string;
  /** Whether it was worth anything. */
  readonly isGood: boolean;
}

/**
 * An MCP server, as far as tokens go, and its authorization server: rotation, and an end to who
 * uses a refresh token twice.
 */
export interface StrictServer {
  readonly url: string;
  readonly issuer: string;
  readonly redeemed: readonly Redeemed[];
  /** Users whose sign-in was ended. */
  readonly ended: ReadonlySet<string>;
  /** Signs a user in. */
  signIn(user: string): { readonly accessToken: string; readonly refreshToken: string; readonly expiresAt: number };
  close(): Promise<void>;
}

interface Family {
  readonly user: string;
  refreshToken: string;
  /** The one before, and until when it works again. */
  earlier: { readonly refreshToken: string; readonly until: number } | undefined;
  readonly access: Map<string, number>;
}

/** Starts one on a free loopback port. */
export async function startStrictServer(options: StrictServerOptions): Promise<StrictServer> {
  const { lifeMs, graceMs = 0, answerAfterMs = 0 } = options;
  const families = new Map<string, Family>();
  const redeemed: Redeemed[] = [];
  const ended = new Set<string>();
  let count = 0;
  const give = (family: Family): { readonly accessToken: string; readonly refreshToken: string } => {
    count += 1;
    const accessToken = `access-${family.user}-${count}`;
    family.refreshToken = `refresh-${family.user}-${count}`;
    family.access.set(accessToken, Date.now() + lifeMs);
    return { accessToken, refreshToken: family.refreshToken };
  };
  const redeem = (refreshToken: string, by: string): ReturnType<typeof give> | undefined => {
    const user = refreshToken.split("-")[1] ?? "";
    const family = families.get(user);
    const again = family?.earlier;
    const isCurrent = family?.refreshToken === refreshToken;
    const isInTime = again?.refreshToken === refreshToken && Date.now() < again.until;
    const isGood = family !== undefined && !ended.has(user) && (isCurrent || isInTime);
    redeemed.push({ user, refreshToken, by, isGood });
    if (!isGood) {
      ended.add(user);
      return undefined;
    }
    if (isCurrent) family.earlier = { refreshToken, until: Date.now() + graceMs };
    return give(family);
  };
  const isLetIn = (accessToken: string): boolean => {
    const user = accessToken.split("-")[1] ?? "";
    return !ended.has(user) && (families.get(user)?.access.get(accessToken) ?? 0) > Date.now();
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    if (request.url === "/token") {
      const by = String(request.headers["x-process"]);
      const tokens = redeem(new URLSearchParams(body).get("refresh_token") ?? "", by);
      if (tokens === undefined) return send(response, 400, { error: "invalid_grant" });
      if (answerAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, answerAfterMs));
      const { accessToken, refreshToken } = tokens;
      return send(response, 200, {
        access_token: accessToken,
        refresh_token: refreshToken,
        token_type: "Bearer",
        expires_in: lifeMs / 1000,
      });
    }
    if (request.url === "/mcp") {
      return send(response, isLetIn(request.headers.authorization?.replace("Bearer ", "") ?? "") ? 200 : 401, {});
    }
    return send(response, 404, {});
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${issuer}/mcp`,
    issuer,
    redeemed,
    ended,
    signIn(user) {
      ended.delete(user);
      const family: Family = { user, refreshToken: "", earlier: undefined, access: new Map() };
      families.set(user, family);
      return { ...give(family), expiresAt: Date.now() + lifeMs };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
