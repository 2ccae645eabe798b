import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { RecordedMessage } from "../recording/recorded-event.ts";

/** The member of `_meta` that says to which subscription a notification belongs. */
export const subscriptionMember = "io.modelcontextprotocol/subscriptionId";

/**
 * Writes ids of one connection so that two recordings of one conversation have the same: `#1` a
 * request of the host (`#1'` where a server made a text of its number), `@1` one of the server,
 * `%1` a progress token that is no id. A text of the peers that begins like one of these, or with
 * `=`, has a `=` before it.
 */
export interface IdBook {
  outgoing(message: RecordedMessage): RecordedMessage;
  incoming(message: RecordedMessage): RecordedMessage;
  /**
   * A text of the server's that is no message, or not quite: hosts look for the id in it all the
   * same.
   */
  text(text: string): string;
}

/** Numbers that are given out once for each server of a recording. */
export interface IdNumbers {
  request: number;
  question: number;
  token: number;
}

// As most servers write it; any other way stays as it is.
const idInText = /"id":\s{0,4}("[\w-]{1,100}"|\d{1,20})/g;

type Names = Map<string, string>;

/** Makes the book of a connection. */
export function createIdBook(numbers: IdNumbers): IdBook {
  const requests: Names = new Map();
  const questions: Names = new Map();
  const tokens: Names = new Map();
  const outgoing = (message: JsonObject): JsonObject => {
    const id =
      "id" in message
        ? named(message, { own: requests, others: questions, next: () => `#${(numbers.request += 1)}` })
        : undefined;
    const token = tokenOf(message);
    if (token !== undefined && typeof message["method"] === "string") {
      const name =
        typeof id === "string" && sameValue(token, message["id"])
          ? id
          : (tokens.get(JSON.stringify(token)) ?? `%${(numbers.token += 1)}`);
      tokens.set(JSON.stringify(token), name);
    }
    return withNames(message, { id, names: requests, tokens });
  };
  const incoming = (message: JsonObject): JsonObject => {
    const id =
      "id" in message
        ? named(message, { own: questions, others: requests, next: () => `@${(numbers.question += 1)}` })
        : undefined;
    return withNames(message, { id, names: questions, tokens, subscriptions: requests });
  };
  return {
    outgoing: (message) => each(message, outgoing),
    incoming: (message) => each(message, incoming),
    text: (text) =>
      text.replaceAll(idInText, (member: string, id: string) => {
        const name = requests.get(id);
        return name === undefined ? member : `"id":${JSON.stringify(name)}`;
      }),
  };
}

function each(message: RecordedMessage, change: (message: JsonObject) => JsonObject): RecordedMessage {
  if (!isBatch(message)) return change(message);
  return message.map((item) => (isJsonObject(item) ? change(item) : item));
}

/** Whether it is a batch of messages. */
export function isBatch(message: RecordedMessage): message is readonly JsonValue[] {
  return Array.isArray(message);
}

// A server that answers with the number as a text: `#1'`.
function nameOfText(id: JsonValue, names: Names): string | undefined {
  const name = typeof id === "string" ? names.get(id) : undefined;
  return name === undefined ? undefined : `${name}'`;
}

interface Side {
  readonly own: Names;
  readonly others: Names;
  readonly next: () => string;
}

// A request gets the next name of its side; an answer has that of what it answers.
function named(message: JsonObject, { own, others, next }: Side): JsonValue | undefined {
  const { id } = message;
  if (id === undefined || id === null) return id;
  const key = JSON.stringify(id);
  if (typeof message["method"] !== "string") return others.get(key) ?? nameOfText(id, others) ?? escaped(id);
  const name = next();
  own.set(key, name);
  return name;
}

interface Naming {
  readonly id: JsonValue | undefined;
  /** What a `requestId` may name: requests of the same side. */
  readonly names: Names;
  readonly tokens: Names;
  readonly subscriptions?: Names;
}

function withNames(message: JsonObject, { id, names, tokens, subscriptions }: Naming): JsonObject {
  const { params, result } = message;
  return {
    ...message,
    ...(id !== undefined && { id }),
    ...(isJsonObject(params) && {
      params: {
        ...withMeta(params, { tokens, subscriptions }),
        ...rename(params, "requestId", names),
        ...rename(params, "progressToken", tokens),
      },
    }),
    ...(isJsonObject(result) && { result: withMeta(result, { tokens, subscriptions }) }),
  };
}

function withMeta(
  parent: JsonObject,
  { tokens, subscriptions }: { readonly tokens: Names; readonly subscriptions: Names | undefined },
): JsonObject {
  const meta = parent["_meta"];
  if (!isJsonObject(meta)) return parent;
  const renamed = {
    ...meta,
    ...rename(meta, "progressToken", tokens),
    ...(subscriptions && rename(meta, subscriptionMember, subscriptions)),
  };
  return { ...parent, _meta: renamed };
}

function rename(parent: JsonObject, member: string, names: Names): JsonObject {
  const value = parent[member];
  if (value === undefined || value === null) return {};
  return { [member]: names.get(JSON.stringify(value)) ?? escaped(value) };
}

function escaped(value: JsonValue): JsonValue {
  return typeof value === "string" && /^[#@%=]/.test(value) ? `=${value}` : value;
}

function tokenOf({ params }: JsonObject): JsonValue | undefined {
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  return isJsonObject(meta) ? meta["progressToken"] : undefined;
}

function sameValue(a: JsonValue, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
