import type { Diagnostic, ServerNotification, HostsideError } from "@hostside/core";
import { useClock } from "@hostside/core/implement";
import { vi } from "vitest";
import type { Elicitor } from "../src/wire/elicitor.ts";
import type { Transport } from "../src/message/transport.ts";
import type { OutgoingRequest } from "../src/message/outgoing-request.ts";
import { SafeHooks } from "../src/context/safe-hooks.ts";
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
  const changed = vi.fn<(kind: "tools" | "resources" | "prompts") => void>();
  const updated = vi.fn<(uri: string) => void>();
  const notified = vi.fn<(notification: ServerNotification) => void>();
  const log = vi.fn<(entry: unknown) => void>();
  const down = vi.fn<(error: HostsideError) => void>();
  const context = createServerContext(
    { onDiagnostic: (each) => diagnostics.push(each), onLog: log },
    { limits: { maxNotificationsPerSecond }, timeouts: { elicitTotalMs: maxPauseMs } },
  );
  const hooks = new SafeHooks({
    onToolsChanged: () => changed("tools"),
    onResourcesChanged: () => changed("resources"),
    onPromptsChanged: () => changed("prompts"),
    onResourceUpdated: updated,
    onNotification: notified,
    onDown: () => undefined,
  });
  // Ids count from 0 on.
  const chance = vi.spyOn(Math, "random").mockReturnValue(0);
  const wire = new Wire({
    transport: host,
    identity: { info: { name: "test", version: "1" }, capabilities: {} },
    context,
    events: { hooks, onDown: down },
    elicitor,
  });
  wire.changes.begin({}, () => ["note://first"]);
  if (isReady) wire.setProtocolVersion("2025-11-25");
  chance.mockRestore();
  return { wire, host, context, clock, diagnostics, changed, updated, notified, log, down };
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
