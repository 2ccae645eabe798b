import type {
  CallRecord,
  Diagnostic,
  ServerLog,
  ServerNotification,
  ServerOperation,
  ServerRecord,
} from "@hostside/core";
import { createEvent, type EventSource } from "@hostside/core/implement";
import type { ServerResourceUpdate } from "../mcp-provider.ts";
import type { ServerStatus } from "./server-status.ts";

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
