import { brokenBetween } from "./broken-between.ts";
import { brokenCalls } from "./broken-calls.ts";
import type { BrokenHost } from "./broken-host.ts";
import { brokenResults } from "./broken-results.ts";
import { brokenTools } from "./broken-tools.ts";
import { brokenTrust } from "./broken-trust.ts";

/** Every host that is broken on purpose. */
export const brokenHosts: readonly BrokenHost[] = [
  ...brokenCalls,
  ...brokenResults,
  ...brokenTools,
  ...brokenTrust,
  ...brokenBetween,
];
