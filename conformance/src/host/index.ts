// For host authors who write their driver in TypeScript, or play the scenarios in a test suite of
// their own.
export { checkHost, type CheckHostOptions } from "./check-host.ts";
export { DriverFailure, type DriverLink } from "./driver-link.ts";
export {
  driverFeatures,
  driverProtocol,
  type DriverFeature,
  type DriverHello,
  type DriverServer,
  type DriverVerbs,
} from "./driver-protocol.ts";
export { checksUpTo, hostChecks } from "./host-checks.ts";
export { hostLevels, type HostLevel } from "./host-scenario.ts";
export { localDriver } from "./local-driver.ts";
export { serveDriver, type DriverHost, type ServeDriverOptions } from "./serve-driver.ts";
export { spawnDriver } from "./spawn-driver.ts";
