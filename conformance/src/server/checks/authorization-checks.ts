import type { CredentialHeaders, JsonObject } from "@hostside/core";
import type { Finding, Requirement } from "../../engine/check.ts";
import {
  firstRequest,
  bearerChallenge,
  type AuthorizationSurface,
  type HttpAddress,
} from "../authorization-surface.ts";
import { isLoopback } from "../server-address.ts";
import type { ServerTarget } from "../server-target.ts";
import {
  conclude,
  fail,
  pass,
  notApplicable,
  defineChecks,
  legacySpec,
  describeResponse,
  type CheckInit,
  type ServerCheck,
} from "./define-check.ts";

const page = "basic/authorization";
const noToken = notApplicable("needs a token that the server takes: --oauth, --oauth-client or --token-env");

const notBound = notApplicable(
  "needs to sign in for a token that is bound to a key, which the server asks for where it wants DPoP",
);

/**
 * How a server over HTTP asks for authorization, and what it lets in. None of them applies where it
 * asks for none.
 */
export const authorizationChecks: readonly ServerCheck[] = defineChecks("any", [], {
  "auth/challenge": aboutAuthorization({
    title: "A request without credentials is answered with a challenge",
    level: "MUST",
    rule: "401 comes with WWW-Authenticate; its Bearer challenge may name the protected resource's metadata.",
    source: legacySpec(`${page}#protected-resource-metadata-discovery-requirements`, "Authorization, discovery"),
    legal: ["401 with a Bearer or DPoP challenge"],
    fix: 'Send WWW-Authenticate: Bearer resource_metadata="https://…/.well-known/oauth-protected-resource/…" with every 401.',
    judge: async ({ challenge, refusal }) =>
      challenge
        ? pass(`${challenge.scheme}, ${[...challenge.params.keys()].join(", ") || "no parameters"}`)
        : fail(`401, WWW-Authenticate: ${refusal.headers.get("www-authenticate") ?? "none"}`),
  }),
  "auth/resource-metadata": aboutAuthorization({
    title: "The protected resource's metadata names an authorization server",
    level: "MUST",
    rule: "Servers implement Protected Resource Metadata (RFC 9728) with at least one authorization server.",
    source: legacySpec(`${page}#authorization-server-location`, "Authorization, authorization server location"),
    legal: [
      "a JSON object with authorization_servers, at resource_metadata of the challenge or the well-known address",
    ],
    fix: "Serve the document at /.well-known/oauth-protected-resource, followed by the path of your endpoint.",
    judge: async ({ challenge, resource, issuers }, { headers, signIn }) => {
      if (resource.json === undefined) {
        const namesDocument = challenge?.params.has("resource_metadata") === true;
        const isGiven = signIn === undefined && new Headers(headers).has("authorization");
        return namesDocument || !isGiven
          ? fail(`no JSON object at ${resource.tried.join(", ")}`)
          : notApplicable("the server takes what its users are given by hand, and signs nobody in");
      }
      if (issuers.length > 0) return pass(issuers.map(({ issuer }) => issuer).join(", "));
      return fail(`authorization_servers: ${JSON.stringify(resource.json["authorization_servers"]) ?? "absent"}`);
    },
  }),
  "auth/resource-identifier": aboutAuthorization({
    title: "The metadata is about the URL that clients use",
    level: "MUST",
    rule: "The resource in the metadata is the identifier from which its address was made; clients refuse any other.",
    source: {
      section: "RFC 9728, section 3.3",
      url: "https://www.rfc-editor.org/rfc/rfc9728.html#section-3.3",
    },
    legal: ["the URL of the server", "its origin, or a path above it"],
    fix: "Set resource to the URL that clients are given: behind a proxy that is not the one that the server sees.",
    needs: ["auth/resource-metadata"],
    judge: async ({ resource }, { url }) => {
      const identifier = resource.json?.["resource"];
      return typeof identifier === "string" && isAbove(identifier, url)
        ? pass(identifier)
        : fail(`resource: ${JSON.stringify(identifier) ?? "absent"}, for ${url.origin}${url.pathname}`);
    },
  }),
  "auth/server-metadata": aboutAuthorization({
    title: "The authorization server has metadata, under its own name",
    level: "MUST",
    rule: "Authorization servers offer metadata by RFC 8414 or OpenID Connect Discovery, whose issuer is their own.",
    source: legacySpec(`${page}#authorization-server-metadata-discovery`, "Authorization, server metadata discovery"),
    legal: ["a JSON object at one of the well-known addresses, with the same issuer and a token_endpoint"],
    fix: "Name in authorization_servers exactly what the authorization server calls its issuer.",
    needs: ["auth/resource-metadata"],
    judge: async ({ issuers }) => {
      const problems = issuers.flatMap(({ issuer, json, tried }) => {
        if (json === undefined) return [`no JSON object at ${tried.join(", ") || issuer}`];
        const named = json["issuer"];
        if (typeof named !== "string" || withoutSlash(named) !== withoutSlash(issuer))
          return [`issuer ${JSON.stringify(named) ?? "absent"} in the metadata of ${issuer}`];
        return typeof json["token_endpoint"] === "string" ? [] : [`${issuer} has no token_endpoint`];
      });
      return conclude(problems, issuers.map(({ issuer }) => issuer).join(", "));
    },
  }),
  "auth/pkce": aboutAuthorization({
    title: "The authorization server says that it supports PKCE with S256",
    level: "MUST",
    rule: "Clients refuse to go on when code_challenge_methods_supported is absent.",
    source: legacySpec(`${page}#authorization-code-protection`, "Authorization, authorization code protection"),
    legal: ["code_challenge_methods_supported has S256", "no authorization_endpoint: programs alone sign in"],
    fix: 'Add code_challenge_methods_supported: ["S256"] to the metadata, and check the verifier.',
    needs: ["auth/server-metadata"],
    judge: async ({ issuers }) => {
      const problems = issuers.flatMap(({ issuer, json = {} }) => {
        const methods = json["code_challenge_methods_supported"];
        const isOwed = json["authorization_endpoint"] !== undefined;
        return isOwed && !(Array.isArray(methods) && methods.includes("S256"))
          ? [`code_challenge_methods_supported of ${issuer}: ${JSON.stringify(methods) ?? "absent"}`]
          : [];
      });
      return conclude(problems, "S256");
    },
  }),
  "auth/https": aboutAuthorization({
    title: "The endpoints of the authorization server are reached over https",
    level: "MUST",
    rule: "All endpoints of an authorization server are served over HTTPS.",
    source: legacySpec(`${page}#communication-security`, "Authorization, communication security"),
    legal: ["https:", "http: on a loopback address"],
    fix: "Set the public URL of the authorization server: behind a proxy that ends TLS it thinks of itself as http:.",
    needs: ["auth/server-metadata"],
    judge: async ({ issuers }) => {
      const endpoints = issuers.flatMap(({ json }) =>
        ["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"].flatMap((name) => {
          const url = json?.[name];
          return url === undefined || isConfidential(url) ? [] : [`${name}: ${JSON.stringify(url)}`];
        }),
      );
      return conclude(endpoints, "https:, or on this machine");
    },
  }),
  "auth/invalid-token": aboutAuthorization({
    title: "A token that is none is refused with 401",
    level: "MUST",
    rule: "Invalid or expired tokens are answered with 401.",
    source: legacySpec(`${page}#token-handling`, "Authorization, token handling"),
    legal: ["401"],
    fix: "Validate the token before you serve anything; an error of the validation is a 401, not a 500.",
    judge: (_, address, target) => refused(target, address, { authorization: "Bearer hostside-conformance-no-token" }),
  }),
  "auth/forged-token": aboutAuthorization({
    title: "A token that nobody signed is refused with 401",
    level: "MUST",
    rule: "Servers validate access tokens before they process a request.",
    source: legacySpec(`${page}#token-handling`, "Authorization, token handling"),
    legal: ["401"],
    fix: "Verify the signature with the keys of the issuer, and fix the algorithms that you accept; to decode a token is not to validate it.",
    judge: ({ resource, issuers }, address, target) => {
      const audience = resource.json?.["resource"];
      const token = forgedToken({
        iss: issuers[0]?.issuer ?? address.url.origin,
        aud: typeof audience === "string" ? audience : address.url.href,
        scope: scopesOf(resource.json),
      });
      return refused(target, address, { authorization: `Bearer ${token}` });
    },
  }),
  "auth/token-in-query": aboutAuthorization({
    title: "A token in the query is not accepted",
    level: "MUST",
    rule: "Access tokens must not be in the query of a URI, which ends in logs and histories.",
    source: legacySpec(`${page}#token-requirements`, "Authorization, token requirements"),
    legal: ["401, to a good token in the query and none in the Authorization header"],
    fix: "Read the token from the Authorization header alone.",
    judge: async (_, address, target) => {
      const { token } = await credentialsFor(target);
      if (token === undefined) return noToken;
      const url = new URL(address.url);
      url.searchParams.set("access_token", token);
      return refused(target, { ...address, url }, {});
    },
  }),
  "auth/audience": aboutAuthorization({
    title: "A token for another resource is refused with 401",
    level: "MUST",
    rule: "Servers accept only tokens that were issued for them.",
    source: legacySpec(`${page}#token-audience-binding-and-validation`, "Authorization, token audience"),
    legal: ["401"],
    fix: "Compare the audience of the token with your own URL: another server may hand on the tokens that it was given.",
    judge: async (_, address, target) => {
      if (target.address.type === "stdio" || target.address.signIn === undefined) return noToken;
      const token = await target.address.signIn.tokenFor("https://hostside-conformance.invalid/mcp");
      if (token === undefined) return notApplicable("no token for another resource is to be had without a user");
      return refused(target, address, { authorization: `Bearer ${token}` });
    },
  }),
  "auth/dpop-proof": aboutAuthorization({
    title: "A token that is bound to a key is refused without a proof of the key",
    level: "MUST",
    rule: "A server that takes tokens of DPoP takes each with a valid proof alone, and never as a bearer token.",
    source: dpopRule("7.1", "section-7.1"),
    legal: ["401, to a good token of scheme DPoP without a proof, and to the same as a bearer token"],
    fix: "Look at the token's cnf.jkt: where it has one, ask for the DPoP header and verify it before you serve anything.",
    judge: async (_, address, target) => {
      const { token, isBound } = await credentialsFor(target);
      if (!isBound) return notBound;
      const asDpop = await refused(target, address, { authorization: `DPoP ${token}` });
      return asDpop.status === "pass" ? refused(target, address, { authorization: `Bearer ${token}` }) : asDpop;
    },
  }),
  "auth/dpop-elsewhere": aboutAuthorization({
    title: "A proof that was made for another URL is refused",
    level: "MUST",
    rule: "The htu of a proof is the URI of the request that it comes with.",
    source: dpopRule("4.3", "section-4.3"),
    legal: ["401, to a good token with a good proof for another path of the same server"],
    fix: "Compare htm and htu of the proof with the request, without query and fragment: a proof of one server is of no use at another.",
    judge: async (_, address, target) => {
      const elsewhere = new URL(address.url);
      elsewhere.pathname = `${elsewhere.pathname}/hostside-conformance`;
      const { headers, isBound } = await credentialsFor(target, elsewhere);
      return isBound ? refused(target, address, headers) : notBound;
    },
  }),
  "auth/insufficient-scope": aboutAuthorization({
    title: "A call that needs another scope is refused with a challenge that names it",
    level: "SHOULD",
    rule: "A token without the scope is answered with 403, error insufficient_scope and the scopes that are needed.",
    source: legacySpec(`${page}#runtime-insufficient-scope-errors`, "Authorization, insufficient scope"),
    legal: ["403 with a Bearer challenge whose error is insufficient_scope, with a scope"],
    fix: 'Send WWW-Authenticate: Bearer error="insufficient_scope", scope="…" with the 403: hosts ask the user for just that.',
    judge: async (_surface, _address, target) => {
      if ((await credentialsFor(target)).token === undefined) return noToken;
      const calls = (await target.calls())?.calls ?? [];
      const answers = calls.flatMap(({ tool, answer }) =>
        answer.kind === "http" ? [{ tool: tool.name, answer }] : [],
      );
      const refusals = answers.filter(({ answer }) => answer.status === 401 || answer.status === 403);
      if (refusals.length === 0) return notApplicable("no call was refused");
      const wrong = refusals.find(({ answer }) => {
        const params = bearerChallenge(answer.challenge)?.params;
        return answer.status !== 403 || params?.get("error") !== "insufficient_scope" || !params.get("scope");
      });
      if (wrong === undefined) return pass(`403 to ${refusals.map(({ tool }) => tool).join(", ")}`);
      const { status, challenge = "none" } = wrong.answer;
      return fail(`${wrong.tool}: ${status}, WWW-Authenticate: ${challenge}`);
    },
  }),
});

interface AuthorizationCheck extends Omit<CheckInit, "run"> {
  readonly judge: (surface: AuthorizationSurface, address: HttpAddress, target: ServerTarget) => Promise<Finding>;
}

function aboutAuthorization({ judge, ...check }: AuthorizationCheck): CheckInit {
  return {
    ...check,
    async run(target) {
      const { address } = target;
      if (address.type === "stdio") return notApplicable("the server is not reached over HTTP");
      const surface = await target.authorization();
      if (surface.refusal.status !== 401) return notApplicable("the server asks for no credentials");
      return judge(surface, address, target);
    },
  };
}

async function refused(
  target: ServerTarget,
  address: HttpAddress,
  headers: Readonly<Record<string, string>>,
): Promise<Finding> {
  const response = await target.exchange(address.url, firstRequest(address, headers));
  if (response.status === 401) return pass("401");
  // What is let in is answered with a session, which no report needs.
  return fail(response.status < 300 ? `${response.status}: let in` : describeResponse(response));
}

/** The credentials of the run for a first request to a URL, by default the server's. */
async function credentialsFor({ address }: ServerTarget, url?: URL): Promise<Credentials> {
  if (address.type === "stdio") return { headers: {}, token: undefined, isBound: false };
  const { method } = firstRequest(address);
  const signedIn = await address.signIn?.headersFor({ method, url: url ?? address.url });
  const headers = { ...address.headers, ...signedIn };
  const header = new Headers(headers).get("authorization") ?? "";
  const [, scheme, token] = /^(bearer|dpop) +(\S+)$/i.exec(header) ?? [];
  return { headers, token, isBound: signedIn !== undefined && scheme?.toLowerCase() === "dpop" };
}

interface Credentials {
  readonly headers: CredentialHeaders;
  readonly token: string | undefined;
  /** Whether the token is bound to a key that the sign-in has. */
  readonly isBound: boolean;
}

function dpopRule(section: string, anchor: string): Pick<Requirement, "section" | "url"> {
  return { section: `RFC 9449, section ${section}`, url: `https://www.rfc-editor.org/rfc/rfc9449.html#${anchor}` };
}

/** A JWT of the algorithm "none", as a library that only decodes would take it. */
function forgedToken(claims: JsonObject): string {
  const encode = (part: JsonObject): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const never = Date.UTC(2100, 0) / 1000;
  return `${encode({ alg: "none", typ: "JWT" })}.${encode({ ...claims, sub: "hostside-conformance", exp: never })}.`;
}

function scopesOf(resource: JsonObject | undefined): string {
  const scopes = resource?.["scopes_supported"];
  return Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string").join(" ") : "";
}

function isAbove(identifier: string, url: URL): boolean {
  if (!URL.canParse(identifier)) return false;
  const { origin, pathname } = new URL(identifier);
  const path = withoutSlash(pathname);
  return origin === url.origin && (withoutSlash(url.pathname) === path || url.pathname.startsWith(`${path}/`));
}

function isConfidential(url: unknown): boolean {
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  const parsed = new URL(url);
  return parsed.protocol === "https:" || isLoopback(parsed);
}

function withoutSlash(text: string): string {
  return text.replace(/\/$/, "");
}
