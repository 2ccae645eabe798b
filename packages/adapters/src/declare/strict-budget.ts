import type { SchemaProfile } from "../schema/schema-profile.ts";
import type { StrictCount } from "./count-strict.ts";

/** How much of strict mode is left in one request. */
export interface StrictBudget {
  /** Whether a tool still has room; takes it where it has. */
  take(count: StrictCount): boolean;
}

/**
 * What strict mode counts over the tools of one request, from its beginning: what comes first, in
 * the order of the source, has it.
 */
export function createStrictBudget({ strict }: SchemaProfile): StrictBudget {
  const most = strict?.strictTotals?.value;
  const used = { tools: 0, optional: 0, unions: 0 };
  return {
    take: ({ optional, unions }) => {
      if (most === undefined) return true;
      const fits =
        used.tools < most.tools && used.optional + optional <= most.optional && used.unions + unions <= most.unions;
      if (fits) {
        used.tools += 1;
        used.optional += optional;
        used.unions += unions;
      }
      return fits;
    },
  };
}
