import type { Diagnostic } from "@toolport/core";
import type { Redactor } from "@toolport/core/implement";
import { safeExcerpt } from "../text/safe-excerpt.ts";

// A banner has a few lines, and a server that logs to stdout never stops.
const reportedLines = 10;
const maxExcerptLength = 200;

/** What a {@linkcode NoiseReport} is made from. */
export interface StrayLineReportInit {
  readonly serverId: string;
  readonly redact: Redactor;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** Counts lines on stdout that are of no use, and tells about them. */
export interface StrayLineReport {
  /** `reason` completes "a line that is …". */
  add(reason: string, line: string): void;
}

/** Reports the first 10 lines, then the hundredth, the thousandth and so on, each as a `stdout-anomaly` diagnostic that quotes the line. */
export function createStrayLineReport({ serverId, redact, onDiagnostic }: StrayLineReportInit): StrayLineReport {
  let count = 0;
  let nextReported = 1;
  return {
    add(reason, line) {
      count += 1;
      if (count !== nextReported) return;
      nextReported = count < reportedLines ? count + 1 : count * 10;
      const excerpt = JSON.stringify(safeExcerpt(line, redact, maxExcerptLength));
      const soFar = count > reportedLines ? ` (${count} such lines so far)` : "";
      onDiagnostic({
        kind: "stdout-anomaly",
        serverId,
        message: `server ${JSON.stringify(serverId)} wrote a line to stdout that is ${reason}: ${excerpt}${soFar}`,
      });
    },
  };
}
