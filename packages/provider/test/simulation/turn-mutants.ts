import type { SourceMutant } from "../../../../test/load-mutant.ts";

const patch = (bug: string, find: string, replace: string): SourceMutant => ({
  bug,
  patches: [{ file: "calls/fair-queue.ts", find, replace }],
});

/** Deliberate bugs of the gate, which `checkTurns` must find. */
export const turnMutants: readonly SourceMutant[] = [
  patch(
    "lets one caller go on as long as it has somebody",
    "      turns.delete(caller);\n      if (caller.waiting.size > 0) turns.add(caller);",
    "      if (caller.waiting.size === 0) turns.delete(caller);",
  ),
  patch(
    "lets whoever comes pass those who wait",
    "if (turns.size > 0 || !isFree(mode)) return false;",
    "if (!isFree(mode)) return false;",
  ),
  patch(
    "gives one caller all places",
    'name !== undefined && mode === "shared" && own >= fairShareOf(limit());',
    "own > limit();",
  ),
  patch(
    "forgets a caller that had its share",
    "        if (caller.waiting.size > 0) turns.add(caller);\n        else callers.forgetIfGone(caller);\n      }\n      if (turns",
    "        callers.forgetIfGone(caller);\n      }\n      if (turns",
  ),
  patch(
    "lets nobody follow one who gives up",
    "        callers.forgetIfGone(caller);\n        admitNext();\n      };",
    "        callers.forgetIfGone(caller);\n      };",
  ),
  patch(
    "loses the turn of a caller when one of it gives up",
    "        if (caller.waiting.size > 0) turns.add(caller);\n        else turns.delete(caller);\n",
    "        turns.delete(caller);\n",
  ),
  patch("lets others go beside an exclusive call", "!exclusive && active < limit()", "active < limit()"),
];
