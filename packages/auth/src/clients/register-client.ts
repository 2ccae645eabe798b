import type { JsonObject } from "@hostside/core";
import { clock } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { readAnswer, safeExcerptOf } from "../auth-errors.ts";
import { parseObject } from "../store/credential-key.ts";
import type { AuthParts } from "../auth-parts.ts";
import { listOf, textOf, type ServerMetadata } from "../discovering/server-metadata.ts";
import type { ClientDocument } from "./client-documents.ts";

/** The purpose of a registration. */
export interface RegistrationRequest {
  readonly metadata: ServerMetadata;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

const ownMethods = ["none", "client_secret_basic", "client_secret_post"] as const;
type OwnMethod = (typeof ownMethods)[number];

// Visible ASCII and spaces (RFC 6749, appendix A.1).
const clientIdText = /^[\u0020-\u007E]{1,2048}$/;

/** Registers a client (RFC 7591). Rejects with what stands in the way; nothing was stored then. */
export async function registerClient(
  { settings }: Pick<AuthParts, "settings">,
  account: Account,
  requested: RegistrationRequest,
): Promise<ClientDocument> {
  const { metadata, redirectUri, scope } = requested;
  const method = chooseMethod(metadata, redirectUri);
  if (method === undefined) {
    const offered = listOf(metadata, "token_endpoint_auth_methods_supported") ?? [];
    throw new RangeError(`it takes only ${safeExcerptOf(account, offered.join(", "), 100)} of its clients`);
  }
  const { product } = settings;
  const clientName = ("clientName" in account.config ? account.config.clientName : undefined) ?? product.name;
  const body = await send(account, requested, {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: isNative(redirectUri) ? "native" : "web",
    token_endpoint_auth_method: method,
    ...(scope !== undefined && { scope }),
  });
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: authMethod, scope: granted } = body;
  const clientSecret = typeof secret === "string" && secret !== "" ? secret : undefined;
  if (clientSecret !== undefined) account.secrets.learn(clientSecret);
  if (typeof clientId !== "string" || !clientIdText.test(clientId) || clientId.trim() === "")
    throw new RangeError("it answered without a usable client_id");
  if (typeof authMethod === "string" && !ownMethods.some((own) => own === authMethod)) {
    throw new RangeError(`it wants its client to use ${safeExcerptOf(account, authMethod, 100)}`);
  }
  const secretExpiresAt = readEnd(body["client_secret_expires_at"]);
  if (secretExpiresAt !== undefined && secretExpiresAt <= clock.date())
    throw new RangeError("its registration has ended already");
  const given = typeof authMethod === "string" ? authMethod : undefined;
  return {
    client: { clientId, way: "dynamic", clientSecret, authMethod: given, secretExpiresAt },
    redirectUri,
    askedScope: scope,
    scope: typeof granted === "string" ? granted.slice(0, 16_384) : undefined,
  };
}

// An application on the user's machine keeps no secret from the user; a product's server does (RFC
// 8252, 8.4).
function chooseMethod(metadata: ServerMetadata, redirectUri: string): OwnMethod | undefined {
  const offered = listOf(metadata, "token_endpoint_auth_methods_supported");
  const order: readonly OwnMethod[] = isNative(redirectUri)
    ? ownMethods
    : ["client_secret_basic", "client_secret_post", "none"];
  return offered === undefined ? order[0] : order.find((method) => offered.includes(method));
}

// HTTP on a loopback address and custom schemes; a page behind HTTPS is a web application's,
// wherever it is.
function isNative(redirectUri: string): boolean {
  return new URL(redirectUri).protocol !== "https:";
}

// In seconds since 1970; 0 means never (RFC 7591, 3.2.1).
function readEnd(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value * 1000 : undefined;
}

async function send(
  account: Account,
  { metadata, signal }: RegistrationRequest,
  registration: JsonObject,
): Promise<JsonObject> {
  const url = new URL(textOf(metadata, "registration_endpoint") ?? "");
  const headers = { "content-type": "application/json", accept: "application/json" };
  const { response, text } = await readAnswer(account, "registering a client", () =>
    account.fetch(url, { method: "POST", headers, body: JSON.stringify(registration), signal }),
  );
  const body = parseObject(text);
  if (response.ok) return body ?? {};
  const parts = body === undefined ? [text] : [body["error"], body["error_description"]];
  const said = safeExcerptOf(account, parts.filter((part) => typeof part === "string").join(": "), 200);
  throw new RangeError(`it answered HTTP ${response.status}${said === "" ? "" : ` (${said})`}`);
}
