import { describe, expect, it } from "vitest";
import { serverTool } from "../../test/fake-provider.ts";
import { stripPreface } from "./excerpt.ts";

const preface = "MCP server `s` tool `t`.";

describe("ownWords()", () => {
  it.each([
    [`${preface} Says hello.`, {}, "Says hello."],
    [`${preface} Title: Greet. Says hello.`, { title: "Greet" }, "Says hello."],
    [`${preface} Title: Greet. Says hello.`, { annotations: { title: "Greet" } }, "Says hello."],
    [`${preface} Title: Greet.`, { title: "Greet" }, ""],
    [preface, {}, ""],
    ["Says hello.", {}, "Says hello."],
    ["MCP server `other` tool `t`. Says hello.", {}, "MCP server `other` tool `t`. Says hello."],
  ])("of %j", (description, more, words) => {
    expect(stripPreface({ ...serverTool("s", "t", description), ...more })).toBe(words);
  });
});
