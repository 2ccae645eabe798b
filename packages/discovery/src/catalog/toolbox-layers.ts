import type { Clock, Interceptor, ToolOutcome } from "@hostside/core";
import { createCallPipeline, foldCase, sameDefinition, onBehalfOf, type CallPipeline } from "@hostside/core/implement";
import type { ToolboxCatalog, Route, RoutedTool } from "./catalog-snapshot.ts";
import { admissionServerOf } from "./admit-tools.ts";
import { changedTool, quarantinedTool, removedTool } from "./changed-tool.ts";
import type { FollowedSources } from "./follow-sources.ts";
import type { Inspector } from "./inspect-definitions.ts";
import { runRoute, timeoutMsOf, type RouteCall } from "./run-route.ts";
import { localOrigin } from "./static-tool.ts";

/** The layers of a toolbox around every call of a tool, wherever the tool is. */
export interface ToolboxLayers {
  /**
   * Sends one call through the layers to its tool; each way of a call that has a fallback is a call
   * of its own.
   */
  readonly send: (tool: RoutedTool, call: RouteCall) => Promise<ToolOutcome>;
  readonly end: CallPipeline["end"];
}

/** What the layers are made from. */
export interface ToolboxLayersInit {
  readonly live: FollowedSources;
  readonly inspector: Inspector;
  readonly interceptors: readonly Interceptor[];
  readonly clock: Clock;
}

/**
 * Puts the interceptors of a toolbox before all of its tools. Without any, a call goes to its tool
 * at once.
 */
export function createToolboxLayers({ live, inspector, interceptors, clock }: ToolboxLayersInit): ToolboxLayers {
  if (interceptors.length === 0) return { send: ({ route }, call) => runRoute(route, call), end: () => {} };
  const pipeline = createCallPipeline({
    interceptors,
    clock,
    timeoutMsOf: ({ definition }) => timeoutMsOf(live.read().tools.get(foldCase(definition.name))?.route),
  });
  return {
    send(tool, { args, options: given }) {
      const { definition, route } = tool;
      const options = route.kind === "static" ? given : onBehalfOf(route.provider.principal, given);
      const origin = definition.origin ?? localOrigin(definition.name);
      return pipeline.run({ origin, definition, server: admissionServerOf(tool), args, options }, async (call) => {
        assertStillThere(live.read(), tool);
        const { selected } = call.options;
        if (route.kind === "static" || selected === undefined) {
          return runRoute(route, { args: call.args, options: call.options, clock });
        }
        // A provider knows the tool by its own definition of it.
        const known = { ...call.options, selected: inspector.originalOf(selected) };
        return runRoute(route, { args: call.args, options: known, clock });
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
 * What a tool of an earlier catalog is now: of the same name and the same source. `undefined` when
 * it is not on offer any more.
 */
export function findAgain({ tools }: ToolboxCatalog, { definition, route }: RoutedTool): RoutedTool | undefined {
  const current = tools.get(foldCase(definition.name));
  return [current, current?.fallback].find((tool) => tool !== undefined && isSameSource(tool.route, route));
}

function isSameSource(a: Route, b: Route): boolean {
  if (a.kind === "static") return b.kind === "static" && a.tool === b.tool;
  return b.kind === "provider" && a.provider === b.provider;
}
