import type { SourceMutant } from "../../../../test/load-mutant.ts";

const patch = (bug: string, find: string, replace: string): SourceMutant => ({
  bug,
  patches: [{ file: "calls/gate.ts", find, replace }],
});

/** Deliberate bugs of the gate, which `checkTurns` must find. */
export const turnMutants: readonly SourceMutant[] = [
  patch(
    "lets one party go on as long as it has somebody",
    "      turns.delete(party);\n      if (party.waiting.size > 0) turns.add(party);",
    "      if (party.waiting.size === 0) turns.delete(party);",
  ),
  patch(
    "lets whoever comes pass those who wait",
    "if (turns.size > 0 || !isFree(mode)) return false;",
    "if (!isFree(mode)) return false;",
  ),
  patch(
    "gives one party all places",
    'name !== undefined && mode === "shared" && own >= shareOf(limit());',
    "own > limit();",
  ),
  patch(
    "forgets a party that had its share",
    "          if (party.waiting.size > 0) turns.add(party);\n          else parties.forgetIfGone(party);\n        }\n        if (turns",
    "          parties.forgetIfGone(party);\n        }\n        if (turns",
  ),
  patch(
    "lets nobody follow one who gives up",
    "          parties.forgetIfGone(party);\n          admitNext();\n        };",
    "          parties.forgetIfGone(party);\n        };",
  ),
  patch(
    "loses the turn of a party when one of it gives up",
    "          if (party.waiting.size > 0) turns.add(party);\n          else turns.delete(party);\n",
    "          turns.delete(party);\n",
  ),
  patch("lets others go beside an exclusive call", "!exclusive && active < limit()", "active < limit()"),
];
