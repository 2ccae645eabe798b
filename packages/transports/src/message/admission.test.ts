import { describe, expect, it } from "vitest";
import { admitDepth, isTooDeep, maxMessageDepth } from "./admission.ts";

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 1; level < levels; level += 1) value = { properties: value };
  return value;
}

describe("admitDepth()", () => {
  it("lets a message in up to the limit, and nothing deeper", () => {
    const deepest = { id: 1, result: nested(maxMessageDepth - 1) };
    expect(admitDepth(deepest)).toBe(deepest);
    expect(admitDepth({ id: 1, result: nested(maxMessageDepth) })).toBeUndefined();
    expect(admitDepth({ method: "x", params: { tools: [nested(maxMessageDepth)] } })).toBeUndefined();
  });

  it.each(["tools", "prompts", "resources", "resourceTemplates"])("cuts %s where they are too deep", (list) => {
    const plain = { name: "plain", inputSchema: { type: "object" } };
    const given = [plain, { name: "deep", inputSchema: nested(600) }];
    const admitted = admitDepth({ id: 1, result: { [list]: given, nextCursor: "2" } });
    expect(admitted).toMatchObject({ id: 1, result: { [list]: [plain, { name: "deep" }], nextCursor: "2" } });
    expect(isTooDeep(admitted)).toBe(false);
  });

  it("does not cut a list for what is too deep beside its tools", () => {
    expect(admitDepth({ id: 1, result: { tools: [], _meta: nested(600) } })).toBeUndefined();
  });
});
