import {
  HostsideError,
  isHostsideError,
  type AuthorizationRequest,
  type CredentialHeaders,
  type HostsideErrorCode,
  type ServerCredentials,
  type ServerSpec,
} from "@hostside/core";
import {
  assertKnownOptions,
  createSecretMemory,
  formatMs,
  quoteText,
  safeCause,
  type Fields,
} from "@hostside/core/implement";
import { useLast } from "./account.ts";
import type { PrincipalServer } from "./oauth-options.ts";
import { withinTime } from "./within-time.ts";

/** Options of {@linkcode createApiKeys}. */
export interface ApiKeysOptions {
  /**
   * Gives the key, or `undefined` if there is none. Asked before each request and after a refusal.
   * It has 30 seconds. An error of it fails the request with `store_failed`.
   */
  readonly keyFor: (server: PrincipalServer) => Promise<string | undefined> | string | undefined;
  /** Name of the header. Default `authorization`, which has `Bearer` before the key. */
  readonly header?: string | ((server: PrincipalServer) => string) | undefined;
}

/** Gives keys to servers of `auth: "api-key"`. */
export interface ApiKeys {
  /** For `createConnector({ authProvider })`. Answers for servers of `auth: "api-key"` alone. */
  readonly authProvider: (spec: ServerSpec, request: AuthorizationRequest) => ServerCredentials | undefined;
}

const optionFields: Fields<ApiKeysOptions> = { keyFor: true, header: true };
const headerValue = /^[\t\u0020-\u007E]*$/;
const keyMs = 30_000;

/**
 * Sends keys of the product's own to servers of `auth: "api-key"`. A key that the server refuses is
 * asked for again, and the request sent once more if it is another one by then. Throws a
 * `TypeError` for options that are wrong.
 *
 * @example
 * const keys = createApiKeys({ keyFor: ({ serverId, principal }) => vault.get(`${principal}/${serverId}`) });
 * const connector = createConnector({ authProvider: keys.authProvider });
 */
export function createApiKeys(options: ApiKeysOptions): ApiKeys {
  assertKnownOptions("createApiKeys()", options, optionFields);
  const { keyFor, header = "authorization" } = options;
  const kept = new Map<string, ServerCredentials>();
  return {
    authProvider(spec, { principal }) {
      if (spec.url === undefined || spec.auth !== "api-key") return undefined;
      const { id: serverId, url } = spec;
      const account = JSON.stringify([serverId, url, principal]);
      const server: PrincipalServer = { serverId, url, ...(principal !== undefined && { principal }) };
      const credentials = kept.get(account) ?? createKeyCredentials(server, { keyFor, header });
      useLast(kept, [account, credentials]);
      return credentials;
    },
  };
}

function createKeyCredentials(server: PrincipalServer, { keyFor, header = "" }: ApiKeysOptions): ServerCredentials {
  const { serverId, principal } = server;
  const secrets = createSecretMemory();
  const whose = principal === undefined ? "" : ` and principal ${quoteText(principal)}`;
  const account = `server ${quoteText(serverId)}${whose}`;
  const unsent = (code: HostsideErrorCode, message: string, cause?: unknown): HostsideError =>
    new HostsideError(`${message}; nothing was sent`, {
      code,
      serverId,
      outcome: "not-sent",
      ...(code === "store_failed" && { retryable: true }),
      ...(cause !== undefined && { cause: safeCause(cause, secrets.redact) }),
    });
  const onTimeout = (): HostsideError =>
    unsent("store_failed", `keyFor() gave no key for ${account} within ${formatMs(keyMs)}`);
  const askHost = async (): Promise<unknown> => {
    try {
      return await withinTime({ timeoutMs: keyMs, onTimeout }, async () => keyFor(server));
    } catch (error) {
      if (isHostsideError(error)) throw error;
      const reason = error instanceof Error ? quoteText(secrets.redact(error.message), 200) : "no reason given";
      throw unsent("store_failed", `keyFor() failed for ${account}: ${reason}`, error);
    }
  };
  const headersFor = async (): Promise<CredentialHeaders> => {
    const given = await askHost();
    if (given === undefined || given === null) return {};
    if (typeof given !== "string") {
      throw unsent("internal_error", `keyFor() gave something that is no text for ${account}`);
    }
    const key = given.trim();
    secrets.learn(key);
    if (key === "") throw unsent("auth_required", `the key for ${account} is blank`);
    if (!headerValue.test(key)) throw unsent("auth_required", `the key for ${account} is one that no header can carry`);
    const name = (typeof header === "function" ? header(server) : header).toLowerCase();
    return { [name]: name === "authorization" ? `Bearer ${key}` : key };
  };
  return {
    headersFor,
    async onRefused({ status, sent }) {
      const now = Object.entries(await headersFor());
      if (now.length !== Object.keys(sent).length || now.some(([name, value]) => sent[name] !== value)) return;
      const isForbidden = status === 403 && now.length > 0;
      const because =
        now.length === 0
          ? `there is no key for ${account}: have keyFor() give one, then refresh the server`
          : isForbidden
            ? `the key for ${account} does not allow this: have keyFor() give one that does`
            : `the key for ${account} was refused: have keyFor() give another one, then refresh the server`;
      throw new HostsideError(because, { code: isForbidden ? "forbidden" : "auth_required", serverId });
    },
  };
}

/**
 * Chooses the credentials of a server for a connector; `undefined` when another provider has them.
 */
export type AuthProvider<Credentials extends object = object> = (
  spec: ServerSpec,
  request: AuthorizationRequest,
) => Credentials | undefined;

/**
 * Several ways to be let in as one `authProvider`, such as OAuth for some servers and keys for
 * others: the first that answers has it.
 *
 * @example
 * const authProvider = firstAuthProvider(oauth.authProvider, keys.authProvider);
 */
export function firstAuthProvider<const Providers extends readonly AuthProvider[]>(
  ...providers: Providers
): AuthProvider<NonNullable<ReturnType<Providers[number]>>> {
  return (spec, request) => {
    for (const provider of providers) {
      const credentials = provider(spec, request);
      // The compiler forgets which of the functions this was.
      if (credentials !== undefined) return credentials as NonNullable<ReturnType<Providers[number]>>;
    }
    return undefined;
  };
}
