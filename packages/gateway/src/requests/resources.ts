import { isHostsideError, type JsonObject, type ListedEntry, type Resource } from "@hostside/core";
import { isJsonObject, readContentAnnotations, readIcons } from "@hostside/core/implement";
import type { ActiveRequest } from "../message/active-request.ts";
import { rpcCodes, rpcError } from "../message/json-rpc.ts";
import { passOn } from "../message/meta.ts";
import { toWireContents } from "../message/wire-content.ts";
import type { ResourceRoute, RoutedResources } from "../offer/routed-resources.ts";
import type { PeerContext, PeerRequestHandler } from "../peer/peer-context.ts";
import { bounded, cacheable, paginate } from "./bounded.ts";
import type { ListOptions } from "../settings/gateway-client.ts";

/** A list of what servers have besides tools. */
interface RoutedList {
  /** Its name in the result. */
  readonly member: string;
  /** The member that tells its entries apart. */
  readonly key: string;
  readonly ask: (routed: RoutedResources, options: ListOptions) => Promise<void>;
  readonly entries: (routed: RoutedResources) => readonly JsonObject[];
}

/**
 * Answers with a list: the first page asks the servers, further ones are of what they said then.
 */
export function listRouted({ member, key, ask, entries }: RoutedList): PeerRequestHandler {
  return async (context, request) => {
    const routed = routedOf(context);
    const { listWaitMs: waitMs, pageSize: size } = context.settings.limits;
    if (request.params["cursor"] === undefined) {
      await bounded(context, request, (options) => ask(routed, { ...options, waitMs }));
    }
    const page = paginate(entries(routed), request.params, { size, keyOf: (entry) => entry[key] });
    const { entries: shown, ...rest } = page;
    return cacheable(context, { [member]: shown, ...rest });
  };
}

/** `resources/list`. */
export const listResources: PeerRequestHandler = listRouted({
  member: "resources",
  key: "uri",
  ask: (routed, options) => routed.list(options),
  entries: (routed) => routed.resources().map(({ uri, ...entry }) => ({ uri, ...toWireEntry(entry) })),
});

/** `resources/templates/list`. */
export const listTemplates: PeerRequestHandler = listRouted({
  member: "resourceTemplates",
  key: "uriTemplate",
  ask: (routed, options) => routed.listTemplates(options),
  entries: (routed) => routed.templates().map(({ uriTemplate, ...entry }) => ({ uriTemplate, ...toWireEntry(entry) })),
});

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
 * The server to ask for a URI. If it is not known, the lists of the servers are read. Throws where
 * nobody has it.
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

// 2026-07-28 has another code than the revisions before it.
// https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
function notFound({ client }: PeerContext, uri: string): Error {
  const code = client.era === "legacy" ? rpcCodes.resourceNotFound : rpcCodes.invalidParams;
  return rpcError(code, "Resource not found", { uri: uri.slice(0, 1024) });
}

/** The common members of resources, templates and prompts, as the wire has them. */
export function toWireEntry(
  entry: ListedEntry & Partial<Pick<Resource, "mimeType" | "size" | "annotations">>,
): JsonObject {
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
