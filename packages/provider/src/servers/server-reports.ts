import type {
  CallRecord,
  Diagnostic,
  ElicitationRequest,
  ElicitationResult,
  JsonObject,
  ServerLog,
  ServerNotification,
  ServerOperation,
  ServerRecord,
  ServerSpec,
  ToolListing,
} from "@hostside/core";
import {
  askForMeta,
  contextOnBehalfOf,
  createEvent,
  fairnessKeyOf,
  tell,
  type ConnectionHooks,
  type EventSource,
} from "@hostside/core/implement";
import type { ServerResourceUpdate, ServerStatus } from "../api/mcp-provider.ts";
import type { ProviderSettings } from "../api/provider-options.ts";
import type { LiveCatalog } from "../catalog/live-catalog.ts";
import type { HeldListing, LinkHooks } from "../link/link.ts";
import type { AnnounceOperation, OperationObserver } from "../link/operation.ts";
import type { Session } from "../link/sessions.ts";
import { heldListing } from "../saved/read-saved-catalog.ts";
import type { Registration } from "./registration.ts";

/** The parts of the reports of one server. */
export interface ServerReportsInit {
  /** The registration; asked with the first report. */
  readonly registration: () => Registration;
  readonly onListing: (listing: ToolListing, session: Session) => void;
  readonly onState: () => void;
  readonly parts: ProviderParts;
}

/** The receiver of a link's reports: its registration, and those who watch the provider. */
export class ServerReports implements LinkHooks {
  readonly #init: ServerReportsInit;

  constructor(init: ServerReportsInit) {
    this.#init = init;
  }

  get #registration(): Registration {
    return this.#init.registration();
  }

  get #observers(): Observers {
    return this.#init.parts.observers;
  }

  mayRetry(): boolean {
    return !this.#registration.provisional;
  }

  // What was saved does not count: a part of what the server has now is worth more.
  hasWholeListing(): boolean {
    const { listing } = this.#registration;
    return listing !== undefined && listing.truncated === undefined;
  }

  known(): HeldListing | undefined {
    return heldListing(this.#registration.saved);
  }

  publish(listing: ToolListing, session: Session): void {
    this.#init.onListing(listing, session);
  }

  onState(): void {
    this.#init.onState();
  }

  announcer(): AnnounceOperation | undefined {
    const { serverOperation } = this.#observers;
    return serverOperation.hasListeners ? (operation) => announceOperation(serverOperation, operation) : undefined;
  }

  onRecord(record: ServerRecord): void {
    this.#observers.serverRecord.emit(record);
  }

  onDefect(): void {
    const message = "a step of the server's life failed";
    this.#observers.diagnose({ kind: "defect", serverId: this.#registration.id, message });
  }

  news({ id: serverId, elicitation }: ServerSpec, isInUse: () => boolean): Partial<ConnectionHooks> {
    const observers = this.#observers;
    const { principal, onElicit } = this.#init.parts.settings;
    return {
      onResourcesChanged() {
        if (isInUse()) observers.resourcesChanged.emit({ serverId });
      },
      onPromptsChanged() {
        if (isInUse()) observers.promptsChanged.emit({ serverId });
      },
      onResourceUpdated(uri) {
        if (isInUse()) observers.resourceUpdated.emit({ serverId, uri });
      },
      onNotification(notification) {
        if (isInUse()) observers.notification.emit({ ...notification, serverId });
      },
      onDiagnostic: (diagnostic) => observers.diagnose(diagnostic),
      onLog: (log) => observers.serverLog.emit({ serverId, ...log }),
      isInteractive: () => this.#registration.usersWaiting > 0,
      ...(principal !== undefined && { principal }),
      ...(onElicit !== undefined &&
        elicitation !== false && { onElicit: (request, signal) => this.#askInPause(onElicit, request, signal) }),
    };
  }

  async #askInPause(
    onElicit: NonNullable<ProviderSettings["onElicit"]>,
    given: ElicitationRequest,
    signal: AbortSignal,
  ): Promise<ElicitationResult> {
    const { principal } = this.#init.parts.settings;
    const request =
      principal === undefined ? given : { ...given, context: contextOnBehalfOf(principal, given.context) };
    // A human's time is nobody's fault: what waits for this server waits without a clock until the
    // answer is there.
    const resume = this.#registration.queue.pausable.pause(fairnessKeyOf(request.context));
    // Nor is it anybody's when the question is over and the product's handler goes on all the same.
    signal.addEventListener("abort", resume, { once: true });
    try {
      return await onElicit(request, signal);
    } finally {
      signal.removeEventListener("abort", resume);
      resume();
    }
  }
}

/**
 * Tells those who listen that something begins, and joins those who want to hear more of it. Makes
 * nothing where nobody listens.
 */
function announceOperation(
  event: EventSource<ServerOperation>,
  operation: Omit<ServerOperation, "observe">,
): OperationObserver | undefined {
  if (!event.hasListeners) return undefined;
  const observers: OperationObserver[] = [];
  let isOver = false;
  event.emit({
    ...operation,
    observe(observer) {
      if (typeof observer !== "object" || observer === null) throw new TypeError("what observes must be an object");
      if (!isOver) observers.push(observer);
    },
  });
  isOver = true;
  if (observers.length < 2) return observers[0];
  return {
    meta: () => observers.reduceRight<JsonObject>((joined, each) => ({ ...joined, ...askForMeta(each) }), {}),
    onRecord(record) {
      for (const { onRecord } of observers) tell(onRecord, record);
    },
  };
}

/** Which server something is news of. */
export interface ServerNews {
  readonly serverId: string;
}

/** The events of a provider's servers. */
export class Observers {
  readonly status: EventSource<ServerStatus> = createEvent();
  readonly callEnded: EventSource<CallRecord> = createEvent();
  readonly serverOperation: EventSource<ServerOperation> = createEvent();
  readonly serverRecord: EventSource<ServerRecord> = createEvent();
  readonly serverLog: EventSource<ServerLog & ServerNews> = createEvent();
  readonly resourcesChanged: EventSource<ServerNews> = createEvent();
  readonly promptsChanged: EventSource<ServerNews> = createEvent();
  readonly resourceUpdated: EventSource<ServerResourceUpdate> = createEvent();
  readonly notification: EventSource<ServerNotification & ServerNews> = createEvent();
  readonly diagnostics: EventSource<Diagnostic> = createEvent();
  #early: Diagnostic[] | undefined = [];

  diagnose(diagnostic: Diagnostic): void {
    if (this.#early === undefined) this.diagnostics.emit(diagnostic);
    else this.#early.push(diagnostic);
  }

  /**
   * The provider is made. Diagnostics from before come in a later turn, when whoever made it can
   * listen.
   */
  begin(): void {
    const held = this.#early ?? [];
    this.#early = undefined;
    if (held.length === 0) return;
    queueMicrotask(() => {
      for (const diagnostic of held) this.diagnostics.emit(diagnostic);
    });
  }

  /**
   * Ends every subscription but that of diagnostics: what the end of a server leaves behind is
   * told.
   */
  close(): void {
    const { status, callEnded, serverOperation, serverRecord, serverLog } = this;
    for (const event of [status, callEnded, serverOperation, serverRecord, serverLog]) event.close();
    const { resourcesChanged, promptsChanged, resourceUpdated, notification } = this;
    for (const event of [resourcesChanged, promptsChanged, resourceUpdated, notification]) event.close();
  }
}

/** The parts that all parts of one provider share. */
export interface ProviderParts {
  readonly settings: ProviderSettings;
  readonly catalog: LiveCatalog;
  readonly observers: Observers;
  /** Stands for the provider, and holds nothing of it. */
  readonly identity: object;
}
