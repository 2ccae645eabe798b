import type { SourceMutant } from "../../../../test/load-mutant.ts";

const patch = (bug: string, find: string, replace: string): SourceMutant => ({
  bug,
  patches: [{ file: "calls/fair-queue.ts", find, replace }],
});

/** Deliberate bugs of the gate, which `checkTurns` must find. */
export const turnMutants: readonly SourceMutant[] = [
  patch(
    "lets one caller go on as long as it has somebody",
    "      this.#turns.shift();\n",
    "      if (!mayGo || caller.waiting.length === 1) this.#turns.shift();\n",
  ),
  patch(
    "lets whoever comes pass those who wait",
    "if (this.#turns.length > 0 || !this.#isFree(mode)) return false;",
    "if (!this.#isFree(mode)) return false;",
  ),
  patch(
    "gives one caller all places",
    'name !== undefined && mode === "shared" && own >= fairShareOf(this.#limit());',
    "own > this.#limit();",
  ),
  patch(
    "forgets a caller that had its share",
    "      this.#takeTurn(caller);\n    }\n    if (this.#turns",
    "    }\n    if (this.#turns",
  ),
  patch(
    "lets nobody follow one who gives up",
    "        this.#takeTurn(caller);\n        this.#admitNext();\n",
    "        this.#takeTurn(caller);\n",
  ),
  patch(
    "loses the turn of a caller when one of it gives up",
    "        this.#takeTurn(caller);\n        this.#admitNext();\n",
    "        removeFrom(this.#turns, caller);\n        this.#admitNext();\n",
  ),
  patch(
    "lets others go beside an exclusive call",
    "!this.#exclusive && this.active < this.#limit()",
    "this.active < this.#limit()",
  ),
];
