import { expect, it } from "vitest";
import { createEraCache } from "./era-cache.ts";

it("keeps a thousand verdicts, the newest ones", () => {
  const cache = createEraCache();
  for (let index = 0; index < 1001; index += 1) cache.set(`${index}`, { era: "legacy", foundAt: index });
  expect([cache.get("0"), cache.get("1")?.foundAt, cache.get("1000")?.foundAt]).toEqual([undefined, 1, 1000]);
  cache.delete("1");
  expect(cache.get("1")).toBeUndefined();
});
