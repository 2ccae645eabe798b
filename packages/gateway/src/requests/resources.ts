import { isHostsideError, type JsonObject } from "@hostside/core";
import { isJsonObject, readContentAnnotations, readIcons } from "@hostside/core/implement";
import type { ActiveRequest } from "../message/active-request.ts";
import { rpcCodes, rpcError } from "../message/json-rpc.ts";
import { passOn } from "../message/meta.ts";
import { toWireContents } from "../message/wire-content.ts";
import type { ResourceRoute, RoutedResources } from "../offer/routed-resources.ts";
import type { PeerContext, PeerRequestHandler } from "../peer/peer-context.ts";
import { bounded, cacheable, paginate } from "./bounded.ts";
import type { GatewayEntry, GatewayResource, GatewayTemplate } from "../settings/gateway-client.ts";

/** `resources/list`: the first page asks the servers, further ones are of what they said then. */
export const listResources: PeerRequestHandler = async (context, request) => {
  const routed = routedOf(context);
  if (request.params["cursor"] === undefined) {
    const { listWaitMs: waitMs } = context.settings.limits;
    await bounded(context, request, (options) => routed.list({ ...options, waitMs }));
  }
  const size = context.settings.limits.pageSize;
  const all = routed.resources().map(toWireResource);
  const { entries: resources, ...rest } = paginate(all, request.params, { size, keyOf: ({ uri }) => uri });
  return cacheable(context, { resources, ...rest });
};

/** `resources/templates/list`. */
export const listTemplates: PeerRequestHandler = async (context, request) => {
  const routed = routedOf(context);
  if (request.params["cursor"] === undefined) {
    const { listWaitMs: waitMs } = context.settings.limits;
    await bounded(context, request, (options) => routed.listTemplates({ ...options, waitMs }));
  }
  const size = context.settings.limits.pageSize;
  const all = routed.templates().map(toWireTemplate);
  const page = paginate(all, request.params, { size, keyOf: ({ uriTemplate }) => uriTemplate });
  const { entries: resourceTemplates, ...rest } = page;
  return cacheable(context, { resourceTemplates, ...rest });
};

/** `resources/read`. */
export const handleReadResource: PeerRequestHandler = async (context, request) => {
  const routed = routedOf(context);
  const uri = readUri(request.params);
  const route = await findRoute(context, uri, () => listAll(context, request));
  request.serverId = route.serverId;
  try {
    const read = await bounded(context, request, (options) => routed.all.read(route, options));
    const meta = passOn(read.meta);
    const { ttlMs, cacheScope } = read;
    const result = { contents: read.contents.map(toWireContents), ...(meta !== undefined && { _meta: meta }) };
    return cacheable(context, result, { ...(ttlMs !== undefined && { ttlMs }), ...(cacheScope && { cacheScope }) });
  } catch (error) {
    if (isHostsideError(error, "resource_not_found")) throw notFound(context, uri);
    throw error;
  }
};

/**
 * The server to ask for a URI. Where it is not known, what the servers list is read. Throws
 * where nobody has it.
 */
export async function findRoute(
  context: PeerContext,
  uri: string,
  list: () => Promise<unknown>,
): Promise<ResourceRoute> {
  const routed = routedOf(context);
  const known = routed.routeOf(uri);
  if (known !== undefined) return known;
  await routed.listForUnknown(list);
  const found = routed.routeOf(uri);
  if (found === undefined) throw notFound(context, uri);
  return found;
}

/** Reads both lists, so that URIs can be told apart; waits for every server. */
export async function listAll(context: PeerContext, request: ActiveRequest): Promise<void> {
  const routed = routedOf(context);
  const { requestMs: waitMs } = context.settings.limits;
  await bounded(context, request, (options) =>
    Promise.all([routed.list({ ...options, waitMs }), routed.listTemplates({ ...options, waitMs })]),
  );
}

/** The URI of parameters; throws where there is none. */
export function readUri({ uri }: JsonObject): string {
  if (typeof uri === "string" && uri !== "") return uri;
  throw rpcError(rpcCodes.invalidParams, "uri must be a text that is not empty");
}

/** The resources of a client; throws where none are offered. */
export function routedOf({ resources }: PeerContext): RoutedResources {
  if (resources === undefined)
    throw rpcError(rpcCodes.methodNotFound, "This gateway offers no resources and no prompts");
  return resources;
}

// https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling has another code than the revisions before it.
function notFound({ client }: PeerContext, uri: string): Error {
  const code = client.era === "legacy" ? rpcCodes.resourceNotFound : rpcCodes.invalidParams;
  return rpcError(code, "Resource not found", { uri: uri.slice(0, 1024) });
}

function toWireResource({ uri, ...entry }: GatewayResource): JsonObject {
  return { uri, ...toWireEntry(entry) };
}

function toWireTemplate({ uriTemplate, ...entry }: GatewayTemplate): JsonObject {
  return { uriTemplate, ...toWireEntry(entry) };
}

/** What resources, templates and prompts have in common, as the wire has it. */
export function toWireEntry(entry: GatewayEntry): JsonObject {
  const { name, title, description, mimeType, size, annotations, icons, meta } = entry;
  const kept = passOn(meta);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
    ...(isJsonObject(annotations) && { annotations: readContentAnnotations(annotations) as JsonObject }),
    ...(Array.isArray(icons) && { icons: readIcons(icons) as readonly JsonObject[] }),
    ...(kept !== undefined && { _meta: kept }),
  };
}
