import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashIdentity } from "./candidate-names.ts";

describe("hashIdentity()", () => {
  it("is SHA-256 of serverId NUL remoteName in UTF-8, and of #n behind it from the second attempt on", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 99 }),
        (serverId, toolName, attempt) => {
          fc.pre(!serverId.includes("\0"));
          const key = `${serverId}\0${toolName}${attempt === 1 ? "" : `#${attempt}`}`;
          expect(hashIdentity({ serverId, toolName }, attempt, 64)).toBe(
            createHash("sha256").update(key).digest("hex"),
          );
        },
      ),
    );
  });

  it("gives different pairs different hashes, also with NUL and lone surrogates in them", () => {
    const parts = ["", "a", "\0", "a\0", "\0a", "\0\0", "\ud800", "\udc00", "\ufffd", "\ud800\udc00", "\xc0\x80", ":"];
    const pairs = parts.flatMap((serverId) => parts.map((toolName) => ({ serverId, toolName })));
    expect(new Set(pairs.map((pair) => hashIdentity(pair, 1, 64))).size).toBe(pairs.length);
  });

  it("has exactly as many digits as asked for, odd numbers too", () => {
    for (const length of [6, 7, 8, 16]) {
      expect(hashIdentity({ serverId: "s", toolName: "t" }, 1, length)).toMatch(new RegExp(`^[0-9a-f]{${length}}$`));
    }
  });
});
