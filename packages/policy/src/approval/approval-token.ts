import type { ApprovalDenial, ToolDefinition, ToolEffect } from "@hostside/core";
import { canonicalJson } from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";
import { isWorseEffect } from "../effects/worse-effect.ts";
import type { RememberedFor } from "./remembered-approvals.ts";
import type { Signer } from "./sign.ts";

/**
 * What a token is good for. Of everything that a call must have in common with it there is a keyed
 * hash, so that a token shows nothing.
 */
export interface ApprovalGrant {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly decision: "once" | RememberedFor | "no";
  /** Set where a framework asked: whether it named the principal of the call. */
  readonly asked?: { readonly hasPrincipal: boolean };
  readonly effect: ToolEffect;
  readonly tool: string;
  readonly definition: string;
  readonly args: string;
  readonly caller: string;
}

/** A call as a token is bound to it. */
export interface BoundCall {
  readonly serverId: string;
  readonly registration: string | null;
  readonly toolName: string;
  readonly fingerprint: string | null;
  readonly definition: string | null;
  readonly effect: ToolEffect;
  /** The canonical JSON of the arguments. */
  readonly canonical: string;
  readonly principal: string | undefined;
  readonly conversation: string | undefined;
}

const tokenForm = /^tpa_([\w-]{1,2000})\.([0-9a-f]{64})$/;

/** Writes a token for a call. */
export function writeToken(
  call: BoundCall,
  terms: Pick<ApprovalGrant, "id" | "expiresAt" | "decision" | "asked">,
  signer: Signer,
): string {
  const grant: ApprovalGrant = { ...terms, effect: call.effect, ...hashParts(call, signer) };
  const text = toBase64Url(JSON.stringify(grant));
  return `tpa_${text}.${signer.sign("token", text)}`;
}

/** What a token says; `undefined` for one that was not written with one of the keys. */
export function readToken(token: string, signer: Signer): ApprovalGrant | undefined {
  const [, text = "", signature = ""] = tokenForm.exec(token.slice(0, 4096)) ?? [];
  if (text === "" || !signer.isSigned("token", text, signature)) return undefined;
  // Written here: nobody else has the key.
  return JSON.parse(fromBase64Url(text)) as ApprovalGrant;
}

/** Why a grant is not for a call; `undefined` when it is. */
export function findMismatch(grant: ApprovalGrant, call: BoundCall, signer: Signer): ApprovalDenial | undefined {
  if (call.fingerprint === null && call.definition === null) return "other-tool";
  // A framework that names no principal asks on behalf of the provider's, which is added to the
  // call later.
  const asked = grant.asked?.hasPrincipal === false ? { ...call, principal: undefined } : call;
  const isSame = (part: keyof Parts): boolean => signer.isSigned("part", partsOf(asked)[part], grant[part]);
  if (!isSame("tool") || !isSame("definition") || isWorseEffect(call.effect, grant.effect)) return "other-tool";
  if (!isSame("args")) return "other-arguments";
  return isSame("caller") ? undefined : "other-caller";
}

type Parts = Pick<ApprovalGrant, "tool" | "definition" | "args" | "caller">;

function hashParts(call: BoundCall, signer: Signer): Parts {
  const { tool, definition, args, caller } = partsOf(call);
  const hash = (text: string): string => signer.sign("part", text);
  return { tool: hash(tool), definition: hash(definition), args: hash(args), caller: hash(caller) };
}

// Each begins with its name, so that none can stand for another.
function partsOf({
  serverId,
  registration,
  toolName,
  fingerprint,
  definition,
  canonical,
  principal,
  conversation,
}: BoundCall): Parts {
  return {
    tool: canonicalJson(["tool", serverId, registration, toolName]),
    definition: canonicalJson(["definition", fingerprint, definition]),
    args: `args ${canonical}`,
    caller: canonicalJson(["caller", principal ?? null, conversation ?? null]),
  };
}

/**
 * What a definition is bound by: its fingerprint; where it has none, a hash of all that a model is
 * shown of it but for its name. Neither for one that cannot be written as JSON, which is good for
 * no token.
 */
export function bindDefinition(definition: ToolDefinition): Pick<BoundCall, "fingerprint" | "definition"> {
  const {
    fingerprint = null,
    title = null,
    description,
    inputSchema,
    outputSchema = null,
    annotations = {},
  } = definition;
  if (fingerprint !== null) return { fingerprint, definition: null };
  try {
    const shown = { title, description, inputSchema, outputSchema, annotations: { ...annotations } };
    return { fingerprint, definition: hashJson(shown) };
  } catch {
    return { fingerprint, definition: null };
  }
}

// ASCII only: ids, hashes and numbers.
function toBase64Url(text: string): string {
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}
