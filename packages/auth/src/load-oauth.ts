import type * as oauth from "@modelcontextprotocol/client";

/** What is used of the official SDK. */
export type OAuthModule = typeof oauth;

/**
 * Loads the official SDK: its module costs more to load than everything else here, and who is
 * signed in needs it not.
 */
export function loadOAuth(): Promise<OAuthModule> {
  return import("@modelcontextprotocol/client");
}
