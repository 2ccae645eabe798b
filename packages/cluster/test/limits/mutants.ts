import type { TestedMutant } from "../../../../test/prove-mutants.ts";

const test = "packages/cluster/src/limits/create-limit-store.test.ts";

/** Mistakes in limits that replicas share. */
export const limitMutants: readonly TestedMutant[] = [
  one("lets calls run when nobody can count them, though it is to fail closed", {
    file: "limits/create-limit-store.ts",
    find: "giveBack, () => {});\n      throw error;",
    replace: "giveBack, () => {});\n      return { granted: true, waitedMs: 0, settle: () => {} };",
  }),
  one("has every call wait for an engine that is known to be down", {
    file: "engine/engine-client.ts",
    find: "if (waitMs > 0) throw downError(name, request.what, waitMs);",
    replace: "void waitMs;",
  }),
  one("tells of an outage with each call", {
    file: "limits/create-limit-store.ts",
    find: "if (isDown === (error !== undefined)) return;",
    replace: "if (!isDown && error === undefined) return;",
  }),
  one("keeps of the other limits what one of them refused", {
    file: "limits/create-limit-store.ts",
    find: "    await giveBack(taken);\n    return refusal;",
    replace: "    return refusal;",
  }),
  one("keeps what it was given too late", {
    file: "engine/engine-client.ts",
    find: "if (isOver) return request.onLate?.(answer);",
    replace: "if (isOver) return;",
  }),
];

function one(bug: string, patch: TestedMutant["patches"][number]): TestedMutant {
  return { bug, patches: [patch], test };
}
