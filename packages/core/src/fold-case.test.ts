import { expect, it } from "vitest";
import { foldCase } from "./text.ts";

it("foldCase() changes A to Z and nothing else", () => {
  const all = String.fromCharCode(...Array.from({ length: 0x3000 }, (_, unit) => unit));
  const folded = foldCase(all);
  const changed = Array.from({ length: all.length }, (_, unit) => unit).filter((unit) => all[unit] !== folded[unit]);
  expect(String.fromCharCode(...changed)).toBe("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  expect(folded).toHaveLength(all.length);
  expect(folded).toContain("abcdefghijklmnopqrstuvwxyz");
});
