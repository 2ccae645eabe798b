import { mapMessages, changeIds } from "../recording/change-ids.ts";
import type { JsonValue } from "@hostside/core";
import type { ServerEvent } from "../recording/recorded-event.ts";
import type { HostStep, ServerScript } from "./recorded-step.ts";

/** An event with the ids of the replay in the place of those of the recording. */
export function translate(event: ServerEvent, script: ServerScript): ServerEvent {
  if ("text" in event && event.text !== undefined) return { ...event, text: translateText(event.text, script) };
  if (!("message" in event) || event.message === undefined) return event;
  const id = (value: JsonValue): JsonValue => idFor(value, script);
  const changes = { id, request: id, token: (value: JsonValue) => tokenFor(value, script), subscription: id };
  return { ...event, message: mapMessages(event.message, (message) => changeIds(message, changes)) };
}

// What is no message can have an id that hosts look for.
function translateText(text: string, script: ServerScript): string {
  return text.replaceAll(/"id":"(#\d{1,9})"/g, (member: string, name: string) => {
    const id = script.requests.get(name)?.liveId;
    return id === undefined ? member : `"id":${JSON.stringify(id)}`;
  });
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
