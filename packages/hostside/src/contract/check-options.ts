import { longestTimeoutMs } from "@hostside/core";
import { assertKnownOptions, assertSignal, isPlainObject, kindOf, type Fields } from "@hostside/core/implement";
import type { ConfigOptions, HostOptions, HostState } from "./host-options.ts";

const optionFields: Fields<HostOptions> = {
  config: true,
  servers: true,
  sharedServers: true,
  state: true,
  savedCatalogs: true,
  pool: true,
  tools: true,
  providers: true,
  connector: true,
  provider: true,
  toolbox: true,
  policy: true,
  allowTool: true,
  auth: true,
  authenticateTools: true,
  results: true,
  resources: true,
  onElicit: true,
  telemetry: true,
  onDiagnostic: true,
  timeoutMs: true,
  signal: true,
};
const configFields: Fields<ConfigOptions> = {
  files: true,
  layers: true,
  extensions: true,
  trust: true,
  inputs: true,
  cwd: true,
  home: true,
  env: true,
  platform: true,
  watch: true,
  allow: true,
  revise: true,
};
/** The members of a state. */
export const stateFields: Fields<HostState> = {
  store: true,
  lock: true,
  notices: true,
  credentials: true,
  keys: true,
  limitStore: true,
  onDiagnostic: true,
  close: true,
};
const stateParts = {
  store: ["get", "set", "delete"],
  lock: ["withLock"],
  notices: ["publish", "subscribe"],
  credentials: ["load", "save", "clear", "accounts", "withLock"],
  limitStore: ["take"],
} as const;

type Rule = readonly [isGood: (value: unknown) => boolean, wanted: string];
const isBoolean: Rule = [(value) => typeof value === "boolean", "true or false"];
const isFunction: Rule = [(value) => typeof value === "function", "a function"];
const isArray: Rule = [Array.isArray, "an array"];
const isOptions: Rule = [isObject, "an object"];
const isMilliseconds = (value: unknown): boolean =>
  typeof value === "number" && value >= 0 && value <= longestTimeoutMs;
const rules: Partial<Record<keyof HostOptions, Rule>> = {
  tools: isArray,
  providers: isArray,
  pool: isOptions,
  connector: isOptions,
  provider: isOptions,
  toolbox: isOptions,
  policy: isOptions,
  results: isOptions,
  resources: isOptions,
  savedCatalogs: isBoolean,
  authenticateTools: isBoolean,
  allowTool: isFunction,
  onDiagnostic: isFunction,
  auth: [
    (value) => value === false || typeof value === "function" || isObject(value),
    "options, an OAuth, a function or false",
  ],
  telemetry: [(value) => value === true || isObject(value), "true, or what createTelemetry() makes"],
  timeoutMs: [isMilliseconds, `a number of milliseconds from 0 to ${longestTimeoutMs}`],
};
const configRules: Partial<Record<keyof ConfigOptions, Rule>> = {
  watch: isBoolean,
  allow: isFunction,
  revise: isFunction,
};

/**
 * Throws a `TypeError` that names the option that is unknown or of a wrong type. Options of parts
 * are checked where the parts are made.
 */
export function checkOptions(options: HostOptions): void {
  assertKnownOptions("createHost()", options, optionFields);
  checkRules("", options, rules);
  const { config, state, signal, auth, authenticateTools, sharedServers, telemetry } = options;
  checkConfig(config);
  checkState(state);
  if (sharedServers !== undefined) assertMethods("sharedServers", sharedServers, ["read", "write", "onChanged"]);
  if (telemetry !== undefined && telemetry !== true)
    assertMethods("telemetry", telemetry, ["interceptor", "requestInterceptor", "watch"]);
  if (authenticateTools === true && (auth === false || typeof auth === "function"))
    throw new TypeError("authenticateTools needs an OAuth, or options for one, as auth");
  const { naming } = options.provider ?? {};
  if (naming !== undefined && !isObject(naming))
    throw new TypeError(`provider.naming must be a naming strategy, not ${kindOf(naming)}`);
  if (signal !== undefined) assertSignal(signal);
}

function checkRules(prefix: string, options: object, table: Readonly<Partial<Record<string, Rule>>>): void {
  for (const [name, rule] of Object.entries(table)) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined || rule === undefined || rule[0](value)) continue;
    throw new TypeError(`${prefix}${name} must be ${rule[1]}, not ${kindOf(value)}`);
  }
}

function checkConfig(config: HostOptions["config"]): void {
  if (config === undefined) return;
  if (typeof config === "string" || Array.isArray(config)) {
    const paths: readonly unknown[] = [config].flat();
    if (paths.length > 0 && paths.every((path) => typeof path === "string" && path !== "")) return;
    throw new TypeError('config must be "auto", a path, a list of paths that is not empty, or options');
  }
  assertKnownOptions("config", config, configFields);
  checkRules("config.", config, configRules);
}

function checkState(state: HostOptions["state"]): void {
  if (state === undefined || state === "user" || state === "memory") return;
  if (!isPlainObject(state)) {
    const remedy = "wrap a client of Redis or Postgres: createRedisState(client), createPostgresState(pool)";
    throw new TypeError(`state must be "user", "memory", or { store }, not ${kindOf(state)}; ${remedy}`);
  }
  assertKnownOptions("state", state, stateFields);
  for (const [name, methods] of Object.entries(stateParts)) {
    const part: unknown = Reflect.get(state, name);
    if (part !== undefined || name === "store") assertMethods(`state.${name}`, part, methods);
  }
  const { keys, lock, credentials, onDiagnostic } = state;
  if (keys !== undefined && credentials !== undefined)
    throw new TypeError("state.keys seal what is kept in state.store, and go with no state.credentials");
  if (keys !== undefined && lock === undefined)
    throw new TypeError("state.keys need a state.lock: two processes without one would redeem the same refresh token");
  if (onDiagnostic !== undefined && typeof onDiagnostic !== "function")
    throw new TypeError(`state.onDiagnostic must be an event, not ${kindOf(onDiagnostic)}`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Throws a `TypeError` for a part that lacks a method. */
export function assertMethods(what: string, part: unknown, methods: readonly string[]): void {
  const missing = methods.find((method) => !isObject(part) || typeof Reflect.get(part, method) !== "function");
  if (missing !== undefined) throw new TypeError(`${what} must have a method ${missing}()`);
}

/** Does `make`, and has a `TypeError` of its options name the option of `createHost()`. */
export function inOption<T>(option: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const said = error.message.replace(/^create\w+\(\):? /, "");
    throw new TypeError(`createHost({ ${option} }): ${said}`, { cause: error });
  }
}
