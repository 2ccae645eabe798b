import type { AuthProvider, ClientCredentialsProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { AuthorizationProvider, OAuthProvider, TokenSource } from "./authorization-provider.ts";

// What the SDK calls a provider can be handed to us, and what we are handed can be handed on to the
// SDK, without a cast.
declare const sdkOAuth: OAuthClientProvider;
declare const ownOAuth: OAuthProvider;
declare const sdkTokens: AuthProvider;
declare const ownTokens: TokenSource;
declare const sdkCredentials: ClientCredentialsProvider;
export const oauthIn: OAuthProvider = sdkOAuth;
export const oauthOut: OAuthClientProvider = ownOAuth;
export const tokensIn: TokenSource = sdkTokens;
export const tokensOut: AuthProvider = ownTokens;
export const credentialsIn: AuthorizationProvider = sdkCredentials;
