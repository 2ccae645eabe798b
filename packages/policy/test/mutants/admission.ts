import type { PolicyMutant } from "./policy-mutant.ts";

/** Mistakes in rules, effects, pins and in what they make of a tool together. */
export const admissionMutants: readonly PolicyMutant[] = [
  {
    bug: "takes the beginning of a server's id for the id, so that github_prod is github",
    patches: [
      {
        file: "rules/match-glob.ts",
        find: "return (text) => text === glob;",
        replace: "return (text) => text.startsWith(glob);",
      },
    ],
    test: "packages/policy/test/denied-stays-denied.test.ts",
  },
  {
    bug: "decides by the local name of a tool, which a server can bend",
    patches: [{ file: "rules/tool-subject.ts", find: "origin?.toolName ?? name", replace: "name" }],
    test: "packages/policy/test/denied-stays-denied.test.ts",
  },
  {
    bug: "lets an allow win over a deny",
    patches: [
      {
        file: "rules/rule-options.ts",
        find: '["deny", "requireApproval", "allow"]',
        replace: '["allow", "requireApproval", "deny"]',
      },
    ],
    test: "packages/policy/src/rules/decide.test.ts",
  },
  {
    bug: "lets what is allowed for all pass for a server of a project's file with the same id",
    patches: [
      {
        file: "rules/decide.ts",
        find: "strictnessOf(found.decision) > strictnessOf(strictest.decision)",
        replace: "strictnessOf(found.decision) < strictnessOf(strictest.decision)",
      },
    ],
    test: "packages/policy/src/rules/decide.test.ts",
  },
  {
    bug: "guesses when a rule for a name could be about two servers",
    patches: [{ file: "rules/read-rules.ts", find: "meant.length > 1", replace: "meant.length > 2" }],
    test: "packages/policy/src/rules/translate-rules.test.ts",
  },
  {
    bug: "lets the first of two words on an effect count, not the more dangerous one",
    patches: [
      {
        file: "effects/create-effects.ts",
        find: "toolEffects.indexOf(a) >= toolEffects.indexOf(b)",
        replace: "toolEffects.indexOf(a) >= 0",
      },
    ],
    test: "packages/policy/src/effects/create-effects.test.ts",
  },
  {
    bug: "takes a store that cannot be read for an empty one, and trusts everything anew",
    patches: [
      {
        file: "pins/judge-pin.ts",
        find: "if (record === undefined) return unread;",
        replace: "if (record === null) return unread;",
      },
    ],
    test: "packages/policy/test/pins.test.ts",
  },
  {
    bug: "trusts at first use again what was revoked",
    patches: [
      {
        file: "pins/pin-record.ts",
        find: "return new Map(record).set(serverId, pins);\n}\n\n/** As a store keeps it.",
        replace:
          "const next = new Map(record).set(serverId, pins);\n  if (pins.size === 0) next.delete(serverId);\n  return next;\n}\n\n/** As a store keeps it.",
      },
    ],
    test: "packages/policy/test/pins.test.ts",
  },
  {
    bug: "approves what a tool is now, whatever somebody looked at",
    patches: [
      {
        file: "admission/create-admission.ts",
        find: "(other) => other.fingerprint === one.fingerprint && ",
        replace: "(other) => other.toolName === one.toolName && ",
      },
    ],
    test: "packages/policy/test/pins.test.ts",
  },
  {
    bug: "tells of each tool of an update in an event of its own",
    patches: [
      {
        file: "pins/create-pins.ts",
        find: "...batch.map(([serverId, pins]) => tell(serverId, pins))",
        replace: "...batch.flatMap(([serverId, pins]) => pins.map((pin) => tell(serverId, [pin])))",
      },
    ],
    test: "packages/policy/test/pins.test.ts",
  },
  {
    bug: "keeps a decision over an approval or a revocation",
    patches: [
      { file: "admission/create-admission.ts", find: "before.epoch === epoch", replace: "before.epoch <= epoch" },
    ],
    test: "packages/policy/test/pins.test.ts",
  },
  {
    bug: "lets an approval stand in for a version that is not wanted",
    patches: [
      {
        file: "pins/judge-pin.ts",
        find: "if (otherVersion !== undefined) return otherVersion;",
        replace: "if (otherVersion !== undefined && !approved && fingerprint === undefined) return otherVersion;",
      },
    ],
    test: "packages/policy/test/locks-and-versions.test.ts",
  },
  {
    bug: "calls an approval kept before the store has it",
    patches: [
      {
        file: "pins/pin-memory.ts",
        find: "approve: (key, tools, onKept) => commit(",
        replace:
          "approve: (key, tools, onKept) => (record = withApproved(record ?? new Map(), key, tools), onChange(), commit)(",
      },
    ],
    test: "packages/policy/test/pins.test.ts",
  },
  {
    bug: "takes a prerelease for the release",
    patches: [{ file: "pins/pin-options.ts", find: "){0,2}$/;", replace: "){0,2}/;" }],
    test: "packages/policy/src/pins/version-range.test.ts",
  },
  {
    bug: "approves one of the variants of one tool, whichever comes last",
    patches: [
      {
        file: "admission/create-admission.ts",
        find: 'typeof one === "string" && variants.length > 1',
        replace: 'typeof one === "string" && variants.length > 9',
      },
    ],
    test: "packages/policy/test/variants.test.ts",
  },
];
