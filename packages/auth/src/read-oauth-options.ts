import type { HostsideError } from "@hostside/core";
import { assertKnownOptions, isPlainObject, kindOf, type Fields } from "@hostside/core/implement";
import { assertClientConfig, wrongRedirectUri } from "./check-client-config.ts";
import { serverError } from "./auth-errors.ts";
import type {
  ClientConfig,
  OAuthOptions,
  PrincipalServer,
  ProductIdentity,
  RedirectReceiver,
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
