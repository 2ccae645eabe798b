import type { Diagnostic } from "@toolport/core";

// What is odd once may be odd for ever.
const reportedInFull = 10;

/**
 * Tells about messages that were skipped, as `protocol-noise`: the first 10, then the hundredth, the thousandth and so on. The
 * function that it returns takes what was skipped, in a few words of ours.
 */
export function createNoiseReport(
  serverId: string,
  onDiagnostic: (diagnostic: Diagnostic) => void,
): (what: string) => void {
  let count = 0;
  let nextReported = 1;
  return (what) => {
    count += 1;
    if (count !== nextReported) return;
    nextReported = count < reportedInFull ? count + 1 : count * 10;
    const soFar = count > reportedInFull ? ` (${count} such messages so far)` : "";
    onDiagnostic({
      kind: "protocol-noise",
      serverId,
      message: `server ${JSON.stringify(serverId)} sent ${what}; it was skipped${soFar}`,
    });
  };
}
