import type { Terminal } from "../terminal.ts";
import { cutToWidth } from "./render-text.ts";

/** A line at the end of a terminal that is replaced as long as something is on its way. */
export interface StatusLine {
  /** Shows a text of one line, cleaned, in place of the one before. */
  show(text: string): void;
  /** Takes it away, so that what is final can be written in its place. Idempotent. */
  end(): void;
}

/**
 * Makes a status line on stderr. It shows nothing where stderr is no terminal that can replace one.
 */
export function createStatusLine({ stderr, env }: Terminal): StatusLine {
  const canReplace = stderr.isTTY && env["TERM"] !== "dumb";
  let isShown = false;
  const replace = (text: string): void => void stderr.write(`\r\u001B[K${text}`);
  return {
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
