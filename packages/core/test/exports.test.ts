import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const forProducts = [
  "HostsideError",
  "applyInterceptors",
  "assertServerSpec",
  "cleanText",
  "createMemoryLock",
  "createMemoryStore",
  "defaultLimits",
  "defaultTimeouts",
  "errorCodes",
  "isHostsideError",
  "isKnownContent",
  "longestTimeoutMs",
  "readContent",
  "redactSpec",
  "redactUrl",
  "redacted",
  "truncateText",
];

const forImplementers = [
  "Alarm",
  "JsonValueCounter",
  "addressIn",
  "askAdmit",
  "askForMeta",
  "assertCallContext",
  "assertCallOptions",
  "assertInitOptions",
  "assertKnownOptions",
  "assertListOptions",
  "assertMessage",
  "assertNames",
  "assertReason",
  "assertRefreshOptions",
  "assertRequestOptions",
  "assertSignal",
  "assertTimeoutMs",
  "assertToolName",
  "bearerTokenOf",
  "bytesOf",
  "canonicalJson",
  "checkBase64",
  "checkHttpSpec",
  "cleanData",
  "cleanSchema",
  "clock",
  "compareText",
  "contextOnBehalfOf",
  "copySpec",
  "createBoundedFetch",
  "createCallPipeline",
  "createDeadline",
  "createEvent",
  "createHostTools",
  "createPageCursors",
  "createPolledLock",
  "createRedactor",
  "createRequestPipeline",
  "createSecretFinder",
  "createSecretMemory",
  "credentialFieldsOf",
  "credentialsOf",
  "describeAbsent",
  "describeCall",
  "describeLostNumber",
  "differByOneSlip",
  "doStep",
  "dropUnseen",
  "effectOfHints",
  "escapeUnseen",
  "fairnessKeyOf",
  "findGuardRefusal",
  "findKnownShapes",
  "findLostDigits",
  "findLostNumber",
  "findMeant",
  "foldCase",
  "formatMs",
  "freezeData",
  "hasShape",
  "headWithin",
  "inspectText",
  "inspectedTexts",
  "isAppUri",
  "isCallArguments",
  "isConfidentialUrl",
  "isCredentialHeader",
  "isHeaderName",
  "isHeaderValue",
  "isJsonObject",
  "isLoopbackUrl",
  "isPlainObject",
  "isReservedHeader",
  "isSchema",
  "isSecretName",
  "isToolEffect",
  "joinObservers",
  "jsonValuesBeyond",
  "keywordShapes",
  "kindOf",
  "lastWordMs",
  "latestLegacyRevision",
  "learnSecrets",
  "legacyRevisions",
  "listOf",
  "lostDigitsError",
  "mapSchemas",
  "modernRevision",
  "objectOf",
  "onAbort",
  "onBehalfOf",
  "oneOf",
  "parseRetryAfter",
  "pause",
  "quoteText",
  "reachOf",
  "readCallArguments",
  "readContentAnnotations",
  "readIcons",
  "readNumber",
  "readOAuthAnswer",
  "readText",
  "readTexts",
  "readVersioned",
  "readWholeNumber",
  "redactData",
  "rememberDigits",
  "replaceUnseen",
  "reportUncaught",
  "resultWithin",
  "runSoon",
  "runWithDeadline",
  "safeCause",
  "sameDefinition",
  "sameJson",
  "secretsOf",
  "serverTypeOf",
  "serverWords",
  "settingFields",
  "settleWithin",
  "sharingOf",
  "specError",
  "startStopwatch",
  "storeFailed",

  "systemRandom",
  "tell",
  "timeSetBy",
  "toObject",
  "toolsMeant",
  "unknownServerError",
  "unknownToolError",
  "untilAborted",
  "useClock",
  "utf8Length",
  "withDefaults",
  "withErrorContext",
  "withoutApproval",
  "withoutHalves",
  "writeVersioned",
];

describe("@hostside/core", () => {
  it("exports exactly these values to products, and these to implementers", async () => {
    expect(Object.keys(await import("@hostside/core")).sort()).toEqual(forProducts);
    expect(Object.keys(await import("@hostside/core/implement")).sort()).toEqual(forImplementers);
  });

  it("has no name in both entries, types included", () => {
    const inBoth = namesOf("index.ts").filter((name) => namesOf("implement.ts").includes(name));
    expect(inBoth).toEqual([]);
    expect(namesOf("implement.ts")).toContain("ConnectionHooks");
  });

  it("has exactly these entry points and no dependency", () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(manifest.exports)).toEqual([".", "./implement", "./package.json"]);
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependencies).toBeUndefined();
  });
});

/** Every name that an entry exports: all of its statements are lists of names. */
function namesOf(entry: string): readonly string[] {
  const text = readFileSync(new URL(`../src/${entry}`, import.meta.url), "utf8");
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) =>
    list
      .split(",")
      .map((name) => name.trim().replace(/^type /, ""))
      .filter((name) => name !== ""),
  );
}
