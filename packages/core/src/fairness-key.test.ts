import { expect, it } from "vitest";
import { fairnessKeyOf, type CallContext } from "./call-context.ts";

it("is one for each conversation of each principal, one for each principal without, and none for who names neither", () => {
  const named: readonly CallContext[] = [
    { conversation: "c", principal: "p" },
    { conversation: "c", principal: "q" },
    { conversation: "c" },
    { conversation: "p" },
    { principal: "p" },
    { principal: '["p","c"]' },
    { principal: "p,c" },
  ];
  expect(new Set(named.map(fairnessKeyOf)).size).toBe(named.length);
  expect(fairnessKeyOf({ conversation: "c", principal: "p", role: "r" })).toBe(
    fairnessKeyOf({ conversation: "c", principal: "p" }),
  );
  expect([{ role: "r" }, undefined].map(fairnessKeyOf)).toEqual([undefined, undefined]);
});
