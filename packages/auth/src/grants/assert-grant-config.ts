import { assertKnownOptions, isJsonObject, kindOf, type Fields } from "@toolport/core/implement";
import type {
  ClientConfig,
  ClientCredentialsConfig,
  EnterpriseManagedConfig,
  JwtBearerConfig,
  PrivateKey,
} from "../oauth-options.ts";

/** How the host signs in by itself. */
export type GrantConfig = ClientCredentialsConfig | JwtBearerConfig | EnterpriseManagedConfig;

/** Whether a client is configured for a flow that needs no user. */
export function isGrantConfig(config: ClientConfig): config is GrantConfig {
  return config.flow !== undefined && config.flow !== "authorization_code";
}

/** What assertions may be signed with: the key types that a signature of it takes, by the algorithm. */
export const signingAlgorithms: ReadonlyMap<string, string> = new Map([
  ...["ES256", "ES384", "ES512"].map((name) => [name, "EC"] as const),
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map((name) => [name, "RSA"] as const),
  ["EdDSA", "OKP"],
  ["Ed25519", "OKP"],
]);

const common = { flow: true, issuer: true, scopes: true, resource: true, dpop: true } as const;
const credentialsFields: Fields<ClientCredentialsConfig> = {
  ...common,
  clientId: true,
  clientSecret: true,
  privateKey: true,
  authMethod: true,
};
const keyFields: Fields<PrivateKey> = { key: true, algorithm: true, keyId: true };
const bearerFields: Fields<JwtBearerConfig> = { ...common, assertion: true, clientId: true, clientSecret: true };
const enterpriseFields: Fields<EnterpriseManagedConfig> = {
  ...common,
  clientId: true,
  clientSecret: true,
  identityProvider: true,
};
const providerFields: Fields<EnterpriseManagedConfig["identityProvider"]> = {
  tokenEndpoint: true,
  issuer: true,
  clientId: true,
  clientSecret: true,
  idToken: true,
};

/**
 * Checks what a grant needs, as far as it can be seen before one is asked for. Throws a `TypeError` that names the option and never shows its
 * value. `where` is the path of the configuration: `clients["billing"]`.
 */
export function assertGrantConfig(config: GrantConfig, where: string): void {
  switch (config.flow) {
    case "client_credentials":
      return assertClientCredentials(config, where);
    case "jwt_bearer":
      assertKnownOptions(where, config, bearerFields);
      if (config.clientId !== undefined) assertText(config.clientId, `${where}.clientId`);
      if (config.clientSecret !== undefined) assertText(config.clientSecret, `${where}.clientSecret`);
      if (config.clientSecret !== undefined && config.clientId === undefined) {
        throw new TypeError(`${where}.clientSecret is the secret of a client: ${where}.clientId is missing`);
      }
      return assertFunction(config.assertion, `${where}.assertion`);
    case "enterprise_managed":
      return assertEnterprise(config, where);
  }
}

function assertClientCredentials(config: ClientCredentialsConfig, where: string): void {
  assertKnownOptions(where, config, credentialsFields);
  const { clientId, clientSecret, privateKey, authMethod } = config;
  assertText(clientId, `${where}.clientId`);
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    const count = clientSecret === undefined ? "neither" : "both";
    throw new TypeError(`${where} needs a clientSecret or a privateKey, and has ${count}`);
  }
  if (clientSecret !== undefined) assertText(clientSecret, `${where}.clientSecret`);
  if (privateKey !== undefined) assertPrivateKey(privateKey, `${where}.privateKey`);
  if (authMethod === undefined) return;
  if (authMethod !== "client_secret_basic" && authMethod !== "client_secret_post") {
    throw new TypeError(`${where}.authMethod is client_secret_basic or client_secret_post`);
  }
  if (clientSecret === undefined) throw new TypeError(`${where}.authMethod is for a clientSecret, and there is none`);
}

function assertEnterprise(config: EnterpriseManagedConfig, where: string): void {
  assertKnownOptions(where, config, enterpriseFields);
  assertText(config.clientId, `${where}.clientId`);
  if (config.clientSecret !== undefined) assertText(config.clientSecret, `${where}.clientSecret`);
  const { identityProvider } = config;
  const idp = `${where}.identityProvider`;
  assertKnownOptions(idp, identityProvider, providerFields);
  const { tokenEndpoint, issuer, clientId, clientSecret, idToken } = identityProvider;
  assertText(clientId, `${idp}.clientId`);
  if (clientSecret !== undefined) assertText(clientSecret, `${idp}.clientSecret`);
  if (tokenEndpoint === undefined && issuer === undefined) {
    throw new TypeError(`${idp} needs a tokenEndpoint, or the issuer that has one`);
  }
  for (const [name, url] of Object.entries({ tokenEndpoint, issuer })) {
    if (url !== undefined && !URL.canParse(url)) throw new TypeError(`${idp}.${name} is no URL`);
  }
  assertFunction(idToken, `${idp}.idToken`);
}

function assertPrivateKey(privateKey: PrivateKey, where: string): void {
  assertKnownOptions(where, privateKey, keyFields);
  const { key, algorithm, keyId } = privateKey;
  const keyType = signingAlgorithms.get(algorithm);
  if (keyType === undefined) {
    throw new TypeError(`${where}.algorithm is one of ${Array.from(signingAlgorithms.keys()).join(", ")}`);
  }
  if (keyId !== undefined) assertText(keyId, `${where}.keyId`);
  if (typeof key === "string" ? !isPkcs8(key) : !isJsonObject(key)) {
    throw new TypeError(
      `${where}.key is a private key as PKCS #8 in PEM ("-----BEGIN PRIVATE KEY-----"), or as a JWK; a key of OpenSSL's older formats can be converted by \`openssl pkcs8 -topk8 -nocrypt\``,
    );
  }
  if (typeof key === "string") return;
  if (key["kty"] !== keyType)
    throw new TypeError(`${where}.key is no JWK of the type ${keyType}, as ${algorithm} needs`);
  if (typeof key["d"] !== "string") throw new TypeError(`${where}.key is a public JWK; a private one is needed`);
}

function isPkcs8(pem: string): boolean {
  const [, body] = /^\s*-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/.exec(pem) ?? [];
  return body !== undefined;
}

function assertText(value: unknown, where: string): void {
  if (typeof value !== "string") throw new TypeError(`${where} is a string, not ${kindOf(value)}`);
  if (value.trim() === "") throw new TypeError(`${where} must not be blank`);
}

function assertFunction(value: unknown, where: string): void {
  if (typeof value !== "function") throw new TypeError(`${where} is a function, not ${kindOf(value)}`);
}
