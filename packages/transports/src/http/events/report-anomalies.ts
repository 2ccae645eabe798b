import { createSeldomReport } from "../../context/report-seldom.ts";
import type { ServerContext } from "../../context/server-context.ts";

/** Takes what is odd in a message, and what became of it, in a few words of ours. */
export type AnomalyReport = (what: string, fate?: string) => void;

/** Reports odd messages ever more seldom, each as a `protocol-anomaly` diagnostic. */
export function createAnomalyReport(context: Pick<ServerContext, "onDiagnostic" | "serverId">): AnomalyReport {
  const report = createSeldomReport(context, { kind: "protocol-anomaly", noun: "messages" });
  return (what, fate = "it was skipped") => report((soFar) => `sent ${what}; ${fate}${soFar}`);
}
