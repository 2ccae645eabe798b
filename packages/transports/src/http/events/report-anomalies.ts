import type { ServerContext } from "../../context/server-context.ts";

// What is odd once may be odd for ever.
const reportedInFull = 10;

/** Takes what is odd in a message, and what became of it, in a few words of ours. */
export type AnomalyReport = (what: string, fate?: string) => void;

/** Tells about odd messages, as `protocol-anomaly`: the first 10, then the hundredth, the thousandth and so on. */
export function createAnomalyReport({
  serverId,
  onDiagnostic,
}: Pick<ServerContext, "onDiagnostic" | "serverId">): AnomalyReport {
  let count = 0;
  let nextReported = 1;
  return (what, fate = "it was skipped") => {
    count += 1;
    if (count !== nextReported) return;
    nextReported = count < reportedInFull ? count + 1 : count * 10;
    const soFar = count > reportedInFull ? ` (${count} such messages so far)` : "";
    onDiagnostic({
      kind: "protocol-anomaly",
      serverId,
      message: `server ${JSON.stringify(serverId)} sent ${what}; ${fate}${soFar}`,
    });
  };
}
