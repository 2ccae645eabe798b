import type { ClientConfig } from "@hostside/auth";

/** What the official suite gives to a scenario that needs credentials of its own. */
export interface GivenCredentials {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_token_endpoint?: string;
  readonly valid_jwt?: string;
}

/**
 * The configuration that a product would have: what is given does not say by which flow it is to be
 * used, so the scenario does.
 */
export function clientOf(scenario: string, given: GivenCredentials): ClientConfig | undefined {
  const { client_id: clientId, client_secret: clientSecret } = given;
  if (clientId === undefined) return undefined;
  switch (scenario) {
    case "auth/client-credentials-basic":
      return { flow: "client_credentials", clientId, clientSecret };
    case "auth/client-credentials-jwt": {
      const { private_key_pem: key = "", signing_algorithm: algorithm = "" } = given;
      return { flow: "client_credentials", clientId, privateKey: { key, algorithm } };
    }
    case "auth/wif-jwt-bearer":
      return { flow: "jwt_bearer", clientId, assertion: () => given.valid_jwt ?? "" };
    case "auth/enterprise-managed-authorization": {
      const identityProvider = {
        tokenEndpoint: given.idp_token_endpoint,
        clientId: given.idp_client_id ?? "",
        idToken: () => given.idp_id_token ?? "",
      };
      return { flow: "enterprise_managed", clientId, clientSecret, identityProvider };
    }
    default:
      return { clientId, clientSecret };
  }
}
