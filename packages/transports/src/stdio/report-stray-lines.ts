import { createSeldomReport } from "../context/report-seldom.ts";
import type { ServerContext } from "../context/server-context.ts";
import { safeExcerpt } from "../text/safe-excerpt.ts";

const maxExcerptLength = 200;

/** Reports lines on stdout that are of no use. */
export interface StrayLineReport {
  /** `reason` completes "a line that is …". */
  add(reason: string, line: string): void;
}

/** Reports them ever more seldom, each as a `stdout-anomaly` diagnostic that quotes the line. */
export function createStrayLineReport(
  context: Pick<ServerContext, "onDiagnostic" | "redact" | "serverId">,
): StrayLineReport {
  const report = createSeldomReport(context, { kind: "stdout-anomaly", noun: "lines" });
  return {
    add: (reason, line) =>
      report((soFar) => {
        const excerpt = JSON.stringify(safeExcerpt(line, context.redact, maxExcerptLength));
        return `wrote a line to stdout that is ${reason}: ${excerpt}${soFar}`;
      }),
  };
}
