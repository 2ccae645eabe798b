import type { PolicyMutant } from "./policy-mutant.ts";

const test = "packages/policy/test/policy.test.ts";

/** Mistakes in how the stages stand around a call. */
export const pipelineMutants: readonly PolicyMutant[] = [
  {
    bug: "checks the caller's own object, which may be another one when it is sent",
    patches: [
      { file: "policy.ts", find: "looksAtArguments ? freezeArguments(parts) : undefined", replace: "undefined" },
    ],
    test,
  },
  {
    bug: "keeps the place of a call that is over",
    patches: [
      {
        file: "limits/create-limits.ts",
        find: "if (isHostsideError(signal.reason) || parts.waiting === undefined) return end();",
        replace: "if (isHostsideError(signal.reason) || parts.waiting === undefined) return;",
      },
    ],
    test,
  },
  {
    bug: "asks a human before it looks whether the arguments fit",
    patches: [
      {
        file: "policy.ts",
        find: "    validation?.input,\n    // Around what",
        replace: "    approval.around((call, next) => next(call)),\n    validation?.input,\n    // Around what",
      },
    ],
    test,
  },
  {
    bug: "has no breaker around the requests of providers",
    patches: [{ file: "policy.ts", find: "requestSeam: breaker?.seam", replace: "requestSeam: undefined" }],
    test,
  },
  {
    bug: "uses an approval up for a call that an open circuit refuses",
    patches: [{ file: "policy.ts", find: ", breaker?.interceptor]", replace: "]" }],
    test: "packages/policy/test/resumed-calls.test.ts",
  },
  {
    bug: "counts each try of a call against its limits",
    patches: [
      {
        file: "policy.ts",
        find: "limits?.interceptor, retry",
        replace: "retry, limits?.interceptor",
      },
    ],
    test,
  },
];
