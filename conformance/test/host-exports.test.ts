import { expect, it } from "vitest";
import * as host from "../src/host/index.ts";

it("exports these values for host authors, and no others", () => {
  expect(Object.keys(host).toSorted()).toEqual([
    "DriverFailure",
    "checkHost",
    "checksUpTo",
    "driverFeatures",
    "driverProtocol",
    "hostChecks",
    "hostLevels",
    "localDriver",
    "serveDriver",
    "spawnDriver",
  ]);
});

it("plays fewer scenarios at a lower level", () => {
  const counts = host.hostLevels.map((level) => host.checksUpTo(level).length);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(counts.at(-1)).toBe(host.hostChecks.length);
  expect(host.checksUpTo("survive").every(({ id }) => id.startsWith("survive/"))).toBe(true);
});
