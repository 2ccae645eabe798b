import type { Cancel, JsonObject, Subscription } from "@hostside/core";
import { isJsonObject, onAbort } from "@hostside/core/implement";
import type { ActiveRequest } from "../message/active-request.ts";
import { notificationMessage, rpcCodes, rpcError } from "../message/json-rpc.ts";
import { metaKeys } from "../message/meta.ts";
import type { PeerContext, PeerRequestHandler } from "../peer/peer-context.ts";
import type { ListChangeKind } from "../peer/peer-news.ts";
import { bounded } from "./bounded.ts";
import { findRoute, listAll, readUri, routedOf } from "./resources.ts";

async function open(context: PeerContext, request: ActiveRequest, uri: string): Promise<Subscription> {
  const routed = routedOf(context);
  const route = await findRoute(context, uri, () => listAll(context, request));
  // A server may name a part of what was subscribed to; its client is told what it subscribed to.
  const onUpdate = (): void => context.news.updated(uri);
  return bounded(context, request, ({ signal }) => routed.all.subscribe(route, onUpdate, { signal }));
}

/** `resources/subscribe`, of the revisions before 2026-07-28. */
export const subscribe: PeerRequestHandler = async (context, request) => {
  const uri = readUri(request.params);
  await context.subscriptions.add(uri, () => open(context, request, uri));
  return {};
};

/** `resources/unsubscribe`. */
export const unsubscribe: PeerRequestHandler = ({ subscriptions }, { params }) => {
  subscriptions.remove(readUri(params));
  return {};
};

const filterMembers: Readonly<Record<string, ListChangeKind>> = {
  toolsListChanged: "tools",
  resourcesListChanged: "resources",
  promptsListChanged: "prompts",
};

/**
 * `subscriptions/listen`: stays open until the client or the gateway ends it. Acknowledged with
 * what is really followed.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export const handleSubscriptionsListen: PeerRequestHandler = async (context, request) => {
  const { params, sink, stop } = request;
  const filter = params["notifications"];
  if (!isJsonObject(filter)) throw rpcError(rpcCodes.invalidParams, "notifications must say what to listen to");
  const kinds = new Set<ListChangeKind>();
  for (const [member, kind] of Object.entries(filterMembers)) {
    if (filter[member] === true && (kind === "tools" || context.resources !== undefined)) kinds.add(kind);
  }
  const wanted = readUris(filter["resourceSubscriptions"], context);
  const leaving: Cancel[] = [];
  const uris = new Set<string>();
  try {
    for (const uri of wanted) {
      // One that nobody has, or whose server does not offer it, is left out of what is
      // acknowledged.
      const leave = await context.subscriptions.add(uri, () => open(context, request, uri)).catch(() => undefined);
      if (leave === undefined) continue;
      leaving.push(leave);
      uris.add(uri);
    }
    const id = request.id;
    leaving.push(context.news.listen({ id, kinds, uris, sink }));
    const stamped = { [metaKeys.subscriptionId]: id };
    const notifications = toFilter(kinds, uris);
    sink.send(notificationMessage("notifications/subscriptions/acknowledged", { notifications, _meta: stamped }));
    if (kinds.size + uris.size > 0) await ended(stop);
    return { _meta: stamped };
  } finally {
    for (const leave of leaving) leave();
  }
};

function readUris(value: unknown, { resources, settings }: PeerContext): readonly string[] {
  if (value === undefined || resources === undefined) return [];
  if (!Array.isArray(value) || !value.every((uri) => typeof uri === "string" && uri !== "")) {
    throw rpcError(rpcCodes.invalidParams, "resourceSubscriptions must be an array of URIs");
  }
  const { maxSubscriptionsPerSession: most } = settings.limits;
  if (value.length > most) throw rpcError(rpcCodes.invalidParams, `No more than ${most} resources in one subscription`);
  return Array.from(new Set<string>(value));
}

function toFilter(kinds: ReadonlySet<ListChangeKind>, uris: ReadonlySet<string>): JsonObject {
  const members = Object.entries(filterMembers).filter(([, kind]) => kinds.has(kind));
  return {
    ...Object.fromEntries(members.map(([member]) => [member, true])),
    ...(uris.size > 0 && { resourceSubscriptions: Array.from(uris) }),
  };
}

function ended(stop: ActiveRequest["stop"]): Promise<void> {
  return new Promise((resolve) => {
    onAbort(stop.signal, resolve);
    if (stop.signal.aborted) resolve();
  });
}
