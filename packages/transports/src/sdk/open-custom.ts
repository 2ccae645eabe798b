import { isToolportError, ToolportError, type CustomTransportSpec } from "@toolport/core";
import { safeCause, type Deadline } from "@toolport/core/implement";
import type { Transport as SdkTransport } from "@modelcontextprotocol/client";
import type { Transport } from "../message/transport.ts";
import { untilAborted } from "../time/until-aborted.ts";
import type { ServerSettings } from "../context/resolve-settings.ts";
import type { ServerContext } from "../context/server-context.ts";
import { closePart, type ClosePartInit } from "./close-part.ts";
import { adaptTransport } from "./adapt-transport.ts";
import { isCustomClient, isCustomTransport, type CustomClient } from "./custom-parts.ts";

/** What a custom spec's `open` returned. */
export type OpenedCustom =
  | { readonly kind: "transport"; readonly transport: Transport }
  | { readonly kind: "client"; readonly client: CustomClient };

/** What {@linkcode openCustom} goes by. */
export interface OpenCustomContext extends ServerContext {
  readonly settings: ServerSettings;
  readonly deadline: Deadline;
}

/**
 * Calls `spec.open`. Throws `unreachable` when it does, or the very error if that is a `ToolportError`; `internal_error` when it
 * returns neither a transport nor a client. What it returns after an abort is closed.
 */
export async function openCustom(spec: CustomTransportSpec, context: OpenCustomContext): Promise<OpenedCustom> {
  const { serverId, clock, settings, deadline, redact } = context;
  const { signal } = deadline;
  const closing = { clock, closeMs: settings.timeouts.closeMs };
  const opening = callOpen(spec, { serverId, signal });
  let opened: unknown;
  try {
    opened = await untilAborted(opening, signal);
  } catch (error) {
    if (signal.aborted) void closeLate(opening, closing);
    if (isToolportError(error) || signal.aborted) throw error;
    throw new ToolportError(`"open" of server ${JSON.stringify(serverId)} failed`, {
      code: "unreachable",
      serverId,
      cause: safeCause(error, redact),
    });
  }
  if (isCustomClient(opened)) return { kind: "client", client: opened };
  if (isCustomTransport(opened)) {
    // Checked for the methods that both SDK lines call; the callbacks are ours to set.
    return {
      kind: "transport",
      transport: adaptTransport(opened as SdkTransport, { ...closing, serverId, redact }),
    };
  }
  throw new ToolportError(
    `"open" of server ${JSON.stringify(serverId)} returned neither a transport nor an SDK client`,
    {
      code: "internal_error",
      serverId,
      outcome: "not-sent",
    },
  );
}

async function callOpen(
  spec: CustomTransportSpec,
  context: Parameters<CustomTransportSpec["open"]>[0],
): Promise<unknown> {
  return spec.open(context);
}

// What comes after the deadline is nobody's any more.
async function closeLate(opening: Promise<unknown>, closing: ClosePartInit): Promise<void> {
  const [opened] = await Promise.allSettled([opening]);
  if (opened.status === "rejected") return;
  const { value } = opened;
  if (isCustomClient(value) || isCustomTransport(value)) await closePart(value, closing);
}
