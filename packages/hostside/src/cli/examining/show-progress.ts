import { cleanText, truncateText } from "@hostside/core";
import { formatCount } from "../render/format-amount.ts";
import type { Terminal } from "../terminal.ts";

/** Tells how far an examination is. */
export interface ExaminationProgress {
  add(serverId: string): void;
  /** Takes the line away. */
  end(): void;
}

/** One line on stderr that is replaced, where somebody looks on. */
export function showExaminationProgress(
  { stderr, isLive, columns, paintErr }: Terminal,
  { isQuiet, total }: { readonly isQuiet: boolean; readonly total: number },
): ExaminationProgress {
  const isShown = isLive && !isQuiet && total > 0;
  let done = 0;
  const draw = (text: string): void =>
    void stderr.write(`\r\u001B[K${paintErr("dim", truncateText(text, columns - 1))}`);
  if (isShown) draw(`examining ${formatCount(total, "server")}`);
  return {
    add(serverId) {
      done += 1;
      if (isShown) draw(`${done} of ${total} examined: ${cleanText(serverId, 60)}`);
    },
    end() {
      if (isShown) stderr.write("\r\u001B[K");
    },
  };
}
