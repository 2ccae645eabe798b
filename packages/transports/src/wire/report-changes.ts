import type { Cancel, JsonObject } from "@hostside/core";
import { clock, isJsonObject } from "@hostside/core/implement";
import type { SafeHooks } from "../context/safe-hooks.ts";
import type { ServerContext } from "../context/server-context.ts";

/** The hook for each list that a server can say that it changed. */
const listHooks = {
  "notifications/tools/list_changed": "onToolsChanged",
  "notifications/resources/list_changed": "onResourcesChanged",
  "notifications/prompts/list_changed": "onPromptsChanged",
} as const;
type ListHook = (typeof listHooks)[keyof typeof listHooks];

/** The longest URI of a resource, in UTF-16 units, that is taken from a host or a server. */
export const longestUri = 8192;

// Of one second.
const mostLateUpdates = 100;

/** Reads the notifications that no request waits for, and reports the changes among them. */
export class ChangeReporter {
  /**
   * Lets a bounded number through; anything else that must not come in a flood may ask it as well.
   */
  readonly gate: NotificationGate;
  readonly #hooks: SafeHooks;
  readonly #lateLists = new Set<ListHook>();
  readonly #lateUpdates = new Set<string>();
  #lists: readonly ListHook[] = ["onToolsChanged"];
  #subscribed: (() => readonly string[]) | undefined;
  #isClosed = false;

  constructor(context: ServerContext, hooks: SafeHooks) {
    this.gate = new NotificationGate({ context, onDeferred: () => this.#flush() });
    this.#hooks = hooks;
  }

  /**
   * Learns what the server has, by its capabilities, and which of its resources are subscribed to.
   * Called once, when that is known.
   */
  begin(capabilities: JsonObject, subscribed: () => readonly string[]): void {
    this.#subscribed = subscribed;
    if (isJsonObject(capabilities["resources"])) this.#lists = [...this.#lists, "onResourcesChanged"];
    if (isJsonObject(capabilities["prompts"])) this.#lists = [...this.#lists, "onPromptsChanged"];
  }

  /**
   * Takes a notification. In a flood, a change is reported once at the end of the second, and the
   * rest is dropped. `false`: it was dropped.
   */
  receive(method: string, params: unknown): boolean {
    const isAdmitted = this.gate.admit();
    if (this.#isClosed) return false;
    const list = Object.hasOwn(listHooks, method) ? listHooks[method as keyof typeof listHooks] : undefined;
    const uri = method === "notifications/resources/updated" ? uriOf(params) : undefined;
    if (!isAdmitted) {
      if (list !== undefined) this.#lateLists.add(list);
      if (uri !== undefined && this.#lateUpdates.size <= mostLateUpdates) this.#lateUpdates.add(uri);
      if (list !== undefined || uri !== undefined) this.gate.defer();
      return false;
    }
    if (list !== undefined) this.#hooks.run(list);
    if (uri !== undefined) this.#reportUpdates([uri]);
    this.#hooks.run("onNotification", { method, ...(isJsonObject(params) && { params }) });
    return true;
  }

  /** Changes of every kind may have gone unheard. */
  reportMissed(): void {
    for (const list of this.#lists) this.#hooks.run(list);
    this.#reportUpdates(this.#subscribed?.() ?? []);
  }

  /** Reports nothing more. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.gate.close();
  }

  #reportUpdates(uris: readonly string[]): void {
    if ((this.#subscribed?.() ?? []).length === 0) return;
    for (const uri of uris) this.#hooks.run("onResourceUpdated", uri);
  }

  #flush(): void {
    const [lists, uris] = [Array.from(this.#lateLists.values()), Array.from(this.#lateUpdates.values())];
    this.#lateLists.clear();
    this.#lateUpdates.clear();
    for (const list of lists) this.#hooks.run(list);
    this.#reportUpdates(uris.length > mostLateUpdates ? (this.#subscribed?.() ?? []) : uris);
  }
}

function uriOf(params: unknown): string | undefined {
  const uri = isJsonObject(params) ? params["uri"] : undefined;
  return typeof uri === "string" && uri !== "" && uri.length <= longestUri ? uri : undefined;
}

/** The parts of {@linkcode NotificationGate}. */
interface NotificationGateInit {
  /** The fate of those that are too many, for the diagnostic. Default: they are dropped. */
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

  /** True if this notification may be acted on. */
  admit(): boolean {
    const { settings, serverId, onDiagnostic } = this.#init.context;
    const now = clock.now();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#admitted = 0;
      this.#isFlooded = false;
    }
    this.#admitted += 1;
    const most = settings.limits.maxNotificationsPerSecond;
    if (this.#admitted <= most) return true;
    if (!this.#isFlooded) {
      this.#isFlooded = true;
      const { fate = "the rest of that second is dropped" } = this.#init;
      const message = `server ${JSON.stringify(serverId)} sent more than ${most} notifications in a second; ${fate}`;
      onDiagnostic({ kind: "notification-flood", serverId, message });
    }
    return false;
  }

  /**
   * Acts on a notification that was not admitted and must not be lost: once for all of them, at the
   * end of the second.
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
