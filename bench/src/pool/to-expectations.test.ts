import { expect, it } from "vitest";
import { toExpectations } from "./to-expectations.ts";

it("computes what conversations take from what one takes, with two digits that count", () => {
  const table = toExpectations({ sharedBytes: 20_000, ownBytes: 75_400, processBytes: 31e6, callMicros: 250 });
  const [head, , ...rows] = table.split("\n").map((line) => line.split(" | ").slice(1).join(" | "));
  expect([head, ...rows]).toEqual([
    "10 | 1,000 | 100,000 |",
    "0.2 MB | 20 MB | 2 GB |",
    "0.75 MB | 75 MB | 7.5 GB |",
    "310 MB | 31 GB | 3.1 TB |",
    "1 | 100 | 10,000 |",
    "0.0003 | 0.025 | 2.5 |",
    "1 | 1 | 5 |",
  ]);
});
