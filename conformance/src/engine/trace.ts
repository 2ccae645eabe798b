/** One thing that happened on the wire or to a process, seen from the kit. */
export interface TraceEvent {
  /** Milliseconds since the start of the run. */
  readonly atMs: number;
  /**
   * `send` and `receive` are messages; `stdout` and `stderr` bytes that are no message; `process` a
   * start, a signal, an exit; `http` a request or response line.
   */
  readonly kind: "send" | "receive" | "stdout" | "stderr" | "process" | "http";
  /** Which connection or process of the run, such as `"#2"`. */
  readonly session: string;
  /** Redacted and bounded. */
  readonly text: string;
}
