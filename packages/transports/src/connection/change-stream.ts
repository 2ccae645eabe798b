import type { Clock, Diagnostic, Random } from "@toolport/core";
import type { ListeningClient } from "../message/listening-client.ts";
import { fromSdkError } from "../sdk/from-sdk-error.ts";
import { pauseFor } from "../time/pause-for.ts";

/** What a {@linkcode ChangeStream} goes by. */
export interface ChangeStreamInit {
  readonly client: ListeningClient;
  readonly serverId: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly redact: (text: string) => string;
  /** For the server to acknowledge a stream, in milliseconds. */
  readonly openMs: number;
  /** Tools may have changed unheard: a stream was lost, or opened late. */
  readonly onGap: () => void;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** The stream on which a 2026-07-28 server says that its tools changed, opened again whenever it is lost. */
export interface ChangeStream {
  /** Resolves when the first stream is open, or when that is no longer waited for. Never rejects. */
  readonly ready: Promise<void>;
  /** Ends it for good. Idempotent. */
  close(): void;
}

// A listing that starts before the stream is open can miss a change. Most servers open it at once; the others are listed twice.
const longestWaitMs = 1000;
const shortestBackoffMs = 500;
const longestBackoffMs = 30_000;
const methodNotFound = -32_601;

/** Opens the stream. */
export function openChangeStream(init: ChangeStreamInit): ChangeStream {
  const closing = new AbortController();
  let onReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  const state: State = { ...init, signal: closing.signal, onReady, missedSome: false };
  const cancelWait = init.clock.schedule(longestWaitMs, () => {
    state.missedSome = true;
    onReady();
  });
  void keepListening(state).finally(() => {
    cancelWait();
    onReady();
  });
  void ready.then(cancelWait);
  return { ready, close: () => closing.abort() };
}

interface State extends ChangeStreamInit {
  readonly signal: AbortSignal;
  readonly onReady: () => void;
  /** Changes since the last listing may not have been told. */
  missedSome: boolean;
}

async function keepListening(state: State): Promise<void> {
  const { signal, clock } = state;
  for (let losses = 0; !signal.aborted; losses += 1) {
    const openedAt = clock.now();
    if (!(await listenOnce(state))) return;
    // A stream that lasted starts the backoff over; one that the server closes at once must not become a storm.
    if (clock.now() - openedAt > longestBackoffMs) losses = 0;
    const backoffMs = Math.min(longestBackoffMs, shortestBackoffMs * 2 ** losses);
    // Half of it is chance, so that many hosts do not come back to a restarted server at once.
    await pauseFor(backoffMs * (0.5 + state.random() / 2), state);
  }
}

// Resolves when there is no stream any more: `true` when it is worth opening again.
async function listenOnce(state: State): Promise<boolean> {
  const { client, serverId, signal, openMs, onGap, onDiagnostic, redact } = state;
  try {
    const { closed } = await client.listen({ toolsListChanged: true }, { timeout: openMs, signal });
    if (state.missedSome) onGap();
    state.missedSome = false;
    state.onReady();
    const end = await closed;
    if (end === "local" || signal.aborted) return false;
    loseStream(state, end === "graceful" ? "was closed by the server" : "broke off");
    return true;
  } catch (cause) {
    if (signal.aborted) return false;
    const error = fromSdkError(cause, { serverId, method: "subscriptions/listen", redact });
    if (error.details.rpcCode !== methodNotFound) {
      loseStream(state, `could not be opened: ${error.rawMessage}`);
      return true;
    }
    const message = `server ${JSON.stringify(serverId)} announces changes of its tools but offers no stream for them`;
    onDiagnostic({ kind: "stream-lost", serverId, message });
    return false;
  } finally {
    state.onReady();
  }
}

function loseStream(state: State, how: string): void {
  const { serverId, onGap, onDiagnostic } = state;
  const message = `the change stream of server ${JSON.stringify(serverId)} ${how}; it will be opened again`;
  // Told once per gap, however often opening fails within it; when the stream is back, there is a second listing to be had.
  if (!state.missedSome) {
    onDiagnostic({ kind: "stream-lost", serverId, message });
    onGap();
  }
  state.missedSome = true;
}
