import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { splitWords } from "./split-words.ts";

describe("splitWords()", () => {
  it.each([
    ["list_issues", ["list", "issues"]],
    ["list-issues.by/label", ["list", "issues", "by", "label"]],
    ["listIssuesForRepo", ["list", "issues", "for", "repo"]],
    ["HTTPServer", ["http", "server"]],
    ["LIST_MONITORS", ["list", "monitors"]],
    ["getURLFor2Users", ["get", "url", "for", "2", "users"]],
    ["listVMsById", ["list", "vm", "by", "id"]],
    ["APIs, URLs and IDs", ["api", "url", "and", "id"]],
    ["DNSsec Ms As", ["dn", "ssec", "ms", "as"]],
    ["é VMs", ["e", "vm"]],
    ["s3Bucket", ["s", "3", "bucket"]],
    ["it’s — fine…", ["it", "s", "fine"]],
    ["café naïve", ["cafe", "naive"]],
    ["one — Ünïcode", ["one", "unicode"]],
    ["日本語検索", ["日本", "本語", "語検", "検索"]],
    ["", []],
    ["__ -- __", []],
  ])("splits %j", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it("reads no more words than it is told to", () => {
    expect(splitWords("a b c d", 2)).toEqual(["a", "b"]);
    expect(splitWords("é b c d", 2)).toEqual(["e", "b"]);
  });

  test.prop([fc.string({ unit: "binary", maxLength: 200 })])(
    "gives words without separators, whatever comes in",
    (text) => {
      for (const word of splitWords(text)) expect(word).toMatch(/^[\p{L}\p{N}]+$/u);
    },
  );

  it("is linear in the length of hostile text", () => {
    for (const unit of ["a", "aB", "_", "é", "日", "\u{E0041}", "1a"]) {
      const text = unit.repeat(300_000);
      expect(() => splitWords(text)).not.toThrow();
    }
  });
});
