import {
  HostsideError,
  type ElicitationRequest,
  type ElicitationResult,
  type JsonObject,
  cleanText,
} from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { passOn } from "../message/meta.ts";

/** True if a client with these capabilities can ask its user such a thing. */
export function canAnswer({ mode }: Pick<ElicitationRequest, "mode">, capabilities: JsonObject): boolean {
  const elicitation = capabilities["elicitation"];
  if (!isJsonObject(elicitation)) return false;
  if (mode === "url") return isJsonObject(elicitation["url"]);
  // Before 2025-11-25 there were forms alone, and no word for them.
  return isJsonObject(elicitation["form"]) || !isJsonObject(elicitation["url"]);
}

/**
 * The parameters of an `elicitation/create`: the server's, whole, with its id in front of the
 * message, because a user has to know who asks, and to the client it is the gateway.
 */
export function questionParams({ serverId, message, params }: ElicitationRequest): JsonObject {
  const { _meta: meta, ...rest } = params;
  const kept = isJsonObject(meta) ? passOn(meta) : undefined;
  const shown = serverId === "" ? message : `[${cleanText(serverId, 128)}] ${message}`;
  return { ...rest, message: shown, ...(kept !== undefined && { _meta: kept }) };
}

/** Reads the answer of a client. Anything else counts as `cancel`. */
export function readElicitationResult(answer: unknown): ElicitationResult {
  if (!isJsonObject(answer)) return cancelled;
  const { action, content } = answer;
  if (action === "decline") return { action };
  if (action !== "accept") return cancelled;
  return { action, ...(isJsonObject(content) && { content }) };
}

/** Nobody answered. */
export const cancelled: ElicitationResult = Object.freeze({ action: "cancel" });

/** Why a question reaches nobody. */
export function cannotAsk(
  { serverId, mode }: Pick<ElicitationRequest, "serverId" | "mode">,
  why: string,
): HostsideError {
  const form = mode === "url" ? "a link" : "a form";
  const message = `server ${JSON.stringify(serverId)} asks its user with ${form}, and ${why}`;
  return new HostsideError(message, { code: "unsupported_operation", serverId });
}
