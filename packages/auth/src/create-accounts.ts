import {
  assertServerSpec,
  HostsideError,
  type AuthorizationFetch,
  type AuthorizationRequest,
  type ServerSpec,
} from "@hostside/core";
import {
  createBoundedFetch,
  createSecretMemory,
  kindOf,
  serverTypeOf,
  specError,
  learnSecrets,
} from "@hostside/core/implement";
import { useLast, type Account } from "./account.ts";
import { nameServer } from "./auth-errors.ts";
import type { ClientConfig, OAuthFetch } from "./oauth-options.ts";
import type { OAuthSettings } from "./read-oauth-options.ts";

/** The accounts that are in use. */
export interface Accounts {
  /**
   * The account of a server that is known by its spec, or by its id when a connector has asked
   * about it.
   */
  accountOf(server: ServerSpec | string, principal: string | undefined): Account;
  /** The account, when its server is known. */
  knownAccount(serverId: string, principal: string | undefined): Account | undefined;
  /** The accounts of a principal. */
  of(principal: string | undefined): readonly Account[];
  /** The same, for a connector, whose `fetch` is used from now on. */
  connect(spec: ServerSpec, request: AuthorizationRequest): Account;
}

// An account is the same object as long as it is in use; its configuration and `fetch` are the
// latest.
type Entry = { -readonly [Member in keyof Account]: Account[Member] };

/** Makes the accounts of one `createOAuth()`. `closing` ends their requests. */
export function createAccounts(settings: OAuthSettings, closing: AbortSignal): Accounts {
  const entries = new Map<string, Entry>();
  const specs = new Map<string, ServerSpec>();

  const entryOf = (spec: ServerSpec, principal: string | undefined): Entry => {
    const url = new URL(urlOf(spec));
    const config = settings.configOf({ serverId: spec.id, url: url.href, principal });
    const key = JSON.stringify([spec.id, url.href, principal]);
    const entry = entries.get(key) ?? createEntry(spec, { principal, url, config });
    entry.config = config;
    useLast(entries, [key, entry]);
    useLast(specs, [spec.id, spec]);
    return entry;
  };
  const createEntry = (spec: ServerSpec, { principal, url, config }: Owner): Entry => {
    const secrets = createSecretMemory(withSecrets(spec, config));
    const { fetch, guard } = settings;
    const server = { serverId: spec.id, principal };
    const own = createBoundedFetch({ fetch: fetchFor(fetch, spec), guard, closing, server });
    return {
      serverId: spec.id,
      title: spec.title ?? spec.id,
      serverUrl: url,
      principal,
      config,
      hasPrompt: settings.prompt !== undefined,
      fetch: learnSecrets(own, secrets),
      secrets,
      hints: { metadataUrl: undefined, scope: undefined, dpop: false },
    };
  };
  return {
    accountOf(server, principal) {
      principalOf({ principal });
      if (typeof server !== "string") return entryOf(server, principal);
      const spec = specs.get(server);
      if (spec === undefined) throw unknownServer(server);
      return entryOf(spec, principal);
    },
    knownAccount(serverId, principal) {
      const spec = specs.get(serverId);
      return spec && entryOf(spec, principal);
    },
    of: (principal) => Array.from(entries.values()).filter((account) => account.principal === principal),
    connect(spec, { principal, fetch }) {
      const entry = entryOf(spec, principal);
      entry.fetch = learnSecrets(endedBy(closing, fetch), entry.secrets);
      return entry;
    },
  };
}

/** The product's `fetch` for one server. */
export function fetchFor(fetch: OAuthFetch | undefined, spec: ServerSpec): AuthorizationFetch | undefined {
  return fetch && ((url, init) => fetch(url, init, spec));
}

/** Reads on whose behalf. Throws a `TypeError` for what is no text. */
export function principalOf({ principal }: { readonly principal?: unknown }): string | undefined {
  if (principal === undefined || typeof principal === "string") return principal;
  throw new TypeError(`principal must be a string, not ${kindOf(principal)}`);
}

interface Owner {
  readonly principal: string | undefined;
  readonly url: URL;
  readonly config: ClientConfig;
}

function urlOf(spec: ServerSpec): string {
  assertServerSpec(spec);
  const { id, url } = spec;
  if (url === undefined) {
    throw specError(id, "type", `is ${JSON.stringify(serverTypeOf(spec))}: only servers over HTTP use OAuth`);
  }
  if (spec.auth !== "oauth") throw specError(id, "auth", 'must be "oauth" for who is to be signed in');
  if (!URL.canParse(url)) throw specError(id, "url", "must be a URL");
  return url;
}

// A connector's lives as long as that does; what is asked for here ends with `close()` as well.
function endedBy(closing: AbortSignal, fetch: AuthorizationFetch): AuthorizationFetch {
  return async (url, init = {}) => {
    closing.throwIfAborted();
    const signal = init.signal == null ? closing : AbortSignal.any([init.signal, closing]);
    signal.throwIfAborted();
    return fetch(url, { ...init, signal });
  };
}

// Those of the configuration are masked from the first moment on, and never displaced by later
// ones.
function withSecrets(spec: ServerSpec, config: ClientConfig): ServerSpec {
  const provider = config.flow === "enterprise_managed" ? config.identityProvider : undefined;
  const known = [config.clientSecret, provider?.clientSecret].filter((secret) => secret !== undefined);
  const headers = Object.fromEntries(known.map((secret, index) => [`x-client-secret-${index}`, secret]));
  if (spec.url === undefined) return spec;
  return { ...spec, headers: { ...spec.headers, ...headers } };
}

// Suggests no other id: it may be a server of somebody else.
function unknownServer(serverId: string): HostsideError {
  return new HostsideError(
    `${nameServer(serverId)} is not known here: no connector has asked about it yet; hand its spec over in place of its id`,
    { code: "unknown_server", serverId },
  );
}
