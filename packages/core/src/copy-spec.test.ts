import { describe, expect, it } from "vitest";
import { copySpec } from "./copy-spec.ts";
import type { ServerSpec } from "./server-spec.ts";

describe("copySpec()", () => {
  it("copies plain data whole and freezes it", () => {
    const spec: ServerSpec = {
      id: "a",
      deny: ["x"],
      timeouts: { callMs: 5 },
      transport: { type: "stdio", command: "c", args: ["1"], env: JSON.parse('{"__proto__":"v"}') },
    };
    const copy = copySpec(spec);
    expect(copy).toEqual(spec);
    for (const part of [copy, copy.deny, copy.timeouts, copy.transport]) expect(Object.isFrozen(part)).toBe(true);
    expect(copy.deny).not.toBe(spec.deny);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(spec));
  });

  it("keeps functions and objects of a class as they are", () => {
    class Own {
      readonly type = "custom";
      open(): this {
        return this;
      }
    }
    const transport = new Own();
    const open = (): undefined => undefined;
    expect(copySpec({ id: "a", transport }).transport).toBe(transport);
    expect(copySpec({ id: "a", transport: { type: "custom", open } }).transport).toEqual({ type: "custom", open });
    expect(Object.isFrozen(transport)).toBe(false);
  });
});
