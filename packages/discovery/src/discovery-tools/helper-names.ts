import { assertKnownOptions, foldCase, withDefaults, type Fields } from "@hostside/core/implement";
import { assertLegalName } from "../catalog/assert-static-tool.ts";

/** What the discovery helpers are called. */
export interface HelperNames {
  readonly groups: string;
  readonly select: string;
  readonly search: string;
}

const defaults: HelperNames = { groups: "tools_groups", select: "tools_select", search: "tools_search" };

const fields: Fields<HelperNames> = { groups: true, select: true, search: true };

/**
 * The names with defaults filled in. Throws `TypeError` when one is not legal or for no helper, or
 * two are the same.
 */
export function resolveHelperNames(names: Partial<HelperNames> = {}): HelperNames {
  assertKnownOptions("helperNames", names, fields);
  const resolved = withDefaults(defaults, names);
  const all = Object.values(resolved);
  for (const name of all) assertLegalName(name);
  if (new Set(all.map(foldCase)).size < all.length) throw new TypeError(`helper names must differ: ${all.join(", ")}`);
  return resolved;
}
