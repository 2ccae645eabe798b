import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { editDistance } from "./vocabulary.ts";

describe("editDistance()", () => {
  it.each([
    ["issue", "issue", 0],
    ["isue", "issue", 1],
    ["issues", "issue", 1],
    ["issve", "issue", 1],
    ["isseu", "issue", 1],
    ["kuberntes", "kubernetes", 1],
    ["kubretes", "kubernetes", 2],
    ["cat", "dog", 3],
  ])("from %s to %s is %i", (a, b, distance) => {
    expect(editDistance(a, b, 2)).toBe(distance);
  });

  test.prop([fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 })])(
    "is symmetric and never more than it was asked for",
    (a, b) => {
      const distance = editDistance(a, b, 2);
      expect(editDistance(b, a, 2)).toBe(distance);
      expect(distance).toBeLessThanOrEqual(3);
      expect(distance === 0).toBe(a === b);
    },
  );
});
