import type { ServerCredentials } from "@hostside/core";
import { createServerCredentials } from "../src/credentials/create-server-credentials.ts";
import type { ClientConfig } from "../src/oauth-options.ts";
import type { StoredAuthorization } from "../src/accounts/stored-account.ts";
import { saveAuthorization } from "../src/accounts/account-documents.ts";
import { createRotatingServer, type RotatingServer } from "./rotating-server.ts";
import { createAuthorization, createTokenWorld, issuer, serverUrl, type TokenWorld } from "./token-world.ts";

type CredentialsRefusal = Parameters<ServerCredentials["onRefused"]>[0];

/** What credentials are asked for. */
export const request = { method: "POST", url: new URL(serverUrl) };

/** Credentials of one account, and the servers around it. */
export interface Stage extends TokenWorld {
  readonly server: RotatingServer;
  readonly credentials: ServerCredentials;
  /** Requests for metadata, and what answers them. */
  readonly metadata: { readonly asked: string[]; answer: typeof metadataOf };
  /** Sign-ins that were asked for. */
  readonly signIns: { readonly needsMore: boolean }[];
  /** The token that a request would be sent with. */
  readonly token: () => Promise<string | undefined>;
  readonly refuse: (token: string | undefined, patch?: Partial<CredentialsRefusal>) => Promise<void>;
}

/** Metadata of the MCP server, which names an authorization server, and of that one. */
export function metadataOf(path: string, named: string): Response {
  if (path.includes("protected-resource")) {
    return Response.json({ resource: serverUrl, authorization_servers: [named] });
  }
  return Response.json({
    issuer: named,
    token_endpoint: `${named}/token`,
    authorization_endpoint: `${named}/authorize`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  });
}

/** Credentials of one account, and the servers around it. */
/** Who signs in, and where. */
export interface StageOptions {
  /** The authorization server that the MCP server names. */
  readonly named?: string;
  readonly config?: ClientConfig;
}

/** Makes a stage on which somebody is signed in, or nobody. */
export async function stage(
  authorization: Partial<StoredAuthorization> | undefined,
  { named = issuer, config = {} }: StageOptions = {},
): Promise<Stage> {
  const server = createRotatingServer();
  const signIns: { readonly needsMore: boolean }[] = [];
  const metadata: Stage["metadata"] = { asked: [], answer: metadataOf };
  const world = createTokenWorld(
    async (url, init) => {
      if (init?.method === "POST") return server.fetch(url, init);
      metadata.asked.push(new URL(url).origin);
      return metadata.answer(new URL(url).pathname, named);
    },
    {
      signInAfterRefusal: async (account, { needsMore }) => {
        signIns.push({ needsMore });
        const { accessToken, refreshToken } = server.signIn();
        const scope = account.hints.scope ?? "read";
        await saveAuthorization(world.parts, account, createAuthorization({ accessToken, refreshToken, scope }));
        return { serverId: "notes", issuer, serverUrl, clientId: "host", scopes: [], renews: true };
      },
    },
  );
  const account = { ...world.account, config };
  const settings = { ...world.parts.settings, prompt: () => Promise.resolve("completed" as const) };
  const parts = { ...world.parts, settings };
  if (authorization !== undefined) await saveAuthorization(parts, world.another(), createAuthorization(authorization));
  const credentials = createServerCredentials(parts, account);
  return {
    ...world,
    account,
    parts,
    server,
    credentials,
    metadata,
    signIns,
    token: async () => (await credentials.headersFor(request))["authorization"]?.replace("Bearer ", ""),
    refuse: (token, refusal = {}) =>
      credentials.onRefused({
        status: 401,
        challenge: undefined,
        request,
        sent: token === undefined ? {} : { authorization: `Bearer ${token}` },
        interactive: false,
        signal: new AbortController().signal,
        ...refusal,
      }),
  };
}

/** A sign-in as it is. */
export const live = {};
/** A refusal for want of a scope. */
export const needsScope = { status: 403, challenge: 'Bearer error="insufficient_scope", scope="write"' } as const;

/** A client that signs in as itself. */
export const program: ClientConfig = { flow: "client_credentials", clientId: "robot", clientSecret: "robot-secret" };
/** What it gets. */
export const given = (count: number, scope?: string): Response =>
  Response.json({ access_token: `robot-${count}`, token_type: "Bearer", expires_in: 600, scope });
