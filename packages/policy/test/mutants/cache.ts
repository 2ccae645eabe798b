import type { PolicyMutant } from "./policy-mutant.ts";

const file = "cache/create-result-cache.ts";
const test = "packages/policy/src/cache/create-result-cache.test.ts";

export const cacheMutants: readonly PolicyMutant[] = [
  {
    bug: "the cache gives one principal what another one's credentials brought",
    patches: [
      { file, find: "const principal = options.context?.principal ?? null;", replace: "const principal = null;" },
    ],
    test,
  },
  {
    bug: "the key of the cache is not canonical",
    patches: [
      {
        file,
        find: "return canonicalJson([principal, origin.serverId, origin.toolName, fingerprint, args, options.meta ?? null]);",
        replace:
          "return JSON.stringify([principal, origin.serverId, origin.toolName, fingerprint, args, options.meta ?? null]);",
      },
    ],
    test,
  },
  {
    bug: "the cache keeps results of tools that no fingerprint tells apart",
    patches: [{ file, find: "if (fingerprint === undefined) return undefined;", replace: "" }],
    test,
  },
  {
    bug: "the cache keeps what the tool calls an error",
    patches: [{ file, find: "outcome.isError || hasOutputProblems(outcome)", replace: "hasOutputProblems(outcome)" }],
    test,
  },
  {
    bug: "a result of the cache can be changed for the next reader",
    patches: [
      { file, find: "freezeData(JSON.parse(text) as ToolOutcome)", replace: "JSON.parse(text) as ToolOutcome" },
    ],
    test,
  },
];
