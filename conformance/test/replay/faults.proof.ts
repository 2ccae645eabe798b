import { faults } from "@hostside/fixtures";
import { expect, it } from "vitest";
import type { Seen } from "./converse.ts";
import { replayFault } from "./replay-fault.ts";

// What comes of them depends on how far a flood gets within a deadline; and one is found before
// anything is on the wire.
const byChance =
  /flood|endless|bomb|drip|slow|stdio-missing-directory|session-huge-id|ignores-sigterm|handshake-early-question/;
// What is work for both sides is played by itself, so that nothing else makes it late.
const heavy = /huge|20000|deep|storm/;

// Whether the first write to a process that is ending fails is chance. A message that was written counts as sent in a replay.
const withoutChance = (seen: Seen): unknown =>
  seen.map(([deed, what]) => {
    const { code } = Object(what) as { readonly code?: unknown };
    const isEnd = code === "server_exited" || code === "connection_closed";
    return [deed, isEnd ? { ...(what as object), outcome: "", retryable: "" } : what];
  });

for (const fault of faults.filter(({ id }) => !byChance.test(id)))
  for (const transport of fault.transports)
    it(`replays ${fault.id} over ${transport}`, { concurrent: !heavy.test(fault.id), timeout: 60_000 }, async () => {
      const { live, replayed } = await replayFault(fault, transport);
      expect(withoutChance(replayed)).toEqual(withoutChance(live));
    });
