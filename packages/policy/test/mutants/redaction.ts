import type { PolicyMutant } from "./policy-mutant.ts";

const test = "packages/policy/src/redaction/create-redaction.test.ts";
const failures = "packages/policy/src/redaction/redaction-failures.test.ts";

/** Mistakes in the redaction of what comes back. */
export const redactionMutants: readonly PolicyMutant[] = [
  {
    bug: "has a placeholder that is a plain hash, which tells whether a guess is right",
    patches: [
      {
        file: "redaction/mask-text.ts",
        find: "hash = (message) => bytesToHex(mac.clone().update(utf8ToBytes(message)).digest());",
        replace: "hash = (message) => bytesToHex(mac && sha256(utf8ToBytes(message)));",
      },
    ],
    test,
  },
  {
    bug: "masks the content and leaves the server's whole answer, raw",
    patches: [
      {
        file: "redaction/create-redaction.ts",
        find: "after === rest ? outcome : { ...after, origin };",
        replace: "after === rest ? outcome : { ...after, origin, raw: outcome.raw };",
      },
    ],
    test,
  },
  {
    bug: "leaves the names of members as they are",
    patches: [
      {
        file: "redaction/mask-data.ts",
        find: "names.map((name, at) => [maskText(name, search), members[at]])",
        replace: "names.map((name, at) => [name, members[at]])",
      },
    ],
    test,
  },
  {
    bug: "forgets what is thrown",
    patches: [
      {
        file: "redaction/create-redaction.ts",
        find: "throw maskedError(error, call, init);",
        replace: "throw error;",
      },
    ],
    test: failures,
  },
  {
    bug: "forgets the causes of what is thrown",
    patches: [
      {
        file: "redaction/mask-data.ts",
        find: "const cause = mask(error.cause);\n  const toolName",
        replace: "const cause = error.cause;\n  const toolName",
      },
    ],
    test: failures,
  },
  {
    bug: "forgets progress",
    patches: [
      {
        file: "redaction/create-redaction.ts",
        find: "if (onProgress === undefined) return call;",
        replace: "if (onProgress !== null) return call;",
      },
    ],
    test,
  },
  {
    bug: "takes whatever looks like a placeholder for one of its own",
    patches: [
      { file: "redaction/mask-text.ts", find: "checkOf(id) === check ?", replace: "checkOf(id) !== check + id ?" },
    ],
    test,
  },
  {
    bug: "hands out a result when the values that the host knows cannot be had",
    patches: [
      {
        file: "redaction/create-redaction.ts",
        find: "return { content, isError: outcome.isError, origin: outcome.origin, raw: { content } };",
        replace: "return content.length > 0 ? outcome : outcome;",
      },
    ],
    test: failures,
  },
  {
    bug: "forgets the getters of an error's class",
    patches: [
      {
        file: "redaction/mask-data.ts",
        find: "membersOf(error).filter(",
        replace: "(membersOf(error) && Reflect.ownKeys(error)).filter(",
      },
    ],
    test: failures,
  },
];
