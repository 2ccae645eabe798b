import type { AuthorizationRequest, Clock, ServerCredentials, ServerSpec } from "@hostside/core";

/** A server, and for whom a key to it is wanted. */
export interface KeyedServer {
  readonly serverId: string;
  readonly url: string;
  /** As whoever connects said it; absent when they did not. */
  readonly principal?: string | undefined;
}

/** Options of {@linkcode createApiKeys}. */
export interface ApiKeysOptions {
  /**
   * The key or token for a server and a principal, from wherever the product keeps them;
   * `undefined` for none. White space around it does not count. What it rejects with is taken for a
   * passing fault of that place, not for a want of credentials. It has 30 s.
   */
  readonly keyFor: (server: KeyedServer) => Promise<string | undefined> | string | undefined;
  /**
   * The header that carries it: one for all, or by server. Default `"authorization"`, which is sent
   * as `Bearer` and the key; any other carries the key alone.
   */
  readonly header?: string | ((server: KeyedServer) => string) | undefined;
  /**
   * For how long a key is used before it is asked for again, in milliseconds; a key that a server
   * refuses is asked for again at once. Default 0: before each request, so that a key which was
   * withdrawn is not sent any more.
   */
  readonly refreshMs?: number | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** Keys and tokens of the host's own. */
export interface ApiKeys {
  /**
   * For `createConnector({ authProvider })`. Answers for each server of `auth: "api-key"`; for
   * others `undefined`.
   */
  readonly authProvider: (spec: ServerSpec, request: AuthorizationRequest) => ServerCredentials | undefined;
}
