import { latestLegacyRevision, legacyRevisions } from "@hostside/core/implement";
import type { JsonObject } from "@hostside/core";
import type { Clients, Introduction } from "./clients.ts";
import type { Peer } from "./peer.ts";
import { waitForTools } from "../requests/bounded.ts";
import { initializeResult } from "../requests/lifecycle.ts";

/** A client after its `initialize`. */
export interface OpenedLegacy {
  readonly peer: Peer;
  readonly revision: string;
  /** The result of its `initialize`. */
  readonly result: JsonObject;
}

/** Opens a client by the parameters of its `initialize`. Rejects as `Clients.open` does. */
export async function openLegacy(
  clients: Clients,
  params: JsonObject,
  way: Pick<Introduction, "transport" | "principal" | "owner">,
): Promise<OpenedLegacy> {
  const { protocolVersion, clientInfo, capabilities } = params;
  const revision = legacyRevisions.find((known) => known === protocolVersion) ?? latestLegacyRevision;
  const peer = await clients.open({ ...way, era: "legacy", info: clientInfo, capabilities });
  const { conversation, settings } = peer.context;
  // They are said here, and never again.
  if (settings.expose === "groups") {
    await waitForTools(conversation.tools, settings.limits).catch(() => undefined);
  }
  return { peer, revision, result: initializeResult(peer.context, revision) };
}
