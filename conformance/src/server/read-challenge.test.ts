import { describe, expect, it } from "vitest";
import { bearerChallenge, readChallenges } from "./authorization-surface.ts";

describe("readChallenges()", () => {
  it("tells challenges from their parameters, commas in quotes among them", () => {
    const header = 'Basic realm="a, b", Digest nonce="x", Bearer error="invalid_token", scope="a \\"b\\""';
    expect(readChallenges(header).map(({ scheme, params }) => [scheme, Object.fromEntries(params)])).toEqual([
      ["basic", { realm: "a, b" }],
      ["digest", { nonce: "x" }],
      ["bearer", { error: "invalid_token", scope: 'a "b"' }],
    ]);
  });

  it("finds the one that OAuth is about, of either scheme", () => {
    expect(bearerChallenge("Negotiate, DPoP algs=ES256")?.params.get("algs")).toBe("ES256");
    expect(bearerChallenge("Basic realm=x")).toBeUndefined();
    expect(bearerChallenge(undefined)).toBeUndefined();
  });
});
