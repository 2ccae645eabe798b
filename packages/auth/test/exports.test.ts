import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@hostside/auth", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("@hostside/auth")).sort()).toEqual([
      "authenticateToolNames",
      "createApiKeys",
      "createAuthenticateTools",
      "createKeyvCredentials",
      "createMemoryCredentials",
      "createOAuth",
      "firstAuthProvider",
    ]);
  });

  it("exports exactly these values for Node", async () => {
    expect(Object.keys(await import("@hostside/auth/node")).sort()).toEqual([
      "createFileCredentials",
      "createFileLock",
      "defaultCredentialsFolder",
      "hasBrowser",
      "loopbackRedirect",
      "openBrowser",
      "openPrivateFolder",
      "terminalPrompt",
    ]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./node", "./package.json"]);
  });
});
