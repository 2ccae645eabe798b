import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { RecordedEvent } from "./recorded-event.ts";

/** What is wrong with a line. */
export interface EventProblem {
  readonly member: string;
  readonly rule: string;
}

// What one line of a flood may have left out.
const mostOmitted = 64 * 1024 * 1024;

/** Whether a member is as it must be, and how that is. */
type Rule = readonly [fits: (value: JsonValue | undefined) => boolean, says: string];

const isText = (value: JsonValue | undefined): value is string => typeof value === "string";
const isWithin = (value: JsonValue | undefined, least: number, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most;

const text: Rule = [isText, "must be a text"];
const message: Rule = [
  (value) => isJsonObject(value) || Array.isArray(value),
  "must be a JSON-RPC message or a batch of them",
];
const headers: Rule = [
  (value) => isJsonObject(value) && Object.values(value).every(isText),
  "must be an object of texts",
];
const errorCode: Rule = [
  (value) => isText(value) && /^[A-Z0-9_]{0,60}$/.test(value),
  "must be the code of an error, such as ECONNRESET",
];
const method: Rule = [
  (value) => value === "GET" || value === "POST" || value === "DELETE",
  "must be GET, POST or DELETE",
];
const status: Rule = [(value) => isWithin(value, 200, 599), "must be a status of HTTP from 200 to 599"];
const exitCode: Rule = [
  (value) => value === null || isWithin(value, 0, Number.MAX_SAFE_INTEGER),
  "must be an exit code or null",
];
const signal: Rule = [
  (value) => value === null || (isText(value) && /^SIG[A-Z0-9]{1,10}$/.test(value)),
  "must be the name of a signal or null",
];
const omitted: Rule = [(value) => isWithin(value, 0, mostOmitted), "must be a number of bytes"];
const base64: Rule = [(value) => isText(value) && /^[A-Za-z0-9+/]*={0,2}$/.test(value), "must be Base64"];

// Members of each type, with `?` behind those that may be absent.
const members: ReadonlyMap<string, Readonly<Record<string, Rule>>> = new Map(
  Object.entries<Readonly<Record<string, Rule>>>({
    start: { server: text },
    sent: { message },
    "stdin-end": {},
    request: { server: text, method, url: text, "headers?": headers, "message?": message },
    "taken-back": {},
    "start-failed": { code: errorCode },
    received: { message },
    "stdout-end": {},
    "stdin-closed": { code: errorCode },
    exit: { code: exitCode, signal },
    reply: { status, "headers?": headers },
    event: { "id?": text, "event?": text, "retry?": text, "message?": message, "text?": text },
    "body-end": {},
    cut: { code: errorCode },
  }),
);

const withText: ReadonlySet<unknown> = new Set(["stdout", "stderr", "body"]);

/** Reads one event; what it does not know of one that it knows is left out. */
export function readEvent(value: JsonObject, line: number): EventProblem | RecordedEvent {
  const { type, run } = value;
  const rules = withText.has(type)
    ? { ...(value["base64"] === undefined ? { text } : { base64 }), "omitted?": omitted }
    : typeof type === "string"
      ? members.get(type)
      : undefined;
  if (rules === undefined) return { member: "type", rule: "is none of those that a recording has" };
  if (!Number.isSafeInteger(run) || Number(run) < 1) return { member: "run", rule: "must be a positive integer" };
  const read: [string, JsonValue][] = [];
  for (const [name, [fits, rule]] of Object.entries(rules)) {
    const member = name.replace("?", "");
    const part = value[member];
    if (part === undefined && name.endsWith("?")) continue;
    if (!fits(part)) return { member, rule };
    if (part !== undefined) read.push([member, part]);
  }
  const event = { type, run, line, ...(value["isOpen"] === true && { isOpen: true }) };
  // Each member of it was looked at.
  return { ...event, ...Object.fromEntries(read) } as unknown as RecordedEvent;
}
