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
  { total, target, strict = false }: { total: number; target: string; strict?: boolean | undefined },
): Progress {
  const running = new Set<string>();
  let done = 0;
  let failed = 0;
  const replaceLine = (text: string): void => err(`\r\u001B[K${text}`);
  const draw = (): void => {
    const parts = [`${done}/${total}`, ...(failed > 0 ? [`${failed} failed`] : []), Array.from(running).join(" ")];
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
      // As the verdict has it: what is no MUST is advice, unless the run is strict.
      const binding = finding.status === "fail" && (strict || check.level === "MUST");
      if (binding) failed += 1;
      if (live) draw();
      else if (finding.status === "fail") err(`${done}/${total} ${binding ? "failed" : "advice"}: ${check.id}\n`);
    },
    end() {
      if (live) replaceLine("");
    },
  };
}
