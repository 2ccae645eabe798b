import {
  defaultTimeouts,
  HostsideError,
  type CallOptions,
  type ToolCall,
  type ToolOrigin,
  type ToolOutcome,
  type ToolProvider,
} from "@hostside/core";
import {
  clock,
  assertCallOptions,
  createCallPipeline,
  quoteText,
  readCallArguments,
  unknownToolError,
  withErrorContext,
  onBehalfOf,
  type CallPipeline,
} from "@hostside/core/implement";
import { qualifiedName } from "@hostside/naming";
import { findCallable, findQuarantined, findCatalogTool } from "../catalog/catalog.ts";
import { describeServer, type CatalogTool } from "../catalog/define-tool.ts";
import type { ProviderParts } from "../servers/server-reports.ts";
import type { Registration } from "../servers/registration.ts";
import type { ServerSet } from "../servers/server-set.ts";
import { absentServers, awaitTool, type AwaitToolInit } from "./await-tool.ts";
import { toolQuarantinedError, toolRemovedError, checkSelection } from "../calls/call-errors.ts";
import { createSendCall, LentConnections, type TimeoutMsOf } from "./lent-connections.ts";

/** The calls of one provider, from a local name to the call queue of a server. */
export interface ProviderCalls {
  readonly call: ToolProvider["call"];
  readonly end: CallPipeline["end"];
  /** Whether anything waits for a tool, is with a layer, or with the call queue of a server. */
  readonly busy: boolean;
  readonly callTimeoutMs: NonNullable<ToolProvider["callTimeoutMs"]>;
  readonly describeServer: NonNullable<ToolProvider["describeServer"]>;
  /** What the product gets of a session. */
  readonly lend: LentConnections["lend"];
}

/** What the calls of a provider need. */
export interface ProviderCallsInit {
  readonly parts: ProviderParts;
  readonly serverSet: ServerSet;
  /** Throws when the provider is closed. */
  readonly assertOpen: () => void;
}

const noOptions: CallOptions = Object.freeze({});

/** Puts the interceptors of a provider before the call queues of its servers. */
export function createProviderCalls(init: ProviderCallsInit): ProviderCalls {
  const { parts, serverSet, assertOpen } = init;
  const { settings, catalog, observers } = parts;
  const { interceptors, requestSeam, principal } = settings;
  const timeoutMsOf: TimeoutMsOf = (serverId, name) =>
    serverSet.get(serverId)?.link.spec.timeouts?.[name] ?? defaultTimeouts[name];
  const pipeline = createCallPipeline({
    interceptors,
    timeoutMsOf: ({ origin }) => timeoutMsOf(origin.serverId, "callMs"),
    mostPausedMsOf: ({ origin }) => timeoutMsOf(origin.serverId, "elicitTotalMs"),
  });
  // Also those with a server that was removed meanwhile, which may finish.
  let underWay = 0;
  const toLane = (call: ToolCall, former?: Registration): Promise<ToolOutcome> => {
    assertOpen();
    const registration = serverSet.get(call.origin.serverId);
    if (registration === undefined) throw serverGoneError(call.origin, former);
    return sendCall(registration, call);
  };
  const sendCall = createSendCall(requestSeam);
  const lent = new LentConnections({
    settings,
    sendCall,
    timeoutMsOf,
    calls: pipeline,
    find: (registration, toolName) => findOnOffer(registration, toolName, init),
  });
  const finding: AwaitToolInit = { catalog, serverSet, observers, assertOpen, waiting: new Set() };
  const go = (definition: CatalogTool, args: unknown, options: CallOptions): Promise<ToolOutcome> => {
    const { origin } = definition;
    if (options.selected !== undefined) checkSelection(options.selected, definition);
    const call: ToolCall = { origin, definition, args: readCallArguments(args, origin), options };
    if (interceptors.length === 0) return toLane(call);
    const registration = serverSet.get(origin.serverId);
    const server = registration && describeServer(registration.link.spec, registration.listed?.server);
    return pipeline.run({ ...call, server }, async (handed) => toLane(handed, registration));
  };
  return {
    end(error, all) {
      for (const look of Array.from(finding.waiting)) look();
      pipeline.end(error, all);
      lent.end(error, all);
    },
    get busy() {
      return underWay + pipeline.size + lent.size > 0;
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

/** Waits for the tool of a name that is not on offer now. Throws where it may not be waited for. */
function awaitAbsent(toolName: string, options: CallOptions, finding: AwaitToolInit): Promise<CatalogTool> {
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
  { parts, serverSet, assertOpen }: ProviderCallsInit,
): CatalogTool {
  assertOpen();
  const { id } = registration;
  const origin = { serverId: id, toolName, qualifiedName: qualifiedName({ serverId: id, toolName }) };
  if (serverSet.get(id) !== registration) throw serverGoneError(origin, registration);
  const catalog = parts.catalog.current;
  const callable = findCallable(catalog, id, toolName);
  if (callable !== undefined) return callable;
  const isHeld = catalog.servers.get(id)?.withheld.get(toolName)?.admission === "quarantine";
  throw isHeld ? toolQuarantinedError(origin) : toolRemovedError(origin);
}

/** `former` is the registration that has ended, which says why. */
function serverGoneError({ serverId, toolName }: ToolOrigin, former: Registration | undefined): HostsideError {
  const state = former?.link.state;
  if (state?.kind === "removed") return withErrorContext(state.error, { toolName, outcome: "not-sent" });
  return new HostsideError(`server ${JSON.stringify(serverId)} was removed before ${quoteText(toolName)} was sent`, {
    code: "server_removed",
    serverId,
    toolName,
    outcome: "not-sent",
  });
}
