import { isJsonObject } from "./json.ts";
import { defaultLimits, defaultTimeouts } from "./limits.ts";
import type { ServerSpec } from "./server-spec.ts";
import { ToolportError } from "./toolport-error.ts";

/**
 * Checks everything about a spec that needs no knowledge of a transport: shape, blank fields, unknown kinds, ranges. What only a
 * connector knows (header rules, credentials on plain HTTP) is in its `check`.
 *
 * Throws `invalid_spec`, naming the server, the field and the rule; never the value of a field that may hold a secret.
 */
export function assertServerSpec(spec: unknown): asserts spec is ServerSpec {
  if (!isRecord(spec)) throw specError("?", "", "must be an object");
  const id = spec["id"];
  if (typeof id !== "string" || id.trim() === "") throw specError(String(id), "id", "must not be blank");
  const check = createChecks(id, spec);

  check.optional("title", "string");
  check.oneOf("era", ["auto", "legacy", "2026-07-28"]);
  check.oneOf("concurrency", ["serial", "read-only-parallel", "parallel"]);
  check.optional("disabled", "boolean");
  check.optional("required", "boolean");
  check.strings("include");
  check.strings("exclude");
  check.positive("timeouts", [...Object.keys(defaultTimeouts), "callIdleMs"]);
  check.positive("limits", Object.keys(defaultLimits));

  const transport = spec["transport"];
  if (!isRecord(transport)) throw specError(id, "transport", "must be an object with a kind");
  assertTransport(id, transport);
}

/** An `invalid_spec` error: `server "<id>": <field> <rule>`. */
export function specError(serverId: string, field: string, rule: string): ToolportError {
  return new ToolportError(`server ${JSON.stringify(serverId)}: ${field === "" ? "the spec" : field} ${rule}`, {
    code: "invalid_spec",
    serverId,
    details: { field },
  });
}

function assertTransport(id: string, transport: Record<string, unknown>): void {
  const check = createChecks(id, transport, "transport.");
  switch (transport["kind"]) {
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
      check.oneOf("auth", ["oauth"]);
      check.oneOf("mode", ["auto", "streamable", "sse"]);
      return;
    case "memory":
      return check.callable("serve");
    case "custom":
      return check.callable("open");
    default:
      throw specError(
        id,
        "transport.kind",
        `must be "stdio", "http", "memory" or "custom", not ${JSON.stringify(transport["kind"])}`,
      );
  }
}

interface Checks {
  /** Present and not blank. */
  required(field: string): void;
  optional(field: string, type: "string" | "boolean"): void;
  oneOf(field: string, values: readonly string[]): void;
  strings(field: string): void;
  record(field: string): void;
  callable(field: string): void;
  /** An object whose members are known and positive numbers. */
  positive(field: string, members: readonly string[]): void;
}

function createChecks(id: string, owner: Record<string, unknown>, prefix = ""): Checks {
  const fail = (field: string, rule: string): ToolportError => specError(id, `${prefix}${field}`, rule);
  return {
    required(field) {
      const value = owner[field];
      if (typeof value !== "string" || value.trim() === "") throw fail(field, "must not be blank");
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
    record(field) {
      const value = owner[field];
      if (value === undefined || (isRecord(value) && Object.values(value).every((item) => typeof item === "string")))
        return;
      throw fail(field, "must be an object of strings");
    },
    callable(field) {
      if (typeof owner[field] !== "function") throw fail(field, "must be a function");
    },
    positive(field, members) {
      const value = owner[field];
      if (value === undefined) return;
      if (!isRecord(value)) throw fail(field, "must be an object");
      for (const [member, amount] of Object.entries(value)) {
        if (!members.includes(member)) throw fail(`${field}.${member}`, `is unknown; known are ${members.join(", ")}`);
        if (amount === undefined) continue;
        if (typeof amount !== "number" || !(amount > 0)) throw fail(`${field}.${member}`, "must be a positive number");
      }
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value);
}
