import type { Clock } from "@toolport/core";
import { settleWithin } from "../time/settle-within.ts";

/** How long a part has to close. */
export interface ClosePartInit {
  readonly clock: Clock;
  /** In milliseconds; the part is given up then. */
  readonly closeMs: number;
}

/** Closes a part that is not ours: in time, and however it fails. Never rejects. */
export function closePart(part: { close(): Promise<void> }, { clock, closeMs }: ClosePartInit): Promise<void> {
  // An async function, for a part that throws where it should reject.
  const close = async (): Promise<void> => part.close();
  return settleWithin(close(), closeMs, clock);
}
