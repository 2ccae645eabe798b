import type { Progress } from "@hostside/core";

/** Progress, and whether it may be passed on now. */
export interface ProgressReport {
  readonly read: () => Progress;
  readonly isDue: boolean;
}
