import { runInNewContext } from "node:vm";
import type { ServerSpec } from "@hostside/core";
import { fingerprintServers } from "@hostside/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const x: ServerSpec = {
  id: "x",
  type: "http",
  url: "https://example.com/x",
  headers: { a: "1", b: "2" },
};
const y: ServerSpec = { id: "y", type: "stdio", command: "node", args: ["a", "b"] };

describe("fingerprintServers()", () => {
  it("is the same in any order of servers and members, at any depth, and without what is undefined", () => {
    const same: ServerSpec = {
      title: undefined,
      headers: { b: "2", a: "1" },
      url: "https://example.com/x",
      type: "http",
      bearerToken: undefined,
      id: "x",
    };
    expect(fingerprintServers([y, same])).toBe(fingerprintServers([x, y]));
    expect(fingerprintServers([x, y])).toMatch(/^sha256-[0-9a-f]{64}$/);
  });

  it("leaves timeouts out, and nothing else", () => {
    const base = fingerprintServers([y]);
    expect(fingerprintServers([{ ...y, timeouts: { callMs: 1 } }])).toBe(base);
    const others: object[] = [
      { id: "z" },
      { type: "stdio", command: "node", args: ["b", "a"] },
      { limits: { maxTools: 1 } },
      { labels: { timeouts: "1" } },
      { allow: ["a"] },
      { tools: { a: { effect: "pure" } } },
      { disabled: true },
    ];
    const all = others.map((other) => fingerprintServers([{ ...y, ...other }]));
    expect(new Set([...all, base]).size).toBe(others.length + 1);
  });

  it("takes functions for what they are: the same, or others", () => {
    const open = (): unknown => undefined;
    const custom = (how: () => unknown): ServerSpec => ({ id: "c", type: "custom", open: how });
    expect(fingerprintServers([custom(open)])).toBe(fingerprintServers([custom(open)]));
    expect(fingerprintServers([custom(open)])).not.toBe(fingerprintServers([custom(() => undefined)]));
    const memory: ServerSpec = { id: "c", type: "memory", serve: open };
    expect(fingerprintServers([memory])).not.toBe(fingerprintServers([custom(open)]));
  });

  it("is the same for a set from another realm, as tests and plugins have them", () => {
    const foreign = runInNewContext(`(${JSON.stringify([x, y])})`) as readonly ServerSpec[];
    expect(fingerprintServers(foreign)).toBe(fingerprintServers([x, y]));
  });

  it("tells headers with the names of an object's own members apart", () => {
    const named = (json: string): ServerSpec => ({
      id: "x",
      type: "http",
      url: "https://example.com",
      headers: JSON.parse(json) as Record<string, string>,
    });
    expect(fingerprintServers([named('{"__proto__":"1"}')])).not.toBe(fingerprintServers([named("{}")]));
  });

  it("is the same for any order of any set", () => {
    const spec = fc.record({ id: fc.string(), labels: fc.dictionary(fc.string(), fc.string()) });
    fc.assert(
      fc.property(fc.uniqueArray(spec, { selector: ({ id }) => id, maxLength: 6 }), (specs) => {
        const set = specs.map((each) => ({ ...y, ...each }));
        expect(fingerprintServers(set.toReversed())).toBe(fingerprintServers(set));
      }),
      { numRuns: 50 },
    );
  });
});
