import type {
  ClientConfig,
  ClientCredentialsConfig,
  EnterpriseManagedConfig,
  JwtBearerConfig,
} from "../oauth-options.ts";

/** How the host signs in by itself. */
export type GrantConfig = ClientCredentialsConfig | JwtBearerConfig | EnterpriseManagedConfig;

/** Whether a client is configured for a flow that needs no user. */
export function isGrantConfig(config: ClientConfig): config is GrantConfig {
  return config.flow !== undefined && config.flow !== "authorization_code";
}
