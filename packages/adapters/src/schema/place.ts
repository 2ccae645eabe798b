import type { JsonObject } from "@hostside/core";

/** Where a schema stands. */
export interface SchemaPosition {
  /** Levels from the arguments, which are 1. */
  readonly depth: number;
  /** What references are looked up in. */
  readonly root: JsonObject;
}
