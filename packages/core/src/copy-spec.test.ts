import { describe, expect, it } from "vitest";
import { copySpec, reachOf } from "./server-spec.ts";
import type { ServerSpec } from "./server-spec.ts";

describe("copySpec()", () => {
  it("copies plain data whole and freezes it", () => {
    const spec: ServerSpec = {
      id: "a",
      deny: ["x"],
      timeouts: { callMs: 5 },
      type: "stdio",
      command: "c",
      args: ["1"],
      env: JSON.parse('{"__proto__":"v"}'),
    };
    const copy = copySpec(spec);
    expect(copy).toEqual(spec);
    for (const part of [copy, copy.deny, copy.timeouts, copy.command === undefined ? undefined : copy.env])
      expect(Object.isFrozen(part)).toBe(true);
    expect(copy.deny).not.toBe(spec.deny);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(spec));
  });

  it.each([
    [{ command: "x" }, { type: "stdio", command: "x" }],
    [{ url: "https://a.test" }, { type: "http", url: "https://a.test" }],
    [
      { type: "sse", url: "https://a.test" },
      { type: "http", url: "https://a.test", mode: "sse" },
    ],
    [
      { type: "streamable-http", url: "https://a.test" },
      { type: "http", url: "https://a.test", mode: "streamable" },
    ],
  ] as const)("writes %j in the one form of a spec", (entry, copy) => {
    expect(copySpec({ id: "a", ...entry })).toEqual({ id: "a", ...copy });
    expect(reachOf(entry)).toEqual(copy);
  });

  it("keeps functions and objects of a class as they are", () => {
    class Own {
      readonly name = "own";
    }
    const own = new Own();
    const open = (): undefined => undefined;
    const copy = copySpec({ id: "a", type: "custom", open: Object.assign(open, { own }) });
    expect(copy).toEqual({ id: "a", type: "custom", open });
    expect(Object.isFrozen(open)).toBe(false);
  });
});
