import { describe, expect, it } from "vitest";
import { readPhrase, synonymsOfStem } from "./look-up-synonyms.ts";
import { generalNouns, synonymGroups } from "./synonym-groups.ts";

describe("the tables of words", () => {
  it("are groups of at least two plain words or phrases, none twice in a group", () => {
    for (const line of [...synonymGroups, ...generalNouns]) {
      const entries = line.split(", ");
      expect(entries.length, line).toBeGreaterThan(1);
      expect(new Set(entries).size, line).toBe(entries.length);
      for (const entry of entries) expect(entry, line).toMatch(/^[a-z0-9]+(?: [a-z0-9]+){0,5}$/);
    }
  });
});

describe("synonymsOfStem()", () => {
  it("knows words and phrases", () => {
    expect(synonymsOfStem("delet")).toContain("remov");
    expect(synonymsOfStem("remov")).toContain("delet");
    expect(synonymsOfStem("zebra")).toBeUndefined();
    expect(synonymsOfStem("constructor")).toBeUndefined();
  });
});

describe("readPhrase()", () => {
  it("finds the longest phrase at a place", () => {
    const words = ["please", "get", "rid", "of", "it"];
    expect(readPhrase(words, 1)?.length).toBe(3);
    expect(readPhrase(words, 1)?.synonyms).toContain("delet");
    expect(readPhrase(words, 0)).toBeUndefined();
  });
});
