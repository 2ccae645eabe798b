import type { Presented } from "@hostside/results";

/** The answer to a call that an adapter does not run: the reason, in words of the host. */
export function refused(reason: string): Presented {
  return { blocks: [{ type: "text", part: "error", text: reason }], isError: true, omitted: [] };
}

/**
 * Why a call is not run at which the output of a model ended: its arguments may look whole and not
 * be what the model meant.
 */
export const cutOffReason = "the output ended within this call; it did not run";
