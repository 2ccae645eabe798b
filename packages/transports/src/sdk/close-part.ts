import { settleWithin } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";

/**
 * Closes a part that is not ours: within `timeouts.closeMs`, and however it fails. Never rejects.
 */
export function closePart(part: { close(): Promise<void> }, { clock, settings }: ServerContext): Promise<void> {
  // An async function, for a part that throws where it should reject.
  const close = async (): Promise<void> => part.close();
  return settleWithin(close(), settings.timeouts.closeMs, clock);
}
