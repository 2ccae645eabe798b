import { expect, it } from "vitest";
import { sameDefinition, type ToolDefinition } from "./tool.ts";

const definition: ToolDefinition = {
  name: "t",
  description: "d",
  inputSchema: { type: "object", properties: { a: {}, b: {} } },
  effect: "pure",
};

it.each<[string, ToolDefinition, boolean]>([
  ["a copy", structuredClone(definition), true],
  [
    "another order of members",
    { effect: "pure", inputSchema: { properties: { b: {}, a: {} }, type: "object" }, description: "d", name: "t" },
    true,
  ],
  ["a member that is undefined", { ...definition, title: undefined } as never, true],
  ["another fingerprint", { ...definition, fingerprint: "sha256-0" }, true],
  ["another schema", { ...definition, inputSchema: { type: "object" } }, false],
  ["another effect", { ...definition, effect: "external" }, false],
  ["no effect", { ...definition, effect: undefined } as never, false],
])("sameDefinition(): %s", (_, other, same) => {
  expect(sameDefinition(definition, other)).toBe(same);
  expect(sameDefinition(other, definition)).toBe(same);
});

it("never reads a fingerprint that has to be made", () => {
  const lazy = Object.defineProperty({ ...definition }, "fingerprint", {
    get() {
      throw new Error("was read");
    },
  });
  expect(sameDefinition(lazy, { ...definition, fingerprint: "sha256-0" })).toBe(true);
  expect(sameDefinition({ ...definition }, lazy)).toBe(true);
});
