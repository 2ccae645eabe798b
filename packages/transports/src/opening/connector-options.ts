import { assertServerSpec, type ServerSpec, type StdioEntry } from "@hostside/core";
import {
  assertKnownOptions,
  checkHttpSpec,
  type Fields,
  isPlainObject,
  kindOf,
  specError,
} from "@hostside/core/implement";
import { assertGuard } from "../context/ask-guard.ts";
import type { Fetch } from "../http/exchange/fetch-exchange.ts";
import type { HttpOptions } from "../http/http-options.ts";

/**
 * Starts a program as `spawn` of `node:child_process` does, and returns a `ChildProcess` with three
 * pipes. The types of Node stand in no signature here, so that a consumer without them can read it.
 * `own` is what would have started it: that of Node, on Windows of cross-spawn.
 */
export type SpawnEffect = (
  ...call: [command: string, args: readonly string[], options: never, own: SpawnOwn]
) => unknown;

/** The way to start a program without an effect. */
export type SpawnOwn = (command: string, args: readonly string[], options: never) => unknown;

/** The effects of one connection on the world, in place of the runtime's own. */
export interface ConnectorEffects {
  /** Does the requests, as `fetch` of the connector's options. Default: that one. */
  readonly fetch?: Fetch | undefined;
  /** Starts processes. Default: what the runtime has. */
  readonly spawn?: SpawnEffect | undefined;
  /**
   * Sends signals to what `spawn` started: a negative number is a group, and the signal 0 asks
   * whether it is there. Default `process.kill`.
   */
  readonly sendSignal?: ((pid: number, signal: string | 0) => void) | undefined;
}

/** How a connector works; the same for all its connections. */
export interface ConnectorOptions extends HttpOptions {
  /** The name and version that servers are told. Default: Hostside and its version. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /**
   * Lets servers of 2026-07-28 make tasks of calls, by declaring the extension
   * `io.modelcontextprotocol/tasks`. Such a call goes on until the task has ended, within its own
   * time, asking for its state; the task is cancelled when the call is given up. Default `false`:
   * no call becomes a task.
   */
  readonly tasks?: boolean | undefined;
  /**
   * How many processes may start at once; the others wait for their turn, in order, and their
   * `timeouts.connectMs` runs from then on. A turn ends when the server writes its first byte to
   * stdout, after 5 s at the latest. Default: four for each processor, at least 8.
   */
  readonly maxConcurrentStarts?: number | undefined;
  /**
   * Does HTTP and starts processes for the servers of this connector, asked once for each
   * connection, for recorders, players and simulations. All else is as ever: guard, handshake,
   * limits, deadlines. Not asked about `memory` and `custom`, which are code of the host's own.
   * Default, and where it answers `undefined`: the runtime's own.
   */
  readonly effects?: ((spec: ServerSpec) => ConnectorEffects | undefined) | undefined;
}

/** The options of a connector. */
export const connectorFields: Fields<ConnectorOptions> = {
  clientInfo: true,
  tasks: true,
  maxConcurrentStarts: true,
  fetch: true,
  proxy: true,
  ca: true,
  guard: true,
  authProvider: true,
  headersFor: true,
  effects: true,
};

/**
 * Throws a `TypeError` for a proxy or authorities that are none. A proxy's URL may have a password
 * in it, so that its text is quoted nowhere.
 */
export function assertHttpOptions(
  owner: string,
  { proxy, ca, fetch }: Pick<HttpOptions, "ca" | "fetch" | "proxy">,
): void {
  const fail = (rule: string): TypeError => new TypeError(`${owner}: ${rule}`);
  if (proxy !== undefined && proxy !== false && proxy !== "environment" && !isHttpUrl(proxy))
    throw fail('proxy must be false, "environment" or the http: or https: URL of a proxy');
  const certificates = ca === undefined ? [] : [ca].flat();
  if (!certificates.every((it) => typeof it === "string" && it.includes("-----BEGIN CERTIFICATE-----")))
    throw fail("ca must be a certificate in PEM, or a list of them");
  if (fetch !== undefined && (ca !== undefined || (proxy !== undefined && proxy !== false)))
    throw fail("proxy and ca are for requests that Node makes, and cannot be used together with fetch");
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/** Throws a `TypeError` that names the option that is unknown or of a wrong type. */
export function assertConnectorOptions(options: ConnectorOptions): void {
  assertKnownOptions("createConnector()", options, connectorFields);
  const fail = (rule: string): TypeError => new TypeError(`createConnector(): ${rule}`);
  const { clientInfo, guard, maxConcurrentStarts, tasks } = options;
  assertGuard("createConnector()", guard);
  if (clientInfo !== undefined && !isClientInfo(clientInfo))
    throw fail("clientInfo must be an object with a name and a version, texts that are not empty");
  if (maxConcurrentStarts !== undefined && !(Number.isInteger(maxConcurrentStarts) && maxConcurrentStarts > 0))
    throw fail("maxConcurrentStarts must be a positive integer");
  if (tasks !== undefined && typeof tasks !== "boolean") throw fail("tasks must be a boolean");
  assertHttpOptions("createConnector()", options);
  for (const name of ["authProvider", "effects", "fetch", "headersFor"] as const)
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw fail(`${name} must be a function, not ${kindOf(options[name])}`);
}

function isClientInfo(info: unknown): boolean {
  return isPlainObject(info) && isText(info["name"]) && isText(info["version"]);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/**
 * Checks a spec before anything starts. Pure; throws `invalid_spec`, naming the field and the rule,
 * never a secret.
 */
export function checkSpec(spec: unknown): asserts spec is ServerSpec {
  assertServerSpec(spec);
  checkHttpSpec(spec);
  if (spec.command !== undefined) assertStdioSpec(spec);
}

/**
 * Checks what an operating system cannot pass on to a process: NUL characters anywhere, and `=` or
 * nothing in a variable's name.
 */
function assertStdioSpec({ id, command, args, env, cwd }: StdioEntry & Pick<ServerSpec, "id">): void {
  const assertText = (field: string, text: string): void => {
    if (text.includes("\0")) throw specError(id, field, "must not contain a NUL character");
  };
  assertText("command", command);
  args?.forEach((argument, index) => assertText(`args.${index}`, argument));
  for (const [name, value] of Object.entries(env ?? {})) {
    if (name === "" || name.includes("=") || name.includes("\0"))
      throw specError(id, "env", `has a name that is no variable name: ${JSON.stringify(name)}`);
    assertText(`env.${name}`, value);
  }
  if (cwd === undefined) return;
  if (cwd.trim() === "") throw specError(id, "cwd", "must not be blank");
  assertText("cwd", cwd);
}
