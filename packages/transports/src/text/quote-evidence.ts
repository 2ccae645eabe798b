/**
 * What a process wrote, bounded and without secrets already, as far as it may explain a failure.
 */
export interface Evidence {
  /** Of its stderr; absent or `""` when there is nothing to say of it. */
  readonly stderrTail?: string | undefined;
  /** The first line on its stdout that was no message. */
  readonly strayLine?: string | undefined;
}

/** The end of an error's message that quotes it; `""` when there is none. */
export function quoteEvidence({ stderrTail, strayLine }: Evidence): string {
  const line =
    strayLine === undefined ? "" : `; its stdout had a line that is no message: ${JSON.stringify(strayLine)}`;
  return stderrTail ? `${line}; its stderr:\n${stderrTail}` : line;
}
