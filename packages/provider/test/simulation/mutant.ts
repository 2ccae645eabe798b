import type { SourceMutant } from "../../../../test/load-mutant.ts";
import type { TroubleKind } from "./program.ts";

/** A deliberate bug of the provider. */
export interface Mutant extends SourceMutant {
  /**
   * The kinds of trouble in which it shows. Default: any. For a bug that shows in less than one of
   * some thousand schedules of all kinds.
   */
  readonly kinds?: readonly TroubleKind[];
}
