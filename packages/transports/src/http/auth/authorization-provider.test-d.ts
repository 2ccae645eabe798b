import type { AuthProvider } from "@modelcontextprotocol/client";
import type { TokenSource } from "./authorization-provider.ts";

// What the SDK calls a provider can be handed to us, and what we are handed can be handed on to the
// SDK, without a cast.
declare const sdkTokens: AuthProvider;
declare const ownTokens: TokenSource;
export const tokensIn: TokenSource = sdkTokens;
export const tokensOut: AuthProvider = ownTokens;
