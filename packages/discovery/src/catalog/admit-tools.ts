import {
  cleanText,
  type Admission,
  type AdmissionServer,
  type Admit,
  type Diagnostic,
  type QuarantinedTool,
  type ToolDefinition,
} from "@toolport/core";
import type { CatalogTool, RoutedTool } from "./catalog-snapshot.ts";

/** What of all tools is on offer, and what is held back. */
export interface AdmittedTools {
  /** By folded name, in the order of the tools. */
  readonly offered: ReadonlyMap<string, CatalogTool>;
  readonly quarantined: ReadonlyMap<string, QuarantinedTool>;
}

/** The admission of one toolbox. */
export interface ToolAdmission {
  /** Decides about tools that were merged: a name whose tool is not admitted is nobody's, also where another source has it. */
  sort(tools: ReadonlyMap<string, CatalogTool>, report: (diagnostic: Diagnostic) => void): AdmittedTools;
  /** Forgets every answer. */
  forget(): void;
}

interface Decision {
  readonly admission: Admission;
  readonly problem?: string;
}

/** Makes the admission. Each tool is asked about once, until {@linkcode ToolAdmission.forget} or another definition of it. */
export function createToolAdmission(admit: Admit | undefined): ToolAdmission {
  const none: ReadonlyMap<string, QuarantinedTool> = new Map();
  if (admit === undefined) return { sort: (tools) => ({ offered: tools, quarantined: none }), forget: () => {} };
  let decisions = new WeakMap<object, Decision>();
  const decide = (tool: RoutedTool): Decision => {
    // The definition of a static tool is made anew with each catalogue.
    const key = tool.route.kind === "static" ? tool.route.tool : tool.definition;
    const known = decisions.get(key) ?? ask(admit, tool);
    decisions.set(key, known);
    return known;
  };
  return {
    forget() {
      decisions = new WeakMap();
    },
    sort(tools, report) {
      const offered = new Map<string, CatalogTool>();
      const quarantined = new Map<string, QuarantinedTool>();
      const decideAloud = (tool: RoutedTool): Admission => {
        const { admission, problem } = decide(tool);
        if (problem !== undefined) report(failedAdmission(tool.definition, problem));
        return admission;
      };
      for (const [key, tool] of tools) {
        const admission = decideAloud(tool);
        if (admission === "quarantine") quarantined.set(key, { definition: tool.definition, server: serverOf(tool) });
        if (admission !== "offer") continue;
        const { fallback, ...rest } = tool;
        offered.set(key, fallback === undefined || decideAloud(fallback) === "offer" ? tool : rest);
      }
      return { offered, quarantined };
    },
  };
}

const admissions: ReadonlySet<unknown> = new Set<Admission>(["offer", "hide", "quarantine"]);

function ask(admit: Admit, tool: RoutedTool): Decision {
  try {
    const answer: unknown = admit(tool.definition, serverOf(tool));
    if (isAdmission(answer)) return { admission: answer };
    return {
      admission: "hide",
      problem: `answered ${typeof answer === "string" ? cleanText(answer, 40) : typeof answer}`,
    };
  } catch (error) {
    // A foreign message may quote a secret.
    return { admission: "hide", problem: `threw ${error instanceof Error ? error.name : typeof error}` };
  }
}

function isAdmission(value: unknown): value is Admission {
  return admissions.has(value);
}

function failedAdmission({ name, origin }: ToolDefinition, problem: string): Diagnostic {
  const message = `"${cleanText(name, 80)}" is hidden, because admit() ${problem}`;
  return { kind: "admission-failed", serverId: origin?.serverId ?? "", toolName: name, message };
}

/** The server of a tool, as its provider describes it; `undefined` for a tool that is on none. */
export function serverOf({ definition, route }: RoutedTool): AdmissionServer | undefined {
  const serverId = definition.origin?.serverId ?? "";
  if (route.kind === "static" || serverId === "") return undefined;
  return route.provider.describeServer?.(serverId) ?? { id: serverId, labels: {} };
}
