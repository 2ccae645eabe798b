import type { JsonObject } from "@hostside/core";

/** Who the host says it is, and what it offers to servers. */
export interface ClientIdentity {
  readonly info: { readonly name: string; readonly version: string };
  /** Elicitation or nothing; never roots, sampling or logging (SEP-2577). */
  readonly capabilities: JsonObject;
  /** Extensions of 2026-07-28, by their names; earlier revisions are told of none. */
  readonly extensions?: JsonObject | undefined;
}
