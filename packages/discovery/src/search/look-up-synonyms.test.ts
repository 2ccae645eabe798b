import { describe, expect, it } from "vitest";
import { abbreviations } from "./abbreviations.ts";
import { generalNouns } from "./general-nouns.ts";
import { generalVerbs } from "./general-verbs.ts";
import { readPhrase, readSynonyms } from "./look-up-synonyms.ts";
import { synonymGroups } from "./synonym-groups.ts";

describe("the tables of words", () => {
  it("are groups of at least two plain words or phrases, none twice in a group", () => {
    for (const line of [...synonymGroups, ...generalVerbs, ...generalNouns, ...abbreviations]) {
      const entries = line.split(", ");
      expect(entries.length, line).toBeGreaterThan(1);
      expect(new Set(entries).size, line).toBe(entries.length);
      for (const entry of entries) expect(entry, line).toMatch(/^[a-z0-9]+(?: [a-z0-9]+){0,5}$/);
    }
  });
});

describe("readSynonyms()", () => {
  it("knows a word in all its forms", () => {
    expect(readSynonyms("deleting").words).toContain("remov");
    expect(readSynonyms("remove").words).toContain("delet");
    expect(readSynonyms("remove").phrases).toContainEqual(["get", "rid", "of"]);
    expect(readSynonyms("zebra")).toEqual({ words: [], phrases: [] });
    expect(readSynonyms("constructor")).toEqual({ words: [], phrases: [] });
  });
});

describe("readPhrase()", () => {
  it("finds the longest phrase at a place", () => {
    const words = ["please", "get", "rid", "of", "it"];
    expect(readPhrase(words, 1)?.length).toBe(3);
    expect(readPhrase(words, 1)?.synonyms.words).toContain("delet");
    expect(readPhrase(words, 0)).toBeUndefined();
  });
});
