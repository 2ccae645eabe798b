import {
  createCallPipeline,
  defaultTimeouts,
  isJsonObject,
  ToolportError,
  unknownToolError,
  type CallOptions,
  type CallPipeline,
  type JsonObject,
  type ToolOrigin,
  type ToolProvider,
} from "@toolport/core";
import { findTool, type Catalog } from "../catalog/catalog.ts";
import type { CatalogTool } from "../catalog/define-tool.ts";
import type { LiveCatalog } from "../catalog/live-catalog.ts";
import type { ProviderSettings } from "../provider-options.ts";
import type { Registry } from "../servers/registry.ts";
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
  /** Throws when the provider is closed. */
  readonly assertOpen: () => void;
}

/** Puts the interceptors of a provider before the lanes of its servers. */
export function createProviderCalls({ settings, catalog, registry, assertOpen }: ProviderCallsInit): ProviderCalls {
  const { interceptors, clock } = settings;
  const pipeline = createCallPipeline({
    interceptors,
    clock,
    timeoutMsOf: ({ origin, options: { timeoutMs } }) =>
      timeoutMs ?? registry.get(origin.serverId)?.link.spec.timeouts?.callMs ?? defaultTimeouts.callMs,
    async handler(call, time) {
      assertOpen();
      const registration = registry.get(call.origin.serverId);
      if (registration === undefined) throw serverGoneError(call.origin);
      return registration.lane.call(call, time);
    },
  });
  return {
    end: (error, all) => pipeline.end(error, all),
    // Async, so that every failure is a rejection, also one that is known at once.
    async call(toolName, args, callOptions = {}) {
      assertOpen();
      const definition = findDefinition(catalog.current, toolName);
      const { selected } = callOptions;
      assertCallOptions(callOptions);
      if (selected !== undefined) checkSelection(selected, definition, catalog.registrationOf);
      return pipeline.call({
        origin: definition.origin,
        definition,
        args: readArguments(args, definition),
        options: callOptions,
      });
    },
  };
}

function findDefinition(catalog: Catalog, name: string): CatalogTool {
  if (typeof name !== "string") throw new TypeError("the name of a tool must be a string");
  const definition = findTool(catalog, name);
  if (definition !== undefined) return definition;
  throw unknownToolError(name, catalog.definitions);
}

function readArguments(args: JsonObject | null | undefined, { origin }: CatalogTool): JsonObject {
  if (args === undefined || args === null) return {};
  if (isJsonObject(args)) return args;
  const { serverId, toolName } = origin;
  const advice = typeof args === "string" ? "; parse the model's JSON text first" : "";
  throw new ToolportError(
    `tool ${JSON.stringify(toolName)} on ${JSON.stringify(serverId)} expects JSON object arguments, not ${kindOf(args)}${advice}`,
    { code: "invalid_arguments", serverId, toolName },
  );
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

function assertCallOptions({ timeoutMs }: CallOptions): void {
  if (timeoutMs === undefined || (typeof timeoutMs === "number" && timeoutMs > 0)) return;
  throw new TypeError("timeoutMs must be a positive number");
}

function serverGoneError({ serverId, toolName }: ToolOrigin): ToolportError {
  return new ToolportError(
    `server ${JSON.stringify(serverId)} was removed before ${JSON.stringify(toolName)} was sent`,
    {
      code: "server_removed",
      serverId,
      toolName,
      outcome: "not-sent",
    },
  );
}
