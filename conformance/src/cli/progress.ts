import { truncateText } from "@hostside/core";
import type { CheckInfo, CheckResult } from "../engine/check.ts";
import type { CommandIo } from "./command-io.ts";

/** Where progress is shown. */
export type ProgressTerminal = Pick<CommandIo, "err" | "live" | "columns">;

/** Tells how far a run is. */
export interface Progress {
  readonly onStart: (check: CheckInfo) => void;
  readonly onResult: (result: CheckResult) => void;
  /** Takes the live line away. */
  readonly end: () => void;
}

/** One live line on a terminal; elsewhere a line at the start and one for each failure. */
export function showProgress(
  { err, live, columns }: ProgressTerminal,
  { total, target }: { total: number; target: string },
): Progress {
  const running = new Set<string>();
  let done = 0;
  let failed = 0;
  const replaceLine = (text: string): void => err(`\r\u001B[K${text}`);
  const draw = (): void => {
    const parts = [`${done}/${total}`, ...(failed > 0 ? [`${failed} not passed`] : []), Array.from(running).join(" ")];
    replaceLine(truncateText(parts.join("  "), columns - 1));
  };
  if (live) replaceLine(truncateText(`waiting for ${target}`, columns - 1));
  else err(`Checking ${target} (${total} ${total === 1 ? "check" : "checks"})\n`);
  return {
    onStart({ id }) {
      running.add(id);
      if (live) draw();
    },
    onResult({ check, finding }) {
      running.delete(check.id);
      done += 1;
      // Whether it is a headline, advice, or follows from another failure is known at the end.
      const isFailed = finding.status === "fail";
      if (isFailed) failed += 1;
      if (live) draw();
      else if (isFailed) err(`${done}/${total} not passed: ${check.id}\n`);
    },
    end() {
      if (live) replaceLine("");
    },
  };
}
