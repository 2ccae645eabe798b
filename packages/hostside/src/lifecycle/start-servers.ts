import { HostsideError, type ServerSpec } from "@hostside/core";
import { formatMs } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";
import { keepToBound, type Bound } from "./keep-to-bound.ts";

/** How long servers are waited for. */
export interface StartBounds extends Bound {
  /** In all, from `openedAt` on. */
  readonly timeoutMs: number;
  /** By the clock. */
  readonly openedAt: number;
}

/**
 * Starts all servers, and waits for those that are on time. Rejects as `init()` does for a required one that fails, and with `connect_timeout` for one that
 * is late. With a time of 0 nobody is waited for, and no failure is more than a status.
 */
export async function startServers(
  provider: McpProvider,
  specs: readonly ServerSpec[],
  bounds: StartBounds,
): Promise<void> {
  const { timeoutMs, openedAt, signal, clock } = bounds;
  if (timeoutMs <= 0) {
    provider.init({ timeoutMs: 1 }).catch(() => undefined);
    return;
  }
  const required = specs.filter((spec) => spec.required === true && spec.disabled !== true).map(({ id }) => id);
  const leftMs = Math.max(1, timeoutMs - (clock.now() - openedAt));
  const started = provider.init({ timeoutMs: leftMs, signal });
  if (required.length === 0) return started;
  const late = (): HostsideError => lateError(missingOf(provider, required), timeoutMs);
  await keepToBound(started, { signal, clock, timeoutMs: leftMs }, late);
}

function missingOf(provider: McpProvider, required: readonly string[]): readonly string[] {
  const missing = provider.statuses().filter(({ id, state }) => required.includes(id) && state !== "ready");
  return missing.map(({ id, state, error }) => `${JSON.stringify(id)} (${error?.message ?? state})`);
}

function lateError(missing: readonly string[], timeoutMs: number): HostsideError {
  const who = `required servers did not come up within ${formatMs(timeoutMs)} (timeoutMs of createHost())`;
  return new HostsideError(`${who}: ${missing.join("; ")}`, {
    code: "connect_timeout",
    details: { operation: "createHost", timeoutMs },
  });
}
