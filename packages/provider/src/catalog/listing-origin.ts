import type { ServerSpec } from "@hostside/core";
import { registrationOf } from "../saved/fingerprint-reach.ts";

/** Which server listed something. */
export interface ListingOrigin {
  readonly spec: ServerSpec;
  /** How often the server came back as another one. */
  readonly replacements: number;
  /** Stands for the provider, which counts the replacements. */
  readonly provider: object;
}

/**
 * Whether two listings are of one registration, and of one server in it. Between providers only the
 * registration counts.
 */
export function isSameOrigin(a: ListingOrigin, b: ListingOrigin): boolean {
  if (a.provider === b.provider && a.replacements !== b.replacements) return false;
  if (a.spec === b.spec) return true;
  return codeOf(a.spec) === codeOf(b.spec) && registrationOf(a.spec) === registrationOf(b.spec);
}

// What is no data has no other sign than being the same object.
function codeOf(spec: ServerSpec): unknown {
  return spec.type === "memory" ? spec.serve : spec.type === "custom" ? spec.open : undefined;
}
