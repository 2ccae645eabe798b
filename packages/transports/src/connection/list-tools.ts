import {
  isJsonObject,
  ToolportError,
  type Clock,
  type RemoteTool,
  type RequestOptions,
  type ServerInfo,
  type ServerLimits,
  type ToolListing,
} from "@toolport/core";
import type { RequestChannel } from "./request-channel.ts";
import { createToolListingReader } from "./tool-listing.ts";

/** What {@linkcode listTools} goes by. */
export interface ListToolsInit {
  readonly serverId: string;
  readonly server: ServerInfo;
  readonly channel: RequestChannel;
  readonly clock: Clock;
  readonly limits: ServerLimits;
  /** For all pages together, in milliseconds. */
  readonly timeoutMs: number;
  /** Why a well-formed tool cannot be called over this connection; `undefined` when it can. */
  readonly findFault?: ((tool: RemoteTool) => string | undefined) | undefined;
}

/** Reads all pages of `tools/list`; sends nothing to a server that declares no tools. Throws `protocol_error` for a page without any. */
export async function listTools(init: ListToolsInit, options: RequestOptions): Promise<ToolListing> {
  const { serverId, server, channel, clock, limits, findFault } = init;
  const reader = createToolListingReader({ limits, findFault });
  if (!isJsonObject(server.capabilities["tools"])) return reader.listing();
  const timeoutMs = options.timeoutMs ?? init.timeoutMs;
  const startedAt = channel.activeClock.now();
  let cursor: string | undefined;
  do {
    const request = channel.request({
      method: "tools/list",
      params: cursor === undefined ? {} : { cursor },
      // At least a moment: a deadline that passed between two pages is told as what it is, by the request.
      timeoutMs: Math.max(1, timeoutMs - (channel.activeClock.now() - startedAt)),
      timeoutCode: "list_timeout",
      signal: options.signal,
    });
    // The tools of one page are looked at while the server writes the next: a little later, when the request has left.
    const cancel = cursor === undefined ? undefined : clock.schedule(0, () => reader.catchUp());
    const page = await (cancel === undefined ? request : request.finally(cancel));
    const next = reader.add(page);
    if (next === false) {
      throw new ToolportError(
        `tools/list on server ${JSON.stringify(serverId)} was answered without an array of tools`,
        {
          code: "protocol_error",
          serverId,
          outcome: "failed",
          details: { operation: "tools/list" },
        },
      );
    }
    cursor = next;
  } while (cursor !== undefined);
  return reader.listing();
}
