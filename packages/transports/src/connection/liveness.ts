import { isHostsideError, HostsideError } from "@hostside/core";
import type { ServerContext } from "../context/server-context.ts";
import type { RequestChannel } from "../message/outgoing-request.ts";

/** The parts of {@linkcode Liveness}. */
export interface LivenessInit {
  readonly context: ServerContext;
  readonly channel: RequestChannel;
  /** 2026-07-28 has no `ping`; there, what every server answers is `server/discover`. */
  readonly isModern: boolean;
  /** The server answers nothing any more. Called at most once. */
  readonly onDead: (error: HostsideError) => void;
}

const mostTimeouts = 3;
const longestPingMs = 10_000;

/**
 * After three calls in a row that timed out, asks the server whether it is there at all: a process
 * that was stopped, or is stuck, would let every later call time out as well, though its connection
 * looks as good as ever. Any answer will do, also a refusal.
 */
export class Liveness {
  readonly #init: LivenessInit;
  #timeouts = 0;
  #isAsking = false;

  constructor(init: LivenessInit) {
    this.#init = init;
  }

  /** A call was answered, with whatever. */
  answered(): void {
    this.#timeouts = 0;
  }

  /** A call failed. */
  failed(error: unknown): void {
    if (!isHostsideError(error)) return;
    if (error.outcome === "failed") this.#timeouts = 0;
    if (error.code !== "call_timeout") return;
    this.#timeouts += 1;
    if (this.#timeouts >= mostTimeouts && !this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    const { context, channel, isModern, onDead } = this.#init;
    const { serverId, settings } = context;
    const timeoutMs = Math.min(settings.timeouts.requestMs, longestPingMs);
    this.#isAsking = true;
    const method = isModern ? "server/discover" : "ping";
    try {
      await channel.request({ method, params: {}, timeoutMs, timeoutCode: "request_timeout" });
    } catch (error) {
      // What was answered in the meantime counts; any other failure is an answer, or told by
      // itself.
      const isSilent = isHostsideError(error, "request_timeout") && this.#timeouts >= mostTimeouts;
      if (isSilent) onDead(deadError(serverId, timeoutMs));
    }
    this.#isAsking = false;
    this.#timeouts = 0;
  }
}

function deadError(serverId: string, timeoutMs: number): HostsideError {
  return new HostsideError(
    `server ${JSON.stringify(serverId)} answered none of ${mostTimeouts} calls in a row, and no ping within ${timeoutMs} ms; its session was ended`,
    { code: "connection_closed", serverId },
  );
}
