import type { PolicyMutant } from "./policy-mutant.ts";

const replicas = "packages/policy/test/replicas.test.ts";
const memory = "packages/policy/src/pins/pin-memory.test.ts";

/** Mistakes in what replicas share. */
export const replicaMutants: readonly PolicyMutant[] = [
  {
    bug: "keeps an approval under a lock that went to somebody else: forgets the fencing token",
    patches: [
      {
        file: "pins/pin-memory.ts",
        find: "await store.set(key, value, undefined, fencingToken);",
        replace: "await store.set(key, value);",
      },
    ],
    test: replicas,
  },
  {
    bug: "uses a token up under a lock that went to somebody else: forgets the fencing token",
    patches: [
      {
        file: "approval/suspend-call.ts",
        find: 'writeVersioned("used", waitingFormat), ttlMs, fencingToken);',
        replace: 'writeVersioned("used", waitingFormat), ttlMs);',
      },
    ],
    test: replicas,
  },
  {
    bug: "writes over what a later version has kept",
    patches: [
      {
        file: "pins/pin-memory.ts",
        find: "const readRecord = (stored: unknown): PinRecord => readPinRecord(readVersioned(stored, pinsFormat));",
        replace:
          "const readRecord = (stored: unknown): PinRecord => {\n    try {\n      return readPinRecord(readVersioned(stored, pinsFormat));\n    } catch {\n      return new Map();\n    }\n  };",
      },
    ],
    test: replicas,
  },
  {
    bug: "writes what it has told to have failed, when the store answers at last",
    patches: [
      {
        file: "pins/pin-memory.ts",
        find: "if (time.isOver) throw",
        replace: 'if (time.isOver && key === "") throw',
      },
      // Which ends at the same time.
      { file: "pins/pin-memory.ts", find: "        signal.throwIfAborted();\n", replace: "" },
    ],
    test: replicas,
  },
  {
    bug: "tells no other replica of what it has kept",
    patches: [{ file: "pins/pin-memory.ts", find: "if (isWritten) onWritten();", replace: "void isWritten;" }],
    test: replicas,
  },
  {
    bug: "reads for each notice of a storm",
    patches: [
      {
        file: "pins/pin-memory.ts",
        find: "if (!state.isReading && !state.isClosed) void readAll();",
        replace: "if (!state.isClosed) void readAll();",
      },
    ],
    test: replicas,
  },
  {
    bug: "loses a notice that comes while it reads",
    patches: [
      {
        file: "pins/pin-memory.ts",
        find: "    cancelRetry();\n    state.isOutdated = true;",
        replace: "    cancelRetry();\n    if (state.isReading) return;\n    state.isOutdated = true;",
      },
    ],
    test: memory,
  },
  {
    bug: "lets what it read first stand for what somebody wrote since",
    patches: [
      {
        file: "pins/pin-memory.ts",
        find: "if (step === startedAt) return adopt(kept);",
        replace: "return adopt(kept);",
      },
    ],
    test: memory,
  },
];
