import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../test/cpu-seconds.ts";
import { toPathSegment, toSnakeSegment, toWordSegment } from "./naming-strategy.ts";

// The rules themselves are pinned by vectors.json; here is what a vector cannot say.

describe.each([
  ["toSnakeSegment()", toSnakeSegment, /^[a-z][a-z0-9_]*$/],
  ["toWordSegment()", toWordSegment, /^[A-Za-z0-9_-]*$/],
  ["toPathSegment()", toPathSegment, /^[A-Za-z0-9_./@-]*$/],
])("%s", (_, sanitize, form) => {
  it("changes nothing that it made itself", () => {
    for (const part of ["GitHub-Prod", "1st", "", "émoji😀here", "__a__", "a\ud800b", "@x/y"]) {
      const segment = sanitize(part);
      expect(segment).toMatch(form);
      expect(sanitize(segment)).toBe(segment);
    }
  });

  it("takes time in proportion to the length of a hostile text", async () => {
    const seconds = await cpuSecondsOf(() => {
      for (const unit of ["_", "A", "é", "a-", "\ud800"]) expect(sanitize(unit.repeat(300_000))).toMatch(form);
    });
    expect(seconds).toBeLessThan(5);
  });
});
