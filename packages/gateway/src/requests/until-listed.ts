import type { ActiveRequest } from "../peer/active-request.ts";
import type { PeerContext } from "../peer/peer-context.ts";
import { bounded } from "./bounded.ts";

/**
 * Waits for servers that are still starting, as `limits.listWaitMs` says. Rejects where the request
 * ends.
 */
export async function untilListed(context: PeerContext, request: ActiveRequest): Promise<void> {
  const { tools } = context.conversation;
  const timeoutMs = context.settings.limits.listWaitMs;
  await bounded(context, request, async ({ signal }) => tools.whenListed?.({ timeoutMs, signal }));
}
