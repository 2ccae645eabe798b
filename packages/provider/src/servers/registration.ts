import { cleanText, type ToolListing } from "@hostside/core";
import { clock, serverTypeOf } from "@hostside/core/implement";
import type { ServerState, ServerStatus } from "../api/mcp-provider.ts";
import type { CallQueue } from "../calls/call-queue.ts";
import type { ProviderCatalog, ToolServerListing } from "../catalog/catalog.ts";
import { isUpToDate, lastFailureOf, stateNameOf, type LinkState } from "../link/link-state.ts";
import type { Link } from "../link/link.ts";
import type { RecalledListing } from "../saved/read-saved-catalog.ts";

/**
 * One server under its id, from registration to removal. Its replacement under the same id is
 * another registration.
 */
export interface Registration {
  readonly id: string;
  readonly number: number;
  /** Stands for the provider. */
  readonly provider: object;
  readonly link: Link;
  readonly queue: CallQueue;
  /** The latest good listing, as it came. */
  listing?: ToolListing;
  /**
   * The same as the catalogue takes it; at first perhaps that of the registration which this one
   * replaces.
   */
  shownListing?: ToolServerListing;
  /** The listing of a saved catalogue, until this registration lists something. */
  saved?: RecalledListing | undefined;
  /** How often the server came back as another one. */
  replacements: number;
  /** Being added, or about to appear together with others: nothing of it is shown yet. */
  held: boolean;
  /**
   * Being added, and gone again if that fails. Nothing tries it again meanwhile but who adds it.
   */
  provisional: boolean;
  /** When the listing came in, in milliseconds since 1970. */
  listedAt?: number;
  /** Aborts when the registration ends; for who waits for something else. */
  readonly gone: AbortController;
  /** How many operations are under way for which a user waits. */
  usersWaiting: number;
}

/** Does something; if a user waits for it, they may be shown an authorization page meanwhile. */
export async function whileUserWaits<T>(
  registration: Registration,
  isWaiting: boolean | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (isWaiting !== true) return work();
  registration.usersWaiting += 1;
  try {
    return await work();
  } finally {
    registration.usersWaiting -= 1;
  }
}

/** Reads the status of a registration. */
export function readStatus(
  { link, queue, saved, listing = saved?.listing, listedAt, shownListing, held }: Registration,
  { catalog }: { readonly catalog: ProviderCatalog },
): ServerStatus {
  const { spec, state } = link;
  const server = shownListing?.server;
  const title = cleanText(spec.title ?? server?.title ?? server?.name ?? "", 256).trim();
  return {
    id: spec.id,
    ...(title !== "" && { title }),
    transport: serverTypeOf(spec),
    ...(spec.url !== undefined && spec.auth !== undefined && { auth: spec.auth }),
    state: publicState(state, held),
    since: link.since,
    ...failureOf(state),
    toolCount: state.kind === "removed" ? 0 : (catalog.servers.get(spec.id)?.offers.length ?? 0),
    stale: shownListing !== undefined && !(state.kind === "ready" && isUpToDate(state, clock.now())),
    ...(listing?.truncated !== undefined && { degraded: listing.truncated }),
    droppedTools: listing?.dropped.length ?? 0,
    ...(server !== undefined && { server }),
    ...((state.kind === "listing" || state.kind === "ready") && {
      ...(link.openedAt !== undefined && { connectedAt: link.openedAt }),
      connectMs: state.connectMs,
    }),
    ...(state.kind === "ready" && state.listMs !== undefined && { listMs: state.listMs }),
    ...(listedAt !== undefined && { listedAt }),
    attempts: state.session,
    failures: "failures" in state ? state.failures : 0,
    ...("retryAt" in state &&
      state.retryAt > clock.now() && { retryAt: Math.round(clock.date() + state.retryAt - clock.now()) }),
    inFlight: queue.inFlight,
    waiting: queue.waiting,
  };
}

// A server whose tools are not shown yet is ready for nobody.
function publicState(state: LinkState, held: boolean): ServerState {
  return held && state.kind === "ready" ? "connecting" : stateNameOf(state);
}

function failureOf(state: LinkState): Pick<ServerStatus, "error" | "stage"> {
  switch (state.kind) {
    case "ready":
      if (state.credentialsRefusal !== undefined) return { error: state.credentialsRefusal, stage: "call" };
      if (state.listing.kind === "dirty" && state.listing.error !== undefined) {
        return { error: state.listing.error, stage: "list" };
      }
      return {};
    case "removed":
      return { error: state.error };
    default:
      return lastFailureOf(state) ?? {};
  }
}
