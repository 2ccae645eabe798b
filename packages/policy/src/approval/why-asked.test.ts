import { describe, expect, it } from "vitest";
import type { ToolSelection } from "../rules/select-tools.ts";
import { type ApprovalMode, readMode } from "./approval-options.ts";

const subject = { serverId: "a:b", toolName: "issues/Get", labels: {}, effect: "external" } as const;

describe("readMode()", () => {
  it("knows a tool by its remote, qualified and short name", () => {
    const means = (tools: ToolSelection): boolean => readMode({ tools })(subject) !== undefined;
    const right = [{ tool: "issues/Get" }, "mcp::a%3Ab::issues/Get", "a:b/issues/Get", "mcp::a%3Ab"];
    expect(right.map(means)).toEqual([true, true, true, true]);
    const wrong = [{ tool: "issues" }, "mcp::b::issues/Get", "mcp::a%3Ab::Get", "b/issues/Get"];
    expect(wrong.map(means)).toEqual([false, false, false, false]);
    // A selection knows no local names: it says so, and asks for the server.
    expect(() => means("mcp_a_b_issues_get")).toThrow('is not "server/tool"');
  });

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
