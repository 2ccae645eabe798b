import type { Cancel, ServerNotification } from "@hostside/core";
import { clock, isJsonObject } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";

/** What a server can say that it changed as a whole. */
export type ServerListName = "tools" | "resources" | "prompts";

/** How changes are reported upwards. */
export interface ChangeEvents {
  onListChanged(kind: ServerListName): void;
  /** `undefined`: too many to remember which; any of them. */
  onResourceUpdated(uri: string | undefined): void;
  /** Called after the others. */
  onNotification(notification: ServerNotification): void;
  /** Changes of every kind may have gone unheard. */
  onMissed(): void;
}

/** The longest URI of a resource, in UTF-16 units, that is taken from a host or a server. */
export const longestUri = 8192;

// Of one second.
const mostLateUpdates = 100;

const lists: ReadonlyMap<string, ServerListName> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/resources/list_changed", "resources"],
  ["notifications/prompts/list_changed", "prompts"],
]);

/** Reads the notifications that nobody waits for, and reports the changes among them. */
export class ChangeReporter {
  /**
   * Lets a bounded number through; anything else that must not come in a flood may ask it as well.
   */
  readonly gate: NotificationGate;
  readonly #events: ChangeEvents;
  readonly #lateLists = new Set<ServerListName>();
  readonly #lateUpdates = new Set<string>();
  #isClosed = false;

  constructor(context: ServerContext, events: ChangeEvents) {
    this.gate = new NotificationGate({ context, onDeferred: () => this.#flush() });
    this.#events = events;
  }

  /**
   * Takes one. Of a flood, a change is reported once at the end of the second, and the rest is
   * dropped. `false`: it was dropped.
   */
  receive(method: string, params: unknown): boolean {
    const isAdmitted = this.gate.admit();
    if (this.#isClosed) return false;
    const kind = lists.get(method);
    const uri = method === "notifications/resources/updated" ? uriOf(params) : undefined;
    if (!isAdmitted) {
      if (kind !== undefined) this.#lateLists.add(kind);
      if (uri !== undefined && this.#lateUpdates.size <= mostLateUpdates) this.#lateUpdates.add(uri);
      if (kind !== undefined || uri !== undefined) this.gate.defer();
      return false;
    }
    if (kind !== undefined) this.#events.onListChanged(kind);
    if (uri !== undefined) this.#events.onResourceUpdated(uri);
    this.#events.onNotification({ method, ...(isJsonObject(params) && { params }) });
    return true;
  }

  /** Reports nothing more. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.gate.close();
  }

  #flush(): void {
    const [kinds, uris] = [Array.from(this.#lateLists.values()), Array.from(this.#lateUpdates.values())];
    this.#lateLists.clear();
    this.#lateUpdates.clear();
    for (const kind of kinds) this.#events.onListChanged(kind);
    for (const uri of uris.length > mostLateUpdates ? [undefined] : uris) this.#events.onResourceUpdated(uri);
  }
}

function uriOf(params: unknown): string | undefined {
  const uri = isJsonObject(params) ? params["uri"] : undefined;
  return typeof uri === "string" && uri !== "" && uri.length <= longestUri ? uri : undefined;
}

/** What a {@linkcode NotificationGate} is made from. */
interface NotificationGateInit {
  /** What becomes of those that are too many, for the diagnostic. Default: they are dropped. */
  readonly fate?: string;
  readonly context: ServerContext;
  /** Acts on what was deferred, however much it was. */
  readonly onDeferred: () => void;
}

const windowMs = 1000;

/** Lets a bounded number of notifications through per second. */
export class NotificationGate {
  readonly #init: NotificationGateInit;
  #windowStart: number;
  #admitted = 0;
  #isFlooded = false;
  #cancelDeferred: Cancel | undefined;

  constructor(init: NotificationGateInit) {
    this.#init = init;
    this.#windowStart = clock.now();
  }

  /** Whether this notification may be acted on. */
  admit(): boolean {
    const { settings } = this.#init.context;
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

  /**
   * To call with one that was not admitted and must not be lost: such ones are acted on once, at
   * the end of the second.
   */
  defer(): void {
    const { onDeferred } = this.#init;
    this.#cancelDeferred ??= clock.schedule(this.#windowStart + windowMs - clock.now(), () => {
      this.#cancelDeferred = undefined;
      onDeferred();
    });
  }

  /** Drops what is deferred. Idempotent. */
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
