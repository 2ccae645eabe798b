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
import type { ToolboxTool, RoutedTool } from "./toolbox-catalog.ts";

/** The admission of one toolbox. */
export interface ToolboxAdmission {
  /**
   * Takes out of tools that were merged those that are not admitted, and returns those that are
   * held back: their names are nobody's, also where another source has them.
   */
  sort(tools: Map<string, ToolboxTool>, report: (diagnostic: Diagnostic) => void): ReadonlyMap<string, QuarantinedTool>;
  /** Forgets every answer. */
  forget(): void;
}

type AdmitDecision = ReturnType<typeof askAdmit>;
const offer: AdmitDecision = { admission: "offer" };

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
  if (admit === undefined) return { sort: () => new Map(), forget: () => {} };
  // Nearly all are on offer, and of those no more is kept than that they were asked about.
  let offered = new WeakSet<object>();
  let others = new WeakMap<object, AdmitDecision>();
  // By server.
  const reported = new Set<string>();
  const decide = (tool: RoutedTool): AdmitDecision => {
    // The definition of a static tool is made anew with each catalogue.
    const key = tool.route.kind === "static" ? tool.route.tool : tool.definition;
    if (offered.has(key)) return offer;
    const decision = others.get(key) ?? askAdmit(admit, tool.definition, admissionServerOf(tool));
    if (decision.admission === "offer") offered.add(key);
    else others.set(key, decision);
    return decision;
  };
  return {
    forget() {
      offered = new WeakSet();
      others = new WeakMap();
      reported.clear();
    },
    sort(tools, report) {
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
        if (admission !== "offer") tools.delete(key);
        else if (tool.fallback !== undefined && decideAloud(tool.fallback) !== "offer") {
          const { fallback: _refused, ...rest } = tool;
          tools.set(key, rest);
        }
      }
      // One rule that fails fails for all tools.
      for (const [serverId, tools] of failed) {
        const diagnostic = failedAdmission(serverId, tools);
        report(diagnostic);
        if (!reported.has(serverId)) onFailure(diagnostic);
        reported.add(serverId);
      }
      return quarantined;
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
