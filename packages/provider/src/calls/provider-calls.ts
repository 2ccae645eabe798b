import {
  createCallPipeline,
  defaultTimeouts,
  isJsonObject,
  quoteText,
  ToolportError,
  unknownToolError,
  type CallOptions,
  type CallPipeline,
  type JsonObject,
  type ToolOrigin,
  type ToolOutcome,
  type ToolProvider,
} from "@toolport/core";
import { findTool } from "../catalog/catalog.ts";
import type { CatalogTool } from "../catalog/define-tool.ts";
import type { LiveCatalog } from "../catalog/live-catalog.ts";
import type { ProviderSettings } from "../provider-options.ts";
import type { Observers } from "../servers/observers.ts";
import type { Registry } from "../servers/registry.ts";
import { absentServers, awaitTool, type AwaitToolInit } from "./await-tool.ts";
import { checkSelection } from "./check-selection.ts";

/** The calls of one provider, from a local name to the lane of a server. */
export interface ProviderCalls {
  readonly call: ToolProvider["call"];
  readonly end: CallPipeline["end"];
}

/** What the calls of a provider need. */
export interface ProviderCallsInit {
  readonly settings: ProviderSettings;
  readonly catalog: LiveCatalog;
  readonly registry: Registry;
  readonly observers: Observers;
  /** Throws when the provider is closed. */
  readonly assertOpen: () => void;
}

/** Puts the interceptors of a provider before the lanes of its servers. */
export function createProviderCalls(init: ProviderCallsInit): ProviderCalls {
  const { settings, catalog, registry, assertOpen } = init;
  const { interceptors, clock } = settings;
  const callMsOf = (serverId: string): number =>
    registry.get(serverId)?.link.spec.timeouts?.callMs ?? defaultTimeouts.callMs;
  const pipeline = createCallPipeline({
    interceptors,
    clock,
    timeoutMsOf: ({ origin, options: { timeoutMs } }) => timeoutMs ?? callMsOf(origin.serverId),
    async handler(call, time) {
      assertOpen();
      const registration = registry.get(call.origin.serverId);
      if (registration === undefined) throw serverGoneError(call.origin);
      return registration.lane.call(call, time);
    },
  });
  const finding: AwaitToolInit = { ...init, clock, waiting: new Set() };
  const go = (
    definition: CatalogTool,
    args: JsonObject | null | undefined,
    options: CallOptions,
  ): Promise<ToolOutcome> => {
    if (options.selected !== undefined) checkSelection(options.selected, definition, catalog.registrationOf);
    return pipeline.call({ origin: definition.origin, definition, args: readArguments(args, definition), options });
  };
  return {
    end(error, all) {
      for (const look of Array.from(finding.waiting)) look();
      pipeline.end(error, all);
    },
    // Async, so that every failure is a rejection, also one that is known at once.
    async call(toolName, args, callOptions = {}) {
      assertOpen();
      if (typeof toolName !== "string") throw new TypeError("the name of a tool must be a string");
      assertCallOptions(callOptions);
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

function readArguments(args: JsonObject | null | undefined, { origin }: CatalogTool): JsonObject {
  if (args === undefined || args === null) return {};
  if (isJsonObject(args)) return args;
  const { serverId, toolName } = origin;
  const advice = typeof args === "string" ? "; parse the model's JSON text first" : "";
  throw new ToolportError(
    `tool ${quoteText(toolName)} on ${JSON.stringify(serverId)} expects JSON object arguments, not ${kindOf(args)}${advice}`,
    { code: "invalid_arguments", serverId, toolName },
  );
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

function assertCallOptions({ timeoutMs, wait }: CallOptions): void {
  if (wait !== undefined && wait !== "servers") throw new TypeError('wait must be "servers"');
  if (timeoutMs === undefined || (typeof timeoutMs === "number" && timeoutMs > 0)) return;
  throw new TypeError("timeoutMs must be a positive number");
}

function serverGoneError({ serverId, toolName }: ToolOrigin): ToolportError {
  return new ToolportError(`server ${JSON.stringify(serverId)} was removed before ${quoteText(toolName)} was sent`, {
    code: "server_removed",
    serverId,
    toolName,
    outcome: "not-sent",
  });
}
