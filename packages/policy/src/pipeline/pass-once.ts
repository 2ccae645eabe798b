import type { CallContext, Interceptor, JsonObject, ToolCall } from "@hostside/core";

/** What is known of a call that a policy has let through. */
interface Passed {
  readonly serverId: string;
  readonly toolName: string;
  readonly context: CallContext | undefined;
}

/**
 * An interceptor that stands around a toolbox and its providers alike, and still looks at a call once: inside of itself it lets the same call
 * pass, once. The same is one of the same tool of a server, for the same context, with the very object of arguments that was handed on,
 * which `interceptor` has to have made for this try alone. A tool that is on no server never gets such an object: whatever it calls is another call.
 */
export function passOnce(interceptor: Interceptor): Interceptor {
  const passed = new WeakMap<JsonObject, Passed>();
  return (call, next) => {
    const before = passed.get(call.args);
    if (before !== undefined && isSame(before, call)) {
      passed.delete(call.args);
      return next(call);
    }
    return interceptor(call, async (handed) => {
      if (handed.origin.serverId === "") return next(handed);
      const { args } = handed;
      const { serverId, toolName } = handed.origin;
      passed.set(args, { serverId, toolName, context: handed.options.context });
      try {
        return await next(handed);
      } finally {
        passed.delete(args);
      }
    });
  };
}

function isSame({ serverId, toolName, context }: Passed, { origin, options }: ToolCall): boolean {
  return serverId === origin.serverId && toolName === origin.toolName && context === options.context;
}
