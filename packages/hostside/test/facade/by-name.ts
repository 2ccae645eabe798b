import type { ServerSpec } from "@hostside/core";
import type { HostServerEntry } from "hostside";

/** Specs as `servers` of `createHost()` has them. */
export function byName(specs: readonly ServerSpec[]): Readonly<Record<string, HostServerEntry>> {
  return Object.fromEntries(specs.map(({ id, ...entry }) => [id, entry]));
}
