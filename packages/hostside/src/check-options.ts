import { longestTimeoutMs } from "@hostside/core";
import { assertKnownOptions, assertSignal, isPlainObject, kindOf, type Fields } from "@hostside/core/implement";
import { assertMethods } from "./state/assert-methods.ts";
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
const stateFields: Fields<HostState> = {
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
  credentials: ["load", "save", "clear"],
  limitStore: ["take"],
} as const;
const owner = "createHost()";

/**
 * Throws a `TypeError` that names the option that is unknown or of a wrong type. Options of parts
 * are checked where the parts are made.
 */
export function checkOptions(options: HostOptions): void {
  assertKnownOptions(owner, options, optionFields);
  const { config, state, tools, providers, signal, auth, authenticateTools } = options;
  checkConfig(config);
  checkState(state);
  const { sharedServers } = options;
  if (sharedServers !== undefined) assertMethods("sharedServers", sharedServers, ["read", "write", "onChanged"]);
  for (const [name, list] of Object.entries({ tools, providers })) {
    if (list !== undefined && !Array.isArray(list))
      throw new TypeError(`${name} must be an array, not ${kindOf(list)}`);
  }
  for (const name of ["pool", "connector", "provider", "toolbox", "policy", "results", "resources"] as const) {
    const part: unknown = options[name];
    if (part === undefined || (typeof part === "object" && part !== null)) continue;
    throw new TypeError(`${name} must be an object, not ${kindOf(part)}`);
  }
  if (options.savedCatalogs !== undefined && typeof options.savedCatalogs !== "boolean") {
    throw new TypeError("savedCatalogs must be true or false");
  }
  if (auth !== undefined && auth !== false && typeof auth !== "function" && !isObject(auth)) {
    throw new TypeError(`auth must be options, an OAuth, a function or false, not ${kindOf(auth)}`);
  }
  if (authenticateTools !== undefined && typeof authenticateTools !== "boolean") {
    throw new TypeError("authenticateTools must be true or false");
  }
  if (authenticateTools === true && (auth === false || typeof auth === "function")) {
    throw new TypeError("authenticateTools needs an OAuth, or options for one, as auth");
  }
  checkTelemetry(options.telemetry);
  for (const name of ["onDiagnostic", "allowTool"] as const) {
    if (options[name] === undefined || typeof options[name] === "function") continue;
    throw new TypeError(`${name} must be a function, not ${kindOf(options[name])}`);
  }
  const { naming } = options.provider ?? {};
  if (naming !== undefined && !isObject(naming)) {
    throw new TypeError(`provider.naming must be a naming strategy, not ${kindOf(naming)}`);
  }
  if (signal !== undefined) assertSignal(signal);
  const { timeoutMs = 0 } = options;
  if (!(typeof timeoutMs === "number" && timeoutMs >= 0 && timeoutMs <= longestTimeoutMs)) {
    throw new TypeError(`timeoutMs must be a number of milliseconds from 0 to ${longestTimeoutMs}`);
  }
}

function checkTelemetry(telemetry: HostOptions["telemetry"]): void {
  if (telemetry === undefined || telemetry === true) return;
  if (!isObject(telemetry)) throw new TypeError("telemetry must be true, or what createTelemetry() makes");
  assertMethods("telemetry", telemetry, ["interceptor", "requestInterceptor", "watch"]);
}

function checkConfig(config: HostOptions["config"]): void {
  if (config === undefined) return;
  if (typeof config === "string" || Array.isArray(config)) {
    const paths: readonly unknown[] = Array.isArray(config) ? config : [config];
    if (paths.length > 0 && paths.every((path) => typeof path === "string" && path !== "")) return;
    throw new TypeError('config must be "auto", a path, a list of paths that is not empty, or options');
  }
  assertKnownOptions("config", config, configFields);
  const { watch, allow, revise } = config as ConfigOptions;
  if (watch !== undefined && typeof watch !== "boolean") throw new TypeError("config.watch must be true or false");
  if (allow !== undefined && typeof allow !== "function") throw new TypeError("config.allow must be a function");
  if (revise !== undefined && typeof revise !== "function") throw new TypeError("config.revise must be a function");
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
    if (part === undefined && name !== "store") continue;
    assertMethods(`state.${name}`, part, methods);
  }
  const { keys, lock, credentials, onDiagnostic } = state;
  if (keys !== undefined && credentials !== undefined) {
    throw new TypeError("state.keys seal what is kept in state.store, and go with no state.credentials");
  }
  if (keys !== undefined && lock === undefined) {
    throw new TypeError("state.keys need a state.lock: two processes without one would redeem the same refresh token");
  }
  if (onDiagnostic !== undefined && typeof onDiagnostic !== "function") {
    throw new TypeError(`state.onDiagnostic must be an event, not ${kindOf(onDiagnostic)}`);
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
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
