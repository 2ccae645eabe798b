import type { GatewayTools } from "../gateway-client.ts";
import type { ActiveRequest } from "../peer/active-request.ts";
import type { PeerContext } from "../peer/peer-context.ts";
import { bounded } from "./bounded.ts";

/** Waits for servers that are still starting. Rejects where the request ends. */
export async function untilListed(context: PeerContext, request: ActiveRequest): Promise<void> {
  const { listWaitMs } = context.settings.limits;
  await bounded(context, request, ({ signal }) => waitForTools(context.conversation.tools, { listWaitMs, signal }));
}

interface ListWait {
  readonly listWaitMs: number;
  readonly signal?: AbortSignal | undefined;
}

// A server that hangs costs a client with tools of others no more than this part of the time.
const steps = 5;

/**
 * Waits for `listWaitMs` at most, and for a part of it where tools of another server are there: a
 * client hears of the others by `list_changed`.
 */
export async function waitForTools(tools: GatewayTools, { listWaitMs, signal }: ListWait): Promise<void> {
  for (let step = 1; step <= steps; step += 1) {
    await tools.whenListed?.({ timeoutMs: (listWaitMs * step) / steps, signal });
    if (hasServerTools(tools)) return;
  }
}

// Tools of the host itself are there from the start.
function hasServerTools(tools: GatewayTools): boolean {
  const isOfServer = (name: string): boolean => (tools.find(name)?.origin?.serverId ?? "") !== "";
  return tools.groups().some(({ members }) => members.some(isOfServer));
}
