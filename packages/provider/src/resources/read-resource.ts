import { requestTimeoutMs } from "./resources-options.ts";
import {
  isHostsideError,
  HostsideError,
  type JsonObject,
  type ServerInfo,
  type ResourceContents,
} from "@hostside/core";
import { freezeData, isJsonObject, quoteText } from "@hostside/core/implement";
import { notOfferedError, readPieces, type PieceReader, type ResourceParts } from "./ask-server.ts";
import type { ReadOptions } from "./server-lists.ts";
import type { ResourceRead } from "./read-cache.ts";
import { longestMimeType, longestUri } from "./check-uri.ts";

/** One resource of one server. */
export interface ResourceTarget {
  readonly serverId: string;
  /** Byte for byte as it was listed, or made from a template. */
  readonly uri: string;
}

const operation = "resources/read";
// https://modelcontextprotocol.io/specification/2025-11-25/server/resources#error-handling and the same page of 2026-07-28. All that a read
// has for parameters is its URI, so that invalid ones mean this one; version 1 of the TypeScript
// SDK says it so in the earlier era, too.
const notFoundCodes: ReadonlySet<number | undefined> = new Set([-32_002, -32_602]);

/**
 * Asks the server for a resource. As `read()` of `Resources` says, without the checks of the URI
 * and without the cache.
 */
export async function readResource(
  { asking }: ResourceParts,
  { serverId, uri }: ResourceTarget,
  options: ReadOptions,
): Promise<ResourceRead> {
  const { signal, context, meta, timeoutMs = requestTimeoutMs } = options;
  try {
    return await asking.ask({ serverId, operation, timeoutMs, signal, context }, async ({ server, request }) => {
      if (!isJsonObject(server.capabilities["resources"])) throw notOfferedError({ serverId, operation });
      const result = await request(operation, { uri, ...(meta && { _meta: meta }) });
      const { _meta: resultMeta } = result;
      const { pieces: contents, dropped } = readPieces(result, { serverId, operation }, pieceReader);
      return freezeData({
        serverId,
        uri,
        contents,
        dropped,
        ...(isJsonObject(resultMeta) && { meta: resultMeta }),
        ...readHints(result, server),
        isCached: false,
      });
    });
  } catch (reason) {
    throw isHostsideError(reason, "server_error") && notFoundCodes.has(reason.details.rpcCode)
      ? notFoundError(reason, { serverId, uri })
      : reason;
  }
}

// https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
function readHints({ ttlMs, cacheScope }: JsonObject, { era }: ServerInfo): Pick<ResourceRead, "ttlMs" | "cacheScope"> {
  if (era === "legacy") return {};
  return {
    ttlMs: typeof ttlMs === "number" && ttlMs > 0 && Number.isFinite(ttlMs) ? ttlMs : 0,
    cacheScope: cacheScope === "public" ? "public" : "private",
  };
}

function notFoundError(cause: HostsideError, { serverId, uri }: ResourceTarget): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)} has no resource ${quoteText(uri)}`, {
    code: "resource_not_found",
    serverId,
    details: cause.details,
    cause,
  });
}

const pieceReader: PieceReader<ResourceContents> = {
  member: "contents",
  read: readPiece,
  lengthOf: ({ text, blob }) => text?.length ?? blob?.length ?? 0,
};

function readPiece(value: unknown): ResourceContents | string {
  if (!isJsonObject(value)) return "it is no object";
  const { uri, text, blob, mimeType, _meta: meta } = value;
  if (typeof uri !== "string") return "its uri is no text";
  if (uri.length > longestUri) return `its uri is longer than ${longestUri} UTF-16 units`;
  const isFit = typeof mimeType === "string" && mimeType.length <= longestMimeType;
  const extras = { ...(isFit && { mimeType }), ...(isJsonObject(meta) && { _meta: meta }) };
  if (typeof text === "string") return { uri, text, ...extras };
  if (typeof blob === "string") return { uri, blob, ...extras };
  return "it has neither a text nor a blob";
}
