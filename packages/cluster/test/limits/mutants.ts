import type { TestedMutant } from "../../../../test/prove-mutants.ts";

const shared = "packages/cluster/src/limits/create-shared-limit-store.test.ts";

/** Mistakes in limits that replicas share. */
export const limitMutants: readonly TestedMutant[] = [
  {
    bug: "lets calls run when nobody can count them, though it is to fail closed",
    patches: [
      {
        file: "limits/create-shared-limit-store.ts",
        find: 'if (onFailure === "closed") throw failed;',
        replace: "",
      },
    ],
    test: shared,
  },
  {
    bug: "has every call wait for an engine that is known to be down",
    patches: [
      {
        file: "limits/limit-engine-health.ts",
        find: "if (known !== undefined && (isTrying || clock.now() < openUntil)) return { failed: known };",
        replace: "",
      },
    ],
    test: shared,
  },
  {
    bug: "tells of an outage with each call",
    patches: [
      {
        file: "limits/limit-engine-health.ts",
        find: "if (isFirst) onOutage",
        replace: "if (isFirst || true) onOutage",
      },
    ],
    test: shared,
  },
  {
    bug: "keeps of the other limits what one of them refused",
    patches: [{ file: "limits/shares.ts", find: "  await giveAllBack(taken);\n  if (failed", replace: "  if (failed" }],
    test: shared,
  },
  {
    bug: "forgets what calls used while nobody could count it",
    patches: [{ file: "limits/usage-counter.ts", find: "debt.units += units;", replace: "" }],
    test: shared,
  },
  {
    bug: "keeps what it was given too late",
    patches: [{ file: "limits/limit-engine-health.ts", find: "if (isOver) tooLate(answer);", replace: "" }],
    test: shared,
  },
];
