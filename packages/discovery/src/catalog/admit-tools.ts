import {
  cleanText,
  type Admission,
  type AdmissionServer,
  type Admit,
  type Diagnostic,
  type QuarantinedTool,
  type ToolDefinition,
} from "@hostside/core";
import { askAdmit } from "@hostside/core/implement";
import type { ToolboxTool, RoutedTool } from "./inspect-definitions.ts";

/** The tools on offer, and those that are held back. */
export interface AdmittedTools {
  /** By folded name, in the order of the tools. */
  readonly offered: ReadonlyMap<string, ToolboxTool>;
  readonly quarantined: ReadonlyMap<string, QuarantinedTool>;
}

/** The admission of one toolbox. */
export interface ToolboxAdmission {
  /**
   * Decides about tools that were merged: a name whose tool is not admitted is nobody's, also where
   * another source has it.
   */
  sort(tools: ReadonlyMap<string, ToolboxTool>, report: (diagnostic: Diagnostic) => void): AdmittedTools;
  /** Forgets every answer. */
  forget(): void;
}

interface Failed {
  readonly definition: ToolDefinition;
  readonly problem: string;
}

/**
 * Makes the admission. Each tool is asked about once, until {@linkcode ToolboxAdmission.forget} or
 * another definition of it. `onFailure` hears of a rule that fails, once until then.
 */
export function createToolAdmission(
  admit: Admit | undefined,
  onFailure: (diagnostic: Diagnostic) => void = () => {},
): ToolboxAdmission {
  const none: ReadonlyMap<string, QuarantinedTool> = new Map();
  if (admit === undefined) return { sort: (tools) => ({ offered: tools, quarantined: none }), forget: () => {} };
  let decisions = new WeakMap<object, ReturnType<typeof askAdmit>>();
  // By server.
  const reported = new Set<string>();
  const decide = (tool: RoutedTool): ReturnType<typeof askAdmit> => {
    // The definition of a static tool is made anew with each catalogue.
    const key = tool.route.kind === "static" ? tool.route.tool : tool.definition;
    const known = decisions.get(key) ?? askAdmit(admit, tool.definition, admissionServerOf(tool));
    decisions.set(key, known);
    return known;
  };
  return {
    forget() {
      decisions = new WeakMap();
      reported.clear();
    },
    sort(tools, report) {
      const offered = new Map<string, ToolboxTool>();
      const quarantined = new Map<string, QuarantinedTool>();
      const failed = new Map<string, Failed[]>();
      const decideAloud = (tool: RoutedTool): Admission => {
        const { admission, problem } = decide(tool);
        if (problem === undefined) return admission;
        const serverId = tool.definition.origin?.serverId ?? "";
        const known = failed.get(serverId) ?? [];
        known.push({ definition: tool.definition, problem });
        failed.set(serverId, known);
        return admission;
      };
      for (const [key, tool] of tools) {
        const admission = decideAloud(tool);
        if (admission === "quarantine")
          quarantined.set(key, { definition: tool.definition, server: admissionServerOf(tool) });
        if (admission !== "offer") continue;
        const { fallback, ...rest } = tool;
        offered.set(key, fallback === undefined || decideAloud(fallback) === "offer" ? tool : rest);
      }
      // One rule that fails fails for all tools.
      for (const [serverId, tools] of failed) {
        const diagnostic = failedAdmission(serverId, tools);
        report(diagnostic);
        if (!reported.has(serverId)) onFailure(diagnostic);
        reported.add(serverId);
      }
      return { offered, quarantined };
    },
  };
}

function failedAdmission(serverId: string, [first, ...others]: readonly Failed[]): Diagnostic {
  const shown = `"${cleanText(first?.definition.name ?? "", 80)}"`;
  const who = others.length === 0 ? `${shown} is` : `${shown} and ${others.length} more of its source are`;
  const message = `${who} hidden, because admit() ${first?.problem}`;
  return { kind: "admission-failed", serverId, ...(first && { toolName: first.definition.name }), message };
}

/** The server of a tool, as its provider describes it; `undefined` for a tool that is on none. */
export function admissionServerOf({ definition, route }: RoutedTool): AdmissionServer | undefined {
  const serverId = definition.origin?.serverId ?? "";
  if (route.kind === "static" || serverId === "") return undefined;
  return route.provider.describeServer?.(serverId) ?? { id: serverId, labels: {} };
}
