import { HostsideError } from "@hostside/core";
import { isConfidentialUrl } from "@hostside/core/implement";
import type { SecretMemory } from "@hostside/core/implement";
import type { OAuthClient, OAuthContext, OAuthProvider, OAuthTokens } from "./authorization-provider.ts";

/** What was found out about an authorization server; the SDK's to read. */
export type DiscoveryState = object;

/** Where a user was sent, for when the answer comes. */
export interface SentUser {
  readonly issuer: string | undefined;
  readonly discovery: DiscoveryState | undefined;
  /** Which answer is the one to this. */
  readonly state: string | undefined;
}

/** What one flow may do. */
export interface FlowRules {
  readonly serverId: string;
  readonly secrets: SecretMemory;
  /** Whether a page may be shown to a user and a client be registered. */
  readonly isInteractive: boolean;
  /** A refresh was tried already, in vain. */
  readonly withoutRefresh?: boolean;
  /** The answer that is to be redeemed belongs to this; absent when none is. */
  readonly sent?: SentUser | undefined;
  /** The credentials were cleared since the flow began. */
  readonly isForgotten: () => boolean;
  /** The user was sent to the authorization page. */
  readonly onSent?: (sent: SentUser) => void;
}

/** The optional members of the SDK's interface that are watched here. */
interface FullOAuthProvider extends OAuthProvider {
  readonly clientMetadataUrl?: string | undefined;
  saveClientInformation?(information: OAuthClient, context?: OAuthContext): unknown;
  discoveryState?(): unknown;
  saveDiscoveryState?(state: DiscoveryState): unknown;
}

/**
 * A provider as the SDK's flow gets it: the product's own, all members of it, but every secret that
 * passes is learned; credentials are bound to the authorization server that they are first used
 * with; nobody is sent to a page that is neither `https:` nor on this machine, and without a user
 * who waits nobody is sent anywhere and no client is registered; a code is redeemed only where the
 * user was sent for it. Once the credentials are cleared, nothing is saved any more.
 */
export function guardOAuthProvider(product: OAuthProvider, rules: FlowRules): OAuthProvider {
  const provider: FullOAuthProvider = product;
  const { secrets, isInteractive, sent } = rules;
  const saving = savingOf(provider, rules);
  const keepsDiscovery = provider.discoveryState !== undefined && provider.saveDiscoveryState !== undefined;
  let issuer: string | undefined;
  let discovery: DiscoveryState | undefined;
  const learn = (...texts: readonly unknown[]): void => {
    for (const text of texts) if (typeof text === "string") secrets.learn(text);
  };
  const assertSameIssuer = (context: OAuthContext | undefined): void => {
    issuer = context?.issuer ?? issuer;
    if (sent?.issuer === undefined || issuer === undefined || sameIssuer(sent.issuer, issuer)) return;
    throw mixedUp(rules.serverId);
  };

  const guarded: Partial<FullOAuthProvider> = {
    async tokens(context) {
      const stored = await provider.tokens(context);
      learn(...secretsOfTokens(stored));
      const bound = bind(stored, context);
      if (bound !== stored && bound !== undefined) await saving.saveTokens(bound, context);
      if (rules.withoutRefresh !== true || bound === undefined) return bound;
      const { refresh_token: _, ...rest } = bound;
      return rest;
    },
    saveTokens(tokens, context) {
      learn(...secretsOfTokens(tokens));
      return saving.saveTokens(tokens, context);
    },
    async clientInformation(context) {
      assertSameIssuer(context);
      const stored = await provider.clientInformation(context);
      if (stored === undefined && !isInteractive && provider.clientMetadataUrl === undefined) {
        throw userNotAskedError(rules.serverId, "a client would have to be registered");
      }
      learn(...secretsOfClient(stored));
      const bound = bind(stored, context);
      if (bound !== stored && bound !== undefined) await saving.saveClientInformation(bound, context);
      return bound;
    },
    async codeVerifier() {
      const verifier = await provider.codeVerifier();
      learn(verifier);
      return verifier;
    },
    saveCodeVerifier(verifier) {
      if (!isInteractive) throw userNotAskedError(rules.serverId, "a user would have to be asked");
      learn(verifier);
      return saving.saveCodeVerifier(verifier);
    },
    async redirectToAuthorization(url) {
      if (!isInteractive) throw userNotAskedError(rules.serverId, "a user would have to be asked");
      if (!isConfidentialUrl(url) || hasUserInfo(url)) throw unsafePage(url, rules.serverId);
      const state = url.searchParams.get("state") ?? undefined;
      learn(state);
      rules.onSent?.({ issuer, discovery, state });
      await saving.redirectToAuthorization(url);
    },
  };
  const members: Record<PropertyKey, unknown> = { ...guarded };
  members["saveClientInformation"] =
    isInteractive && provider.saveClientInformation !== undefined
      ? (information: OAuthClient, context?: OAuthContext) => {
          learn(...secretsOfClient(information));
          return saving.saveClientInformation(information, context);
        }
      : undefined;
  if (!keepsDiscovery) {
    members["discoveryState"] = () => sent?.discovery;
    members["saveDiscoveryState"] = (state: DiscoveryState) => void (discovery = state);
  }
  return new Proxy(product, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return members[key];
      const member: unknown = Reflect.get(target, key, target);
      // A member of a class with private fields works on the product's own object alone.
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/**
 * The members that change what is kept or what the user sees: they refuse once the credentials were
 * cleared.
 */
function savingOf(provider: FullOAuthProvider, { isForgotten, serverId }: FlowRules) {
  const assertWanted = (): void => {
    if (isForgotten()) throw cleared(serverId);
  };
  return {
    saveTokens(tokens: OAuthTokens, context?: OAuthContext) {
      assertWanted();
      return provider.saveTokens(tokens, context);
    },
    saveClientInformation(information: OAuthClient, context?: OAuthContext) {
      assertWanted();
      return provider.saveClientInformation?.(information, context);
    },
    saveCodeVerifier(verifier: string) {
      assertWanted();
      return provider.saveCodeVerifier(verifier);
    },
    redirectToAuthorization(url: URL) {
      assertWanted();
      return provider.redirectToAuthorization(url);
    },
  };
}

/** Only a user can help, and none is known to be there. */
export function userNotAskedError(serverId: string, why: string): HostsideError {
  return new HostsideError(
    `a user has to authorize the access, and was not asked: ${why}, which is done only while one waits for it; once one does, use \`interactive\` of refreshServer(), or connect(), and then finish the authorization`,
    { code: "auth_required", serverId },
  );
}

// Credentials without a mark belong to whom they are first used with.
function bind<Stored extends OAuthClient | OAuthTokens>(
  stored: Stored | undefined,
  context: OAuthContext | undefined,
): Stored | undefined {
  if (stored === undefined || context === undefined || typeof stored.issuer === "string") return stored;
  return { ...stored, issuer: context.issuer };
}

function secretsOfTokens(tokens: OAuthTokens | undefined): readonly unknown[] {
  return tokens === undefined ? [] : [tokens.access_token, tokens.refresh_token, memberOf(tokens, "id_token")];
}

function secretsOfClient(client: OAuthClient | undefined): readonly unknown[] {
  return client === undefined ? [] : [client.client_secret, memberOf(client, "registration_access_token")];
}

function memberOf(value: object, name: string): unknown {
  return Object.entries(value).find(([member]) => member === name)?.[1];
}

// The same tolerance as for metadata (RFC 8414, 3.3, as practised): one slash at the end.
function sameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

function cleared(serverId: string): HostsideError {
  return new HostsideError("the credentials were cleared while they were being renewed; nothing was saved", {
    code: "auth_required",
    serverId,
  });
}

function mixedUp(serverId: string): HostsideError {
  return new HostsideError(
    "the server names another authorization server now than the one that the user was sent to; the code was sent to neither",
    { code: "auth_required", serverId },
  );
}

// In front of `@` there is room for the name of a host that somebody trusts.
function hasUserInfo({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

function unsafePage(url: URL, serverId: string): HostsideError {
  const found = hasUserInfo(url) ? "a user name before its host" : url.protocol.slice(0, 20);
  return new HostsideError(
    `the authorization page is no https: page, nor an http: page of this machine, and was not shown (${found})`,
    { code: "auth_required", serverId },
  );
}
