// For the hosts beside it: opens the server that is this Node program, as the connector would.
import { defaultLimits, defaultTimeouts } from "@hostside/core";
import { openStdio } from "../../dist/stdio/open-stdio.js";

/**
 * @param {string} program
 * @param {{ timeouts?: Partial<import("@hostside/core").ServerTimeouts>, effects?: object }} [how]
 */
export function openServer(program, { timeouts = {}, effects = {} } = {}) {
  /** @param {string} text */
  const redact = (text) => text;
  return openStdio(
    { id: "child", type: "stdio", command: process.execPath, args: [program] },
    {
      serverId: "child",
      settings: { limits: defaultLimits, timeouts: { ...defaultTimeouts, ...timeouts } },
      random: Math.random,
      redact,
      secrets: { redact, learn: () => {} },
      signal: new AbortController().signal,
      onDiagnostic: () => {},
      onLog: () => {},
      onStarted: () => {},
      isInteractive: () => false,
      effects,
    },
  );
}
