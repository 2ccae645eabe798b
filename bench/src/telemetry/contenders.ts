/** What is measured, in the order of the table. */
export const contenders = [
  "no layer",
  "an interceptor that does nothing",
  "telemetry without an SDK",
  "a call log",
  "telemetry with an SDK that keeps nothing",
] as const;

/** One of them. */
export type Contender = (typeof contenders)[number];
