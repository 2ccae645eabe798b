import type { ProcessEnd, StdioSession } from "./raw-session.ts";
import { handshake } from "./handshake.ts";
import { readySession } from "./ready-session.ts";

/** What hosts wait before they send a signal, in milliseconds: the official SDKs, two seconds. */
export const endGraceMs = 2000;

/** How a process ended after its stdin did. */
export interface OrderlyEnd {
  readonly session: StdioSession;
  /** `undefined`: it did not, in {@linkcode endGraceMs}. */
  readonly end: ProcessEnd | undefined;
  /** Process ids of its group that were alive afterwards. */
  readonly left: readonly number[];
}

/** Starts the server, lists its tools, ends its stdin, and looks at what happens. */
export async function endOrderly(target: {
  readonly answerMs: number;
  openStdio(): Promise<StdioSession>;
}): Promise<OrderlyEnd> {
  const session = await target.openStdio();
  await readySession(session, await handshake(session, target)).request("tools/list");
  session.endInput();
  const end = await session.ended(endGraceMs);
  return { session, end, left: session.leftBehind() };
}
