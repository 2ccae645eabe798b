import { isHostsideError, HostsideError, type JsonObject, type ServerInfo } from "@hostside/core";
import { freezeData, isJsonObject, quoteText } from "@hostside/core/implement";
import { notOfferedError } from "../asking/ask-errors.ts";
import type { ReadOptions } from "../listing/server-lists.ts";
import type { ResourceParts } from "../resource-parts.ts";
import { readContents } from "./read-contents.ts";
import type { ResourceRead } from "./resource-read.ts";

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
  { asking, settings }: ResourceParts,
  { serverId, uri }: ResourceTarget,
  options: ReadOptions,
): Promise<ResourceRead> {
  const { signal, context, meta, timeoutMs = settings.requestTimeoutMs } = options;
  try {
    return await asking.ask({ serverId, operation, timeoutMs, signal, context }, async ({ server, request }) => {
      if (!isJsonObject(server.capabilities["resources"])) throw notOfferedError({ serverId, operation });
      const result = await request(operation, { uri, ...(meta && { _meta: meta }) });
      const { _meta: resultMeta } = result;
      return freezeData({
        serverId,
        uri,
        ...readContents(result, serverId, settings.readLimits),
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
