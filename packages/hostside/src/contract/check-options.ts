import { longestTimeoutMs } from "@hostside/core";
import { assertKnownOptions, assertSignal, isPlainObject, kindOf } from "@hostside/core/implement";
import type { ConfigOptions, HostOptions, HostState } from "./host-options.ts";

/** Throws a `TypeError` for a value that `name` cannot have. */
type Rule = (value: unknown, name: string) => void;
/** A rule for each option, so that the compiler asks for one that was added; `true`: none here. */
type Rules<T> = Readonly<Record<keyof T, Rule | true>>;

const be =
  (isGood: (value: unknown) => boolean, wanted: string): Rule =>
  (value, name) => {
    if (!isGood(value)) throw new TypeError(`${name} must be ${wanted}, not ${kindOf(value)}`);
  };
const have =
  (...methods: readonly string[]): Rule =>
  (value, name) =>
    assertMethods(name, value, methods);
const aBoolean = be((value) => typeof value === "boolean", "true or false");
const aFunction = be((value) => typeof value === "function", "a function");
const anArray = be(Array.isArray, "an array");
const anObject = be(isObject, "an object");

const configRules: Rules<ConfigOptions> = {
  files: true,
  layers: true,
  extensions: true,
  trust: true,
  inputs: true,
  cwd: true,
  home: true,
  env: true,
  platform: true,
  watch: aBoolean,
  allow: aFunction,
  revise: aFunction,
};
/** The members of a state. */
export const stateRules: Rules<HostState> = {
  store: have("get", "set", "delete"),
  lock: have("withLock"),
  notices: have("publish", "subscribe"),
  credentials: have("load", "save", "clear", "accounts", "withLock"),
  keys: true,
  limitStore: have("take"),
  onDiagnostic: be((value) => typeof value === "function", "an event"),
  close: true,
};
const optionRules: Rules<HostOptions> = {
  config: checkConfig,
  servers: true,
  sharedServers: have("read", "write", "onChanged"),
  state: checkState,
  savedCatalogs: aBoolean,
  pool: anObject,
  tools: anArray,
  providers: anArray,
  connector: anObject,
  provider: anObject,
  toolbox: anObject,
  policy: anObject,
  allowTool: aFunction,
  auth: be(
    (value) => value === false || typeof value === "function" || isObject(value),
    "options, an OAuth, a function or false",
  ),
  authenticateTools: aBoolean,
  results: anObject,
  resources: anObject,
  onElicit: true,
  telemetry(value, name) {
    if (value !== true) have("interceptor", "requestInterceptor", "watch")(value, name);
  },
  onDiagnostic: aFunction,
  timeoutMs: be(
    (value) => typeof value === "number" && value >= 0 && value <= longestTimeoutMs,
    `a number of milliseconds from 0 to ${longestTimeoutMs}`,
  ),
  signal: (value) => assertSignal(value as AbortSignal),
};

/**
 * Throws a `TypeError` that names the option that is unknown or of a wrong type. Options of parts
 * are checked where the parts are made.
 */
export function checkOptions(options: HostOptions): void {
  assertKnownOptions("createHost()", options, optionRules);
  checkRules("", options, optionRules);
  const { auth, authenticateTools, provider: { naming } = {} } = options;
  if (authenticateTools === true && (auth === false || typeof auth === "function"))
    throw new TypeError("authenticateTools needs an OAuth, or options for one, as auth");
  if (naming !== undefined) be(isObject, "a naming strategy")(naming, "provider.naming");
}

/** Checks the members that were given. */
export function checkRules<T extends object>(prefix: string, options: T, rules: Rules<T>): void {
  for (const [name, rule] of Object.entries<Rule | true>(rules)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && rule !== true) rule(value, prefix + name);
  }
}

function checkConfig(config: unknown): void {
  if (typeof config === "string" || Array.isArray(config)) {
    const paths: readonly unknown[] = [config].flat();
    if (paths.length > 0 && paths.every((path) => typeof path === "string" && path !== "")) return;
    throw new TypeError('config must be "auto", a path, a list of paths that is not empty, or options');
  }
  assertKnownOptions("config", config, configRules);
  checkRules("config.", config as ConfigOptions, configRules);
}

function checkState(state: unknown): void {
  if (state === "user" || state === "memory") return;
  if (!isPlainObject(state)) {
    const remedy = "wrap a client of Redis or Postgres: createRedisState(client), createPostgresState(pool)";
    throw new TypeError(`state must be "user", "memory", or { store }, not ${kindOf(state)}; ${remedy}`);
  }
  assertKnownOptions("state", state, stateRules);
  const { store, keys, lock, credentials } = state;
  assertMethods("state.store", store, ["get"]);
  checkRules<object>("state.", state, stateRules);
  if (keys !== undefined && credentials !== undefined)
    throw new TypeError("state.keys seal what is kept in state.store, and go with no state.credentials");
  if (keys !== undefined && lock === undefined)
    throw new TypeError("state.keys need a state.lock: two processes without one would redeem the same refresh token");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Throws a `TypeError` for a part that lacks a method. */
function assertMethods(what: string, part: unknown, methods: readonly string[]): void {
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
