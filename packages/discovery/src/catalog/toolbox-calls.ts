import {
  type CallOptions,
  cleanText,
  defaultTimeouts,
  type Diagnostic,
  HostsideError,
  type HostsideErrorCode,
  type Interceptor,
  isHostsideError,
  type ToolCall,
  type ToolOutcome,
  type ToolProvider,
  type UnreadyGroup,
} from "@hostside/core";
import {
  type AbsentServer,
  assertCallOptions,
  assertToolName,
  createCallPipeline,
  createDeadline,
  foldCase,
  onBehalfOf,
  quoteText,
  readCallArguments,
  runWithDeadline,
  sameDefinition,
  unknownToolError,
  withErrorContext,
} from "@hostside/core/implement";
import { admissionServerOf } from "./admit-tools.ts";
import { changedTool, quarantinedTool, removedTool } from "./changed-tool.ts";
import type { FollowedSources } from "./follow-sources.ts";
import { originalOf } from "./inspect-definition.ts";
import { localOrigin, type RouteCall, runStaticTool } from "./static-tool.ts";
import type { ProviderRoute, Route, RoutedTool, ToolboxCatalog, ToolboxTool } from "./toolbox-catalog.ts";
import { createServersWait, findAbsent, type ServersWait, waitForTool } from "./wait-for-tool.ts";

/** The arguments and options of a call. */
interface GivenCall {
  readonly args: unknown;
  readonly options: CallOptions;
}

/** The way of every call through a toolbox. */
export interface ToolboxCalls {
  /** Throws `closed` after {@linkcode close}. */
  assertOpen(name?: string): void;
  /**
   * Throws `closed` after {@linkcode close}, and `TypeError` for options that nothing reads. Before
   * everything else that a call does.
   */
  check(name: string, options: CallOptions): void;
  /** Calls a tool by name, and waits for it if it is not there yet and the options say so. */
  call(name: string, call: GivenCall): Promise<ToolOutcome>;
  /**
   * Calls a tool of the catalog, with options that were checked. Known faults are thrown at once.
   */
  run(tool: ToolboxTool, name: string, call: GivenCall): Promise<ToolOutcome>;
  /** Waits for a tool; returns the options with the time that is left. */
  waitForTool(name: string, options: CallOptions): Promise<CallOptions>;
  /** Waits for servers of which no tool is known yet. */
  waitForServers(wait: ServersWait): Promise<void>;
  /** Groups whose servers are not ready. */
  unready(): readonly UnreadyGroup[];
  /** Refuses further calls, those that wait for a tool, and those that are with an interceptor. */
  close(reason: string | undefined): void;
}

/** The parts of the calls of a toolbox. */
interface ToolboxCallsInit {
  readonly live: FollowedSources;
  readonly providers: readonly ToolProvider[];
  readonly interceptors: readonly Interceptor[];
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** Makes the calls of one toolbox. */
export function createToolboxCalls(init: ToolboxCallsInit): ToolboxCalls {
  const { live, providers, onDiagnostic } = init;
  const ending = new AbortController();
  let closedBy: string | undefined;
  const assertOpen = (name?: string): void => {
    if (ending.signal.aborted) throw closedError(closedBy, name);
  };
  /** Says whether it is known what becomes of a call by this name. */
  const has = (name: string): boolean => {
    const { tools, quarantined } = live.read();
    return tools.has(foldCase(name)) || quarantined.has(foldCase(name));
  };
  const layers = createToolboxLayers(init);
  const absent = (): readonly AbsentServer[] => findAbsent(calls.unready(), live.read());
  const waitForServers = createServersWait({ providers, absent, ended: ending.signal });

  const calls: ToolboxCalls = {
    assertOpen,
    check(name, options) {
      assertOpen(typeof name === "string" ? name : undefined);
      assertToolName("call()", name);
      assertCallOptions(options);
    },
    async call(name, { args, options: given }) {
      calls.check(name, given);
      const options = given.wait === "servers" && !has(name) ? await calls.waitForTool(name, given) : given;
      const catalog = live.read();
      const tool = catalog.tools.get(foldCase(name));
      if (tool !== undefined) return calls.run(tool, name, { args, options });
      const held = catalog.quarantined.get(foldCase(name));
      if (held !== undefined) throw quarantinedTool(held.definition);
      throw unknownToolError(name, catalog.definitions, findAbsent(calls.unready(), catalog));
    },
    // Not async: each promise more is paid with every call, and both callers are async.
    run(tool, name, { args, options: given }) {
      // A provider compares; here nothing could have changed but whose tool it is.
      if (given.selected?.origin?.serverId && tool.route.kind === "static") throw changedTool(name, tool.definition);
      const call: RouteCall = {
        args: readCallArguments(args, tool.definition.origin ?? localOrigin(name)),
        options: given,
      };
      if (tool.fallback === undefined) return layers.send(tool, call);
      return callEither(tool, tool.fallback, {
        ...call,
        send: layers.send,
        isOnOffer: (fallback) => findAgain(live.read(), fallback) !== undefined,
        onFallback: (error) => onDiagnostic(fallbackTaken(name, tool, error)),
      });
    },
    async waitForTool(name, options) {
      const left = await waitForTool(name, options, { providers, has, absent, ended: ending.signal });
      assertOpen(name);
      return left;
    },
    async waitForServers(wait) {
      await waitForServers(wait);
      assertOpen();
    },
    unready: () => providers.flatMap((provider) => provider.unreadyGroups?.() ?? []),
    close(reason) {
      if (ending.signal.aborted) return;
      closedBy = reason;
      ending.abort();
      layers.end(closedError(reason));
    },
  };
  return calls;
}

function fallbackTaken(toolName: string, { definition }: ToolboxTool, error: HostsideError): Diagnostic {
  const message = `"${definition.name}" is out of service, its fallback is called: ${error.message}`;
  return { kind: "fallback", serverId: "", toolName, message };
}

function closedError(reason: string | undefined, toolName?: string): HostsideError {
  const why = reason === undefined ? "" : `: ${cleanText(reason, 200)}`;
  return new HostsideError(`the toolbox is closed${why}`, { code: "closed", toolName, outcome: "not-sent" });
}

/** The layers of a toolbox around every call of a tool, wherever the tool is. */
interface ToolboxLayers {
  /**
   * Sends one call through the layers to its tool; each way of a call that has a fallback is a call
   * of its own.
   */
  readonly send: (tool: RoutedTool, call: RouteCall) => Promise<ToolOutcome>;
  readonly end: ReturnType<typeof createCallPipeline>["end"];
}

/** The parts of the layers. */
interface ToolboxLayersInit {
  readonly live: FollowedSources;
  readonly interceptors: readonly Interceptor[];
}

/**
 * Puts the interceptors of a toolbox before all of its tools. Without any, a call goes to its tool
 * at once.
 */
function createToolboxLayers({ live, interceptors }: ToolboxLayersInit): ToolboxLayers {
  if (interceptors.length === 0) return { send: ({ route }, call) => runRoute(route, call), end: () => {} };
  const pipeline = createCallPipeline({
    interceptors,
    timeoutMsOf: ({ definition }) => timeoutMsOf(live.read().tools.get(foldCase(definition.name))?.route),
  });
  return {
    send(tool, { args, options: given }) {
      const { definition, route } = tool;
      const options = route.kind === "static" ? given : onBehalfOf(route.provider.principal, given);
      const origin = definition.origin ?? localOrigin(definition.name);
      const call: ToolCall = { origin, definition, server: admissionServerOf(tool), args, options };
      if (pipeline.passes(call)) {
        if (route.kind === "static" || options.selected !== undefined) return runRoute(route, { args, options });
        return runRoute(route, { args, options: { ...options, selected: route.definition } });
      }
      return pipeline.run(call, async (allowed) => {
        assertStillThere(live.read(), tool);
        return runRoute(route, { args: allowed.args, options: allowed.options });
      });
    },
    end: (error, all) => pipeline.end(error, all),
  };
}

/**
 * Throws unless what the layers looked at is still what its name stands for: an answer of a human
 * may have taken a while.
 */
function assertStillThere(catalog: ToolboxCatalog, tool: RoutedTool): void {
  const { definition } = tool;
  const same = findAgain(catalog, tool);
  if (same === undefined) {
    throw catalog.quarantined.has(foldCase(definition.name))
      ? quarantinedTool(definition)
      : removedTool(definition.name, definition.origin);
  }
  if (!sameDefinition(same.definition, definition)) throw changedTool(definition.name, definition);
}

/**
 * Finds a tool of an earlier catalog again: of the same name and the same source. `undefined` when
 * it is not on offer any more.
 */
function findAgain({ tools }: ToolboxCatalog, { definition, route }: RoutedTool): RoutedTool | undefined {
  const current = tools.get(foldCase(definition.name));
  return [current, current?.fallback].find((tool) => tool !== undefined && isSameSource(tool.route, route));
}

function isSameSource(a: Route, b: Route): boolean {
  if (a.kind === "static") return b.kind === "static" && a.tool === b.tool;
  return b.kind === "provider" && a.provider === b.provider;
}

/** Runs a tool where it is. Bounded, whatever the tool does. */
function runRoute(route: Route, call: RouteCall): Promise<ToolOutcome> {
  if (route.kind === "static") return runStaticTool(route.tool, call);
  const { provider, definition } = route;
  const { args, options: given } = call;
  // A provider knows a tool by its own definition of it.
  const selected = given.selected && originalOf(given.selected);
  const options = selected === given.selected ? given : { ...given, selected };
  // Who keeps its time needs no second clock, and costs nothing here.
  if (provider.callTimeoutMs !== undefined) return provider.call(definition.name, args, options);
  return runUnbounded(route, { args, options });
}

/** Calls a provider that keeps no time: it is waited for as long as the call has time. */
async function runUnbounded(
  { provider, definition }: ProviderRoute,
  { args, options }: RouteCall,
): Promise<ToolOutcome> {
  const { name } = definition;
  const { timeoutMs = defaultTimeouts.callMs, signal, deadline: outer } = options;
  const what = `tool ${quoteText(name)} of provider ${JSON.stringify(provider.name)}`;
  try {
    const outcome = await runWithDeadline({ what, timeoutMs, signal, outer }, (deadline) =>
      provider.call(name, args, { ...options, signal: deadline.signal, deadline }),
    );
    return { ...outcome, origin: definition.origin ?? outcome.origin };
  } catch (reason) {
    if (isHostsideError(reason))
      throw reason.toolName === undefined ? withErrorContext(reason, { toolName: name }) : reason;
    const message = `${what} threw something of its own`;
    throw new HostsideError(message, { code: "internal_error", toolName: name, outcome: "unknown", cause: reason });
  }
}

/** How long a call of a tool may take when its options do not say. */
function timeoutMsOf(route: Route | undefined): number {
  if (route?.kind !== "provider") return defaultTimeouts.callMs;
  return route.provider.callTimeoutMs?.(route.definition.name) ?? defaultTimeouts.callMs;
}

/** One call, ready to go. */
interface RoutedCall extends RouteCall {
  /** Sends a call one way: through the interceptors, if there are any. */
  readonly send: (tool: RoutedTool, call: RouteCall) => Promise<ToolOutcome>;
  /**
   * Says whether a fallback is still what it was when the call began: the first may have taken a
   * while.
   */
  readonly isOnOffer: (fallback: RoutedTool) => boolean;
  /** Called before a fallback is tried. */
  readonly onFallback: (error: HostsideError) => void;
}

/**
 * Calls a tool, and its fallback if the first was out of service and a second call can do no harm.
 * The time of the first is for both together, whoever set it: when nothing is left of it, the first
 * error is the last word.
 */
async function callEither(tool: ToolboxTool, fallback: RoutedTool, call: RoutedCall): Promise<ToolOutcome> {
  const { options } = call;
  const time = createDeadline({
    timeoutMs: options.timeoutMs ?? timeoutMsOf(tool.route),
    outer: options.deadline,
    mostPausedMs: defaultTimeouts.elicitTotalMs,
    onTimeout: () => undefined,
  });
  try {
    return await call.send(tool, { ...call, options: { ...options, deadline: time } });
  } catch (error) {
    if (!isHostsideError(error) || !allowsFallback(error, tool)) throw error;
    const leftMs = time.remainingMs();
    if (leftMs <= 0 || !call.isOnOffer(fallback)) throw error;
    call.onFallback(error);
    // What the caller selected was the first route's definition.
    const { selected: _selected, timeoutMs, ...rest } = options;
    const left = { ...rest, deadline: time, ...(timeoutMs !== undefined && { timeoutMs: leftMs }) };
    return await call.send(fallback, { ...call, options: left });
  } finally {
    time.dispose();
  }
}

// Limits that cut in because nobody answered in time or had room. All others are somebody's will,
// and so is `overloaded` when a limit of the host says it.
const outagesByPolicy: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>([
  "call_timeout",
  "circuit_open",
  "connect_timeout",
  "list_timeout",
  "overloaded",
  "request_timeout",
]);

/**
 * An outage, and either the call provably never left, or the product itself says of its tool that
 * running it again changes nothing. Wrong arguments, missing credentials, the caller's own abort
 * and a call that was refused are no outage: whom a rule or a person keeps from one tool must not
 * be led to another that does the same.
 */
function allowsFallback(error: HostsideError, { definition }: ToolboxTool): boolean {
  if (error.code === "overloaded" && error.details.policy !== undefined) return false;
  const isOutage = error.kind === "execution" || error.kind === "system" || outagesByPolicy.has(error.code);
  if (!isOutage) return false;
  const { readOnlyHint, idempotentHint } = definition.annotations ?? {};
  return error.outcome === "not-sent" || readOnlyHint === true || idempotentHint === true;
}
