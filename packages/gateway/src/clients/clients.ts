import {
  isHostsideError,
  HostsideError,
  type ElicitationRequest,
  type ElicitationResult,
  type JsonObject,
  type ProtocolEra,
  cleanText,
} from "@hostside/core";
import { formatMs, isJsonObject, latestLegacyRevision, legacyRevisions, resultWithin } from "@hostside/core/implement";
import { cannotAsk } from "../asking/ask-client.ts";
import { carrierOf, createPeer, type Peer } from "./peer.ts";
import type { GatewayClient, GatewayConversation } from "../settings/gateway-client.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";
import { rpcCodes, type RpcFailure } from "../message/json-rpc.ts";
import { waitForTools } from "../requests/bounded.ts";
import { initializeResult } from "../requests/lifecycle.ts";

/** How a client introduced itself. */
export interface Introduction {
  readonly era: ProtocolEra;
  readonly transport: "stdio" | "http";
  readonly principal?: string | undefined;
  /** The owner of the client, where there are several who must not meet. */
  readonly owner?: string | undefined;
  readonly info: unknown;
  readonly capabilities: unknown;
}

/** All clients of one gateway. */
export interface Clients {
  /**
   * Makes one, with its conversation. Throws what `open()` threw, `connect_timeout` where it took
   * too long, `overloaded` where there is no room, and `closed`.
   */
  open(introduction: Introduction): Promise<Peer>;
  /** Ends one; everything of it is gone when that resolves. */
  close(peer: Peer, reason: string): Promise<void>;
  elicit(request: ElicitationRequest, signal: AbortSignal): Promise<ElicitationResult>;
  readonly all: readonly Peer[];
  /** True if no further one is taken. */
  readonly isEnding: boolean;
  /** Takes no further one. */
  end(): void;
}

/** Makes room for another client of this owner; `false`: there is none. */
export type EvictClient = (owner: string | undefined) => boolean;

/** Makes it. */
export function createClients(settings: GatewaySettings, makeRoom: EvictClient): Clients {
  const { limits, onEvent, telemetry } = settings;
  let lastNumber = 0;
  const shared = { settings, lot: { used: 0 }, nextNumber: () => (lastNumber += 1) };
  const places = new Set<Place>();
  let isEnding = false;
  const refuse = (error: HostsideError): never => {
    onEvent?.({ kind: "client-refused", reason: error.code, error });
    throw error;
  };
  const takePlace = (owner: string | undefined): Place => {
    if (isEnding) refuse(closingError());
    const mine = owner === undefined ? 0 : Array.from(places).filter((place) => place.owner === owner).length;
    for (const [policy, used] of [
      ["maxSessionsPerPrincipal", mine],
      ["maxSessions", places.size],
    ] as const) {
      if (used >= limits[policy] && !makeRoom(owner)) refuse(noRoom(policy, { used, limit: limits[policy] }));
    }
    const place: Place = { owner, peer: undefined, endTrace: undefined };
    places.add(place);
    return place;
  };
  return {
    get all() {
      return Array.from(places).flatMap(({ peer }) => peer ?? []);
    },
    get isEnding() {
      return isEnding;
    },
    end() {
      isEnding = true;
    },
    async open(introduction) {
      const place = takePlace(introduction.owner);
      try {
        const client = toClient(introduction, settings);
        const conversation = await openWithin(settings, client);
        try {
          if (isEnding) throw closingError();
          place.peer = createPeer({ ...shared, client, conversation });
        } catch (error) {
          await conversation.close?.("refused");
          throw error;
        }
        place.endTrace = telemetry?.sessionStarted({ transport: carrierOf(client) });
        onEvent?.({ kind: "client-opened", client });
        return place.peer;
      } finally {
        if (place.peer === undefined) places.delete(place);
      }
    },
    async close(peer, reason) {
      const place = Array.from(places).find((one) => one.peer === peer);
      if (place !== undefined) {
        places.delete(place);
        place.endTrace?.();
        onEvent?.({ kind: "client-closed", client: peer.client, reason });
      }
      await peer.close(reason);
    },
    async elicit(request, signal) {
      const { conversation } = request.context ?? {};
      const place = Array.from(places).find(({ peer }) => peer?.client.id === conversation);
      if (place?.peer === undefined) throw cannotAsk(request, "it is not known whose call that belongs to");
      return place.peer.elicit(request, signal);
    },
  };
}

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

/** The place of a client, which is taken before there is one. */
interface Place {
  readonly owner: string | undefined;
  peer: Peer | undefined;
  endTrace: (() => void) | undefined;
}

function closingError(): HostsideError {
  return new HostsideError("the gateway is closing", { code: "closed" });
}

function noRoom(policy: string, usage: { readonly used: number; readonly limit: number }): HostsideError {
  const whose = policy === "maxSessions" ? "the gateway has" : "who has this token has";
  return new HostsideError(`${whose} ${usage.used} clients, and room for no more`, {
    code: "overloaded",
    details: { usage, policy },
  });
}

async function openWithin({ open, limits }: GatewaySettings, client: GatewayClient): Promise<GatewayConversation> {
  const opened = (async () => open(client))();
  const inTime = await resultWithin(opened, limits.openMs);
  if (inTime !== undefined) return inTime;
  // One that comes too late is nobody's.
  opened.then((late) => late.close?.("opened too late")).catch(() => undefined);
  const message = `the conversation of a client was not there within ${formatMs(limits.openMs)}`;
  throw new HostsideError(message, { code: "connect_timeout" });
}

function toClient(
  { era, transport, principal, info, capabilities }: Introduction,
  settings: GatewaySettings,
): GatewayClient {
  const { only } = settings;
  const id = crypto.randomUUID();
  const whose = principal === undefined ? {} : { principal };
  return {
    id,
    era,
    transport,
    ...whose,
    info: readInfo(info),
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    view: {
      ...(only !== undefined && { allow: only }),
      alwaysHelpers: settings.expose !== "all",
      // Its hosts may list again, or never: an answer that has the schemas does for both.
      answerSchemas: "always",
      // A server's tool changes as any server's does; who wants to be asked first has pins.
      refuseChanged: false,
      context: { conversation: id, ...whose },
    },
  };
}

function readInfo(info: unknown): GatewayClient["info"] {
  if (!isJsonObject(info)) return {};
  const texts = ["name", "title", "version"].flatMap((member) => {
    const value = info[member];
    return typeof value === "string" ? [[member, cleanText(value, 256)] as const] : [];
  });
  return Object.fromEntries(texts);
}

/** The answer to a client whose `open()` failed, and its status over HTTP. */
export function openFailure(error: unknown): { readonly status: number; readonly failure: RpcFailure } {
  const isOwn = isHostsideError(error);
  const isBusy = isOwn && (error.code === "overloaded" || error.code === "closed");
  const message = isOwn ? error.message : "This gateway could not open a conversation";
  const code = isBusy ? rpcCodes.refused : rpcCodes.internalError;
  const data = { code: isOwn ? error.code : "internal_error" };
  return { status: isBusy ? 503 : 500, failure: { code, message, data } };
}

/** Why nothing new is taken any more. */
export const closingFailure: RpcFailure = {
  code: rpcCodes.refused,
  message: "The gateway is closing",
  data: { code: "closed" },
};
