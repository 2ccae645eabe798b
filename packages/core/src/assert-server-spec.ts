import type { Fields } from "./options.ts";
import { findMeant, hintForUnknown } from "./find-meant.ts";
import { isJsonObject, isPlainObject, kindOf } from "./json.ts";
import {
  httpAuths,
  type CustomEntry,
  type HttpEntry,
  type MemoryEntry,
  type EntrySettings,
  type ServerSpec,
  type ServerTls,
  type ServerType,
  type StdioEntry,
  type ToolOverride,
} from "./server-spec.ts";
import { toolEffects } from "./tool.ts";
import { defaultLimits, defaultTimeouts, longestTimeoutMs } from "./limits.ts";
import { quoteText } from "./text.ts";
import { HostsideError } from "./hostside-error.ts";

/** The members that every entry may have. */
export const settingFields: Fields<EntrySettings> = {
  title: true,
  era: true,
  allow: true,
  deny: true,
  tools: true,
  labels: true,
  trustAnnotations: true,
  disabled: true,
  required: true,
  startup: true,
  elicitation: true,
  sharing: true,
  concurrency: true,
  timeouts: true,
  limits: true,
};
const overrideFields: Fields<ToolOverride> = {
  effect: true,
  requireApproval: true,
  title: true,
  description: true,
};
const tlsFields: Fields<ServerTls> = { ca: true, cert: true, key: true };
/** The members that an entry may have, by the type of its server. */
export const serverEntryFields: {
  readonly stdio: Fields<Omit<StdioEntry, "url">>;
  readonly http: Fields<Omit<HttpEntry, "command">>;
  readonly memory: Fields<Omit<MemoryEntry, "command" | "url">>;
  readonly custom: Fields<Omit<CustomEntry, "command" | "url">>;
} = {
  stdio: { type: true, command: true, args: true, env: true, inheritEnv: true, cwd: true, ...settingFields },
  http: {
    type: true,
    url: true,
    headers: true,
    bearerToken: true,
    auth: true,
    mode: true,
    tls: true,
    ...settingFields,
  },
  memory: { type: true, serve: true, ...settingFields },
  custom: { type: true, open: true, ...settingFields },
};

/**
 * Checks everything about a spec that needs no knowledge of a transport: shape, blank or unknown
 * fields, kinds, ranges. What only a connector knows (header rules, credentials on plain HTTP) is
 * in its `check`.
 *
 * Throws `invalid_spec`, naming the server, the field and the rule; never the value of a field that
 * may hold a secret.
 */
export function assertServerSpec(spec: unknown): asserts spec is ServerSpec {
  if (!isRecord(spec)) throw specError("?", "", "must be an object");
  const id = spec["id"];
  if (typeof id !== "string") throw specError("?", "id", "must be a string");
  if (id.trim() === "") throw specError(id, "id", "must not be blank");
  const check = createChecks(id, spec);

  const type = readType(id, spec);
  check.known({ id: true, source: true, perCaller: true, ...serverEntryFields[type] });
  assertMembersOf(type, check);
  check.optional("source", "string");
  check.optional("perCaller", "boolean");
  check.optional("title", "string");
  check.oneOf("era", ["auto", "legacy", "2026-07-28"]);
  check.oneOf("concurrency", ["serial", "read-only-parallel", "parallel"]);
  check.optional("disabled", "boolean");
  check.optional("required", "boolean");
  check.oneOf("startup", ["init", "background", "call"]);
  check.optional("elicitation", "boolean");
  check.oneOf("sharing", ["shared", "principal", "conversation"]);
  check.strings("allow");
  check.strings("deny");
  assertOverrides(id, spec["tools"]);
  check.record("labels");
  assertLabels(id, spec["labels"]);
  check.optional("trustAnnotations", "boolean");
  check.numbers("timeouts", [...Object.keys(defaultTimeouts), "callIdleMs"], isDuration);
  check.numbers("limits", Object.keys(defaultLimits), isCount);

  const { required, startup = "init" } = spec;
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

function assertOverrides(id: string, tools: unknown): void {
  if (tools === undefined) return;
  if (!isPlainObject(tools)) throw specError(id, "tools", "must be an object of objects");
  for (const [toolName, override] of Object.entries(tools)) {
    const place = `tools[${quoteText(toolName, 80)}]`;
    if (!isPlainObject(override)) throw specError(id, place, `must be an object, not ${kindOf(override)}`);
    const check = createChecks(id, override, `${place}.`);
    check.known(overrideFields);
    check.oneOf("effect", toolEffects);
    check.optional("requireApproval", "boolean");
    check.optional("title", "string");
    check.optional("description", "string");
  }
}

const mostLabels = 32;
const longestLabel = 64;
const longestLabelValue = 256;

function assertLabels(id: string, labels: unknown): void {
  if (!isRecord(labels)) return;
  const entries = Object.entries(labels);
  if (entries.length > mostLabels) throw specError(id, "labels", `must have at most ${mostLabels} labels`);
  for (const [label, value] of entries) {
    const place = `labels[${quoteText(label, 80)}]`;
    if (label.trim() === "" || label.length > longestLabel) {
      throw specError(id, place, `must have a name of 1 to ${longestLabel} characters`);
    }
    if (String(value).length > longestLabelValue) {
      throw specError(id, place, `must have at most ${longestLabelValue} characters`);
    }
  }
}

function readType(id: string, spec: Record<string, unknown>): ServerType {
  const { type, command, url, mode } = spec;
  if (isRecord(spec["transport"])) {
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

function missingProgram(id: string, spec: Record<string, unknown>): HostsideError {
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

function assertTls(check: Checks): void {
  const tls = check.object("tls");
  tls?.known(tlsFields);
  for (const member of ["cert", "key"]) tls?.optional(member, "string");
  tls?.texts("ca");
}

function assertMembersOf(type: ServerType, check: Checks): void {
  switch (type) {
    case "stdio":
      check.required("command");
      check.strings("args");
      check.record("env");
      check.oneOf("inheritEnv", ["safe", "all", "none"]);
      check.optional("cwd", "string");
      return;
    case "http":
      check.required("url");
      check.record("headers");
      check.optional("bearerToken", "string");
      check.oneOf("auth", httpAuths);
      check.oneOf("mode", ["auto", "streamable", "sse"]);
      assertTls(check);
      return;
    case "memory":
      check.callable("serve");
      return;
    case "custom":
      check.callable("open");
      return;
  }
}

interface Checks {
  /**
   * Nothing but these fields. One letter too many in `deny` would offer what was meant to be
   * hidden.
   */
  known(fields: Readonly<Record<string, true>>): void;
  /** Present and not blank. */
  required(field: string): void;
  optional(field: string, type: "string" | "boolean"): void;
  oneOf(field: string, values: readonly string[]): void;
  strings(field: string): void;
  /** A string, or an array of them. */
  texts(field: string): void;
  /** The checks of an object, if it is there. */
  object(field: string): Checks | undefined;
  record(field: string): void;
  callable(field: string): void;
  /** An object whose members are known and keep a rule. */
  numbers(field: string, members: readonly string[], rule: NumberRule): void;
}

interface NumberRule {
  readonly holds: (value: number) => boolean;
  readonly text: string;
}

const isCount: NumberRule = {
  holds: (value) => Number.isSafeInteger(value) && value > 0,
  text: "must be a positive integer",
};
const isDuration: NumberRule = {
  holds: (value) => value > 0 && value <= longestTimeoutMs,
  text: `must be a positive number of milliseconds, at most ${longestTimeoutMs}`,
};

function createChecks(id: string, owner: Record<string, unknown>, prefix = ""): Checks {
  const fail = (field: string, rule: string): HostsideError => specError(id, `${prefix}${field}`, rule);
  return {
    known(fields) {
      const unknown = Object.keys(owner).find((field) => owner[field] !== undefined && !Object.hasOwn(fields, field));
      if (unknown !== undefined) throw fail(unknown, `is unknown; ${hintForUnknown(unknown, Object.keys(fields))}`);
    },
    required(field) {
      const value = owner[field];
      if (value !== undefined && typeof value !== "string") throw fail(field, `must be a string, not ${kindOf(value)}`);
      if (value === undefined || value.trim() === "") throw fail(field, "must not be blank");
    },
    optional(field, type) {
      const value = owner[field];
      if (value !== undefined && typeof value !== type) throw fail(field, `must be a ${type}`);
    },
    oneOf(field, values) {
      const value = owner[field];
      if (value === undefined || (typeof value === "string" && values.includes(value))) return;
      throw fail(field, `must be one of ${values.map((known) => JSON.stringify(known)).join(", ")}`);
    },
    strings(field) {
      const value = owner[field];
      if (value === undefined || (Array.isArray(value) && value.every((item) => typeof item === "string"))) return;
      throw fail(field, "must be an array of strings");
    },
    texts(field) {
      if (typeof owner[field] !== "string") this.strings(field);
    },
    object(field) {
      const value = owner[field];
      if (value === undefined) return undefined;
      if (!isPlainObject(value)) throw fail(field, `must be an object, not ${kindOf(value)}`);
      return createChecks(id, value, `${prefix}${field}.`);
    },
    record(field) {
      const value = owner[field];
      if (value === undefined) return;
      // A Map has no members of its own: what is in it would be lost.
      if (!isPlainObject(value)) throw fail(field, "must be an object of strings");
      for (const [member, text] of Object.entries(value)) {
        if (typeof text !== "string") throw fail(`${field}.${member}`, `must be a string, and is ${nameOf(text)}`);
      }
    },
    callable(field) {
      if (typeof owner[field] !== "function") throw fail(field, "must be a function");
    },
    numbers(field, members, rule) {
      const value = owner[field];
      if (value === undefined) return;
      if (!isPlainObject(value)) throw fail(field, `must be an object, not ${kindOf(value)}`);
      for (const [member, amount] of Object.entries(value)) {
        if (!members.includes(member))
          throw fail(`${field}.${member}`, `is unknown; ${hintForUnknown(member, members)}`);
        if (amount === undefined) continue;
        if (typeof amount !== "number" || !rule.holds(amount)) throw fail(`${field}.${member}`, rule.text);
      }
    },
  };
}

// Its type alone: the value may be a secret.
function nameOf(value: unknown): string {
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value);
}
