import type { Progress } from "@hostside/core";
import type { CommandContext } from "../command-context.ts";
import type { TerminalPrompter } from "../opening/asking/asker.ts";
import { showLiveLines, type LiveLines } from "../render/live-lines.ts";
import { terminalLine } from "../render/one-line.ts";
import { cutToWidth } from "../render/text-width.ts";

/** A line on stderr that says how far a call is. */
export interface ProgressLine {
  readonly report: (progress: Progress) => void;
  /** Takes the line away. Idempotent. */
  end(): void;
}

/**
 * Shows the latest report of a server, where stderr is a terminal; a question that is asked
 * meanwhile has the terminal for itself.
 */
export function showCallProgress(
  { terminal, options }: CommandContext,
  asker: TerminalPrompter | undefined,
): ProgressLine {
  const isShown = terminal.stderr.isTTY && options.quiet !== true && terminal.env["TERM"] !== "dumb";
  let latest: Progress | undefined;
  let lines: LiveLines | undefined;
  const end = (): void => {
    lines?.end();
    lines = undefined;
  };
  const onStderr = { ...terminal, stdout: terminal.stderr, columns: terminal.columns };
  return {
    report(progress) {
      if (!isShown) return;
      latest = progress;
      if (asker?.isAsking === true) return end();
      lines ??= showLiveLines(onStderr, ({ spinner, columns }) =>
        latest === undefined || asker?.isAsking === true
          ? []
          : [cutToWidth(`${spinner} ${describeProgress(latest)}`, columns)],
      );
      lines.draw();
    },
    end,
  };
}

/**
 * A report as one line: `40 %  copying files`, or `12  copying files` where it is not known how
 * much there is.
 */
export function describeProgress({ progress, total, message = "" }: Progress): string {
  const isKnown = total !== undefined && total > 0 && Number.isFinite(progress / total);
  const share = isKnown ? `${Math.min(100, Math.max(0, Math.floor((progress / total) * 100)))} %` : String(progress);
  return `${share}  ${terminalLine(message, 200)}`.trimEnd();
}
