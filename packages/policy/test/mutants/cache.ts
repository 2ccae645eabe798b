import type { PolicyMutant } from "./policy-mutant.ts";

const file = "cache/create-result-cache.ts";
const test = "packages/policy/src/cache/create-result-cache.test.ts";

export const cacheMutants: readonly PolicyMutant[] = [
  {
    bug: "the cache gives one principal what another one's credentials brought",
    patches: [
      {
        file,
        find: "const whose = [principal, role, ",
        replace: "const whose = [role, ",
      },
    ],
    test,
  },
  {
    bug: "the key of the cache is not canonical",
    patches: [
      {
        file,
        find: "return canonicalJson([...whose, ",
        replace: "return JSON.stringify([...whose, ",
      },
    ],
    test,
  },
  {
    bug: "the cache keeps results of tools that no fingerprint tells apart",
    patches: [{ file, find: "fingerprint === undefined || server", replace: "server" }],
    test,
  },
  {
    bug: "the cache gives one role what another one was told",
    patches: [{ file, find: "const whose = [principal, role, ", replace: "const whose = [principal, " }],
    test,
  },
  {
    bug: "the cache gives one conversation what the connection of another one was told",
    patches: [{ file, find: 'sharing === "conversation" ? conversation : null', replace: "null" }],
    test,
  },
  {
    bug: "the cache keeps what servers answer that hear of their caller",
    patches: [{ file, find: " || server?.perCaller === true", replace: "" }],
    test,
  },
  {
    bug: "the cache gives what another program answered",
    patches: [{ file, find: "registration, revision, origin.toolName", replace: "revision, origin.toolName" }],
    test,
  },
  {
    bug: "the cache gives what a server answered before its entry changed",
    patches: [{ file, find: "registration, revision, origin.toolName", replace: "registration, origin.toolName" }],
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
