import type { CallContext, Interceptor, JsonObject, JsonValue, RequestInterceptor } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/** Gives servers the context of calls, as `_meta` beside the arguments. */
export interface PassContext {
  readonly interceptor: Interceptor;
  /** For what is read: lists of resources, and resources. */
  readonly requestInterceptor: RequestInterceptor;
}

const methods: ReadonlySet<string> = new Set(["resources/list", "resources/read"]);

/**
 * Sends `session_id`, the conversation, and `agent_id`, the role, to the servers that `isWanted` says; a member that the context has not is absent, and what a
 * caller gave by these names goes first.
 */
export function passContext(isWanted: (serverId: string) => boolean): PassContext {
  return {
    async interceptor(call, next) {
      const meta = isWanted(call.origin.serverId) ? metaOf(call.options.context) : undefined;
      if (meta === undefined) return next(call);
      return next({ ...call, options: { ...call.options, meta: { ...meta, ...call.options.meta } } });
    },
    async requestInterceptor(request, next) {
      const { serverId, method, options, params } = request;
      const meta = methods.has(method) && isWanted(serverId) ? metaOf(options.context) : undefined;
      if (meta === undefined) return next(request);
      return next({ ...request, params: { ...params, _meta: { ...meta, ...ownMeta(params) } } });
    },
  };
}

function metaOf({ conversation, role }: CallContext = {}): JsonObject | undefined {
  if (conversation === undefined && role === undefined) return undefined;
  return {
    ...(role !== undefined && { agent_id: role }),
    ...(conversation !== undefined && { session_id: conversation }),
  };
}

function ownMeta(params: JsonObject | undefined): JsonObject {
  const own: JsonValue | undefined = params?.["_meta"];
  return isJsonObject(own) ? own : {};
}
