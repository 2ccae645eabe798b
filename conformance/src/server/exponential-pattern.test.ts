import { describe, expect, it } from "vitest";
import { exponentialPattern } from "./exponential-pattern.ts";

describe("exponentialPattern()", () => {
  it.each([
    "(a+)+$",
    "^(a*)*$",
    "([a-zA-Z]+)*",
    "(a|a)*",
    "(a|ab)*x",
    "^(\\w+\\s?)*$",
    "((a+))+",
    "(?:x+x+)+y",
    "(a{1,})*",
  ])("knows the shape of %s", (pattern) => {
    expect(exponentialPattern(pattern)).toBe(true);
  });

  it.each([
    "^[a-z0-9-]+$",
    "^([a-z]+\\.)*[a-z]+$",
    "^(\\d{4})-(\\d{2})$",
    "(foo|bar)*",
    "a+b+c+",
    "^(https?|ftp)://[^\\s]+$",
    "[(a+)+]",
    "\\(a+\\)+",
    "(a?b)*",
    "",
    ")(",
    "(((",
    "[",
    "\\",
  ])("lets %s be", (pattern) => {
    expect(exponentialPattern(pattern)).toBe(false);
  });

  it("reads a pattern of a megabyte in linear time", () => {
    expect(exponentialPattern("(".repeat(500_000) + "a".repeat(500_000))).toBe(false);
  });
});
