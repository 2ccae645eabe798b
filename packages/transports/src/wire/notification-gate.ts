import type { Cancel } from "@hostside/core";
import type { ServerContext } from "../context/server-context.ts";

/** Lets a bounded number of notifications through per second. */
export interface NotificationGate {
  /** Whether this notification may be acted on. */
  admit(): boolean;
  /**
   * To call with one that was not admitted and must not be lost: such ones are acted on once, at
   * the end of the second.
   */
  defer(): void;
  /** Drops what is deferred. Idempotent. */
  close(): void;
}

/** What a {@linkcode NotificationGate} is made from. */
export interface NotificationGateInit {
  /** What becomes of those that are too many, for the diagnostic. Default: they are dropped. */
  readonly fate?: string;
  readonly context: ServerContext;
  /** Acts on what was deferred, however much it was. */
  readonly onDeferred: () => void;
}

const windowMs = 1000;

/** Makes a gate. A flood is told once per second that has one, never once per notification. */
export function createNotificationGate(init: NotificationGateInit): NotificationGate {
  return new GateBySecond(init);
}

// A class, because each connection has two of them.
class GateBySecond implements NotificationGate {
  readonly #init: NotificationGateInit;
  #windowStart: number;
  #admitted = 0;
  #isFlooded = false;
  #cancelDeferred: Cancel | undefined;

  constructor(init: NotificationGateInit) {
    this.#init = init;
    this.#windowStart = init.context.clock.now();
  }

  admit(): boolean {
    const { clock, settings } = this.#init.context;
    const now = clock.now();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#admitted = 0;
      this.#isFlooded = false;
    }
    this.#admitted += 1;
    if (this.#admitted <= settings.limits.maxNotificationsPerSecond) return true;
    if (!this.#isFlooded) {
      this.#isFlooded = true;
      reportFlood(this.#init);
    }
    return false;
  }

  defer(): void {
    const { context, onDeferred } = this.#init;
    const { clock } = context;
    this.#cancelDeferred ??= clock.schedule(this.#windowStart + windowMs - clock.now(), () => {
      this.#cancelDeferred = undefined;
      onDeferred();
    });
  }

  close(): void {
    this.#cancelDeferred?.();
  }
}

function reportFlood({ fate = "the rest of that second is dropped", context }: NotificationGateInit): void {
  const { serverId, settings, onDiagnostic } = context;
  const most = settings.limits.maxNotificationsPerSecond;
  const message = `server ${JSON.stringify(serverId)} sent more than ${most} notifications in a second; ${fate}`;
  onDiagnostic({ kind: "notification-flood", serverId, message });
}
