import type {
  Diagnostic,
  ElicitationRequest,
  ElicitationResult,
  ServerLog,
  ServerNotification,
  ServerRecord,
  ToolListing,
  JsonObject,
  ServerObserver,
  ServerOperation,
  CallRecord,
} from "@hostside/core";
import {
  fairnessKeyOf,
  contextOnBehalfOf,
  askForMeta,
  tell,
  createEvent,
  type EventSource,
} from "@hostside/core/implement";
import type { HeldListing, LinkHooks } from "../link/link.ts";
import type { AnnounceOperation } from "../link/operation.ts";
import type { Session } from "../link/sessions.ts";
import { heldListing } from "../saved/held-listing.ts";
import type { Registration } from "./registration.ts";
import type { ServerStatus } from "../api/server-status.ts";
import type { ServerResourceUpdate } from "../api/mcp-provider.ts";
import type { LiveCatalog } from "../catalog/live-catalog.ts";
import type { ProviderSettings } from "../api/provider-options.ts";

/** What the reports of one server are made from. */
export interface ServerReportsInit {
  /** Whose they are; asked with the first report. */
  readonly registration: () => Registration;
  readonly onListing: (listing: ToolListing, session: Session) => void;
  readonly onState: () => void;
  readonly parts: ProviderParts;
}

/** What a server's link reports to: its registration, and those who watch the provider. */
export class ServerReports implements LinkHooks {
  readonly principal: LinkHooks["principal"];
  readonly onElicit: LinkHooks["onElicit"];
  readonly #init: ServerReportsInit;

  constructor(init: ServerReportsInit) {
    const { principal, onElicit } = init.parts.settings;
    this.#init = init;
    this.principal = principal;
    this.onElicit =
      onElicit &&
      ((given, signal) => {
        const request =
          principal === undefined ? given : { ...given, context: contextOnBehalfOf(principal, given.context) };
        return this.#askInPause(onElicit, request, signal);
      });
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
    this.onDiagnostic({ kind: "defect", serverId: this.#registration.id, message });
  }

  onDiagnostic(diagnostic: Diagnostic): void {
    this.#observers.diagnostic.emit(diagnostic);
  }

  onLog(log: ServerLog): void {
    this.#observers.serverLog.emit({ serverId: this.#registration.id, ...log });
  }

  onResourcesChanged(): void {
    this.#observers.resourcesChanged.emit({ serverId: this.#registration.id });
  }

  onPromptsChanged(): void {
    this.#observers.promptsChanged.emit({ serverId: this.#registration.id });
  }

  onResourceUpdated(uri: string): void {
    this.#observers.resourceUpdated.emit({ serverId: this.#registration.id, uri });
  }

  onNotification(notification: ServerNotification): void {
    this.#observers.notification.emit({ ...notification, serverId: this.#registration.id });
  }

  isInteractive(): boolean {
    return this.#registration.usersWaiting > 0;
  }

  async #askInPause(
    onElicit: NonNullable<LinkHooks["onElicit"]>,
    request: ElicitationRequest,
    signal: AbortSignal,
  ): Promise<ElicitationResult> {
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
): ServerObserver | undefined {
  if (!event.hasListeners) return undefined;
  const observers: ServerObserver[] = [];
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

/** Those who watch a provider's servers. */
export interface Observers {
  readonly status: EventSource<ServerStatus>;
  readonly callEnded: EventSource<CallRecord>;
  readonly serverOperation: EventSource<ServerOperation>;
  readonly serverRecord: EventSource<ServerRecord>;
  readonly diagnostic: EventSource<Diagnostic>;
  readonly serverLog: EventSource<ServerLog & ServerNews>;
  readonly resourcesChanged: EventSource<ServerNews>;
  readonly promptsChanged: EventSource<ServerNews>;
  readonly resourceUpdated: EventSource<ServerResourceUpdate>;
  readonly notification: EventSource<ServerNotification & ServerNews>;
  /**
   * The provider is made. Diagnostics from before come in a later turn, when whoever made it can
   * listen.
   */
  begin(): void;
  /** Ends every subscription but that of diagnostics. */
  close(): void;
  /** Nobody is told anything any more, diagnostics included. */
  end(): void;
}

/** Makes the events of one provider. */
export function createObservers(): Observers {
  const diagnostic = createEvent<Diagnostic>();
  let early: Diagnostic[] | undefined = [];
  const events = {
    status: createEvent<ServerStatus>(),
    callEnded: createEvent<CallRecord>(),
    serverOperation: createEvent<ServerOperation>(),
    serverRecord: createEvent<ServerRecord>(),
    diagnostic: {
      ...diagnostic,
      get hasListeners() {
        // Of what is early it is not known yet.
        return early !== undefined || diagnostic.hasListeners;
      },
      emit(value: Diagnostic): void {
        if (early === undefined) diagnostic.emit(value);
        else early.push(value);
      },
    },
    serverLog: createEvent<ServerLog & ServerNews>(),
    resourcesChanged: createEvent<ServerNews>(),
    promptsChanged: createEvent<ServerNews>(),
    resourceUpdated: createEvent<ServerResourceUpdate>(),
    notification: createEvent<ServerNotification & ServerNews>(),
  };
  return {
    ...events,
    begin() {
      const held = early ?? [];
      early = undefined;
      if (held.length === 0) return;
      queueMicrotask(() => {
        for (const value of held) diagnostic.emit(value);
      });
    },
    close() {
      // What the end of a server leaves behind is told after this.
      for (const event of Object.values(events)) if (event !== events.diagnostic) event.close();
    },
    end: () => events.diagnostic.close(),
  };
}

/** What all parts of one provider share. */
export interface ProviderParts {
  readonly settings: ProviderSettings;
  readonly catalog: LiveCatalog;
  readonly observers: Observers;
  /** Stands for the provider, and holds nothing of it. */
  readonly identity: object;
}
