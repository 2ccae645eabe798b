import { describe, expect, it } from "vitest";
import { createSecretFinder } from "./find-secrets.ts";

const found = (text: string, secrets: readonly string[]) =>
  createSecretFinder(secrets)(text).map(({ start, end, secret }) => [text.slice(start, end), secret]);

describe("a secret finder", () => {
  it("says which secret is where, however it is spelled", () => {
    const secret = 'p"ss/word';
    const text = `a ${secret} b ${encodeURIComponent(secret)} c ${JSON.stringify(secret)} d ${btoa(`user:${secret}`)}`;
    const spellings = found(text, ["other-secret", secret]);
    expect(spellings.map(([, which]) => which)).toEqual([secret, secret, secret, secret]);
    expect(spellings.map(([spelled]) => spelled)).toContain(encodeURIComponent(secret));
  });

  it("takes the longer of two in one place, in whatever order they are given", () => {
    for (const secrets of [
      ["abcdef", "abcdefgh"],
      ["abcdefgh", "abcdef"],
    ]) {
      expect(found("xabcdefghx abcdefx", secrets)).toEqual([
        ["abcdefgh", "abcdefgh"],
        ["abcdef", "abcdef"],
      ]);
    }
  });

  it("looks for none that is shorter than six units", () => {
    expect(found("abcde abcde", ["abcde"])).toEqual([]);
  });
});
