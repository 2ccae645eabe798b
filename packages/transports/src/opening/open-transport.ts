import { ToolportError } from "@toolport/core";
import { closePart } from "../sdk/close-part.ts";
import { openCustom } from "../sdk/open-custom.ts";
import type { TransportContext } from "../context/transport-context.ts";
import type { Transport } from "../message/transport.ts";
import { loadHttp, loadStdio } from "./load-transport.ts";
import { openMemory } from "../memory/open-memory.ts";
import type { Attempt } from "../handshake/attempt.ts";
import type { ConnectionContext } from "./connection-context.ts";

/** Opens the channel of one attempt. */
export async function openTransport(session: ConnectionContext, attempt: Attempt): Promise<Transport> {
  const { spec, serverId, options, clock, random, settings, hooks, deadline } = session;
  const { redact, secrets, isInteractive, onStarted } = session;
  const { transport } = spec;
  const closing = { clock, closeMs: settings.timeouts.closeMs };
  const { onDiagnostic, onLog } = hooks;
  const context: TransportContext = { signal: deadline.signal, onDiagnostic, onLog, secrets, isInteractive, onStarted };
  switch (transport.kind) {
    case "memory":
      return openMemory(transport, { serverId, redact, ...closing });
    case "stdio": {
      const { openStdio } = await loadStdio(serverId);
      return openStdio(spec, context, { clock });
    }
    case "custom": {
      const opened = await openCustom(transport, session);
      if (opened.kind === "transport") return opened.transport;
      await closePart(opened.client, closing);
      throw new ToolportError(
        `"open" of server ${JSON.stringify(serverId)} returned a transport first and a client then`,
        {
          code: "internal_error",
          serverId,
        },
      );
    }
    case "http": {
      const { openSse, openStreamableHttp } = await loadHttp(serverId);
      const open = attempt.channel === "sse" ? openSse : openStreamableHttp;
      return open(spec, context, { ...options, clock, random });
    }
  }
}
