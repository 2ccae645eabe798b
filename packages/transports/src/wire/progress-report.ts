import type { Progress } from "@toolport/core";

/** Progress, and whether it may be passed on now. */
export interface ProgressReport {
  readonly read: () => Progress;
  readonly isDue: boolean;
}
