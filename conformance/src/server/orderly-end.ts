import { setTimeout as delay } from "node:timers/promises";
import type { ProcessEnd, RawSession, StdioSession } from "./raw-session.ts";
import type { HandshakeOptions } from "./handshake.ts";
import { endAfter, shakeHands } from "./ready-session.ts";

/** What hosts wait before they send a signal, in milliseconds: the official SDKs, two seconds. */
export const endGraceMs = 2000;

/** How a process ended after its stdin did. */
export interface OrderlyEnd {
  readonly session: StdioSession;
  /** `undefined`: it did not, in {@linkcode endGraceMs}. */
  readonly end: ProcessEnd | undefined;
  /** From the end of stdin to the end of the process, or to now, in milliseconds. */
  readonly tookMs: number;
  /** Processes that the server started, at whatever remove, and that were alive afterwards. */
  readonly left: readonly number[];
}

/** Starts the server, lists its tools, ends its stdin, and looks at what happens. */
export async function endOrderly(target: HandshakeOptions & { open(): Promise<RawSession> }): Promise<OrderlyEnd> {
  const session = (await target.open()) as StdioSession; // It is asked for over stdio alone.
  const ready = await shakeHands(session, target);
  await ready.request("tools/list");
  // What ends of the listing has not ended of its stdin.
  await endAfter(ready);
  session.endInput();
  const startedAt = performance.now();
  const end = await session.ended(endGraceMs);
  const tookMs = performance.now() - startedAt;
  // What ends together with the server may be some moments behind it.
  while (session.leftBehind().length > 0 && performance.now() - startedAt < tookMs + endGraceMs) await delay(100);
  return { session, end, tookMs, left: session.leftBehind() };
}
