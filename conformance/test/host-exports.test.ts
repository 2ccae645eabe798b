import { expect, it } from "vitest";
import * as contracts from "../src/contracts/index.ts";
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

it("exports these contracts", () => {
  expect(Object.keys(contracts).toSorted()).toEqual([
    "describeNamingContract",
    "describeProviderContract",
    "describeTransportContract",
  ]);
});

it("plays fewer scenarios at a lower level", () => {
  const counts = host.hostLevels.map((level) => host.checksUpTo(level).length);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(counts.at(-1)).toBe(host.hostChecks.length);
  expect(host.checksUpTo("survive").every(({ id }) => id.startsWith("survive/"))).toBe(true);
});
