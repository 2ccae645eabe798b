import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readChallenges } from "./read-challenges.ts";

const read = (header: string) =>
  readChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

describe("readChallenges()", () => {
  it.each([
    ["Bearer", [["bearer", {}]]],
    ['Bearer realm="a, b", scope="x y"', [["bearer", { realm: "a, b", scope: "x y" }]]],
    [
      'Basic realm="x", DPoP algs="ES256", error="e"',
      [
        ["basic", { realm: "x" }],
        ["dpop", { algs: "ES256", error: "e" }],
      ],
    ],
    [
      "Bearer resource_metadata=https://a.example/x, scope = read",
      [["bearer", { resource_metadata: "https://a.example/x", scope: "read" }]],
    ],
    [String.raw`Bearer realm="say \"hi\"", Scope=a, scope=b`, [["bearer", { realm: 'say "hi"', scope: "a" }]]],
    ['Bearer xscope="no"', [["bearer", { xscope: "no" }]]],
    ['scope="before any scheme"', []],
    ["", []],
  ])("reads %s", (header, challenges) => {
    expect(read(header)).toEqual(challenges);
  });

  it("ends on any text, and soon", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("B", "e", " ", "=", '"', "\\", ",", ";", "é", "\t") }),
        (text) => void read(text),
      ),
    );
    expect(readChallenges('Bearer a="\\'.repeat(100_000)).length).toBeLessThan(20);
  });
});
