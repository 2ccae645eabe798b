import { isHostsideError, type Cancel, type HostsideError } from "@hostside/core";
import { clock } from "@hostside/core/implement";
import { type ReadingContext, acceptUnsolicited } from "../events/message-parser.ts";
import { replyKindOf, type Cancellable, type HttpCall } from "../exchange/http-exchange.ts";
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

// A stream that lasted this long was a good one, even if nothing came on it.
const goodStreamMs = 60_000;

/**
 * Keeps the stream on which a server of the 2025 revisions sends what answers no request (a GET of
 * its URL) open until it is cancelled: whatever ends it, it is opened again, at growing intervals
 * of up to a minute; so is one whose answer does not begin within `openMs`. A server that refuses
 * the first GET has no such stream, which is its right; that is the end of it.
 */
export class NotificationStream implements Cancellable {
  /**
   * Resolves when it is not kept open any more: it was cancelled, or the server has none. Never
   * rejects.
   */
  readonly done: Promise<void>;
  readonly #init: NotificationStreamInit;
  readonly #position = new StreamPosition();
  #isCancelled = false;
  /** The step under way. */
  #step: Cancellable | undefined;
  /** The server has such a stream: it was open once. */
  #wasOpen = false;
  /** It is not open, though it should be. */
  #inGap = false;
  /** Something came on the latest stream. */
  #broughtSomething = false;

  constructor(init: NotificationStreamInit) {
    this.#init = init;
    this.done = this.#keepOpen();
  }

  cancel(reason: HostsideError): void {
    this.#isCancelled = true;
    this.#step?.cancel(reason);
  }

  async #keepOpen(): Promise<void> {
    for (let barren = 0; ;) {
      const openedAt = clock.now();
      this.#broughtSomething = false;
      const end = await this.#listenOnce();
      if (this.#isCancelled || end === "refused") return;
      barren = this.#broughtSomething || clock.now() - openedAt >= goodStreamMs ? 0 : barren + 1;
      const wait = startWait(reconnectDelayMs(barren, this.#position.retryMs));
      this.#step = wait;
      await wait.done.catch(() => undefined);
      if (this.#isCancelled) return;
    }
  }

  async #listenOnce(): Promise<"lost" | "refused"> {
    const { reading, open, openMs, onInterrupted, onLost } = this.#init;
    let cancelTimer: Cancel | undefined;
    try {
      const call = open(this.#position.lastEventId);
      this.#step = call;
      // A server that takes the request and says nothing, or goes on refusing it, would otherwise
      // be listened to in vain, for ever.
      cancelTimer = clock.schedule(openMs, () => call.cancel(noAnswerInTime(reading.endpoint, openMs)));
      const reply = await call.reply;
      if (replyKindOf(reply) !== "events") return this.#readRefusal(await readRemark(reply));
      cancelTimer();
      this.#wasOpen = true;
      if (this.#inGap) {
        this.#inGap = false;
        onInterrupted();
      }
      await this.#position.read(reply, {
        reading,
        onJson: (json) => {
          this.#broughtSomething = true;
          acceptUnsolicited(json, reading.sink);
        },
      });
      this.#lose("it ended");
    } catch (error) {
      if (!this.#wasOpen && isHostsideError(error) && isRefusedForGood(error)) {
        onLost(`the server has none: ${error.rawMessage}`);
        return "refused";
      }
      // Whatever it brought, it was made to be too much.
      if (isHostsideError(error, "message_too_large")) this.#broughtSomething = false;
      this.#lose(isHostsideError(error) ? error.rawMessage : String(error));
    } finally {
      cancelTimer?.();
    }
    return "lost";
  }

  #readRefusal(reply: CompleteReply): "lost" | "refused" {
    const { reading, session, onLost } = this.#init;
    const error = noStream(reading.endpoint, reply, session);
    // Once there was a stream, the server has one, whatever it or a gateway before it says now.
    if (this.#wasOpen || isPassing(reply.status)) {
      this.#position.retryMs = error.details.retryAfterMs ?? this.#position.retryMs;
      this.#lose(error.rawMessage);
      return "lost";
    }
    if (reply.status !== 405) onLost(`the server has none: ${error.rawMessage}`);
    return "refused";
  }

  #lose(how: string): void {
    if (this.#isCancelled || this.#inGap) return;
    this.#inGap = true;
    this.#init.onLost(how);
    if (this.#wasOpen) this.#init.onInterrupted();
  }
}

// By the server, and whoever has the credentials has no others.
function isRefusedForGood({ kind, details }: HostsideError): boolean {
  return kind === "auth" && details.httpStatus !== undefined;
}
