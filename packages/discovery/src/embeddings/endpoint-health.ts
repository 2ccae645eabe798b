import { isHostsideError, type Clock, type Diagnostic, type Random } from "@hostside/core";

/** When an endpoint may be asked again. */
export interface EndpointHealth {
  /** For how long nothing is to be sent, in milliseconds; 0: it may be. */
  restMs(): number;
  /** It failed. The first of several says so. */
  failed(error: unknown): void;
  /** It answered. */
  answered(): void;
}

/** What a health is made from. */
export interface HealthInit {
  readonly clock: Clock;
  readonly random: Random;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

const firstRestMs = 2000;
const longestRestMs = 300_000;
// What is wrong with a key or an address is not right a moment later.
const refusals: ReadonlySet<number> = new Set([401, 402, 403, 404, 405]);

/**
 * Doubles the rest with each failure, from 2 s to 5 minutes, and longer where the endpoint asks for
 * it.
 */
export function createEndpointHealth({ clock, random, onDiagnostic }: HealthInit): EndpointHealth {
  let failures = 0;
  let restsUntil = Number.NEGATIVE_INFINITY;
  return {
    restMs: () => Math.max(0, restsUntil - clock.now()),
    failed(error) {
      const asked = isHostsideError(error) ? (error.details.retryAfterMs ?? 0) : 0;
      const status = isHostsideError(error) ? error.details.httpStatus : undefined;
      const isRefused = status !== undefined && refusals.has(status);
      const rest = isRefused ? longestRestMs : Math.min(longestRestMs, firstRestMs * 2 ** Math.min(failures, 16));
      restsUntil = Math.max(restsUntil, clock.now() + Math.max(asked, rest * (0.5 + random() / 2)));
      failures += 1;
      if (failures > 1) return;
      const message = `the embedding model failed (${endpointErrorText(error)}); words alone decide until it answers`;
      onDiagnostic({ kind: "fallback", serverId: "", message });
    },
    answered() {
      failures = 0;
    },
  };
}

/** What went wrong, without the message of a foreign error, which may quote a key. */
export function endpointErrorText(error: unknown): string {
  if (isHostsideError(error)) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
