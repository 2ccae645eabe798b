import type { JsonObject, ProtocolEra, ToolDefinition } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";
import { reservedNames } from "@hostside/discovery";
import { toWireTool } from "./to-wire-tool.ts";
import { toolCallers, type ToolCaller } from "./tools-call.ts";
import type { GatewayTools } from "../settings/gateway-client.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

/** The tools that one client sees. */
export interface ExposedTools {
  /** The answer to `tools/list`, in an order that depends on the tools alone. */
  list(): readonly JsonObject[];
  /** True if a client may call by this name at all; its tool may still be unknown. */
  allows(name: string): boolean;
  /** The definition of a name, if there is one now. */
  find(name: string): ToolDefinition | undefined;
  /** A tool as it is listed now; `undefined` where it is not. */
  listedOf(name: string): JsonObject | undefined;
  /** The name itself, if it is of a tool of the gateway that calls others. */
  callerOf(name: string): ToolCaller | undefined;
  /**
   * True if `list()` would be another one because of what the client did since it was asked last.
   */
  hasNews(): boolean;
}

const helperNames: ReadonlySet<string> = new Set(reservedNames({}));

/**
 * Makes it. For a client of 2026-07-28 the list does not depend on what it did before, as that
 * revision requires. Throws a `TypeError` for a view that was not made with `client.view`, as far
 * as that shows.
 */
export function createExposedTools(
  tools: GatewayTools,
  settings: Pick<GatewaySettings, "expose" | "only" | "onDiagnostic">,
  era: ProtocolEra,
): ExposedTools {
  const allowed = settings.only && new Set(settings.only.map(foldCase));
  const hasHelpers = settings.expose !== "all";
  const allows = (name: string): boolean => {
    const key = foldCase(name);
    return allowed === undefined || allowed.has(key) || (hasHelpers && helperNames.has(key));
  };
  if (hasHelpers && countHelpers(tools) < helperNames.size) {
    throw new TypeError("open() must make the view with the options of client.view: its discovery tools are missing");
  }
  let listedSelection = tools.selection().join("\n");
  const read = (): readonly ToolDefinition[] => {
    tools.compact();
    const definitions = tools.tools().filter(({ name }) => allows(name));
    if (!hasHelpers || era === "legacy") return definitions;
    const selected = new Set(tools.selection().map(foldCase));
    return definitions.filter(({ name }) => helperNames.has(foldCase(name)) || !selected.has(foldCase(name)));
  };
  return {
    allows,
    list() {
      const definitions = read();
      listedSelection = tools.selection().join("\n");
      const all = definitions
        .map((definition) => toWireTool(definition, era, settings.onDiagnostic))
        .filter((tool) => tool !== undefined);
      if (!hasHelpers) return all;
      return [
        ...all.slice(0, helperNames.size),
        ...toolCallers,
        ...all.slice(helperNames.size).filter(({ name }) => !toolCallers.some((tool) => tool.name === name)),
      ];
    },
    find: (name) => tools.find(name),
    listedOf(name) {
      const definition = tools.find(name);
      return definition && toWireTool(definition, era, settings.onDiagnostic);
    },
    callerOf: (name) => (hasHelpers ? toolCallers.find((tool) => tool.name === name)?.name : undefined),
    hasNews: () => hasHelpers && era === "legacy" && tools.selection().join("\n") !== listedSelection,
  };
}

function countHelpers(tools: GatewayTools): number {
  tools.compact();
  return tools.tools().filter(({ name }) => helperNames.has(name)).length;
}
