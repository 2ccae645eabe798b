import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@toolport/core", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("@toolport/core")).sort()).toEqual([
      "ToolportError",
      "applyInterceptors",
      "assertCallContext",
      "assertCallOptions",
      "assertKnownOptions",
      "assertServerSpec",
      "assertTimeoutMs",
      "cleanText",
      "copySpec",
      "createCallPipeline",
      "createDeadline",
      "createEvent",
      "createRedactor",
      "createSecretMemory",
      "dateOf",
      "defaultLimits",
      "defaultTimeouts",
      "describeAbsent",
      "errorCodes",
      "formatMs",
      "freezeData",
      "inspectText",
      "isJsonObject",
      "isKnownContent",
      "isSecretName",
      "isToolportError",
      "longestTimeoutMs",
      "originalCause",
      "quoteText",
      "readCallArguments",
      "readContent",
      "redactData",
      "redactSpec",
      "redactUrl",
      "redacted",
      "safeCause",
      "specError",
      "systemClock",
      "systemRandom",
      "timeSetBy",
      "truncateText",
      "unknownToolError",
      "withDefaults",
      "withErrorContext",
    ]);
  });

  it("has exactly these entry points and no dependency", () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(manifest.exports)).toEqual([".", "./package.json"]);
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependencies).toBeUndefined();
  });
});
