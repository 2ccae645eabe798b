import {
  isHostsideError,
  truncateText,
  type HostsideError,
  type JsonObject,
  type JsonValue,
  type SuspendedCall,
  type ToolCall,
  type ToolEffect,
} from "@hostside/core";
import { canonicalJson, describeCall, escapeUnseen, freezeData, isJsonObject } from "@hostside/core/implement";
import { type PolicyParts, refuseCall, type PolicyRefusal } from "../refuse.ts";
import type { ReadApprovalOptions, WhyAsked } from "./approval-options.ts";

/** A call that is to be approved, as it will run. */
export interface PendingApproval {
  readonly call: ToolCall;
  /**
   * The arguments that are shown and sent: a frozen copy, with members in the order of their names.
   */
  readonly args: JsonObject;
  /** The canonical JSON of the arguments. */
  readonly canonical: string;
  readonly why: WhyAsked;
  readonly effect: ToolEffect;
}

/** Copies arguments; `undefined` for those that are no JSON, or nested too deep. */
export function copyArguments(args: JsonObject): Pick<PendingApproval, "args" | "canonical"> | undefined {
  try {
    const canonical = canonicalJson(JSON.parse(JSON.stringify(args)) as JsonValue);
    const copy: unknown = JSON.parse(canonical);
    return isJsonObject(copy) ? { args: freezeData(copy), canonical } : undefined;
  } catch {
    return undefined;
  }
}

/** The call in lines that any display can show. */
export function showCall(
  { call: { definition }, args, effect }: Pick<PendingApproval, "call" | "args" | "effect">,
  { secrets }: ReadApprovalOptions,
): readonly string[] {
  return describeCall({ definition, args, effect, secrets: secrets() });
}

/** The question in one line, with a name that cannot pass for more than a name. */
export function hintFor(toolName: string): string {
  const name = escapeUnseen(truncateText(toolName, 128)).replaceAll("`", "'").replaceAll(/\s+/g, " ");
  return `Approve execution of tool \`${name}\`?`;
}

/** Tells that a call is refused for want of an approval, and returns the error to throw. */
export function refuseApproval(
  { call, why: { rule } }: Pick<PendingApproval, "call" | "why">,
  refusal: Omit<PolicyRefusal, "stage" | "rule">,
  parts: PolicyParts,
): HostsideError {
  return refuseCall(call, { stage: "approval", rule, ...refusal }, parts);
}

/**
 * The lock of what is kept under a key: one of 256 for each kind of value, because a lock of files
 * leaves a file for each key.
 */
export function lockKey(key: string): string {
  const end = key.slice(key.lastIndexOf(":") + 1);
  return `${key.slice(0, -end.length)}lock:${end.slice(-2)}`;
}

/**
 * A suspended call in the shape that Google's Agent Development Kit has for it: the arguments of
 * `adk_request_confirmation`.
 */
export interface ConfirmationRequest {
  readonly originalFunctionCall: { readonly id: string; readonly name: string; readonly args: JsonObject };
  readonly toolConfirmation: { readonly hint: string; readonly confirmed: false };
}

/**
 * Shows a suspended call as an ADK does. `callId`: the id that the model gave its call; default the
 * id of the suspended call.
 */
export function toConfirmationRequest(suspended: SuspendedCall, callId: string = suspended.id): ConfirmationRequest {
  const { localName, args, hint } = suspended;
  return {
    originalFunctionCall: { id: callId, name: localName, args },
    toolConfirmation: { hint, confirmed: false },
  };
}

/** Makes the text for a model about a call that somebody refused; `undefined` for other errors. */
export function toRejection(error: unknown): { readonly error: string } | undefined {
  const isRejected = isHostsideError(error, "approval_denied") && error.details.denied === "rejected";
  return isRejected ? { error: "tool call was rejected by the user" } : undefined;
}
