import { HostsideError, type JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { withCarriedMeta, type MetaSource } from "../message/carried-meta.ts";
import type { ServerContext } from "../context/server-context.ts";
import type { ChangeStream } from "./change-stream.ts";
import type { RequestChannel } from "../message/request-channel.ts";
import type { ResourceSource } from "./resource-subscriptions.ts";

/** What {@linkcode chooseResourceSource} goes by. */
export interface ResourceSourceInit {
  readonly context: ServerContext;
  readonly capabilities: JsonObject;
  readonly channel: RequestChannel;
  /** There on 2026-07-28. */
  readonly stream: ChangeStream | undefined;
  readonly isModern: boolean;
}

/**
 * How this server is asked for updates of its resources: on its change stream, by a request of
 * earlier revisions, or not at all, because it does not say that it has any.
 */
export function chooseResourceSource(init: ResourceSourceInit): ResourceSource {
  const { context, capabilities, channel, stream, isModern } = init;
  const { requestMs } = context.settings.timeouts;
  const { resources } = capabilities;
  if (!isJsonObject(resources) || resources["subscribe"] !== true || (isModern && stream === undefined))
    return noSource(context);
  if (stream !== undefined)
    return {
      begin: (uri) => stream.addResource(uri),
      end: async (uri) => stream.removeResource(uri),
    };
  const ask = async (method: string, uri: string, source?: MetaSource): Promise<void> => {
    const params = withCarriedMeta({ uri }, source);
    await channel.request({ method, params, timeoutMs: requestMs, timeoutCode: "request_timeout" });
  };
  return {
    begin: (uri, source) => ask("resources/subscribe", uri, source),
    // That nobody cares for it any more is told as a courtesy.
    end: (uri) => ask("resources/unsubscribe", uri).catch(() => undefined),
  };
}

// Outside of the function above: nothing else that it has in hand is kept with it.
function noSource({ serverId }: ServerContext): ResourceSource {
  return { begin: () => Promise.reject(notOffered(serverId)), end: nothingToEnd };
}

async function nothingToEnd(): Promise<void> {
  // Nothing has begun.
}

function notOffered(serverId: string): HostsideError {
  const message = `server ${JSON.stringify(serverId)} does not tell of changes of its resources`;
  return new HostsideError(message, { code: "unsupported_operation", serverId });
}
