import type { ApprovalDenial, ToolDefinition, ToolEffect } from "@hostside/core";
import { canonicalJson } from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { isWorseEffect } from "../effects/worse-effect.ts";
import type { RememberedFor } from "./remembered-approvals.ts";

/** What a signature is for: none of one kind passes for another. */
export type SignedAs = "token" | "call" | "part";

/** Signs with the first of its keys, and believes all of them. */
export interface Signer {
  sign(as: SignedAs, text: string): string;
  isSigned(as: SignedAs, text: string, signature: string): boolean;
}

/** Makes a signer of keys. */
export function createSigner(keys: readonly Uint8Array[]): Signer {
  const macs = keys.map(
    (key) =>
      (as: SignedAs, text: string): string =>
        bytesToHex(hmac(sha256, key, utf8ToBytes(`hostside-approval-${as}\n${text}`))),
  );
  return {
    sign: (as, text) => macs[0]?.(as, text) ?? "",
    isSigned: (as, text, signature) => macs.filter((mac) => isSame(mac(as, text), signature)).length > 0,
  };
}

// Takes as long for every pair of texts of one length.
function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

type Part = "tool" | "definition" | "args" | "caller";

/**
 * What a token is good for. Of everything that a call must have in common with it there is a keyed
 * hash, so that a token shows nothing.
 */
export interface ApprovalGrant extends Readonly<Record<Part, string>> {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly decision: "once" | RememberedFor | "no";
  /** Set where a framework asked: whether it named the principal of the call. */
  readonly asked?: { readonly hasPrincipal: boolean };
  readonly effect: ToolEffect;
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
  const parts = Object.entries(partsOf(call)).map(([part, text]) => [part, signer.sign("part", text)]);
  // ASCII only: ids, hashes and numbers.
  const json = JSON.stringify({ ...terms, effect: call.effect, ...Object.fromEntries(parts) });
  const text = btoa(json).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `tpa_${text}.${signer.sign("token", text)}`;
}

/** What a token says; `undefined` for one that was not written with one of the keys. */
export function readToken(token: string, signer: Signer): ApprovalGrant | undefined {
  const [, text = "", signature = ""] = tokenForm.exec(token.slice(0, 4096)) ?? [];
  if (text === "" || !signer.isSigned("token", text, signature)) return undefined;
  // Written here: nobody else has the key.
  return JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/"))) as ApprovalGrant;
}

/** Why a grant is not for a call; `undefined` when it is. */
export function findMismatch(grant: ApprovalGrant, call: BoundCall, signer: Signer): ApprovalDenial | undefined {
  if (call.fingerprint === null && call.definition === null) return "other-tool";
  // A framework that names no principal asks on behalf of the provider's, which is added to the
  // call later.
  const parts = partsOf(grant.asked?.hasPrincipal === false ? { ...call, principal: undefined } : call);
  const isPart = (part: Part): boolean => signer.isSigned("part", parts[part], grant[part]);
  if (!isPart("tool") || !isPart("definition") || isWorseEffect(call.effect, grant.effect)) return "other-tool";
  if (!isPart("args")) return "other-arguments";
  return isPart("caller") ? undefined : "other-caller";
}

// Each begins with its name, so that none can stand for another.
function partsOf(call: BoundCall): Readonly<Record<Part, string>> {
  const { principal = null, conversation = null } = call;
  return {
    tool: canonicalJson(["tool", call.serverId, call.registration, call.toolName]),
    definition: canonicalJson(["definition", call.fingerprint, call.definition]),
    args: `args ${call.canonical}`,
    caller: canonicalJson(["caller", principal, conversation]),
  };
}

/**
 * What a definition is bound by: its fingerprint; where it has none, a hash of all that a model is
 * shown of it but for its name. Neither for one that cannot be written as JSON, which is good for
 * no token.
 */
export function bindDefinition(definition: ToolDefinition): Pick<BoundCall, "fingerprint" | "definition"> {
  const { fingerprint = null, title = null, description, inputSchema, outputSchema = null } = definition;
  if (fingerprint !== null) return { fingerprint, definition: null };
  try {
    const shown = { title, description, inputSchema, outputSchema, annotations: { ...definition.annotations } };
    return { fingerprint, definition: hashJson(shown) };
  } catch {
    return { fingerprint, definition: null };
  }
}
