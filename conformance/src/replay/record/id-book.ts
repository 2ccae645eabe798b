import { tokenOf, changeIds, mapMessages } from "../recording/change-ids.ts";
import type { JsonObject, JsonValue } from "@hostside/core";
import type { RecordedMessage } from "../recording/recorded-event.ts";

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
    const id = named(message, { own: requests, others: questions, next: () => `#${(numbers.request += 1)}` });
    const token = tokenOf(message);
    if (token !== undefined && typeof message["method"] === "string") {
      const key = JSON.stringify(token);
      const isId = typeof id === "string" && key === JSON.stringify(message["id"]);
      tokens.set(key, isId ? id : (tokens.get(key) ?? `%${(numbers.token += 1)}`));
    }
    return changeIds(message, { id: () => id, request: nameIn(requests), token: nameIn(tokens) });
  };
  const incoming = (message: JsonObject): JsonObject => {
    const id = named(message, { own: questions, others: requests, next: () => `@${(numbers.question += 1)}` });
    const [request, subscription] = [nameIn(questions), nameIn(requests)];
    return changeIds(message, { id: () => id, request, token: nameIn(tokens), subscription });
  };
  return {
    outgoing: (message) => mapMessages(message, outgoing),
    incoming: (message) => mapMessages(message, incoming),
    text: (text) =>
      text.replaceAll(idInText, (member: string, id: string) => {
        const name = requests.get(id);
        return name === undefined ? member : `"id":${JSON.stringify(name)}`;
      }),
  };
}

function nameIn(names: Names): (value: JsonValue) => JsonValue {
  return (value) => names.get(JSON.stringify(value)) ?? escaped(value);
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
function named(message: JsonObject, { own, others, next }: Side): JsonValue {
  const { id = null } = message;
  if (id === null) return id;
  const key = JSON.stringify(id);
  if (typeof message["method"] !== "string") return others.get(key) ?? nameOfText(id, others) ?? escaped(id);
  const name = next();
  own.set(key, name);
  return name;
}

function escaped(value: JsonValue): JsonValue {
  return typeof value === "string" && /^[#@%=]/.test(value) ? `=${value}` : value;
}
