import type { CallContext } from "@hostside/core";
import type { HandleOwner } from "./kept-item.ts";

/** Says whose a call is. */
export interface Owners {
  ownerOf(whose: Pick<CallContext, "conversation" | "principal"> | undefined): HandleOwner;
}

/**
 * A call belongs to its conversation, which is its principal's: the same name under another one is
 * another conversation. Calls that name no conversation belong together only within one presenter,
 * which `instance` stands for: in a store that several share, they never meet.
 */
export function createOwners(instance: string): Owners {
  return {
    ownerOf({ conversation, principal } = {}) {
      const scope = conversation === undefined ? `unnamed:${instance}` : `named:${conversation}`;
      // As JSON no two are alike, whatever their texts have in them.
      return { scope: principal === undefined ? scope : `${JSON.stringify(principal)}:${scope}`, principal };
    },
  };
}
