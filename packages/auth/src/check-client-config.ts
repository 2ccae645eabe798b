import { isConfidentialUrl, isPlainObject, kindOf, isJsonObject, type Fields } from "@hostside/core/implement";
import { isScope } from "./discovering/read-challenges.ts";
import type {
  AuthorizationCodeConfig,
  ClientConfig,
  ClientCredentialsConfig,
  EnterpriseManagedConfig,
  JwtBearerConfig,
} from "./oauth-options.ts";

/** Makes the error for a member that breaks a rule: `""` is the whole. */
export type ConfigFailure = (member: string, rule: string) => Error;

type Flow = NonNullable<ClientConfig["flow"]>;

const common = { flow: true, issuer: true, scopes: true, resource: true, dpop: true } as const;
const codeFields: Fields<AuthorizationCodeConfig> = {
  ...common,
  clientId: true,
  clientSecret: true,
  redirectUri: true,
  clientName: true,
};
const credentialsFields: Fields<ClientCredentialsConfig> = {
  ...common,
  clientId: true,
  clientSecret: true,
  privateKey: true,
};
const assertionFields: Fields<JwtBearerConfig> = { ...common, assertion: true, clientId: true, clientSecret: true };
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
const flows: Readonly<Record<Flow, Readonly<Record<string, true>>>> = {
  authorization_code: codeFields,
  client_credentials: credentialsFields,
  jwt_bearer: assertionFields,
  enterprise_managed: enterpriseFields,
};

/**
 * Throws what `fail` makes for the first member of a client's configuration that breaks a rule. Its
 * texts hold no value.
 */
export function assertClientConfig(config: unknown, fail: ConfigFailure): asserts config is ClientConfig {
  if (!isPlainObject(config)) throw fail("", `must be an object, not ${kindOf(config)}`);
  const { flow = "authorization_code" } = config;
  if (!isFlow(flow)) throw fail("flow", `must be one of ${Object.keys(flows).join(", ")}`);
  assertKnown(config, flows[flow], fail);
  assertCommon(config, fail);
  switch (flow) {
    case "authorization_code":
      if (config["clientSecret"] !== undefined) assertText(config, "clientId", fail);
      optionalText(config, "clientName", fail);
      if (config["redirectUri"] !== undefined)
        assertRedirectUri(config["redirectUri"], (rule) => fail("redirectUri", rule));
      return;
    case "client_credentials":
      assertText(config, "clientId", fail);
      assertProof(config, fail);
      return;
    case "jwt_bearer":
      if (config["clientSecret"] !== undefined) assertText(config, "clientId", fail);
      if (typeof config["assertion"] !== "function") throw fail("assertion", "must be a function");
      return;
    case "enterprise_managed":
      assertText(config, "clientId", fail);
      assertIdentityProvider(config["identityProvider"], fail);
  }
}

function isFlow(value: unknown): value is Flow {
  return typeof value === "string" && Object.hasOwn(flows, value);
}

function assertKnown(config: object, known: Readonly<Record<string, true>>, fail: ConfigFailure): void {
  const unknown = Object.keys(config).find((field) => !Object.hasOwn(known, field));
  if (unknown !== undefined) {
    throw fail(unknown, `is unknown for this flow; known are ${Object.keys(known).join(", ")}`);
  }
}

function assertCommon(config: Readonly<Record<string, unknown>>, fail: ConfigFailure): void {
  const { issuer, scopes, resource, dpop } = config;
  optionalText(config, "clientId", fail);
  optionalText(config, "clientSecret", fail);
  if (issuer !== undefined) assertServerUrl(issuer, (rule) => fail("issuer", rule));
  if (
    scopes !== undefined &&
    !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string" && isScope(scope)))
  ) {
    throw fail("scopes", "must be an array of scopes (RFC 6749, 3.3), each without white space");
  }
  if (resource !== undefined && resource !== false && !(isUrlText(resource) && !resource.includes("#"))) {
    throw fail("resource", "must be a URL without a fragment (RFC 8707, 2), or false to send none");
  }
  if (dpop !== undefined && typeof dpop !== "boolean") throw fail("dpop", "must be true or false");
}

function assertProof(config: Readonly<Record<string, unknown>>, fail: ConfigFailure): void {
  const { clientSecret, privateKey } = config;
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    throw fail("clientSecret", "or privateKey is needed, and not both");
  }
  if (privateKey === undefined) return;
  if (!isPlainObject(privateKey)) throw fail("privateKey", `must be an object, not ${kindOf(privateKey)}`);
  const failKey: ConfigFailure = (member, rule) => fail(`privateKey.${member}`, rule);
  assertKnown(privateKey, { key: true, algorithm: true, keyId: true }, failKey);
  const { key, algorithm } = privateKey;
  if (!(typeof algorithm === "string" && signingAlgorithms.includes(algorithm))) {
    throw failKey("algorithm", `must be one of ${signingAlgorithms.join(", ")}`);
  }
  const isPrivate = isJsonObject(key)
    ? typeof key["d"] === "string"
    : typeof key === "string" && key.trim().startsWith("-----BEGIN PRIVATE KEY-----");
  if (!isPrivate) {
    throw failKey(
      "key",
      'must be a private key as PKCS #8 in PEM ("-----BEGIN PRIVATE KEY-----") or as a JWK; `openssl pkcs8 -topk8 -nocrypt` converts other formats',
    );
  }
  optionalText(privateKey, "keyId", failKey);
}

function assertIdentityProvider(provider: unknown, fail: ConfigFailure): void {
  if (!isPlainObject(provider)) throw fail("identityProvider", `must be an object, not ${kindOf(provider)}`);
  const failProvider: ConfigFailure = (member, rule) => fail(`identityProvider.${member}`, rule);
  assertKnown(provider, providerFields, failProvider);
  const { tokenEndpoint, issuer, idToken } = provider;
  if (tokenEndpoint === undefined && issuer === undefined) throw failProvider("tokenEndpoint", "or issuer is needed");
  if (tokenEndpoint !== undefined) assertServerUrl(tokenEndpoint, (rule) => failProvider("tokenEndpoint", rule));
  if (issuer !== undefined) assertServerUrl(issuer, (rule) => failProvider("issuer", rule));
  assertText(provider, "clientId", failProvider);
  optionalText(provider, "clientSecret", failProvider);
  if (typeof idToken !== "function") throw failProvider("idToken", "must be a function");
}

function optionalText(owner: Readonly<Record<string, unknown>>, member: string, fail: ConfigFailure): void {
  if (owner[member] !== undefined) assertText(owner, member, fail);
}

function assertText(owner: Readonly<Record<string, unknown>>, member: string, fail: ConfigFailure): void {
  const value = owner[member];
  if (typeof value !== "string") throw fail(member, `must be a string, not ${kindOf(value)}`);
  if (value.trim() === "") throw fail(member, "must not be blank");
}

function assertServerUrl(value: unknown, fail: (rule: string) => Error): void {
  if (!isUrlText(value)) throw fail("must be a URL");
  if (!isConfidentialUrl(new URL(value))) throw fail("must be an https: URL, or an http: URL of this machine");
}

// What a browser would run or read in place of opening an application.
const noPlaces: ReadonlySet<string> = new Set([
  "about:",
  "blob:",
  "data:",
  "file:",
  "ftp:",
  "javascript:",
  "vbscript:",
  "ws:",
  "wss:",
]);

/**
 * Throws what `fail` makes for what cannot be a redirect URI: `https:`, `http:` on this machine, or
 * a scheme of the product's own (RFC 8252, 7).
 */
export function assertRedirectUri(value: unknown, fail: (rule: string) => Error): asserts value is string {
  if (typeof value !== "string" || value.trim() === "") throw fail("must be a URL, and not blank");
  if (!URL.canParse(value)) throw fail("must be an absolute URL");
  const url = new URL(value);
  // Also an empty one (RFC 6749, 3.1.2).
  if (value.includes("#")) throw fail("must have no fragment (RFC 6749, 3.1.2)");
  if (url.username !== "" || url.password !== "") throw fail("must have no user info");
  if (noPlaces.has(url.protocol)) throw fail(`must not be a ${url.protocol} URL`);
  if (url.protocol === "http:" && !isConfidentialUrl(url)) {
    throw fail("must be an https: URL: over http: the code would travel unencrypted, except on this machine");
  }
}

function isUrlText(value: unknown): value is string {
  return typeof value === "string" && value.trim() === value && URL.canParse(value);
}

const signingAlgorithms = "ES256 ES384 ES512 EdDSA Ed25519 RS256 RS384 RS512 PS256 PS384 PS512".split(" ");
