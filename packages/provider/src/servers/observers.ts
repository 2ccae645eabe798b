import type { Diagnostic, ServerLog } from "@toolport/core";
import { createEvent, type EventSource } from "@toolport/core/implement";
import type { ServerStatus } from "./server-status.ts";

/** Those who watch a provider's servers. */
export interface Observers {
  readonly status: EventSource<ServerStatus>;
  readonly diagnostic: EventSource<Diagnostic>;
  readonly serverLog: EventSource<ServerLog & { readonly serverId: string }>;
  /** Ends every subscription. */
  close(): void;
}

/** Makes the events of one provider. */
export function createObservers(): Observers {
  const status = createEvent<ServerStatus>();
  const diagnostic = createEvent<Diagnostic>();
  const serverLog = createEvent<ServerLog & { readonly serverId: string }>();
  return {
    status,
    diagnostic,
    serverLog,
    close() {
      status.close();
      diagnostic.close();
      serverLog.close();
    },
  };
}
