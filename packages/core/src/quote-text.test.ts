import { expect, it } from "vitest";
import { quoteText } from "./text.ts";

it("quotes without what JSON does not escape, and cuts", () => {
  expect(quoteText('a\u009B31m"b\u202E\u2028c')).toBe('"a\\"bc"');
  expect(quoteText("abcdef", 4)).toBe('"abc…"');
});
