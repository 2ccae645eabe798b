import {
  defaultTimeouts,
  type CallOptions,
  type HostsideError,
  type JsonObject,
  type RequestSeam,
  type ToolCall,
  type ToolProvider,
} from "@hostside/core";
import {
  assertCallOptions,
  onBehalfOf,
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
  /** Ends requests that are with a layer. */
  end(error: HostsideError, all?: boolean): void;
  /** Says whether anything is with a layer or the call queue of a server. */
  readonly busy: boolean;
  readonly callTimeoutMs: NonNullable<ToolProvider["callTimeoutMs"]>;
  readonly describeServer: NonNullable<ToolProvider["describeServer"]>;
  /** The connection that the product gets of a session. */
  readonly lend: Lend;
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
  return {
    end: (error, all) => lent.end(error, all),
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
        const definition = findCatalogTool(catalog.current, toolName) ?? throwAbsent(toolName, context);
        const { origin } = definition;
        if (callOptions.selected !== undefined) checkSelection(callOptions.selected, definition);
        const call: ToolCall = { origin, definition, args: readCallArguments(args, origin), options: callOptions };
        const registration = serverSet.get(origin.serverId);
        if (registration === undefined) throw toolRemovedError(origin);
        // To wait here is sooner than to hand on a promise.
        return await sendCall(registration, call);
      } finally {
        underWay -= 1;
      }
    },
  };
}

/** Puts the seam, if there is one, around every call. */
function createSendCall(seam: RequestSeam | undefined): SendCall {
  if (seam === undefined) return ({ queue }, call) => queue.call(call);
  return ({ queue }, call) => {
    const { context, signal } = call.options;
    const asked = { serverId: call.origin.serverId, method: "tools/call", call, context, signal };
    return seam(asked, (meta) => queue.call(callWithMeta(call, meta)));
  };
}

function callWithMeta(call: ToolCall, meta: JsonObject | undefined): ToolCall {
  if (meta === undefined) return call;
  return { ...call, options: { ...call.options, meta: { ...meta, ...call.options.meta } } };
}

function throwAbsent(toolName: string, context: ProviderContext): never {
  const catalog = context.catalog.current;
  const held = findQuarantined(catalog, toolName);
  if (held !== undefined) throw toolQuarantinedError(held.origin);
  throw unknownToolError(toolName, catalog.definitions, absentServers(context));
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
