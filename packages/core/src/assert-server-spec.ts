import { findMeant, hintForUnknown } from "./find-meant.ts";
import { isJsonObject, isPlainObject, kindOf } from "./json.ts";
import {
  httpAuths,
  type CustomEntry,
  type EntrySettings,
  type HttpEntry,
  type MemoryEntry,
  type ServerSpec,
  type ServerTls,
  type ServerType,
  type StdioEntry,
  type ToolOverride,
} from "./server-spec.ts";
import { toolEffects } from "./tool.ts";
import { defaultLimits, defaultTimeouts, longestTimeoutMs, type ServerTimeouts } from "./limits.ts";
import { quoteText } from "./text.ts";
import { HostsideError } from "./hostside-error.ts";

/** A fault of a value: `at` is a path below it, and empty for the value itself. */
interface Fault {
  readonly at?: string;
  readonly rule: string;
}
type Check = (value: unknown) => Fault | undefined;
type Checks<T> = Readonly<Record<keyof T, Check>>;

const isAnything: Check = () => undefined;
const isText = must("must be a string", (value) => typeof value === "string");
const isFlag = must("must be a boolean", (value) => typeof value === "boolean");
const isFunction = must("must be a function", (value) => typeof value === "function");
const areTexts = must(
  "must be an array of strings",
  (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
);
const isCount = must("must be a positive integer", (value) => Number.isSafeInteger(value) && Number(value) > 0);
const isDuration = must(
  `must be a positive number of milliseconds, at most ${longestTimeoutMs}`,
  (value) => typeof value === "number" && value > 0 && value <= longestTimeoutMs,
);
// Of a value that may be a secret, its type alone is said.
const isTextRecord = recordOf("must be an object of strings", (name, value) => {
  const kind = value === null || value === undefined ? String(value) : `a ${typeof value}`;
  return typeof value === "string" ? undefined : { at: `.${name}`, rule: `must be a string, and is ${kind}` };
});

const mostLabels = 32;
const longestLabel = 64;
const longestLabelValue = 256;

function areLabels(labels: unknown): Fault | undefined {
  const fault = isTextRecord(labels);
  if (fault !== undefined || !isJsonObject(labels)) return fault;
  const entries = Object.entries(labels);
  if (entries.length > mostLabels) return { rule: `must have at most ${mostLabels} labels` };
  for (const [label, value] of entries) {
    const at = `[${quoteText(label, 80)}]`;
    if (label.trim() === "" || label.length > longestLabel) {
      return { at, rule: `must have a name of 1 to ${longestLabel} characters` };
    }
    if (typeof value === "string" && value.length > longestLabelValue) {
      return { at, rule: `must have at most ${longestLabelValue} characters` };
    }
  }
  return undefined;
}

const isOverride = objectOf<ToolOverride>({
  effect: oneOf(...toolEffects),
  requireApproval: isFlag,
  title: isText,
  description: isText,
});
const timeoutChecks: Checks<ServerTimeouts> = {
  ...checkEach(defaultTimeouts, isDuration),
  callIdleMs: isDuration,
};

/** The members that every entry may have. */
export const settingFields: Checks<EntrySettings> = {
  title: isText,
  era: oneOf("auto", "legacy", "2026-07-28"),
  concurrency: oneOf("serial", "read-only-parallel", "parallel"),
  disabled: isFlag,
  required: isFlag,
  startup: oneOf("init", "background", "call"),
  elicitation: isFlag,
  sharing: oneOf("shared", "principal", "conversation"),
  allow: areTexts,
  deny: areTexts,
  tools: recordOf("must be an object of objects", (name, override) => {
    const fault = isOverride(override);
    return fault && { ...fault, at: `[${quoteText(name, 80)}]${fault.at ?? ""}` };
  }),
  labels: areLabels,
  trustAnnotations: isFlag,
  timeouts: objectOf(timeoutChecks),
  limits: objectOf(checkEach(defaultLimits, isCount)),
};
/** The members that an entry may have, by the type of its server. */
export const serverEntryFields: {
  readonly stdio: Checks<Omit<StdioEntry, "url">>;
  readonly http: Checks<Omit<HttpEntry, "command">>;
  readonly memory: Checks<Omit<MemoryEntry, "command" | "url">>;
  readonly custom: Checks<Omit<CustomEntry, "command" | "url">>;
} = {
  stdio: {
    type: isAnything,
    command: isGiven,
    args: areTexts,
    env: isTextRecord,
    inheritEnv: oneOf("safe", "all", "none"),
    cwd: isText,
    ...settingFields,
  },
  http: {
    type: isAnything,
    url: isGiven,
    headers: isTextRecord,
    bearerToken: isText,
    auth: oneOf(...httpAuths),
    mode: oneOf("auto", "streamable", "sse"),
    tls: objectOf<ServerTls>({ ca: (value) => isText(value) && areTexts(value), cert: isText, key: isText }),
    ...settingFields,
  },
  memory: { type: isAnything, serve: isFunction, ...settingFields },
  custom: { type: isAnything, open: isFunction, ...settingFields },
};
// These are checked even where they are absent.
const needed: ReadonlySet<string> = new Set(["command", "url", "serve", "open"]);

/**
 * Checks everything about a spec that needs no knowledge of a transport: shape, blank or unknown
 * fields, kinds, ranges. Rules that only a connector knows (header rules, credentials on plain
 * HTTP) is in its `check`.
 *
 * Throws `invalid_spec`, naming the server, the field and the rule; never the value of a field that
 * may hold a secret.
 *
 * @example
 * assertServerSpec({ id: "files", command: "npx", args: ["-y", "some-server"] });
 */
export function assertServerSpec(spec: unknown): asserts spec is ServerSpec {
  if (!isJsonObject(spec)) throw specError("?", "", "must be an object");
  const members: Readonly<Record<string, unknown>> = spec;
  const { id, required, startup = "init" } = members;
  if (typeof id !== "string") throw specError("?", "id", "must be a string");
  if (id.trim() === "") throw specError(id, "id", "must not be blank");
  const checks: Readonly<Record<string, Check>> = {
    id: isAnything,
    source: isText,
    perCaller: isFlag,
    ...serverEntryFields[readType(id, members)],
  };
  const fault = findFault(members, checks);
  if (fault !== undefined) throw specError(id, fault.at.slice(1), fault.rule);
  if (required === true && startup !== "init") {
    throw specError(id, "startup", 'must be "init" for a server that is required: init() waits for it');
  }
}

/** An `invalid_spec` error: `server "<id>": <field> <rule>`. */
export function specError(serverId: string, field: string, rule: string): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)}: ${field === "" ? "the spec" : field} ${rule}`, {
    code: "invalid_spec",
    serverId,
    details: { field },
  });
}

function must(rule: string, holds: (value: unknown) => boolean): Check {
  return (value) => (holds(value) ? undefined : { rule });
}

function oneOf(...values: readonly unknown[]): Check {
  const known = values.map((value) => JSON.stringify(value)).join(", ");
  return must(`must be one of ${known}`, (value) => values.includes(value));
}

function isGiven(value: unknown): Fault | undefined {
  if (value !== undefined && typeof value !== "string") return { rule: `must be a string, not ${kindOf(value)}` };
  return value === undefined || value.trim() === "" ? { rule: "must not be blank" } : undefined;
}

function recordOf(rule: string, check: (name: string, value: unknown) => Fault | undefined): Check {
  return (value) => {
    // A Map has no members of its own: what is in it would be lost.
    if (!isPlainObject(value)) return { rule };
    for (const [name, member] of Object.entries(value)) {
      const fault = check(name, member);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

function objectOf<T>(checks: Checks<T>): Check {
  return (value) =>
    isPlainObject(value) ? findFault(value, checks) : { rule: `must be an object, not ${kindOf(value)}` };
}

function checkEach<T extends object>(members: T, check: Check): Checks<T> {
  return Object.fromEntries(Object.keys(members).map((name) => [name, check])) as Checks<T>;
}

// One letter too many in `deny` would offer what was meant to be hidden.
function findFault(
  owner: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
): Required<Fault> | undefined {
  const unknown = Object.keys(owner).find((name) => owner[name] !== undefined && !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    return { at: `.${unknown}`, rule: `is unknown; ${hintForUnknown(unknown, Object.keys(checks))}` };
  }
  for (const [name, check] of Object.entries(checks)) {
    const fault = owner[name] === undefined && !needed.has(name) ? undefined : check(owner[name]);
    if (fault !== undefined) return { at: `.${name}${fault.at ?? ""}`, rule: fault.rule };
  }
  return undefined;
}

function readType(id: string, spec: Readonly<Record<string, unknown>>): ServerType {
  const { type, command, url, mode } = spec;
  if (isJsonObject(spec["transport"])) {
    throw specError(id, "transport", "is unknown: its members belong in the entry itself, as in { command, args }");
  }
  if (command !== undefined && url !== undefined) throw specError(id, "url", "cannot be set together with command");
  switch (type) {
    case undefined:
      if (command !== undefined) return "stdio";
      if (url !== undefined) return "http";
      throw missingProgram(id, spec);
    case "sse":
    case "streamable-http": {
      const meant = httpModes[type];
      if (mode === undefined || mode === meant) return "http";
      throw specError(id, "mode", `must be ${JSON.stringify(meant)} beside type: ${JSON.stringify(type)}`);
    }
    case "stdio":
    case "http":
    case "memory":
    case "custom":
      return type;
    default:
      throw specError(id, "type", `must be "stdio", "http", "memory" or "custom"${hintForType(type)}`);
  }
}

/** The modes of HTTP that a type of `mcpServers` files stands for. */
export const httpModes = { sse: "sse", "streamable-http": "streamable" } as const;

function missingProgram(id: string, spec: Readonly<Record<string, unknown>>): HostsideError {
  for (const name of Object.keys(spec)) {
    if (name in settingFields) continue;
    const [meant] = findMeant(name, ["command", "url"], (one) => [one]);
    if (meant !== undefined) return specError(id, name, `is unknown; did you mean ${meant}?`);
  }
  return specError(id, "", "must have a command, a url, or a type");
}

// As other products write it.
function hintForType(type: unknown): string {
  return typeof type === "string" && /^(?:streamable[-_]?)?https?$/i.test(type) ? '; here it is "http"' : "";
}
