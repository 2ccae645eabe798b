import { describe, expect, it } from "vitest";
import { type ApprovalMode, readMode } from "./approval-options.ts";

describe("readMode()", () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    ["some", 'approval.mode: "some" is none'],
    [{}, "approval.mode names no tool"],
    [{ names: ["x"] }, 'approval.mode has no option "names"'],
    [() => "all", "approval.mode takes its options as an object"],
    [{ tools: { effect: "writes" } }, "approval.mode.tools"],
  ];
  it.each(wrong)("throws a TypeError that names the place: %j", (mode, message) => {
    expect(() => readMode(mode as ApprovalMode)).toThrow(TypeError);
    expect(() => readMode(mode as ApprovalMode)).toThrow(message);
  });
});
