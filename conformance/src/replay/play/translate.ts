import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { isBatch, subscriptionMember } from "../record/id-book.ts";
import type { RecordedMessage, ServerEvent } from "../recording/recorded-event.ts";
import type { HostStep, ServerScript } from "./recorded-step.ts";

/** An event with the ids of the replay in the place of those of the recording. */
export function translate(event: ServerEvent, script: ServerScript): ServerEvent {
  if ("text" in event && event.text !== undefined) return { ...event, text: translateText(event.text, script) };
  if (!("message" in event) || event.message === undefined) return event;
  return { ...event, message: translateMessage(event.message, script) };
}

// What is no message can have an id that hosts look for.
function translateText(text: string, script: ServerScript): string {
  return text.replaceAll(/"id":"(#\d{1,9})"/g, (member: string, name: string) => {
    const id = script.requests.get(name)?.liveId;
    return id === undefined ? member : `"id":${JSON.stringify(id)}`;
  });
}

function translateMessage(message: RecordedMessage, script: ServerScript): RecordedMessage {
  if (isBatch(message)) return message.map((item) => (isJsonObject(item) ? translateOne(item, script) : item));
  return translateOne(message, script);
}

function translateOne(message: JsonObject, script: ServerScript): JsonObject {
  const { id, params, result } = message;
  return {
    ...message,
    ...(id !== undefined && { id: idFor(id, script) }),
    ...(isJsonObject(params) && {
      params: {
        ...translateMeta(params, script),
        ...change(params, "requestId", (value) => idFor(value, script)),
        ...change(params, "progressToken", (value) => tokenFor(value, script)),
      },
    }),
    ...(isJsonObject(result) && { result: translateMeta(result, script) }),
  };
}

function translateMeta(parent: JsonObject, script: ServerScript): JsonObject {
  const meta = parent["_meta"];
  if (!isJsonObject(meta)) return parent;
  return {
    ...parent,
    _meta: {
      ...meta,
      ...change(meta, "progressToken", (value) => tokenFor(value, script)),
      ...change(meta, subscriptionMember, (value) => idFor(value, script)),
    },
  };
}

function change(parent: JsonObject, member: string, to: (value: JsonValue) => JsonValue): JsonObject {
  const value = parent[member];
  return value === undefined || value === null ? {} : { [member]: to(value) };
}

/** The id of the replay for one of the recording. */
export function idFor(id: JsonValue, { requests }: ServerScript): JsonValue {
  if (typeof id !== "string") return id;
  if (id.startsWith("#") && id.endsWith("'")) return JSON.stringify(requests.get(id.slice(0, -1))?.liveId ?? id);
  if (id.startsWith("#")) return requests.get(id)?.liveId ?? id;
  if (id.startsWith("@")) return questionId(id);
  return id.startsWith("=") ? id.slice(1) : id;
}

// Numbers, which is what most servers have; far from those of a server that numbers its own.
const firstQuestion = 1_000_000;

function questionId(name: string): JsonValue {
  const number = Number(name.slice(1));
  return Number.isSafeInteger(number) ? firstQuestion + number : name;
}

/**
 * The name that the recording gives to the id of a question, from the id that it has in the replay.
 */
export function questionNamed(id: JsonValue | undefined): string | undefined {
  return typeof id === "number" && id > firstQuestion ? `@${id - firstQuestion}` : undefined;
}

function tokenFor(token: JsonValue, script: ServerScript): JsonValue {
  if (typeof token !== "string") return token;
  const step = tokenOwner(token, script);
  if (step !== undefined) return step.liveToken ?? step.liveId ?? token;
  return token.startsWith("=") ? token.slice(1) : token;
}

function tokenOwner(token: string, { requests, tokens }: ServerScript): HostStep | undefined {
  return token.startsWith("#") || token.startsWith("%") ? (tokens.get(token) ?? requests.get(token)) : undefined;
}
