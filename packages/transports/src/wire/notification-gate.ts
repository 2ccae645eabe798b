import type { Cancel } from "@toolport/core";
import type { ServerContext } from "../context/server-context.ts";

/** Lets a bounded number of notifications through per second. */
export interface NotificationGate {
  /** Whether this notification may be acted on. */
  admit(): boolean;
  /** To call with one that was not admitted and must not be lost: such ones are acted on once, at the end of the second. */
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
  const { fate = "the rest of that second is dropped", context, onDeferred } = init;
  const { clock, serverId, settings, onDiagnostic } = context;
  const perSecond = settings.limits.maxNotificationsPerSecond;
  let windowStart = clock.now();
  let admitted = 0;
  let isFlooded = false;
  let cancelDeferred: Cancel | undefined;
  return {
    admit() {
      const now = clock.now();
      if (now - windowStart >= windowMs) {
        windowStart = now;
        admitted = 0;
        isFlooded = false;
      }
      admitted += 1;
      if (admitted <= perSecond) return true;
      if (!isFlooded) {
        isFlooded = true;
        const message = `server ${JSON.stringify(serverId)} sent more than ${perSecond} notifications in a second; ${fate}`;
        onDiagnostic({ kind: "notification-flood", serverId, message });
      }
      return false;
    },
    defer() {
      cancelDeferred ??= clock.schedule(windowStart + windowMs - clock.now(), () => {
        cancelDeferred = undefined;
        onDeferred();
      });
    },
    close() {
      cancelDeferred?.();
    },
  };
}
