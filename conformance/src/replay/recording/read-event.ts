import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { RecordedEvent } from "./recorded-event.ts";

// What one line of a flood may have left out.
const mostOmitted = 64 * 1024 * 1024;

type Rule = (value: JsonValue | undefined) => boolean;

const text = (value: JsonValue | undefined): value is string => typeof value === "string";
const isWithin = (value: JsonValue | undefined, least: number, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most;

const message: Rule = (value) => isJsonObject(value) || Array.isArray(value);
const headers: Rule = (value) => isJsonObject(value) && Object.values(value).every(text);
/** Such as `ECONNRESET`. */
const errorCode: Rule = (value) => text(value) && /^[A-Z0-9_]{0,60}$/.test(value);
const method: Rule = (value) => value === "GET" || value === "POST" || value === "DELETE";
const status: Rule = (value) => isWithin(value, 200, 599);
const exitCode: Rule = (value) => value === null || isWithin(value, 0, Number.MAX_SAFE_INTEGER);
const signal: Rule = (value) => value === null || (text(value) && /^SIG[A-Z0-9]{1,10}$/.test(value));
const omitted: Rule = (value) => isWithin(value, 0, mostOmitted);
const base64: Rule = (value) => text(value) && /^[A-Za-z0-9+/]*={0,2}$/.test(value);

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

/** Reads one event, or says what is wrong with it; a member that it does not know is left out. */
export function readEvent(value: JsonObject, line: number): string | RecordedEvent {
  const { type, run } = value;
  const rules = withText.has(type)
    ? { ...(value["base64"] === undefined ? { text } : { base64 }), "omitted?": omitted }
    : typeof type === "string"
      ? members.get(type)
      : undefined;
  if (rules === undefined) return "type is none of those that a recording has";
  if (!Number.isSafeInteger(run) || Number(run) < 1) return "run must be a positive integer";
  const read: [string, JsonValue][] = [];
  for (const [name, fits] of Object.entries(rules)) {
    const member = name.replace("?", "");
    const part = value[member];
    if (part === undefined && name.endsWith("?")) continue;
    if (!fits(part)) return `${member} is not what such an event has there`;
    if (part !== undefined) read.push([member, part]);
  }
  const event = { type, run, line, ...(value["isOpen"] === true && { isOpen: true }) };
  // Each member of it was looked at.
  return { ...event, ...Object.fromEntries(read) } as unknown as RecordedEvent;
}
