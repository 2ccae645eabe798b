import { describe, expect, it } from "vitest";
import { isPlural, stemWord } from "./stem-word.ts";

describe("isPlural()", () => {
  it.each(["issues", "queries", "branches", "tags"])("%s is one", (word) => expect(isPlural(word)).toBe(true));
  it.each(["issue", "status", "access", "this", "vms", "", "größe"])("%j is none", (word) =>
    expect(isPlural(word)).toBe(false),
  );
});

describe("stemWord()", () => {
  it.each([
    [["issue", "issues"]],
    [["create", "creates", "created", "creating", "creation"]],
    [["delete", "deletes", "deleted", "deleting", "deletion"]],
    [["query", "queries"]],
    [["branch", "branches"]],
    [["deploy", "deploys", "deployed", "deploying", "deployment", "deployments"]],
    [["run", "runs", "running"]],
    [["stop", "stops", "stopped", "stopping"]],
    [["search", "searches", "searching"]],
    [["access", "accesses"]],
  ])("gives one stem to %j", (words) => {
    expect(new Set(words.map(stemWord)).size).toBe(1);
  });

  it.each([
    ["string", "str"],
    ["status", "statu"],
    ["comment", "com"],
    ["action", "act"],
    ["need", "ne"],
    ["process", "proces"],
  ])("does not mutilate %s to %s", (word, wrong) => {
    expect(stemWord(word)).not.toBe(wrong);
  });

  it("leaves short words and other alphabets alone", () => {
    for (const word of ["", "s", "dns", "ios", "日本", "größe", "s3"]) expect(stemWord(word)).toBe(word);
  });
});
