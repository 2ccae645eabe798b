import type { OAuthFunctions } from "./authorizer-init.ts";

/**
 * Loads the official SDK: its module costs more to load than everything else here, and only OAuth
 * needs it.
 */
export function loadOAuth(): Promise<OAuthFunctions> {
  return import("@modelcontextprotocol/client");
}
