import type { ServerSpec } from "@hostside/core";
import { afterEach, expect, it, vi } from "vitest";
import { EraCache } from "./next-attempt.ts";

afterEach(() => vi.useRealTimers());

const http: ServerSpec = { id: "a", type: "http", url: "https://x.test/mcp", bearerToken: "s3cret-token" };

it("knows a server by how it is reached, in any order, whatever else the spec says", () => {
  const cache = new EraCache();
  cache.remember(http, { era: "legacy" });
  const same = { id: "b", title: "B", bearerToken: "s3cret-token", url: "https://x.test/mcp", type: "http" } as const;
  expect(cache.recall(same)).toMatchObject({ era: "legacy" });
  const others: ServerSpec[] = [
    { ...http, url: "https://x.test/other" },
    { ...http, bearerToken: "another-token" },
    { id: "a", type: "http", url: "https://x.test/mcp" },
    { id: "a", type: "stdio", command: "x" },
  ];
  for (const other of others) expect(cache.recall(other)).toBeUndefined();
});

it("trusts nothing for longer than a day, and forgets what is wrong", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const cache = new EraCache();
  cache.remember(http, { era: "modern" });
  vi.advanceTimersByTime(24 * 3_600_000);
  expect(cache.recall(http)).toMatchObject({ era: "modern" });
  vi.advanceTimersByTime(1);
  expect(cache.recall(http)).toBeUndefined();
  cache.remember(http, { era: "modern" });
  cache.forget(http);
  expect(cache.recall(http)).toBeUndefined();
});

it("remembers nothing of a spec that names its era, or is a function", () => {
  const cache = new EraCache();
  const specs: ServerSpec[] = [
    { ...http, era: "legacy" },
    { id: "a", type: "memory", serve: () => undefined },
    { id: "a", type: "custom", open: () => undefined },
  ];
  for (const spec of specs) cache.remember(spec, { era: "legacy" });
  for (const spec of specs) expect(cache.recall(spec)).toBeUndefined();
});

it("keeps a thousand verdicts, the newest ones", () => {
  const cache = new EraCache();
  const spec = (index: number): ServerSpec => ({ id: "a", type: "stdio", command: `x${index}` });
  for (let index = 0; index < 1001; index += 1) cache.remember(spec(index), { era: "legacy" });
  expect([0, 1, 1000].map((index) => cache.recall(spec(index))?.era)).toEqual([undefined, "legacy", "legacy"]);
});
