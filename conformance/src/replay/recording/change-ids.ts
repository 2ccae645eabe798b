import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { RecordedMessage } from "./recorded-event.ts";

/** The member of `_meta` that says to which subscription a notification belongs. */
export const subscriptionMember = "io.modelcontextprotocol/subscriptionId";

type Change = (value: JsonValue) => JsonValue;

/** What becomes of the ids in a message. */
export interface IdChanges {
  /** Of its own id. */
  readonly id: Change;
  /** Of a `requestId`. */
  readonly request: Change;
  readonly token: Change;
  readonly subscription?: Change;
}

/** A message with other ids. */
export function changeIds(message: JsonObject, { id, request, token, subscription }: IdChanges): JsonObject {
  const { params, result } = message;
  const withMeta = (parent: JsonObject): JsonObject => {
    const meta = parent["_meta"];
    if (!isJsonObject(meta)) return parent;
    const changed = {
      ...meta,
      ...change(meta, "progressToken", token),
      ...(subscription && change(meta, subscriptionMember, subscription)),
    };
    return { ...parent, _meta: changed };
  };
  return {
    ...message,
    ...("id" in message && message["id"] !== undefined && { id: id(message["id"]) }),
    ...(isJsonObject(params) && {
      params: {
        ...withMeta(params),
        ...change(params, "requestId", request),
        ...change(params, "progressToken", token),
      },
    }),
    ...(isJsonObject(result) && { result: withMeta(result) }),
  };
}

function change(parent: JsonObject, member: string, to: Change): JsonObject {
  const value = parent[member];
  return value === undefined || value === null ? {} : { [member]: to(value) };
}

/** The progress token that a request asks with. */
export function tokenOf({ params }: JsonObject): JsonValue | undefined {
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  return isJsonObject(meta) ? meta["progressToken"] : undefined;
}

/** Whether it is a batch of messages. */
export function isBatch(message: RecordedMessage): message is readonly JsonValue[] {
  return Array.isArray(message);
}

/** The messages of a batch, or the one that it is. */
export function messagesOf(message: RecordedMessage): readonly JsonObject[] {
  return isBatch(message) ? message.filter(isJsonObject) : [message];
}

/** The same with each of its messages changed. */
export function mapMessages(message: RecordedMessage, to: (message: JsonObject) => JsonObject): RecordedMessage {
  return isBatch(message) ? message.map((item) => (isJsonObject(item) ? to(item) : item)) : to(message);
}
