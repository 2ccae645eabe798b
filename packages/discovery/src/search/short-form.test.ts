import { describe, expect, it } from "vitest";
import { hasNoVowels, isShortFor } from "./vocabulary.ts";

describe("isShortFor()", () => {
  it.each([
    ["btn", "button"],
    ["tmplt", "template"],
    ["tmplt", "templat"],
    ["lst", "list"],
    ["chk", "check"],
    ["mgr", "manager"],
  ])("%s is short for %s", (word, longer) => expect(isShortFor(word, longer)).toBe(true));

  it.each([
    ["btn", "between you"],
    ["ssh", "snapshot"],
    ["pdf", "predefine"],
    ["tbl", "tbl"],
    ["tbl", "bottle"],
    ["lst", "ls"],
    ["lst", ""],
    ["lst", "aeiou"],
  ])("%s is not short for %s", (word, longer) => expect(isShortFor(word, longer)).toBe(false));
});

describe("hasNoVowels()", () => {
  it.each(["tmplt", "btn", "sql"])("%s has none", (word) => expect(hasNoVowels(word)).toBe(true));
  it.each(["tab", "db", "why", "s3x", "", "größe", "日本"])("%j is not such a word", (word) =>
    expect(hasNoVowels(word)).toBe(false),
  );
});
