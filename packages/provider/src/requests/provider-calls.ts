import {
  HostsideError,
  defaultTimeouts,
  truncateText,
  type CallOptions,
  type JsonObject,
  type RequestSeam,
  type ToolCall,
  type ToolOutcome,
  type ToolProvider,
} from "@hostside/core";
import {
  clock,
  assertCallOptions,
  createDeadline,
  describeAbsent,
  onBehalfOf,
  quoteText,
  readCallArguments,
  unknownToolError,
  withErrorContext,
  type AbsentServer,
} from "@hostside/core/implement";
import { qualifiedName } from "@hostside/naming";
import { checkSelection, toolQuarantinedError, toolRemovedError } from "../calls/call-errors.ts";
import { findOffered, findCatalogTool, findQuarantined } from "../catalog/catalog.ts";
import { describeServer, type CatalogTool } from "../catalog/define-tool.ts";
import type { Registration } from "../servers/registration.ts";
import type { Lend, ProviderContext } from "../servers/server-set.ts";
import { LentConnections, type SendCall, type TimeoutMsOf } from "./lent-connections.ts";

/** The calls of one provider, from a local name to the call queue of a server. */
export interface ProviderCalls {
  readonly call: ToolProvider["call"];
  /** Ends what waits for a tool, and requests that are with a layer. */
  end(error: HostsideError, all?: boolean): void;
  /** Says whether anything waits for a tool, or is with a layer or the call queue of a server. */
  readonly busy: boolean;
  readonly callTimeoutMs: NonNullable<ToolProvider["callTimeoutMs"]>;
  readonly describeServer: NonNullable<ToolProvider["describeServer"]>;
  /** The connection that the product gets of a session. */
  readonly lend: Lend;
}

interface Finding extends ProviderContext {
  /** Looks again, for each call that waits for a tool; whoever closes the provider calls them. */
  readonly waiting: Set<() => void>;
}

const noOptions: CallOptions = Object.freeze({});

/** Leads calls to the call queues of the servers. */
export function createProviderCalls(context: ProviderContext): ProviderCalls {
  const { serverSet, assertOpen, settings, catalog } = context;
  const { requestSeam, principal } = settings;
  const timeoutMsOf: TimeoutMsOf = (serverId, name) =>
    serverSet.get(serverId)?.link.spec.timeouts?.[name] ?? defaultTimeouts[name];
  // Also those with a server that was removed meanwhile, which may finish.
  let underWay = 0;
  const sendCall = createSendCall(requestSeam);
  const lent = new LentConnections({
    settings,
    sendCall,
    timeoutMsOf,
    find: (registration, toolName) => findOnOffer(registration, toolName, context),
  });
  const finding: Finding = { ...context, waiting: new Set() };
  const go = (definition: CatalogTool, args: unknown, options: CallOptions): Promise<ToolOutcome> => {
    const { origin } = definition;
    if (options.selected !== undefined) checkSelection(options.selected, definition);
    const call: ToolCall = { origin, definition, args: readCallArguments(args, origin), options };
    const registration = serverSet.get(origin.serverId);
    if (registration === undefined) throw toolRemovedError(origin);
    return sendCall(registration, call);
  };
  return {
    end(error, all) {
      for (const look of Array.from(finding.waiting)) look();
      lent.end(error, all);
    },
    get busy() {
      return underWay + lent.size > 0;
    },
    callTimeoutMs(toolName) {
      const tool = findCatalogTool(catalog.current, toolName);
      return tool && timeoutMsOf(tool.origin.serverId, "callMs");
    },
    describeServer(serverId) {
      const spec = serverSet.get(serverId)?.link.spec;
      return spec && describeServer(spec, catalog.current.servers.get(serverId)?.listing.server);
    },
    lend: (registration, session) => lent.lend(registration, session),
    // Async, so that every failure is a rejection, also one that is known at once.
    async call(toolName, args, given = noOptions) {
      assertOpen();
      if (typeof toolName !== "string") throw new TypeError("the name of a tool must be a string");
      if (given !== noOptions) assertCallOptions(given);
      const callOptions = onBehalfOf(principal, given);
      underWay += 1;
      try {
        const definition = findCatalogTool(catalog.current, toolName);
        // To wait here is sooner than to hand on a promise.
        if (definition !== undefined) return await go(definition, args, callOptions);
        const startedAt = clock.now();
        const found = await awaitAbsent(toolName, callOptions, finding);
        const timeoutMs = callOptions.timeoutMs ?? timeoutMsOf(found.origin.serverId, "callMs");
        const leftMs = Math.max(1, timeoutMs - (clock.now() - startedAt));
        return await go(found, args, { ...callOptions, timeoutMs: leftMs });
      } finally {
        underWay -= 1;
      }
    },
  };
}

/** Puts the seam, if there is one, around every call. */
function createSendCall(seam: RequestSeam | undefined): SendCall {
  if (seam === undefined) return ({ queue }, call, hand) => queue.call(call, hand);
  return ({ queue }, call, hand) => {
    const { context, signal } = call.options;
    const asked = { serverId: call.origin.serverId, method: "tools/call", call, context, signal };
    return seam(asked, (meta) => queue.call(callWithMeta(call, meta), hand));
  };
}

function callWithMeta(call: ToolCall, meta: JsonObject | undefined): ToolCall {
  if (meta === undefined) return call;
  return { ...call, options: { ...call.options, meta: { ...meta, ...call.options.meta } } };
}

/** Waits for the tool of a name that is not on offer now. Throws where it may not be waited for. */
function awaitAbsent(toolName: string, options: CallOptions, finding: Finding): Promise<CatalogTool> {
  const catalog = finding.catalog.current;
  const held = findQuarantined(catalog, toolName);
  if (held !== undefined) throw toolQuarantinedError(held.origin);
  if (options.wait !== "servers") throw unknownToolError(toolName, catalog.definitions, absentServers(finding));
  return awaitTool(toolName, options, finding);
}

/**
 * The tool of a remote name that may be called now. Throws when there is none, or the registration
 * has ended.
 */
function findOnOffer(
  registration: Registration,
  toolName: string,
  { catalog: { current: catalog }, assertOpen }: ProviderContext,
): CatalogTool {
  assertOpen();
  const { id } = registration;
  const origin = { serverId: id, toolName, qualifiedName: qualifiedName({ serverId: id, toolName }) };
  const { state } = registration.link;
  if (state.kind === "removed") throw withErrorContext(state.error, { toolName, outcome: "not-sent" });
  const callable = findOffered(catalog, id, toolName);
  if (callable !== undefined) return callable;
  const isHeld = catalog.servers.get(id)?.withheld.get(toolName)?.admission === "quarantine";
  throw isHeld ? toolQuarantinedError(origin) : toolRemovedError(origin);
}

/** Servers whose tools are not on offer now, sorted by id. */
function absentServers({ serverSet, catalog: { current } }: ProviderContext): readonly AbsentServer[] {
  const absent = serverSet.all().filter(({ id }) => !current.servers.has(id));
  return absent.map((registration) => {
    const { id, state, error } = serverSet.showing.status(registration);
    return { id, state, ...(error !== undefined && { code: error.code }) };
  });
}

/**
 * Waits until a tool of this name is on offer. Starts the servers whose tools are not known and may
 * be called so, as a call of theirs would; rejects with `unknown_tool` when none of them is on its
 * way any more, with `tool_quarantined` when it came and is held back, with `call_timeout`,
 * `aborted` or `closed`. Nothing was sent then.
 */
function awaitTool(name: string, options: CallOptions, init: Finding): Promise<CatalogTool> {
  const { catalog, serverSet, observers, assertOpen, waiting } = init;
  const { timeoutMs = defaultTimeouts.callMs, signal } = options;
  return new Promise((resolve, reject) => {
    const deadline = createDeadline({ timeoutMs, signal, onTimeout: () => lateError(name, timeoutMs, init) });
    const settling = new AbortController();
    const mayBring = (): readonly Registration[] => serverSet.all().filter(({ id }) => catalog.mayName(id, name));
    let settled = false;
    const settle = (act: () => void): void => {
      if (settled) return;
      settled = true;
      for (const end of subscriptions) end();
      waiting.delete(look);
      deadline.dispose();
      settling.abort();
      act();
    };
    const look = (): void => {
      try {
        assertOpen();
      } catch (error) {
        return settle(() => reject(error));
      }
      const tool = findCatalogTool(catalog.current, name);
      if (tool !== undefined) return settle(() => resolve(tool));
      const held = findQuarantined(catalog.current, name);
      if (held !== undefined) return settle(() => reject(toolQuarantinedError(held.origin)));
      if (mayBring().some((registration) => serverSet.showing.status(registration).state === "connecting")) return;
      settle(() => reject(unknownToolError(name, catalog.current.definitions, absentServers(init))));
    };
    const giveUp = (): void =>
      settle(() => reject(signal?.aborted ? abortedError(name, signal.reason) : deadline.signal.reason));
    const subscriptions = [catalog.onToolsChanged(look), observers.status.on(look)];
    waiting.add(look);
    if (deadline.signal.aborted) return giveUp();
    deadline.signal.addEventListener("abort", giveUp, { once: true });
    // What is on show of some may be old: the tool may be a new one.
    const isUnsure = ({ saved, link: { state } }: Registration): boolean =>
      saved !== undefined && state.kind === "idle";
    for (const registration of mayBring()) {
      if (catalog.current.servers.has(registration.id) && !isUnsure(registration)) continue;
      // Its status says what became of it.
      void registration.link.untilReady("call", AbortSignal.any([settling.signal])).then(look, look);
    }
    look();
  });
}

function lateError(name: string, timeoutMs: number, init: Finding): HostsideError {
  const servers = absentServers(init);
  const shown = JSON.stringify(truncateText(name, 200));
  return new HostsideError(`tool ${shown} was not there within ${timeoutMs} ms; ${describeAbsent(servers)}`, {
    code: "call_timeout",
    toolName: truncateText(name, 200),
    outcome: "not-sent",
    details: { timeoutMs, servers },
  });
}

function abortedError(name: string, cause: unknown): HostsideError {
  const toolName = truncateText(name, 200);
  const message = `call of ${quoteText(toolName)} was aborted while it waited for servers`;
  return new HostsideError(message, { code: "aborted", toolName, outcome: "not-sent", cause });
}
