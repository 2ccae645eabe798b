import {
  errorCodes,
  isToolportError,
  type CallOptions,
  type Clock,
  type JsonObject,
  type ToolOutcome,
  type ToolportError,
} from "@toolport/core";
import type { CatalogTool, Route } from "./build-catalog.ts";
import { runStaticTool } from "./static-tool.ts";

/** One call, ready to go. */
export interface RoutedCall {
  readonly args: JsonObject;
  readonly options: CallOptions;
  readonly clock: Clock;
  /** Called before a fallback is tried. */
  readonly onFallback: (error: ToolportError) => void;
}

/** Calls a tool, and its fallback if it has one, may need it and a second call can do no harm. */
export async function callRoutes(tool: CatalogTool, call: RoutedCall): Promise<ToolOutcome> {
  try {
    return await callRoute(tool.route, call);
  } catch (error) {
    if (tool.fallback === undefined || !isToolportError(error) || !allowsFallback(error, tool)) throw error;
    call.onFallback(error);
    // What the caller selected was the first route's definition.
    const { selected: _selected, ...options } = call.options;
    return await callRoute(tool.fallback, { ...call, options });
  }
}

function callRoute(route: Route, { args, options, clock }: RoutedCall): Promise<ToolOutcome> {
  switch (route.kind) {
    case "static":
      return runStaticTool(route.tool, args, { ...options, clock });
    case "provider":
      return route.provider.call(route.definition.name, args, options);
  }
}

/**
 * An outage: execution failed or a limit of the host cut in, and either the call provably never left, or the tool itself says that
 * running it again changes nothing. Wrong arguments, missing credentials and the caller's own abort are no outage.
 */
function allowsFallback(error: ToolportError, { definition }: CatalogTool): boolean {
  const { kind } = errorCodes[error.code];
  if (kind === "contract" || kind === "auth" || error.code === "aborted") return false;
  const { readOnlyHint, idempotentHint } = definition.annotations ?? {};
  return error.outcome === "not-sent" || readOnlyHint === true || idempotentHint === true;
}
