import type { Clock } from "@hostside/core";
import { assertKnownOptions, kindOf, systemClock, type Fields } from "@hostside/core/implement";
import type { OAuth } from "../oauth.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

/** What the tools are called: `mcp_<server>_authenticate`, or `mcp__<server>__authenticate` where other tools of servers have such names. */
export type AuthenticateNaming = "default" | "evva";

/** Options of `authenticateToolNames`. */
export interface AuthenticateNamesOptions {
  /** Default `"default"`. */
  readonly naming?: AuthenticateNaming | undefined;
  /** What the tool of a server is called, in place of `naming`. What a model API would refuse is replaced, and names that two servers have get a hash. */
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

const namesFields: Fields<AuthenticateNamesOptions> = { naming: true, nameOf: true };
const toolsFields: Fields<AuthenticateToolsOptions> = {
  ...namesFields,
  oauth: true,
  provider: true,
  principal: true,
  name: true,
  clock: true,
};
const conventions: Readonly<Record<AuthenticateNaming, (serverId: string) => string>> = {
  default(serverId) {
    const part = serverId
      .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
      .replaceAll(/[^a-z0-9]+/g, "_")
      .replaceAll(/^_|_$/g, "");
    return `mcp_${/^[a-z]/.test(part) ? part : `x${part}`}_authenticate`;
  },
  evva: (serverId) => `mcp__${serverId.replaceAll(/[^A-Za-z0-9_-]/gu, "_")}__authenticate`,
};

/** Reads how tools are named. Throws a `TypeError` that names what cannot be used. */
export function readNamesOptions(owner: string, options: AuthenticateNamesOptions): (serverId: string) => string {
  assertKnownOptions(owner, options, namesFields);
  const { naming = "default", nameOf } = options;
  if (!Object.hasOwn(conventions, naming)) {
    throw new TypeError(`${owner}: naming must be one of ${Object.keys(conventions).join(", ")}`);
  }
  if (nameOf !== undefined && typeof nameOf !== "function") {
    throw new TypeError(`${owner}: nameOf must be a function, not ${kindOf(nameOf)}`);
  }
  const byConvention = conventions[naming];
  if (nameOf === undefined) return byConvention;
  return (serverId) => {
    const name: unknown = nameOf(serverId);
    if (typeof name === "string" && name !== "") return name;
    throw new TypeError(`${owner}: nameOf must answer with a text that is not empty`);
  };
}

/** Reads the options. Throws a `TypeError` that names what cannot be used. */
export function readToolsOptions(options: AuthenticateToolsOptions): AuthenticateSettings {
  const owner = "createAuthenticateTools()";
  assertKnownOptions(owner, options, toolsFields);
  const { oauth, provider, principal, name = "authenticate", naming, nameOf, clock = systemClock } = options;
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
  return { ...options, name, clock, nameOf: readNamesOptions(owner, { naming, nameOf }) };
}
