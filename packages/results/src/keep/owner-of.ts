import type { CallContext } from "@toolport/core";
import type { HandleOwner } from "./kept-item.ts";

/** Says whose a call is. */
export interface Owners {
  ownerOf(context: CallContext | undefined): HandleOwner;
  /** What stands for a conversation in a store; without a name, for all calls that name none. */
  scopeOf(conversation: string | undefined): string;
}

/**
 * A call belongs to its conversation and its principal. Calls that name no conversation belong together only within one presenter, which
 * `instance` stands for: in a store that several share, they never meet.
 */
export function createOwners(instance: string): Owners {
  const scopeOf = (conversation: string | undefined): string =>
    conversation === undefined ? `unnamed:${instance}` : `named:${conversation}`;
  return {
    scopeOf,
    ownerOf: (context) => ({ scope: scopeOf(context?.conversation), principal: context?.principal }),
  };
}
