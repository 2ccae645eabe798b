import { createSeldomReport } from "../context/report-seldom.ts";
import type { ServerContext } from "../context/server-context.ts";
import { safeExcerpt } from "../text/safe-excerpt.ts";

const maxExcerptLength = 200;

/** Reports lines on stdout that are of no use. */
export interface StrayLineReport {
  /**
   * The first line that was no message, bounded and without secrets; absent when there was none.
   */
  readonly first: string | undefined;
  /** A line was no message: `reason` completes "a line that is …". */
  add(reason: string, line: string): void;
  /** The same of a line that is a message all the same. */
  mention(reason: string, line: string): void;
}

/** Reports them ever more seldom, each as a `stdout-anomaly` diagnostic that quotes the line. */
export function createStrayLineReport(
  context: Pick<ServerContext, "onDiagnostic" | "redact" | "serverId">,
): StrayLineReport {
  const report = createSeldomReport(context, { kind: "stdout-anomaly", noun: "lines" });
  const excerptOf = (line: string): string => safeExcerpt(line, context.redact, maxExcerptLength);
  const mention = (reason: string, line: string): void =>
    report((soFar) => `wrote a line to stdout that is ${reason}: ${JSON.stringify(excerptOf(line))}${soFar}`);
  let first: string | undefined;
  return {
    add(reason, line) {
      first ??= excerptOf(line);
      mention(reason, line);
    },
    mention,
    get first() {
      return first;
    },
  };
}
