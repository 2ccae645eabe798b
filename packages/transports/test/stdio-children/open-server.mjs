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
  const lasting = {
    serverId: "child",
    settings: { limits: defaultLimits, timeouts: { ...defaultTimeouts, ...timeouts } },
    redact,
    secrets: { redact, learn: () => {} },
    onDiagnostic: () => {},
    onLog: () => {},
    isInteractive: () => false,
  };
  return openStdio(
    { id: "child", type: "stdio", command: process.execPath, args: [program] },
    { ...lasting, lasting, signal: new AbortController().signal, onStarted: () => {}, effects },
  );
}
