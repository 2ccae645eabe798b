import type { Diagnostic, ServerNotification, HostsideError } from "@hostside/core";
import { useClock } from "@hostside/core/implement";
import { vi } from "vitest";
import type { Elicitor } from "../src/wire/elicitor.ts";
import type { Transport } from "../src/message/transport.ts";
import { createActiveClock } from "../src/time/active-clock.ts";
import type { OutgoingRequest } from "../src/message/outgoing-request.ts";
import type { ServerListName } from "../src/wire/report-changes.ts";
import { Wire } from "../src/wire/wire.ts";
import { createFakeTransport, type FakeTransport } from "./fake-transport.ts";
import { useManualClock } from "../../../test/manual-clock.ts";
import { createServerContext } from "./server-context.ts";

export function openWire(
  members: Partial<Transport> = {},
  {
    maxNotificationsPerSecond = 200,
    maxPauseMs = 900_000,
    elicitor,
    isReady = true,
    isRealTime = false,
  }: {
    maxNotificationsPerSecond?: number;
    maxPauseMs?: number;
    elicitor?: Elicitor;
    /** The handshake is over. */
    isReady?: boolean;
    isRealTime?: boolean;
  } = {},
) {
  const host = createFakeTransport(members);
  const clock = useManualClock();
  if (isRealTime) useClock();
  const diagnostics: Diagnostic[] = [];
  const changed = vi.fn<(kind: ServerListName) => void>();
  const updated = vi.fn<(uri: string | undefined) => void>();
  const missed = vi.fn<() => void>();
  const notified = vi.fn<(notification: ServerNotification) => void>();
  const log = vi.fn<(entry: unknown) => void>();
  const down = vi.fn<(error: HostsideError) => void>();
  const wire = new Wire({
    transport: host,
    identity: { info: { name: "test", version: "1" }, capabilities: {} },
    context: createServerContext(
      { onDiagnostic: (each) => diagnostics.push(each) },
      { limits: { maxNotificationsPerSecond }, timeouts: { elicitTotalMs: maxPauseMs } },
    ),
    events: {
      changes: { onListChanged: changed, onResourceUpdated: updated, onMissed: missed, onNotification: notified },
      onLog: log,
      onDown: down,
    },
    activeClock: createActiveClock(),
    elicitor,
  });
  if (isReady) wire.setProtocolVersion("2025-11-25");
  return { wire, host, clock, diagnostics, changed, updated, missed, notified, log, down };
}

export function call(members: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return {
    method: "tools/call",
    params: { name: "search", arguments: {} },
    timeoutMs: 1000,
    timeoutCode: "call_timeout",
    toolName: "search",
    ...members,
  };
}

export function lastId(host: FakeTransport): unknown {
  return host.sent.at(-1)?.message["id"];
}
