import type { ServerSpec } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";

/** A provider that a test plays: what a pool uses of one, and nothing else. */
export interface StubProvider {
  readonly provider: McpProvider;
  /** Sets of servers that it was given, the latest last. */
  readonly applied: (readonly ServerSpec[])[];
  /** Reasons it was closed with. */
  readonly closedWith: string[];
  /** Calls under way. */
  calls: number;
  /** Ends a call: first it is told, then it counts no more, as with a real one. */
  readonly endCall: () => void;
  /** What `applyServers()` answers with. Default: it works. */
  onApply: () => Promise<void>;
  /** What `close()` waits for. Default: nothing. */
  onClose: () => Promise<void>;
}

export function stubProvider(): StubProvider {
  const ended = createEvent<undefined>();
  const closed = createEvent<undefined>();
  const applied: (readonly ServerSpec[])[] = [];
  const closedWith: string[] = [];
  let closing: Promise<void> | undefined;
  const members = {
    get closed() {
      return closing !== undefined;
    },
    get busy() {
      return stub.calls > 0;
    },
    onCallEnded: ended.on,
    onClosed: closed.on,
    applyServers(servers: readonly ServerSpec[]) {
      applied.push(servers);
      return stub.onApply();
    },
    close(reason: string) {
      if (closing !== undefined) return closing;
      closedWith.push(reason);
      closing = stub.onClose();
      closed.emit(undefined);
      return closing;
    },
  };
  const stub: StubProvider = {
    provider: members as unknown as McpProvider,
    applied,
    closedWith,
    calls: 0,
    endCall() {
      ended.emit(undefined);
      stub.calls -= 1;
    },
    onApply: async () => undefined,
    onClose: async () => undefined,
  };
  return stub;
}
