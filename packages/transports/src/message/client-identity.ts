import type { JsonObject } from "@toolport/core";

/** Who the host says it is, and what it offers to servers. */
export interface ClientIdentity {
  readonly info: { readonly name: string; readonly version: string };
  /** Elicitation or nothing; never roots, sampling or logging (SEP-2577). */
  readonly capabilities: JsonObject;
}
