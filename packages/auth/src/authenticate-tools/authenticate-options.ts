import type { Clock, AdmissionServer, Event, HostsideErrorCode } from "@hostside/core";
import { assertKnownOptions, kindOf, systemClock, type Fields } from "@hostside/core/implement";
import type { OAuth } from "../oauth.ts";

/** Options of `authenticateToolNames`. */
export interface AuthenticateNamesOptions {
  /**
   * Names the tool of a server. A character that a model API would refuse is replaced, and names
   * that two servers have get a hash. Default: `mcp_<server>_authenticate`.
   */
  readonly nameOf?: ((serverId: string) => string) | undefined;
}

/** Options of `createAuthenticateTools`. */
export interface AuthenticateToolsOptions extends AuthenticateNamesOptions {
  readonly oauth: Pick<OAuth, "authorize" | "begin" | "cancel" | "onSignedIn">;
  /** Whose servers are signed in to. */
  readonly provider: SignInProvider;
  /** On whose behalf, as the connections of the provider have it. Default: the host itself. */
  readonly principal?: string | undefined;
  /** What the provider of the tools is called. Default `authenticate`. */
  readonly name?: string | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** The same, checked and with defaults. */
export interface AuthenticateSettings extends AuthenticateToolsOptions {
  readonly nameOf: (serverId: string) => string;
  readonly name: string;
  readonly clock: Clock;
}

const namesFields: Fields<AuthenticateNamesOptions> = { nameOf: true };
const toolsFields: Fields<AuthenticateToolsOptions> = {
  ...namesFields,
  oauth: true,
  provider: true,
  principal: true,
  name: true,
  clock: true,
};
/** Reads how tools are named. Throws a `TypeError` that names what cannot be used. */
export function readNamesOptions(owner: string, options: AuthenticateNamesOptions): (serverId: string) => string {
  assertKnownOptions(owner, options, namesFields);
  const { nameOf = defaultName } = options;
  if (typeof nameOf !== "function") {
    throw new TypeError(`${owner}: nameOf must be a function, not ${kindOf(nameOf)}`);
  }
  return (serverId) => {
    const name: unknown = nameOf(serverId);
    if (typeof name === "string" && name !== "") return name;
    throw new TypeError(`${owner}: nameOf must answer with a text that is not empty`);
  };
}

function defaultName(serverId: string): string {
  const part = serverId
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "");
  return `mcp_${/^[a-z]/.test(part) ? part : `x${part}`}_authenticate`;
}

/** Reads the options. Throws a `TypeError` that names what cannot be used. */
export function readToolsOptions(options: AuthenticateToolsOptions): AuthenticateSettings {
  const owner = "createAuthenticateTools()";
  assertKnownOptions(owner, options, toolsFields);
  const { oauth, provider, principal, name = "authenticate", nameOf, clock = systemClock } = options;
  for (const [place, given, method] of [
    ["oauth", oauth, "authorize"],
    ["provider", provider, "refreshServer"],
  ] as const) {
    if (typeof (given as unknown as Record<string, unknown> | undefined)?.[method] === "function") continue;
    throw new TypeError(`${owner} needs ${place}, which has ${method}()`);
  }
  for (const [place, given] of Object.entries({ principal, name })) {
    if (given === undefined || (typeof given === "string" && given !== "")) continue;
    throw new TypeError(`${owner}: ${place} must be a text that is not empty`);
  }
  return { ...options, name, clock, nameOf: readNamesOptions(owner, { nameOf }) };
}

/** What is known of one server: the part of a provider's status that counts here. */
export interface SignInStatus {
  readonly id: string;
  /**
   * Such as `needs-auth`, `connecting` or `ready`; `removed` in the last event of a registration.
   */
  readonly state: string;
  /** As its spec has it: `oauth` for a server that can be signed in to. */
  readonly auth?: string | undefined;
  /** Why it is not ready. */
  readonly error?: { readonly code: HostsideErrorCode } | undefined;
}

/** What signing in needs of a provider; the one of `@hostside/provider` is such a provider. */
export interface SignInProvider {
  statuses(): readonly SignInStatus[];
  /** The tools on offer. */
  routes(): readonly { readonly name: string; readonly serverId: string }[];
  has(name: string): boolean;
  /** In the host's own words. */
  describeServer?(serverId: string): Pick<AdmissionServer, "title"> | undefined;
  /**
   * Connects to a server and lists its tools. Rejects with what that failed with. `signal` ends the
   * wait.
   */
  refreshServer(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  readonly onStatusChanged: Event<SignInStatus>;
  readonly onToolsChanged: Event<unknown>;
  readonly closed: boolean;
  /** Fires once, when it is closed. */
  readonly onClosed: Event<undefined>;
}
