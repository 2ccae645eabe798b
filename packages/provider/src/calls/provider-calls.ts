import {
  defaultTimeouts,
  ToolportError,
  type CallOptions,
  type ToolOrigin,
  type ToolOutcome,
  type ToolProvider,
} from "@toolport/core";
import {
  assertCallOptions,
  createCallPipeline,
  quoteText,
  readCallArguments,
  unknownToolError,
  type CallPipeline,
} from "@toolport/core/implement";
import { findTool } from "../catalog/catalog.ts";
import type { CatalogTool } from "../catalog/define-tool.ts";
import type { ProviderParts } from "../provider-parts.ts";
import type { ServerSet } from "../servers/server-set.ts";
import { absentServers, awaitTool, type AwaitToolInit } from "./await-tool.ts";
import { checkSelection } from "./check-selection.ts";

/** The calls of one provider, from a local name to the lane of a server. */
export interface ProviderCalls {
  readonly call: ToolProvider["call"];
  readonly end: CallPipeline["end"];
}

/** What the calls of a provider need. */
export interface ProviderCallsInit {
  readonly parts: ProviderParts;
  readonly serverSet: ServerSet;
  /** Throws when the provider is closed. */
  readonly assertOpen: () => void;
}

const noOptions: CallOptions = Object.freeze({});

/** Puts the interceptors of a provider before the lanes of its servers. */
export function createProviderCalls(init: ProviderCallsInit): ProviderCalls {
  const { parts, serverSet, assertOpen } = init;
  const { settings, catalog, observers } = parts;
  const { interceptors, clock } = settings;
  const callMsOf = (serverId: string): number =>
    serverSet.get(serverId)?.link.spec.timeouts?.callMs ?? defaultTimeouts.callMs;
  const pipeline = createCallPipeline({
    interceptors,
    clock,
    timeoutMsOf: ({ origin, options: { timeoutMs } }) => timeoutMs ?? callMsOf(origin.serverId),
    async handler(call, time) {
      assertOpen();
      const registration = serverSet.get(call.origin.serverId);
      if (registration === undefined) throw serverGoneError(call.origin);
      return registration.lane.call(call, time);
    },
  });
  const finding: AwaitToolInit = { catalog, serverSet, observers, clock, assertOpen, waiting: new Set() };
  const go = (definition: CatalogTool, args: unknown, options: CallOptions): Promise<ToolOutcome> => {
    const { origin } = definition;
    if (options.selected !== undefined) checkSelection(options.selected, definition, catalog.registrationOf);
    return pipeline.call({ origin, definition, args: readCallArguments(args, origin), options });
  };
  return {
    end(error, all) {
      for (const look of Array.from(finding.waiting)) look();
      pipeline.end(error, all);
    },
    // Async, so that every failure is a rejection, also one that is known at once.
    async call(toolName, args, callOptions = noOptions) {
      assertOpen();
      if (typeof toolName !== "string") throw new TypeError("the name of a tool must be a string");
      if (callOptions !== noOptions) assertCallOptions(callOptions);
      const definition = findTool(catalog.current, toolName);
      if (definition !== undefined) return go(definition, args, callOptions);
      if (callOptions.wait !== "servers") {
        throw unknownToolError(toolName, catalog.current.definitions, absentServers(finding));
      }
      const startedAt = clock.now();
      const found = await awaitTool(toolName, callOptions, finding);
      const timeoutMs = callOptions.timeoutMs ?? callMsOf(found.origin.serverId);
      return go(found, args, { ...callOptions, timeoutMs: Math.max(1, timeoutMs - (clock.now() - startedAt)) });
    },
  };
}

function serverGoneError({ serverId, toolName }: ToolOrigin): ToolportError {
  return new ToolportError(`server ${JSON.stringify(serverId)} was removed before ${quoteText(toolName)} was sent`, {
    code: "server_removed",
    serverId,
    toolName,
    outcome: "not-sent",
  });
}
