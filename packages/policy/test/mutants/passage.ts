import type { PolicyMutant } from "./policy-mutant.ts";

const test = "packages/policy/test/policy.test.ts";

/** Mistakes in how the stages stand around a call. */
export const passageMutants: readonly PolicyMutant[] = [
  {
    bug: "looks at a call once for the toolbox and once for the provider",
    patches: [{ file: "passage/pass-once.ts", find: "      looked.add(args);\n", replace: "" }],
    test,
  },
  {
    bug: "knows a call again by arguments that the caller may use for another one",
    patches: [{ file: "passage/pass-once.ts", find: "{ ...handed.args }", replace: "handed.args" }],
    test,
  },
  {
    bug: "asks a human before it looks whether the arguments fit",
    patches: [
      {
        file: "policy.ts",
        find: "    validation?.input,\n    approval.interceptor,\n",
        replace: "    approval.interceptor,\n    validation?.input,\n",
      },
    ],
    test,
  },
  {
    bug: "tries a server again behind its breaker, so that one call opens it",
    patches: [
      {
        file: "policy.ts",
        find: "    retry?.interceptor,\n    breaker?.interceptor,\n",
        replace: "    breaker?.interceptor,\n    retry?.interceptor,\n",
      },
    ],
    test,
  },
  {
    bug: "counts each try of a call against its limits",
    patches: [
      {
        file: "policy.ts",
        find: "    limits?.interceptor,\n    retry?.interceptor,\n",
        replace: "    retry?.interceptor,\n    limits?.interceptor,\n",
      },
    ],
    test,
  },
];
