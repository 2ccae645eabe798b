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
