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

type Rule = (value: JsonValue | undefined) => boolean;

const isText: Rule = (value) => typeof value === "string";
const isMessage: Rule = (value) => isJsonObject(value) || Array.isArray(value);
const isHeaders: Rule = (value) => isJsonObject(value) && Object.values(value).every(isText);
const isStatus: Rule = (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599;
const isExitCode: Rule = (value) => value === null || (Number.isInteger(value) && Number(value) >= 0);
const isSignal: Rule = (value) => value === null || (typeof value === "string" && /^SIG[A-Z0-9]{1,10}$/.test(value));
const isErrorCode: Rule = (value) => typeof value === "string" && /^[A-Z0-9_]{0,60}$/.test(value);
const isCount: Rule = (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostOmitted;
const isBase64: Rule = (value) => typeof value === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
const isMethod: Rule = (value) => value === "GET" || value === "POST" || value === "DELETE";

const messageRule = "must be a JSON-RPC message or a batch of them";
const headersRule = "must be an object of texts";
const textRule = "must be a text";
const codeRule = "must be the code of an error, such as ECONNRESET";

// Members of each type, with `?` behind those that may be absent.
const members: ReadonlyMap<string, readonly (readonly [string, Rule, string])[]> = new Map([
  ["start", [["server", isText, textRule]]],
  ["sent", [["message", isMessage, messageRule]]],
  ["stdin-end", []],
  [
    "request",
    [
      ["server", isText, textRule],
      ["method", isMethod, "must be GET, POST or DELETE"],
      ["url", isText, textRule],
      ["headers?", isHeaders, headersRule],
      ["message?", isMessage, messageRule],
    ],
  ],
  ["taken-back", []],
  ["start-failed", [["code", isErrorCode, codeRule]]],
  ["received", [["message", isMessage, messageRule]]],
  ["stdout-end", []],
  ["stdin-closed", [["code", isErrorCode, codeRule]]],
  [
    "exit",
    [
      ["code", isExitCode, "must be an exit code or null"],
      ["signal", isSignal, "must be the name of a signal or null"],
    ],
  ],
  [
    "reply",
    [
      ["status", isStatus, "must be a status of HTTP from 200 to 599"],
      ["headers?", isHeaders, headersRule],
    ],
  ],
  [
    "event",
    [
      ["id?", isText, textRule],
      ["event?", isText, textRule],
      ["retry?", isText, textRule],
      ["message?", isMessage, messageRule],
      ["text?", isText, textRule],
    ],
  ],
  ["body-end", []],
  ["cut", [["code", isErrorCode, codeRule]]],
]);

const withText: ReadonlySet<unknown> = new Set(["stdout", "stderr", "body"]);

/** Reads one event; what it does not know of one that it knows is left out. */
export function readEvent(value: JsonObject, line: number): EventProblem | RecordedEvent {
  const { type, run, at } = value;
  const rules = withText.has(type)
    ? [textMember(value), ["omitted?", isCount, "must be a number of bytes"] as const]
    : typeof type === "string"
      ? members.get(type)
      : undefined;
  if (rules === undefined) return { member: "type", rule: "is none of those that a recording has" };
  if (!Number.isSafeInteger(run) || Number(run) < 1) return { member: "run", rule: "must be a positive integer" };
  if (at !== undefined && !(typeof at === "number" && at >= 0 && at <= Number.MAX_SAFE_INTEGER))
    return { member: "at", rule: "must be a time in milliseconds" };
  const read: [string, JsonValue][] = [];
  for (const [name, isFit, rule] of rules) {
    const member = name.replace("?", "");
    const part = value[member];
    if (part === undefined && name.endsWith("?")) continue;
    if (!isFit(part)) return { member, rule };
    if (part !== undefined) read.push([member, part]);
  }
  const event = { type, run, line, ...(at !== undefined && { at }), ...(value["isOpen"] === true && { isOpen: true }) };
  // Each member of it was looked at.
  return { ...event, ...Object.fromEntries(read) } as unknown as RecordedEvent;
}

function textMember(value: JsonObject): readonly [string, Rule, string] {
  return value["base64"] === undefined ? ["text", isText, textRule] : ["base64", isBase64, "must be Base64"];
}
