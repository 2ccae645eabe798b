import type { HostsideError } from "@hostside/core";
import { assertKnownOptions, isPlainObject, kindOf, type Fields, isConfidentialUrl } from "@hostside/core/implement";
import { serverError } from "./auth-errors.ts";
import type {
  ClientConfig,
  OAuthOptions,
  PrincipalServer,
  ProductIdentity,
  RedirectReceiver,
  AuthorizationCodeConfig,
  ClientCredentialsConfig,
  EnterpriseManagedConfig,
  JwtBearerConfig,
} from "./oauth-options.ts";
import { createMemoryCredentials } from "./store/create-memory-credentials.ts";
import type { CredentialStore } from "./store/credential-store.ts";

/** The options of `createOAuth`, checked and with their defaults. */
export interface OAuthSettings extends Omit<OAuthOptions, "clients" | "redirect"> {
  readonly store: CredentialStore;
  readonly product: ProductIdentity & { readonly name: string };
  /** A page of the product's own. */
  readonly redirectUri: string | undefined;
  /** The listener where there is no such page. */
  readonly receiver: RedirectReceiver | undefined;
  /**
   * Chooses the client of a server. Throws `invalid_spec` when the product's function answers with
   * what cannot be used.
   */
  readonly configOf: (server: PrincipalServer) => ClientConfig;
}

const optionFields: Fields<OAuthOptions> = {
  store: true,
  redirect: true,
  prompt: true,
  clients: true,
  product: true,
  guard: true,
  fetch: true,
};
const productFields: Fields<ProductIdentity> = { name: true, metadataUrl: true };

/**
 * Fills in the defaults. Throws a `TypeError` that names the option that is unknown or of a wrong
 * type.
 */
export function readOAuthOptions(options: OAuthOptions): OAuthSettings {
  assertKnownOptions("createOAuth()", options, optionFields);
  const { clients, redirect, product, ...others } = options;
  return {
    ...others,
    store: options.store ?? createMemoryCredentials(),
    product: readProduct(product),
    ...readRedirect(redirect),
    configOf: readClients(clients),
  };
}

function readRedirect(redirect: OAuthOptions["redirect"]): Pick<OAuthSettings, "receiver" | "redirectUri"> {
  if (redirect === undefined) return { receiver: undefined, redirectUri: undefined };
  if (typeof redirect === "string" || redirect instanceof URL) {
    const redirectUri = String(redirect);
    const wrong = wrongRedirectUri(redirectUri);
    if (wrong !== undefined) throw fail("redirect", wrong);
    return { receiver: undefined, redirectUri };
  }
  return { receiver: redirect, redirectUri: undefined };
}

function readProduct(product: ProductIdentity = {}): OAuthSettings["product"] {
  assertKnownOptions("product", product, productFields);
  const { name = "Hostside", metadataUrl } = product;
  if (metadataUrl === undefined) return { name };
  const url = URL.canParse(metadataUrl) ? new URL(metadataUrl) : undefined;
  if (url?.protocol !== "https:" || url.pathname === "/" || url.hash !== "" || url.username !== "") {
    throw fail("product.metadataUrl", "must be an https: URL with a path, without a fragment and user info");
  }
  return { name, metadataUrl };
}

const aUser: ClientConfig = {};

function readClients(clients: OAuthOptions["clients"]): OAuthSettings["configOf"] {
  if (clients === undefined) return () => aUser;
  if (typeof clients === "function") {
    return (server) => {
      const config = clients(server) ?? aUser;
      assertClientConfig(config, (member, rule) => invalidConfig(server.serverId, member, rule));
      return config;
    };
  }
  if (!isPlainObject(clients)) throw fail("clients", `must be an object or a function, not ${kindOf(clients)}`);
  // A map: the name of a server may be one that every object has.
  const configs = new Map<string, ClientConfig>();
  for (const [serverId, config] of Object.entries(clients)) {
    const place = `clients[${JSON.stringify(serverId)}]`;
    assertClientConfig(config, (member, rule) => fail(member === "" ? place : `${place}.${member}`, rule));
    configs.set(serverId, config);
  }
  return ({ serverId }) => configs.get(serverId) ?? aUser;
}

function invalidConfig(serverId: string, member: string, rule: string): HostsideError {
  const field = member === "" ? "clients" : `clients.${member}`;
  return serverError({ serverId }, `${field} ${rule}`, { code: "invalid_spec", details: { field } });
}

function fail(option: string, rule: string): TypeError {
  return new TypeError(`createOAuth(): ${option} ${rule}`);
}

/** Makes the error for a member that breaks a rule: `""` is the whole. */
type ConfigFailure = (member: string, rule: string) => Error;

/** Says what is wrong with a value; `undefined` for nothing. It never shows the value. */
type Rule = (value: unknown) => string | undefined;
type Rules<T> = Readonly<Record<keyof T, Rule>>;

const ruleOf =
  (isGood: (value: unknown) => boolean, wrong: string): Rule =>
  (value) =>
    isGood(value) ? undefined : wrong;

const text: Rule = (value) => {
  if (typeof value !== "string") return `must be a string, not ${kindOf(value)}`;
  return value.trim() === "" ? "must not be blank" : undefined;
};
const serverUrl: Rule = (value) => {
  if (!isUrlText(value)) return "must be a URL";
  return isConfidentialUrl(new URL(value)) ? undefined : "must be an https: URL, or an http: URL of this machine";
};
const aFunction = ruleOf((value) => typeof value === "function", "must be a function");
const object: Rule = (value) => (isPlainObject(value) ? undefined : `must be an object, not ${kindOf(value)}`);

/** Tells whether a value is a list of scopes (RFC 6749, 3.3). */
export function areScopes(value: unknown): boolean {
  return Array.isArray(value) && value.every((scope) => typeof scope === "string" && isScope(scope));
}

const common = {
  flow: () => undefined,
  clientId: text,
  clientSecret: text,
  issuer: serverUrl,
  scopes: ruleOf(areScopes, "must be an array of scopes (RFC 6749, 3.3), each without white space"),
  resource: ruleOf(
    (value) => value === false || (isUrlText(value) && !value.includes("#")),
    "must be a URL without a fragment (RFC 8707, 2), or false to send none",
  ),
  dpop: ruleOf((value) => typeof value === "boolean", "must be true or false"),
};
const codeRules: Rules<AuthorizationCodeConfig> = { ...common, redirectUri: wrongRedirectUri, clientName: text };
const credentialsRules: Rules<ClientCredentialsConfig> = { ...common, privateKey: object };
const assertionRules: Rules<JwtBearerConfig> = { ...common, assertion: aFunction };
const enterpriseRules: Rules<EnterpriseManagedConfig> = { ...common, identityProvider: object };
const flows: Readonly<Record<string, { readonly rules: Readonly<Record<string, Rule>>; readonly needs: string[] }>> = {
  authorization_code: { rules: codeRules, needs: [] },
  client_credentials: { rules: credentialsRules, needs: ["clientId"] },
  jwt_bearer: { rules: assertionRules, needs: ["assertion"] },
  enterprise_managed: { rules: enterpriseRules, needs: ["clientId", "identityProvider"] },
};

/**
 * Throws what `fail` makes for the first member of a client's configuration that breaks a rule. Its
 * texts hold no value.
 */
export function assertClientConfig(config: unknown, fail: ConfigFailure): asserts config is ClientConfig {
  if (!isPlainObject(config)) throw fail("", `must be an object, not ${kindOf(config)}`);
  const { flow: name = "authorization_code", clientSecret, privateKey } = config;
  const flow = Object.hasOwn(flows, String(name)) ? flows[String(name)] : undefined;
  if (flow === undefined) throw fail("flow", `must be one of ${Object.keys(flows).join(", ")}`);
  const needs = clientSecret === undefined ? flow.needs : [...flow.needs, "clientId"];
  assertRules(config, { rules: flow.rules, needs }, fail);
  if (name === "client_credentials" && (clientSecret === undefined) === (privateKey === undefined)) {
    throw fail("clientSecret", "or privateKey is needed, and not both");
  }
}

function assertRules(
  owner: Readonly<Record<string, unknown>>,
  { rules, needs }: (typeof flows)[string],
  fail: ConfigFailure,
): void {
  const unknown = Object.keys(owner).find((field) => !Object.hasOwn(rules, field));
  if (unknown !== undefined) {
    throw fail(unknown, `is unknown for this flow; known are ${Object.keys(rules).join(", ")}`);
  }
  for (const [member, rule] of Object.entries(rules)) {
    if (owner[member] === undefined && !needs.includes(member)) continue;
    const wrong = rule(owner[member]);
    if (wrong !== undefined) throw fail(member, wrong);
  }
}

// What a browser would run or read in place of opening an application.
const noPlaces: ReadonlySet<string> = new Set(
  "about: blob: data: file: ftp: javascript: vbscript: ws: wss:".split(" "),
);

/**
 * Says why a value cannot be a redirect URI: that is `https:`, `http:` on this machine, or a scheme
 * of the product's own (RFC 8252, 7).
 */
function wrongRedirectUri(value: unknown): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return "must be a URL, and not blank";
  if (!URL.canParse(value)) return "must be an absolute URL";
  const url = new URL(value);
  // Also an empty one (RFC 6749, 3.1.2).
  if (value.includes("#")) return "must have no fragment (RFC 6749, 3.1.2)";
  if (url.username !== "" || url.password !== "") return "must have no user info";
  if (noPlaces.has(url.protocol)) return `must not be a ${url.protocol} URL`;
  if (url.protocol !== "http:" || isConfidentialUrl(url)) return undefined;
  return "must be an https: URL: over http: the code would travel unencrypted, except on this machine";
}

function isUrlText(value: unknown): value is string {
  return typeof value === "string" && value.trim() === value && URL.canParse(value);
}

// RFC 6749, 3.3.
const scopeToken = /^[\u0021\u0023-\u005B\u005D-\u007E]+$/;
const longestScope = 256;

/** Tells whether a text is one scope. */
export function isScope(text: string): boolean {
  return text.length <= longestScope && scopeToken.test(text);
}
