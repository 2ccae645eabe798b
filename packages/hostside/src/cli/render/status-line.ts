import type { GlobalOptions } from "../command-context.ts";
import type { Terminal } from "../terminal.ts";
import { cutToWidth } from "./text-width.ts";

/** A line at the end of a terminal that is replaced as long as something is on its way. */
export interface StatusLine {
  /** `false`: it shows nothing. */
  readonly canReplace: boolean;
  /** Shows a text of one line, cleaned, in place of the one before. */
  show(text: string): void;
  /** Takes it away, so that what is final can be written in its place. Idempotent. */
  end(): void;
}

/**
 * Makes a status line on stderr. It shows nothing where stderr is no terminal that can replace one,
 * with `--quiet`, and with `--verbose`, whose lines come at any time.
 */
export function createStatusLine(
  { stderr, env }: Pick<Terminal, "stderr" | "env">,
  { quiet = false, verbose = false }: Pick<GlobalOptions, "quiet" | "verbose">,
): StatusLine {
  const canReplace = stderr.isTTY && env["TERM"] !== "dumb" && !quiet && !verbose;
  let isShown = false;
  const replace = (text: string): void => void stderr.write(`\r\u001B[K${text}`);
  return {
    canReplace,
    show(text) {
      if (!canReplace) return;
      isShown = true;
      // The last column is where terminals disagree about wrapping.
      replace(cutToWidth(text, (stderr.columns || 80) - 1));
    },
    end() {
      if (isShown) replace("");
      isShown = false;
    },
  };
}
