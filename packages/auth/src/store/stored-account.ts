import type { JsonObject } from "@hostside/core";

/** How the host is known to an authorization server. */
export interface StoredClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /**
   * How it proves to be that client (RFC 7591, `token_endpoint_auth_method`). Absent: what the
   * server offers, chosen anew.
   */
  readonly authMethod?: string | undefined;
  /**
   * Which way the host became that client; `program` for one that signs in as itself, and gets
   * another token without a user.
   */
  readonly way: ClientRegistration | "program";
  /** When a registration ends, in milliseconds since 1970. */
  readonly secretExpiresAt?: number | undefined;
}

/** The ways to become a client, in the order in which they are tried. */
export type ClientRegistration = "pre-registered" | "metadata-document" | "dynamic" | "asked";

/**
 * What an authorization server says of itself (RFC 8414), as far as tokens need it after the
 * sign-in.
 */
export interface StoredMetadata extends JsonObject {
  readonly issuer: string;
  readonly token_endpoint: string;
}

/** The tokens of one authorization server. */
export interface StoredAuthorization {
  /** Tokens go to this authorization server and to no other. */
  readonly issuer: string;
  readonly metadata: StoredMetadata;
  readonly client: StoredClient;
  readonly accessToken: string;
  /** `Bearer` or `DPoP`. */
  readonly tokenType: string;
  readonly refreshToken?: string | undefined;
  /** What was granted, separated by spaces; absent when the server did not say. */
  readonly scope?: string | undefined;
  /** When the access token ends, in milliseconds since 1970; absent when the server did not say. */
  readonly expiresAt?: number | undefined;
  /** The resource that they are for (RFC 8707). */
  readonly resource?: string | undefined;
  /** When they were got, in milliseconds since 1970. */
  readonly obtainedAt: number;
  /** Identifies the sign-in of a user that they are from; kept by renewals. Absent for programs. */
  readonly signIn?: string | undefined;
  /** The key that they are bound to (RFC 9449), as a private JWK. Without it they are of no use. */
  readonly dpopKey?: JsonObject | undefined;
  /**
   * Somebody has sent the refresh token to the authorization server and not saved an answer so far:
   * who, and since when, in milliseconds since
   * 1970. If they died, nobody knows whether it was redeemed.
   */
  readonly redeeming?: { readonly by: string; readonly since: number } | undefined;
}

/** The document of an account: what lets one principal in at one server. */
export interface StoredAccount {
  readonly version: 1;
  /** Where the tokens may be sent. Another server of the same id does not get them. */
  readonly serverUrl: string;
  /** Whose tokens are used now; one of `authorizations`. */
  readonly issuer: string;
  readonly authorizations: readonly StoredAuthorization[];
}
