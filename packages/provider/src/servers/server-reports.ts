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
} from "@hostside/core";
import { fairnessKeyOf, contextOnBehalfOf, askForMeta, tell, type EventSource } from "@hostside/core/implement";
import type { HeldListing, LinkHooks } from "../link/link.ts";
import type { AnnounceOperation } from "../link/operation.ts";
import type { Session } from "../link/sessions.ts";
import type { ProviderParts } from "../provider-parts.ts";
import { heldListing } from "../saved/held-listing.ts";
import type { Observers } from "./observers.ts";
import type { Registration } from "./registration.ts";

/** What the reports of one server are made from. */
export interface ServerReportsInit {
  /** Whose they are; asked with the first report. */
  readonly registration: () => Registration;
  readonly onListing: (registration: Registration, listing: ToolListing, session: Session) => void;
  readonly onState: (registration: Registration) => void;
  readonly parts: ProviderParts;
}

/** Makes what a server's link reports to: its registration, and those who watch the provider. */
export function createServerReports(init: ServerReportsInit): LinkHooks {
  return new ReportsOfServer(init);
}

// A class, because each server has one.
class ReportsOfServer implements LinkHooks {
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
        return askInPause(this.#registration, onElicit, { request, signal });
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
    return heldListing(this.#registration.saved, this.#init.parts.settings.clock);
  }

  beforeListed({ tools }: ToolListing, session: Session): Promise<void> | undefined {
    const { catalog, settings } = this.#init.parts;
    if (!catalog.asksForNames) return undefined;
    const report = (diagnostic: Diagnostic): void => this.onDiagnostic(diagnostic);
    const { spec } = this.#registration.link;
    return catalog.agreeOnNames({ spec, tools }, { clock: settings.clock, signal: session.ended, report });
  }

  publish(listing: ToolListing, session: Session): void {
    this.#init.onListing(this.#registration, listing, session);
  }

  onState(): void {
    this.#init.onState(this.#registration);
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
}

interface Question {
  readonly request: ElicitationRequest;
  readonly signal: AbortSignal;
}

async function askInPause(
  { queue }: Registration,
  onElicit: NonNullable<LinkHooks["onElicit"]>,
  { request, signal }: Question,
): Promise<ElicitationResult> {
  // A human's time is nobody's fault: what waits for this server waits without a clock until the
  // answer is there.
  const resume = queue.pausable.pause(fairnessKeyOf(request.context));
  // Nor is it anybody's when the question is over and the product's handler goes on all the same.
  signal.addEventListener("abort", resume, { once: true });
  try {
    return await onElicit(request, signal);
  } finally {
    signal.removeEventListener("abort", resume);
    resume();
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
