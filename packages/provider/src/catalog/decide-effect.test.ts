import type { RemoteTool, ServerSpec, ToolAnnotations, ToolEffect, EntrySettings } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { decideEffect } from "./define-tool.ts";

const tool = (annotations?: ToolAnnotations): RemoteTool => ({
  name: "t",
  inputSchema: {},
  ...(annotations && { annotations }),
});
const spec = (rest: Partial<EntrySettings> = {}): ServerSpec => ({
  id: "s",
  type: "stdio",
  command: "x",
  ...rest,
});
const trusting = spec({ trustAnnotations: true });

describe("decideEffect()", () => {
  it.each<[string, ServerSpec, ToolAnnotations | undefined, ToolEffect]>([
    ["nothing said", spec(), undefined, "external"],
    ["a hint of a server that is not trusted", spec(), { readOnlyHint: true }, "external"],
    ["trust alone", trusting, undefined, "external"],
    ["read-only", trusting, { readOnlyHint: true, openWorldHint: true }, "pure"],
    ["read-only and destructive", trusting, { readOnlyHint: true, destructiveHint: true }, "external"],
    ["idempotent", trusting, { idempotentHint: true, destructiveHint: true }, "idempotent-write"],
    ["a write in a closed world", trusting, { openWorldHint: false }, "non-idempotent-write"],
    ["a write in an open world", trusting, { readOnlyHint: false, destructiveHint: false }, "external"],
    ["the host's word", spec({ tools: { t: { effect: "pure" } } }), { destructiveHint: true }, "pure"],
    [
      "the host's word over trusted hints",
      spec({ trustAnnotations: true, tools: { t: { effect: "external" } } }),
      { readOnlyHint: true },
      "external",
    ],
    ["the host's word on another tool", spec({ tools: { T: { effect: "pure" } } }), undefined, "external"],
  ])("%s", (...[, server, annotations, effect]) => {
    expect(decideEffect(tool(annotations), server)).toBe(effect);
  });

  it("takes no member that every object has for the host's word", () => {
    const server = spec({ tools: { t: { effect: "pure" } } });
    for (const name of ["constructor", "toString", "__proto__"]) {
      expect(decideEffect({ ...tool(), name }, server)).toBe("external");
    }
  });
});
