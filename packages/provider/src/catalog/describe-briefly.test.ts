import type { RemoteTool } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { describeBriefly } from "../api/provider-options.ts";

const tool = (more: Partial<RemoteTool>): RemoteTool => ({ name: "create_issue", inputSchema: {}, ...more });

describe("describeBriefly()", () => {
  it.each<[string, Partial<RemoteTool>, string]>([
    ["the server's own words", { description: " Creates one. " }, "Creates one."],
    ["no title that is the name", { title: "Create issue", description: "Makes one." }, "Makes one."],
    ["a title that says more", { title: "New ticket", description: "Makes one." }, "New ticket. Makes one."],
    [
      "a title among the annotations",
      { annotations: { title: "New\nticket" }, description: "Makes one." },
      "New ticket. Makes one.",
    ],
    [
      "no title that the words begin with",
      { title: "New ticket", description: "New ticket: makes one." },
      "New ticket: makes one.",
    ],
    ["the title where there are no words", { title: "Create issue" }, "Create issue"],
    ["nothing where there is nothing", {}, ""],
    ["no hidden characters", { description: "a\u202Eb", flags: ["bidi"] }, "ab"],
  ])("has %s", (_, more, expected) => {
    expect(describeBriefly(tool(more))).toBe(expected);
  });
});
