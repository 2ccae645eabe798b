import { clock } from "@hostside/core/implement";
import { isHostsideError, type HostsideError } from "@hostside/core";
import { type ReadingContext, acceptUnsolicited } from "../events/message-parser.ts";
import { replyKindOf, type Cancellable, type HttpCall, type HttpReply } from "../exchange/http-exchange.ts";
import { startWait } from "../../time/cancellable-wait.ts";
import { noAnswerInTime, noStream } from "../exchange/answer-error.ts";
import type { SessionUse } from "../exchange/from-http-status.ts";
import { isPassing, reconnectDelayMs, StreamPosition } from "./reconnect-back-off.ts";
import { readRemark, type CompleteReply } from "../exchange/read-body.ts";

/** The parts of a notification stream. */
export interface NotificationStreamInit {
  readonly reading: ReadingContext;
  readonly session: SessionUse;
  /** Asks for the stream, or for what comes after the event with this id. */
  readonly open: (lastEventId: string | undefined) => HttpCall;
  /** For the server to begin its answer, in milliseconds. */
  readonly openMs: number;
  /** Messages may have been missed: the stream broke off, or is back after a gap. */
  readonly onInterrupted: () => void;
  /** Told when the stream is lost, once per gap, and when the server turns out to have none. */
  readonly onLost: (how: string) => void;
}

/** A stream that is kept open. */
export interface NotificationStream extends Cancellable {
  /**
   * Resolves when it is not kept open any more: it was cancelled, or the server has none. Never
   * rejects.
   */
  readonly done: Promise<void>;
}

// A stream that lasted this long was a good one, even if nothing came on it.
const goodStreamMs = 60_000;

interface State extends NotificationStreamInit {
  isCancelled: boolean;
  /** The step under way. */
  step: Cancellable | undefined;
  /** The server has such a stream: it was open once. */
  wasOpen: boolean;
  /** It is not open, though it should be. */
  inGap: boolean;
  /** Something came on the latest stream. */
  broughtSomething: boolean;
  readonly position: StreamPosition;
}

/**
 * Keeps the stream on which a server of the 2025 revisions sends what answers no request (a GET of
 * its URL) open until it is cancelled: whatever ends it, it is opened again, at growing intervals
 * of up to a minute; so is one whose answer does not begin within `openMs`. A server that refuses
 * the first GET has no such stream, which is its right; that is the end of it.
 */
export function openNotificationStream(init: NotificationStreamInit): NotificationStream {
  const state: State = {
    ...init,
    isCancelled: false,
    step: undefined,
    wasOpen: false,
    inGap: false,
    broughtSomething: false,
    position: new StreamPosition(),
  };
  return {
    done: keepOpen(state),
    cancel(reason) {
      state.isCancelled = true;
      state.step?.cancel(reason);
    },
  };
}

async function keepOpen(state: State): Promise<void> {
  for (let barren = 0; ;) {
    const openedAt = clock.now();
    state.broughtSomething = false;
    const end = await listenOnce(state);
    if (state.isCancelled || end === "refused") return;
    barren = state.broughtSomething || clock.now() - openedAt >= goodStreamMs ? 0 : barren + 1;
    const wait = startWait(reconnectDelayMs({ barren, serverMs: state.position.retryMs }));
    state.step = wait;
    try {
      await wait.done;
    } catch {
      return; // It was cancelled.
    }
    // Also in the very moment in which the wait was over.
    if (state.isCancelled) return;
  }
}

async function listenOnce(state: State): Promise<"lost" | "refused"> {
  try {
    const reply = await openInTime(state);
    if (!isStream(reply)) return readRefusal(reply, state);
    state.wasOpen = true;
    if (state.inGap) {
      state.inGap = false;
      state.onInterrupted();
    }
    await state.position.read(reply, {
      reading: state.reading,
      onJson(json) {
        state.broughtSomething = true;
        acceptUnsolicited(json, state.reading.sink);
      },
    });
    lose(state, "it ended");
  } catch (error) {
    if (!state.wasOpen && isHostsideError(error) && isRefusedForGood(error)) {
      state.onLost(`the server has none: ${error.rawMessage}`);
      return "refused";
    }
    // Whatever it brought, it was made to be too much.
    if (isHostsideError(error) && error.code === "message_too_large") state.broughtSomething = false;
    lose(state, isHostsideError(error) ? error.rawMessage : String(error));
  }
  return "lost";
}

// A server that takes the request and says nothing, or goes on refusing it, would otherwise be
// listened to in vain, for ever.
async function openInTime(state: State): Promise<CompleteReply | HttpReply> {
  const { endpoint } = state.reading;
  const call = state.open(state.position.lastEventId);
  state.step = call;
  const { openMs } = state;
  const cancelTimer = clock.schedule(openMs, () => call.cancel(noAnswerInTime(endpoint, openMs)));
  try {
    const reply = await call.reply;
    return replyKindOf(reply) === "events" ? reply : await readRemark(reply);
  } finally {
    cancelTimer();
  }
}

function isStream(reply: CompleteReply | HttpReply): reply is HttpReply {
  return "read" in reply;
}

function readRefusal(reply: CompleteReply, state: State): "lost" | "refused" {
  const { status } = reply;
  const error = noStream(state.reading.endpoint, reply, state.session);
  // Once there was a stream, the server has one, whatever it or a gateway before it says now.
  if (state.wasOpen || isPassing(status)) {
    state.position.retryMs = error.details.retryAfterMs ?? state.position.retryMs;
    lose(state, error.rawMessage);
    return "lost";
  }
  if (status !== 405) state.onLost(`the server has none: ${error.rawMessage}`);
  return "refused";
}

// By the server, and whoever has the credentials has no others.
function isRefusedForGood({ kind, details }: HostsideError): boolean {
  return kind === "auth" && details.httpStatus !== undefined;
}

function lose(state: State, how: string): void {
  if (state.isCancelled || state.inGap) return;
  state.inGap = true;
  state.onLost(how);
  if (state.wasOpen) state.onInterrupted();
}
