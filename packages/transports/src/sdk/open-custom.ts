import { isHostsideError, HostsideError, type CustomEntry, type ServerSpec } from "@hostside/core";
import { safeCause, serverTypeOf, untilAborted } from "@hostside/core/implement";
import type { Transport as SdkTransport } from "@modelcontextprotocol/client";
import type { Transport } from "../message/transport.ts";
import type { TransportContext } from "../context/transport-context.ts";
import type { ServerContext } from "../context/server-context.ts";
import { closePart } from "./close-part.ts";
import { adaptTransport } from "./adapt-transport.ts";
import { isCustomClient, isCustomTransport, type CustomClient } from "./custom-parts.ts";

/** What a custom spec's `open` returned. */
export type OpenedCustom =
  | { readonly kind: "transport"; readonly transport: Transport }
  | { readonly kind: "client"; readonly client: CustomClient };

/**
 * Calls `spec.open`. Throws `unreachable` when it does, or the very error if that is a
 * `HostsideError`; `internal_error` when it returns neither a transport nor a client. What it
 * returns after an abort is closed.
 */
export async function openCustom(spec: ServerSpec, context: TransportContext): Promise<OpenedCustom> {
  const { serverId, signal, redact } = context;
  if (spec.type !== "custom") throw new TypeError(`openCustom() cannot open a server of type "${serverTypeOf(spec)}"`);
  const opening = callOpen(spec, { serverId, signal });
  let opened: unknown;
  try {
    opened = await untilAborted(opening, signal);
  } catch (error) {
    if (signal.aborted) void closeLate(opening, context);
    if (isHostsideError(error) || signal.aborted) throw error;
    throw new HostsideError(`"open" of server ${JSON.stringify(serverId)} failed`, {
      code: "unreachable",
      serverId,
      cause: safeCause(error, redact),
    });
  }
  if (isCustomClient(opened)) return { kind: "client", client: opened };
  if (isCustomTransport(opened)) {
    // Checked for the methods that both SDK lines call; the callbacks are ours to set.
    return { kind: "transport", transport: adaptTransport(opened as SdkTransport, context) };
  }
  throw new HostsideError(
    `"open" of server ${JSON.stringify(serverId)} returned neither a transport nor an SDK client`,
    {
      code: "internal_error",
      serverId,
      outcome: "not-sent",
    },
  );
}

async function callOpen(spec: CustomEntry, opening: Parameters<CustomEntry["open"]>[0]): Promise<unknown> {
  return spec.open(opening);
}

// What comes after the deadline is nobody's any more.
async function closeLate(opening: Promise<unknown>, context: ServerContext): Promise<void> {
  const [opened] = await Promise.allSettled([opening]);
  if (opened.status === "rejected") return;
  const { value } = opened;
  if (isCustomClient(value) || isCustomTransport(value)) await closePart(value, context);
}
