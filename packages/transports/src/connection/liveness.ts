import { isToolportError, ToolportError } from "@toolport/core";
import type { ServerContext } from "../context/server-context.ts";
import type { RequestChannel } from "../message/request-channel.ts";

/** Watches whether a server still answers. */
export interface Liveness {
  /** A call was answered, with whatever. */
  answered(): void;
  /** A call failed. */
  failed(error: unknown): void;
}

/** What a {@linkcode Liveness} is made from. */
export interface LivenessInit {
  readonly context: ServerContext;
  readonly channel: RequestChannel;
  /** 2026-07-28 has no `ping`; there, what every server answers is `server/discover`. */
  readonly isModern: boolean;
  /** The server answers nothing any more. Called at most once. */
  readonly onDead: (error: ToolportError) => void;
}

const mostTimeouts = 3;
const longestPingMs = 10_000;

/**
 * After three calls in a row that timed out, asks the server whether it is there at all: a process that was stopped, or is stuck, would let every
 * later call time out as well, though its connection looks as good as ever. Any answer will do, also a refusal.
 */
export function createLiveness({ context, channel, isModern, onDead }: LivenessInit): Liveness {
  const { serverId, settings } = context;
  const timeoutMs = Math.min(settings.timeouts.requestMs, longestPingMs);
  let timeouts = 0;
  let isAsking = false;

  const ask = async (): Promise<void> => {
    isAsking = true;
    const method = isModern ? "server/discover" : "ping";
    try {
      await channel.request({ method, params: {}, timeoutMs, timeoutCode: "request_timeout" });
    } catch (error) {
      // What was answered in the meantime counts; any other failure is an answer, or told by itself.
      if (isToolportError(error, "request_timeout") && timeouts >= mostTimeouts) onDead(deadError(serverId, timeoutMs));
    }
    isAsking = false;
    timeouts = 0;
  };
  return {
    answered() {
      timeouts = 0;
    },
    failed(error) {
      if (!isToolportError(error)) return;
      if (error.outcome === "failed") timeouts = 0;
      if (error.code !== "call_timeout") return;
      timeouts += 1;
      if (timeouts >= mostTimeouts && !isAsking) void ask();
    },
  };
}

function deadError(serverId: string, timeoutMs: number): ToolportError {
  return new ToolportError(
    `server ${JSON.stringify(serverId)} answered none of ${mostTimeouts} calls in a row, and no ping within ${timeoutMs} ms; its session was ended`,
    { code: "connection_closed", serverId },
  );
}
