import { describe, expect, it } from "vitest";
import { admitDepth, isTooDeep, maxMessageDepth } from "./admission.ts";

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 1; level < levels; level += 1) value = { properties: value };
  return value;
}

describe("admitDepth()", () => {
  it("lets a message in up to the limit, and nothing deeper", () => {
    expect(admitDepth({ id: 1, result: nested(maxMessageDepth - 1) })).toBe(true);
    expect(admitDepth({ id: 1, result: nested(maxMessageDepth) })).toBe(false);
    expect(admitDepth({ method: "x", params: { tools: [nested(maxMessageDepth)] } })).toBe(false);
  });

  it("cuts the tools of a list where they are too deep, and nothing else of it", () => {
    const plain = { name: "plain", inputSchema: { type: "object" } };
    const message = {
      id: 1,
      result: { tools: [plain, { name: "deep", inputSchema: nested(600) }], nextCursor: "2" },
    };
    expect(admitDepth(message)).toBe(true);
    expect(isTooDeep(message)).toBe(false);
    expect(message.result.tools[0]).toEqual(plain);
    expect(message.result.tools[1]?.name).toBe("deep");
    expect(isTooDeep([[message.result.tools[1]?.inputSchema]])).toBe(false);
    expect(message.result.nextCursor).toBe("2");
  });

  it("does not cut a list for what is too deep beside its tools", () => {
    expect(admitDepth({ id: 1, result: { tools: [], _meta: nested(600) } })).toBe(false);
  });
});
