import { HostsideError } from "@hostside/core";
import { closePart, openCustom } from "../sdk/open-custom.ts";
import type { Transport } from "../message/transport.ts";
import { loadHttp } from "./load-transport.ts";
import { openMemory } from "../memory/open-memory.ts";
import type { ConnectAttempt } from "../handshake/next-attempt.ts";
import type { ConnectionContext } from "./connection-context.ts";
import type { ConnectorEffects } from "./connector-options.ts";
import type { StdioEffects } from "../stdio/open-stdio.ts";
import { openStdio } from "#stdio";

/** Opens the transport of one attempt. */
export async function openTransport(context: ConnectionContext, { channel }: ConnectAttempt): Promise<Transport> {
  const { spec, serverId } = context;
  if (spec.command !== undefined) {
    const { effects, ...rest } = context;
    return openStdio(spec, effects === undefined ? rest : { ...rest, effects: toStdioEffects(effects) });
  }
  if (spec.url !== undefined) {
    const { openSse, openStreamableHttp } = await loadHttp(serverId);
    return channel === "sse" ? openSse(spec, context) : openStreamableHttp(spec, context);
  }
  if (spec.type === "memory") return openMemory(spec, context);
  const opened = await openCustom(spec, context);
  if ("transport" in opened) return opened.transport;
  await closePart(opened.client, context);
  throw new HostsideError(`"open" of server ${JSON.stringify(serverId)} returned a transport first and a client then`, {
    code: "internal_error",
    serverId,
  });
}

// The options of a connector are typed without Node; `openStdio` looks at what a `spawn` returns.
function toStdioEffects({ spawn, sendSignal }: ConnectorEffects): StdioEffects {
  return {
    ...(spawn !== undefined && { spawn: spawn as unknown as NonNullable<StdioEffects["spawn"]> }),
    ...(sendSignal !== undefined && { sendSignal }),
  };
}
