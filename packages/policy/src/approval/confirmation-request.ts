import { isHostsideError, type JsonObject, type SuspendedCall } from "@hostside/core";

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

/** What a model reads of a call that somebody refused; `undefined` for every other error. */
export function toRejection(error: unknown): { readonly error: string } | undefined {
  const isRejected = isHostsideError(error, "approval_denied") && error.details.denied === "rejected";
  return isRejected ? { error: "tool call was rejected by the user" } : undefined;
}
