import { hintForUnknown } from "./find-meant.ts";
import { assertCallContext, type CallContext } from "./call-context.ts";
import { assertKnownOptions, type Fields } from "./options.ts";
import { isJsonObject, isPlainObject, kindOf, tagOf, type JsonObject } from "./json.ts";
import { longestTimeoutMs } from "./limits.ts";
import type { CallOptions, ListToolsOptions, RequestOptions } from "./connection.ts";
import type { ToolOrigin } from "./tool.ts";
import type { SharedDeadline } from "./deadline.ts";
import { describeLostNumber, findLostDigits, type LostNumber } from "./lost-digits.ts";
import { quoteText } from "./text.ts";
import { HostsideError } from "./hostside-error.ts";
import type { InitOptions, RefreshOptions } from "./tool-provider.ts";

const optionFields: Fields<CallOptions> = {
  signal: true,
  timeoutMs: true,
  selected: true,
  wait: true,
  meta: true,
  context: true,
  onProgress: true,
  deadline: true,
  observer: true,
};
const knownOptions: ReadonlySet<string> = new Set(Object.keys(optionFields));
const requestFields: Fields<RequestOptions> = {
  signal: true,
  timeoutMs: true,
  context: true,
  deadline: true,
  observer: true,
};
const listFields: Fields<ListToolsOptions> = { ...requestFields, wants: true };

/**
 * Refuses options of a call that nothing reads, or that are of a wrong type. Throws a `TypeError`
 * that names the option: for an unknown one, a `timeoutMs` that is not above 0 and at most
 * {@linkcode longestTimeoutMs}, a `signal` that cannot be listened to, a `meta` that is no object,
 * a `context` with a member that is unknown or no text, an `onProgress` that is no function.
 */
export function assertCallOptions(options: CallOptions): void {
  if (!isPlain(options)) throw new TypeError(`a call takes its options as an object, not ${kindOf(options)}`);
  // A loop that makes nothing: it runs with every call that has options.
  for (const option in options) {
    if (knownOptions.has(option)) continue;
    const hint = hintForUnknown(option, Array.from(knownOptions));
    throw new TypeError(`a call has no option ${quoteText(option)}; ${hint}`);
  }
  const { meta, onProgress, selected, wait } = options;
  assertRunOptions(options);
  if (meta !== undefined && !isCallArguments(meta)) throw new TypeError("meta must be an object");
  if (selected !== undefined && !isCallArguments(selected)) throw new TypeError("selected must be a definition");
  if (wait !== undefined && wait !== "servers") throw new TypeError('wait must be "servers"');
  if (onProgress !== undefined && typeof onProgress !== "function") {
    throw new TypeError("onProgress must be a function");
  }
}

/**
 * Refuses options of a request that is no call, as {@linkcode assertCallOptions} does those of a
 * call.
 */
export function assertRequestOptions(options: RequestOptions): void {
  assertKnownOptions("a request", options, requestFields);
  assertRunOptions(options);
}

/** Refuses options of a listing, as {@linkcode assertCallOptions} does those of a call. */
export function assertListOptions(options: ListToolsOptions): void {
  assertKnownOptions("listTools()", options, listFields);
  assertRunOptions(options);
  if (options.wants !== undefined && typeof options.wants !== "function") {
    throw new TypeError("wants must be a function");
  }
}

/**
 * Refuses the name of a tool that is no text. Throws a `TypeError` that names the `caller`:
 * `"callTool()"`.
 */
export function assertToolName(caller: string, name: unknown): void {
  if (typeof name !== "string")
    throw new TypeError(`${caller}: the name of a tool must be a string, not ${kindOf(name)}`);
}

/**
 * Refuses a method that is no text, and params that JSON-RPC cannot carry by name. Throws a
 * `TypeError` that names the `caller`: `"request()"`.
 */
export function assertMessage(caller: string, method: unknown, params: unknown): void {
  if (typeof method !== "string" || method === "") {
    throw new TypeError(
      `${caller}: the method must be a text that is not empty, not ${method === "" ? '""' : kindOf(method)}`,
    );
  }
  // A server may take anything else for a request, which nobody would have approved.
  if (caller === "notify()" && !method.startsWith("notifications/"))
    throw new TypeError(`${caller}: ${quoteText(method)} is no notification: those begin with "notifications/"`);
  if (params === undefined || isCallArguments(params)) return;
  throw new TypeError(`${caller}: params must be an object, not ${kindOf(params)}`);
}

/**
 * Throws a `TypeError` that names the `caller` unless names are an array of strings: of a text,
 * each letter would be one.
 */
export function assertNames(caller: string, names: unknown): void {
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return;
  throw new TypeError(`${caller} must be an array of strings`);
}

/** Throws a `TypeError` unless `signal` can be listened to. */
export function assertSignal(signal: AbortSignal): void {
  if (typeof signal?.addEventListener === "function") return;
  throw new TypeError("signal must be an AbortSignal");
}

function assertRunOptions(options: RequestOptions): void {
  const { signal, timeoutMs, context, deadline, observer } = options;
  if (timeoutMs !== undefined) assertTimeoutMs(timeoutMs);
  if (signal !== undefined) assertSignal(signal);
  if (context !== undefined) assertCallContext(context);
  if (deadline !== undefined && !isDeadline(deadline)) throw new TypeError("deadline must be a deadline");
  if (observer !== undefined && (typeof observer !== "object" || observer === null)) {
    throw new TypeError("observer must be an object");
  }
}

// To narrow the type would lose that of the members.
const isPlain: (value: unknown) => boolean = isPlainObject;

function isDeadline(value: SharedDeadline | null): boolean {
  return typeof value?.remainingMs === "function" && typeof value.pause === "function";
}

/**
 * Names the source of the time of a call or request, for errors: its caller, or the timeouts of its
 * server.
 */
export function timeSetBy({ timeoutMs }: RequestOptions, what: "call" | "request" = "call"): string {
  return timeoutMs === undefined ? `timeouts.${what}Ms` : `timeoutMs of the ${what}`;
}

/**
 * Throws a `TypeError` unless `timeoutMs` is a number above 0 and at most
 * {@linkcode longestTimeoutMs}.
 */
export function assertTimeoutMs(timeoutMs: number): void {
  if (typeof timeoutMs === "number" && timeoutMs > 0 && timeoutMs <= longestTimeoutMs) return;
  throw new TypeError(`timeoutMs must be a number above 0, at most ${longestTimeoutMs}`);
}

/**
 * The arguments of a call, as the caller handed them over: `null` and `undefined` are `{}`. Throws
 * `invalid_arguments` for what is no JSON object: a text, an array, a `Map`, a `Promise` that was
 * not awaited; and for a number that may have lost digits before it came here.
 */
export function readCallArguments(args: unknown, { serverId, toolName }: ToolOrigin): JsonObject {
  if (args === undefined || args === null) return {};
  if (isCallArguments(args)) {
    const lost = findLostDigits(args);
    if (lost === undefined) return args;
    throw lostDigitsError(lost, { serverId, toolName });
  }
  const advice = typeof args === "string" ? "; parse the model's JSON text first" : "";
  const owner = serverId === "" ? "" : ` on ${JSON.stringify(serverId)}`;
  throw new HostsideError(
    `tool ${quoteText(toolName)}${owner} expects JSON object arguments, not ${kindOf(args)}${advice}`,
    { code: "invalid_arguments", ...(serverId !== "" && { serverId }), toolName },
  );
}

/** Makes the `invalid_arguments` for arguments in which a number lost digits. */
export function lostDigitsError(
  lost: LostNumber,
  { serverId, toolName }: Pick<ToolOrigin, "serverId" | "toolName">,
): HostsideError {
  const advice = "pass it as a string, if the tool takes one, or with at most 15 digits";
  const message = `${describeLostNumber({ ...lost, path: "" })}: ${advice}`;
  return new HostsideError(`the arguments of tool ${quoteText(toolName)} have ${describeLostNumber(lost)}: ${advice}`, {
    code: "invalid_arguments",
    ...(serverId !== "" && { serverId }),
    toolName,
    details: { violations: [{ path: lost.path, message }] },
  });
}

/** Whether a value is an object whose members are what it says, as the arguments of a call are. */
export function isCallArguments(value: unknown): value is JsonObject {
  return isJsonObject(value) && isOwnMembers(value);
}

// Objects such as a Map or a Date are not what their own members say. Of another realm, a plain
// object has another prototype.
function isOwnMembers(args: object): boolean {
  return Object.getPrototypeOf(args) === Object.prototype || tagOf(args) === "Object";
}

/**
 * A context that names whoever asks: as it was given, or else this principal. The given context is
 * never changed.
 */
export function contextOnBehalfOf(principal: string, given: CallContext | undefined): CallContext {
  return given?.principal === undefined ? { ...given, principal } : given;
}

/**
 * Options of a call or a request on behalf of this principal, unless their context names another
 * one: who asks may not be the one whose credentials a provider has. The same object where nothing
 * is to be added.
 */
export function onBehalfOf<T extends RequestOptions>(principal: string | undefined, options: T): T {
  if (principal === undefined || options.context?.principal !== undefined) return options;
  return { ...options, context: contextOnBehalfOf(principal, options.context) };
}

const initFields: Fields<InitOptions> = { signal: true, timeoutMs: true, retryFailed: true, toolName: true };
const refreshFields: Fields<RefreshOptions> = { signal: true, timeoutMs: true };

/**
 * Refuses options of `init()` that nothing reads, or that are of a wrong type. Throws a `TypeError`
 * that names the option.
 */
export function assertInitOptions(options: InitOptions): void {
  assertKnownOptions("init()", options, initFields);
  assertBounds(options);
  if (options.retryFailed !== undefined && typeof options.retryFailed !== "boolean") {
    throw new TypeError("retryFailed must be true or false");
  }
  if (options.toolName !== undefined && typeof options.toolName !== "string") {
    throw new TypeError("toolName must be a text");
  }
}

/** Refuses options of `refresh()`, as {@linkcode assertInitOptions} does those of `init()`. */
export function assertRefreshOptions(options: RefreshOptions): void {
  assertKnownOptions("refresh()", options, refreshFields);
  assertBounds(options);
}

function assertBounds({ signal, timeoutMs }: RefreshOptions): void {
  if (signal !== undefined) assertSignal(signal);
  if (timeoutMs !== undefined) assertTimeoutMs(timeoutMs);
}
