import type { Diagnostic, ServerLog, ServerNotification } from "@toolport/core";
import { createEvent, type EventSource } from "@toolport/core/implement";
import type { CallRecord } from "../call-record.ts";
import type { ResourceUpdate } from "../mcp-provider.ts";
import type { ServerStatus } from "./server-status.ts";

/** Which server something is news of. */
export interface ServerNews {
  readonly serverId: string;
}

/** Those who watch a provider's servers. */
export interface Observers {
  readonly status: EventSource<ServerStatus>;
  readonly callEnded: EventSource<CallRecord>;
  readonly diagnostic: EventSource<Diagnostic>;
  readonly serverLog: EventSource<ServerLog & ServerNews>;
  readonly resourcesChanged: EventSource<ServerNews>;
  readonly promptsChanged: EventSource<ServerNews>;
  readonly resourceUpdated: EventSource<ResourceUpdate>;
  readonly notification: EventSource<ServerNotification & ServerNews>;
  /** Ends every subscription. */
  close(): void;
}

/** Makes the events of one provider. */
export function createObservers(): Observers {
  const events = {
    status: createEvent<ServerStatus>(),
    callEnded: createEvent<CallRecord>(),
    diagnostic: createEvent<Diagnostic>(),
    serverLog: createEvent<ServerLog & ServerNews>(),
    resourcesChanged: createEvent<ServerNews>(),
    promptsChanged: createEvent<ServerNews>(),
    resourceUpdated: createEvent<ResourceUpdate>(),
    notification: createEvent<ServerNotification & ServerNews>(),
  };
  return {
    ...events,
    close() {
      for (const event of Object.values(events)) event.close();
    },
  };
}
