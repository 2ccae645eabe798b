import {
  cleanText,
  type ToolListing,
  type Clock,
  type HttpEntry,
  type ServerInfo,
  type ServerPeer,
  type HostsideError,
} from "@hostside/core";
import type { CallQueue } from "../calls/call-queue.ts";
import type { ToolServerListing, ProviderCatalog } from "../catalog/catalog.ts";
import type { Link } from "../link/link.ts";
import type { RecalledListing } from "../saved/read-saved-catalog.ts";
import { dateOf, serverTypeOf } from "@hostside/core/implement";
import { isUpToDate, lastFailureOf, stateNameOf, type LinkState } from "../link/link-state.ts";

/**
 * One server under its id, from registration to removal. What replaces it under the same id is
 * another registration.
 */
export interface Registration {
  readonly id: string;
  readonly number: number;
  /** Stands for the provider. */
  readonly provider: object;
  readonly link: Link;
  readonly queue: CallQueue;
  /**
   * Until when the calls of what had this id before may finish, as the provider's clock says, while
   * this one waits for the end of it; a time that has passed means that it is ending. `undefined`
   * when there is nothing to wait for.
   */
  readonly earlierUntil: () => number | undefined;
  /** The latest good listing, as it came. */
  listing?: ToolListing;
  /**
   * The same as the catalogue takes it; at first perhaps that of the registration which this one
   * replaces.
   */
  listed?: ToolServerListing;
  /** What it had before, by a saved catalogue, until this registration lists something. */
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
  /** Called when the registration ends; for who waits for something else. */
  onEnd?: (() => void) | undefined;
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

/**
 * `idle` no session, none wanted yet; `connecting` until the first listing is in; `ready`; `down`
 * the session was lost, the next call gets another one; `failed` the latest attempt failed, the
 * next one may not; `needs-auth` credentials are missing or refused; `disabled`; `removed` only in
 * the last `onStatusChanged` of a registration.
 */
export type ServerState = "idle" | "connecting" | "ready" | "down" | "failed" | "needs-auth" | "disabled" | "removed";

/**
 * What is known of one server, at one moment. Plain data, safe to log: no header, environment value
 * or token is in it.
 */
export interface ServerStatus {
  readonly id: string;
  /** As the spec says, else as the server claims (untrusted). */
  readonly title?: string;
  readonly transport: ServerPeer["transport"];
  /**
   * Whose credentials it is asked with, as its spec says: `oauth` for one that a user can be asked
   * to sign in to. Absent: those of the spec, if any.
   */
  readonly auth?: HttpEntry["auth"];
  readonly state: ServerState;
  /** When it came into this state: milliseconds since 1970, for `new Date()`. */
  readonly since: number;
  /**
   * Why it is not `ready`, or why its tools could not be listed again. Stays while it is tried
   * again, until something works: then a server that is `connecting` still says what its latest
   * attempt failed with.
   */
  readonly error?: HostsideError;
  /** What failed. */
  readonly stage?: "connect" | "list" | "session" | "call";
  /** Tools on offer now. */
  readonly toolCount: number;
  /**
   * The tools on offer may not be the server's latest: it announced a change, or could not be asked
   * since.
   */
  readonly stale: boolean;
  /** Why the latest listing is not the whole one. */
  readonly degraded?: NonNullable<ToolListing["truncated"]>;
  /** Tools of the latest listing that could not be used; `onDiagnostic` said why. */
  readonly droppedTools: number;
  /** What the server says of itself; of the latest session. Untrusted. */
  readonly server?: ServerInfo;
  /** When the session was connected: milliseconds since 1970, for `new Date()`. */
  readonly connectedAt?: number;
  /** How long connecting took, every fallback included. */
  readonly connectMs?: number;
  /** How long the latest good listing took. */
  readonly listMs?: number;
  /** When the latest good listing came in: milliseconds since 1970, for `new Date()`. */
  readonly listedAt?: number;
  /** Sessions asked for so far. */
  readonly attempts: number;
  /** Failures in a row. */
  readonly failures: number;
  /**
   * From when on a failure is no longer held against the next attempt: milliseconds since 1970, for
   * `new Date()`. Absent when that time has come. Whether there is an attempt then that nobody asks
   * for is another question: of a server that is `down` there is one while something is subscribed
   * to.
   */
  readonly retryAt?: number;
  /**
   * It is `connecting` and waits for what had its id before, whose calls may finish until then and
   * are cut at that time: milliseconds since
   * 1970. What is left ends within some `timeouts.closeMs` of that, and this server starts.
   */
  readonly earlierUntil?: number;
  /** Calls on the wire. */
  readonly inFlight: number;
  /** Calls that wait for the session, for a listing or for their turn. */
  readonly waiting: number;
}

/** Reads the status of a registration. */
export function readStatus(
  { link, queue, saved, listing = saved?.listing, listedAt, listed, held, earlierUntil }: Registration,
  { catalog, clock }: { readonly catalog: ProviderCatalog; readonly clock: Clock },
): ServerStatus {
  const { spec, state } = link;
  const server = listed?.server;
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
    stale: listed !== undefined && !(state.kind === "ready" && isUpToDate(state, clock.now())),
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
    ...("retryAt" in state && state.retryAt > clock.now() && toDate("retryAt", state.retryAt, clock)),
    ...(state.kind === "connecting" && toDate("earlierUntil", earlierUntil(), clock)),
    inFlight: queue.inFlight,
    waiting: queue.waiting,
  };
}

function toDate<K extends string>(
  name: K,
  time: number | undefined,
  clock: Clock,
): { readonly [member in K]?: number } {
  if (time === undefined) return {};
  return { [name]: Math.round(dateOf(clock) + time - clock.now()) } as { readonly [member in K]: number };
}

// A server whose tools are not shown yet is ready for nobody.
function publicState(state: LinkState, held: boolean): ServerState {
  return held && state.kind === "ready" ? "connecting" : stateNameOf(state);
}

function failureOf(state: LinkState): Pick<ServerStatus, "error" | "stage"> {
  switch (state.kind) {
    case "down":
      return { error: state.error, stage: "session" };
    case "failed":
    case "needs-auth":
      return { error: state.error, stage: state.stage };
    case "ready":
      if (state.refusal !== undefined) return { error: state.refusal, stage: "call" };
      if (state.listing.kind === "dirty" && state.listing.error !== undefined) {
        return { error: state.listing.error, stage: "list" };
      }
      return {};
    case "removed":
      return { error: state.error };
    case "idle":
    case "connecting":
    case "listing":
      return lastFailureOf(state) ?? {};
    case "disabled":
      return {};
  }
}
