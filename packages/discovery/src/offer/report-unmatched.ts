import { cleanText, type Diagnostic, type UnreadyGroup } from "@hostside/core";
import type { Denial, DeniedTool } from "./denial.ts";
import type { PermittedPart } from "./permitted.ts";

/** What such a report is made from. */
export interface UnmatchedReportInit {
  readonly denial: Denial;
  readonly permitted: () => PermittedPart;
  readonly alwaysVisible: readonly string[];
  readonly calls: { unready(): readonly UnreadyGroup[] };
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/**
 * Reports names among a view's choices that no tool has: with a letter wrong, a tool would go on to
 * be callable that was to be denied. Nothing is wrong with a name as long as a server may still
 * list it. Each is reported once.
 */
export function createUnmatchedReport(init: UnmatchedReportInit): () => void {
  const { denial, permitted, alwaysVisible, calls, onDiagnostic } = init;
  const reported = new Set<string>();
  const report = (entry: DeniedTool, option: string): void => {
    const shown = typeof entry === "string" ? entry : `${entry.toolName} of ${entry.serverId}`;
    const key = JSON.stringify([option, entry]);
    if (reported.has(key)) return;
    reported.add(key);
    const message = `${option} has ${JSON.stringify(cleanText(shown, 200))}, which no tool is called`;
    onDiagnostic({ kind: "unmatched-name", serverId: "", message });
  };
  return () => {
    if (denial.isEmpty && alwaysVisible.length === 0) return;
    const missing = alwaysVisible.filter((name) => permitted().find(name) === undefined);
    const unmet = denial.unmet();
    if (missing.length + unmet.length === 0 || calls.unready().length > 0) return;
    for (const name of missing) report(name, "alwaysVisible");
    for (const entry of unmet) report(entry, "deny");
  };
}
