import { isHostsideError, HostsideError } from "@hostside/core";
import { clock, quoteText } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";

/**
 * Leaves a server alone for as long as it asked for when it refused a call (HTTP 429 with
 * `Retry-After`).
 */
export class Cooldown {
  readonly #context: ServerContext;
  #until: number | undefined;

  constructor(context: ServerContext) {
    this.#context = context;
  }

  /** What a call is refused with now; `undefined` when it may go out. */
  refusal(toolName: string): HostsideError | undefined {
    if (this.#until === undefined) return undefined;
    const { serverId } = this.#context;
    const leftMs = Math.ceil(this.#until - clock.now());
    if (leftMs > 0) return tooEarly(leftMs, { serverId, toolName });
    this.#until = undefined;
    return undefined;
  }

  /** Takes note of what a call failed with. */
  note(error: unknown): void {
    // What was not sent was refused by somebody else, such as an authorization server that has too
    // many renewals to do.
    if (!isHostsideError(error) || error.code !== "rate_limited" || error.outcome === "not-sent") return;
    const { retryAfterMs = 0 } = error.details;
    if (retryAfterMs > 0) this.#until = Math.max(this.#until ?? 0, clock.now() + retryAfterMs);
  }
}

function tooEarly(
  retryAfterMs: number,
  { serverId, toolName }: { readonly serverId: string; readonly toolName: string },
): HostsideError {
  const what = `tools/call of ${quoteText(toolName)} on server ${JSON.stringify(serverId)} was not sent`;
  return new HostsideError(`${what}: the server asked to be left alone for another ${retryAfterMs} ms`, {
    code: "rate_limited",
    serverId,
    toolName,
    outcome: "not-sent",
    details: { operation: "tools/call", retryAfterMs },
  });
}
